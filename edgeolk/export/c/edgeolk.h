/* A learner made by edgeolk, in C99: see README.md of this folder, which says what each call costs.

   Memory. Everything lies in an arena of EK_ARENA_BYTES that the caller provides, at any address;
   nothing else is written, nothing is allocated, no function keeps anything between calls. A call
   takes at most EK_STACK_BYTES of stack where the compiler is among those of README.md.

   Calls. One at a time on an arena, scores and labels too: they use its scratch. Of two arenas calls
   may run at the same time. No call waits, takes a lock, or calls itself, so any may be made from an
   interrupt that no other call on its arena is interrupted by; but a row takes long there (README.md):
   rather put it into a queue.

   Numbers are IEEE 754, bytes little-endian, in rows, in scores and in files. Rows are in your
   sensor's units; model.h has the sizes. */
#ifndef EDGEOLK_H
#define EDGEOLK_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

#if EK_WIDE_ROWS
typedef double ek_number;
#else
typedef float ek_number;
#endif

enum {
    /* Done. */
    EK_OK = 0,
    /* Of a row: a number that is not finite (a missing reading where rows are in the order of time), a
       sum of sizes beyond what is taken (README.md), a target beyond 1e100, a score that is not
       finite. Nothing was changed but the count of such rows, where they are counted. */
    EK_BAD_ROW = -1,
    /* Of a label: not -1 or 1, no class from 0 to EK_COLUMNS - 1, not finite; a weight that is not
       above 0 and at most EK_MOST_WEIGHT. Nothing was changed, as above. */
    EK_BAD_LABEL = -2,
    /* Of a file or of flash: no whole model of this configuration, or none that learning leads to.
       ek_load() has changed nothing; see ek_open() for flash. */
    EK_BAD_STATE = -3,
    /* A callback of flash failed. */
    EK_IO = -4,
    /* A slot of flash holds less than EK_SLOT_BYTES. Nothing was read or written. */
    EK_SMALL = -5,
    /* Forecasters: a target that no row waits for, or one at once while rows wait. Nothing was
       changed. */
    EK_WRONG_ORDER = -6
};

/* Begins with the model as it was when it was exported. First of all, or to begin again. */
void ek_start(void *arena);

/* What a row of EK_FEATURES numbers is answered with: EK_COLUMNS scores. Nothing is learned; where
   EK_LAPSE is not 0, answers are counted in the state up to that number. */
int ek_scores(void *arena, const ek_number *x, double *scores);

/* Its label: -1 or 1; a class from 0; the target; for novelty -1 for novel, else 1. */
int ek_predict(void *arena, const ek_number *x, double *label);

#if EK_HAS_PROBABILITY
/* The probability of label 1, or of each of the EK_COLUMNS classes. */
int ek_probability(void *arena, const ek_number *x, double *probability);
#endif

#if EK_LEARNS
/* Learns a row; *score receives what was said before: f, the margin of the row's class over the best
   other, the predicted target, or for novelty f less the threshold
   (the threshold less the score, where rows are in the order of time). y is -1 or 1, a class from 0, a
   target; novelty does not look at it. `score` may be NULL. */
int ek_learn(void *arena, const ek_number *x, double y, double *score);

/* The same of a row that counts more or less than one: `weight` above 0, at most EK_MOST_WEIGHT (not
   for novelty). Its margin is to be sqrt(weight) instead of 1, a target is stepped to with `weight`
   times the step, at most all the way, and the candidates' mistakes count `weight` times. */
int ek_learn_weighted(void *arena, const ek_number *x, double y, double weight, double *score);

#if EK_FORECASTS
/* An answer, and an interval of each level: empty, low = high, while errors are not known. */
typedef struct {
    double answer;
    double low[EK_INTERVALS], high[EK_INTERVALS];
} ek_forecast;

/* Answers a row; nothing is remembered. A reading that is not a number is missing. */
int ek_look(void *arena, const ek_number *x, ek_forecast *forecast);

/* Answers a row and remembers it until its target comes: EK_HORIZON rows may wait, one more drops the
   oldest. */
int ek_ask(void *arena, const ek_number *x, ek_forecast *forecast);

/* The target of the oldest row that waits; not a number: it will never be known. */
int ek_tell(void *arena, double y);

/* Another unit, or rows after a long stop: the history is forgotten, what was learned is kept. */
void ek_restart(void *arena);
#elif EK_REPEATS
/* The last label is forgotten: call it where the label of the row before is not known, such as when
   labels have stopped. Without it that label would go on to be the answer where labels used to stay:
   for EK_LAPSE answers, or for good where that is 0. */
void ek_restart(void *arena);
#endif

typedef struct {
    uint64_t steps;    /* rows learned */
    uint64_t mistakes; /* of them, answered wrongly before (novelty: called novel) */
    uint64_t updates;  /* rows that changed the weights */
    uint64_t skipped;  /* bad rows, where they are counted */
    uint64_t alarms;   /* times the mistakes told of a change (drift); novelty in time: events */
    uint64_t remembered; /* rows that the memory beside the features holds */
} ek_counts;

void ek_count(const void *arena, ek_counts *counts);

#if EK_WATCHES
enum { EK_PATTERN = 0, EK_LEVEL = 1, EK_CHANNEL = 2 };
enum { EK_VALUE = 0, EK_ROUGHNESS = 1, EK_MEAN = 2, EK_FLAT = 3 };

typedef struct {
    int novel, event; /* of the last row learned; event: one lasts, or was at most 64 rows back */
    int part;         /* what counted most: the pattern, the level of deviations, a channel */
    int what;         /* of the channel that was furthest off: its value, roughness, mean, a flat line */
    uint32_t channel; /* that channel, from 0 */
    uint64_t alarms;  /* events so far */
    double threshold; /* a score above it is novel; ek_learn gives it less the score */
} ek_verdict;

/* What was made of the last row learned. A number of a row that is not finite is a missing reading. */
void ek_watch(const void *arena, ek_verdict *verdict);

/* What the last rows were is usual from now on, and the event is over. */
void ek_accept(void *arena);

/* After a long stop: no row is known before the next one. */
void ek_restart(void *arena);
#endif

/* The model as a file for edgeolk.load(): EK_STATE_BYTES, valid until the next call that learns. */
const void *ek_file(void *arena);

/* Goes on with the state in a file of the same configuration; on EK_BAD_STATE nothing has changed. */
int ek_load(void *arena, const void *file, size_t bytes);
#endif

#ifdef __cplusplus
}
#endif

#endif
