/* A learner exported by edgeolk, in C99: README.md in this folder says what each call costs.

   Memory. All state is in an arena of EK_ARENA_BYTES that the caller provides, at any address;
   nothing else is written, nothing is allocated, no function keeps state between calls. A call
   takes at most EK_STACK_BYTES of stack with the compilers listed in README.md.

   Calls. Only one at a time per arena, scores and labels too: they use its scratch. Calls on
   different arenas may run at the same time. No call blocks, locks or recurses, so it may be made
   from an interrupt that never interrupts another call on the same arena; but a row takes long
   (README.md): a queue is better.

   Numbers are IEEE 754, bytes little-endian, in rows, scores and files. Rows are in your sensor's
   units; model.h has the sizes. */
#ifndef EDGEOLK_H
#define EDGEOLK_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

#if defined(__SIZEOF_DOUBLE__) && __SIZEOF_DOUBLE__ == 4 && (!defined(EK_NARROW) || !EK_NARROW)
#error "this model computes in double, which is a float here: docs/microcontrollers.md, 'An Arduino Uno'"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if EK_WIDE_ROWS
typedef double ek_number;
#else
typedef float ek_number;
#endif

enum {
    /* Success. */
    EK_OK = 0,
    /* A bad row: a number that is not finite (except for anomalies of a stream, where it is a
       missing reading), a sum of absolute values that is too large (README.md), a target beyond 1e100, a
       score that is not finite. Nothing was changed except the count of such rows, if there is
       one. */
    EK_BAD_ROW = -1,
    /* A bad label: not -1 or 1, not a class from 0 to EK_COLUMNS - 1, not finite; or a weight that
       is not above 0 and at most EK_MOST_WEIGHT. Nothing was changed, as above. */
    EK_BAD_LABEL = -2,
    /* A bad file or bad flash: not a complete model of this configuration, or a state that learning
       cannot reach. ek_load() has changed nothing; see ek_open() for flash. */
    EK_BAD_STATE = -3,
    /* A callback of flash failed. */
    EK_IO = -4,
    /* A slot of flash is smaller than EK_SLOT_BYTES. Nothing was read or written. */
    EK_SMALL = -5,
    /* Forecasters: a target without a pending row, or ek_learn() while rows are pending. Nothing
       was changed. */
    EK_WRONG_ORDER = -6,
    /* The newest checkpoint in flash is of another configuration. Nothing was changed; flash.h says
       how to go on. */
    EK_OTHER = -7
};

/* Initialises the arena with the model as exported. Call it first, or to start over. */
void ek_start(void *arena);

#if EK_SAMPLES
#if EK_FLOAT_SAMPLES
typedef float ek_reading;
#else
typedef int16_t ek_reading;
#endif

/* Takes a sample, EK_CHANNELS readings. Returns 1 if it completes a row of features, else 0;
   EK_BAD_ROW if a reading is not finite or beyond 1e12: nothing was changed. */
int ek_sample(void *arena, const ek_reading *sample);

/* The last row, for ek_learn(), ek_predict() and the others; valid until the next sample. */
const ek_number *ek_row(void *arena);

/* After a gap: the next sample begins a new window. ek_start() and ek_load() do so too. */
void ek_restart_samples(void *arena);
#endif

/* The EK_COLUMNS scores of a row of EK_FEATURES numbers. Nothing is learned; where EK_LAPSE is not
   0, answers are counted in the state, up to that number. */
int ek_scores(void *arena, const ek_number *x, double *scores);

/* Its label: -1 or 1; a class from 0; the target; for novelty -1 if novel, else 1. */
int ek_predict(void *arena, const ek_number *x, double *label);

#if EK_HAS_PROBABILITY
/* The probability of label 1, or of each of the EK_COLUMNS classes. */
int ek_probability(void *arena, const ek_number *x, double *probability);
#endif

#if EK_LEARNS
/* Learns a row; *score receives the score before learning: f, the margin of the row's class over
   the best other, the predicted target, or for novelty f minus the threshold (for anomalies of a
   stream 0.5 minus the score). y is -1 or 1, a class from 0, a target; novelty ignores it.
   `score` may be NULL. */
int ek_learn(void *arena, const ek_number *x, double y, double *score);

#if EK_WEIGHS
/* The same for a weighted row: `weight` above 0, at most EK_MOST_WEIGHT (not for novelty). The
   required margin is sqrt(weight) instead of 1, the step towards a target is `weight` times as
   large, at most the full distance, and the experts' mistakes count `weight` times. */
int ek_learn_weighted(void *arena, const ek_number *x, double y, double weight, double *score);
#endif

#if EK_HAS_VARIANCE
/* The variance of the target of a row, infinite before the first was learned. Nothing is learned. */
int ek_variance(void *arena, const ek_number *x, double *variance);
#endif

#if EK_FORECASTS
/* An answer and an interval for each level, from -INFINITY to INFINITY while errors are unknown. */
typedef struct {
    double answer;
    double low[EK_INTERVALS], high[EK_INTERVALS];
} ek_forecast;

/* Forecasts a row without storing it. A reading that is NaN is missing. */
int ek_look(void *arena, const ek_number *x, ek_forecast *forecast);

/* Forecasts a row and keeps it until its target comes: up to EK_HORIZON rows are pending, one more
   drops the oldest. Each period, ek_tell() the target that arrived, from period EK_HORIZON on, then
   ek_ask(): in another order the model learns another horizon, which no call can notice. */
int ek_ask(void *arena, const ek_number *x, ek_forecast *forecast);

/* The target of the oldest pending row; NaN if it will never be known. Call it before the ek_ask()
   of the period. */
int ek_tell(void *arena, double y);

/* For another device, or after a long stop: forgets the history, keeps what was learned. */
void ek_restart(void *arena);
#else
#if EK_LATE
/* Scores of a row as of ek_scores; it is then pending until its label comes. The arena keeps what
   was answered, not the row: keep the row, and pass the same numbers to ek_learn() with its label.
   Labels come in the order of the rows. Of more than EK_LATE + 1 pending rows the oldest is
   dropped. */
int ek_ask(void *arena, const ek_number *x, double *scores);

/* The label of the oldest pending row will never come; EK_WRONG_ORDER if no row is pending. */
int ek_give_up(void *arena);
#endif
#if EK_REPEATS || EK_LATE
/* Forgets the last label: call it when the label of the previous row is unknown, such as when
   labels have stopped. Otherwise a model that learned to repeat labels keeps answering with that
   label: for EK_LAPSE answers, or for ever if that is 0. No row waits for its label any more. */
void ek_restart(void *arena);
#endif
#endif

typedef struct {
    uint64_t steps;    /* rows learned */
    uint64_t mistakes; /* of these, answered wrongly (novelty: found novel) */
    uint64_t updates;  /* rows that changed the weights */
    uint64_t skipped;  /* bad rows, if they are counted */
    uint64_t alarms;   /* of drift; of anomalies of a stream */
    uint64_t remembered; /* rows in the row memory */
} ek_counts;

void ek_count(const void *arena, ek_counts *counts);

#if EK_WATCHES
/* What a row is unusual in: a reading beyond all previous ones, that changed faster than ever, that
   is unusual for this hour, or that does not change; a combination of readings; readings away from
   their usual level for a while; and of rows that are not novel, noise or a mean of 64 readings. */
enum {
    EK_VALUE = 0,
    EK_CHANGE = 1,
    EK_SEASON = 2,
    EK_FLAT = 3,
    EK_PATTERN = 4,
    EK_LEVEL = 5,
    EK_ROUGHNESS = 6,
    EK_MEAN = 7
};

typedef struct {
    double score;     /* from 0 to 1; from 0.5 on the row is novel */
    int novel;        /* beyond everything seen before */
    int alarm;        /* novel, and the first such row in more than 64: one alarm for one event */
    int event;        /* an event is in progress, or ended at most 64 rows ago */
    int rare;         /* among the few most unusual rows: a fault that returns is rare, not novel */
    int part;         /* what the row is unusual in, EK_VALUE to EK_MEAN */
    uint32_t channel; /* which is the most unusual in it, from 0 */
    uint64_t alarms;  /* of all rows */
} ek_verdict;

/* Learns a row, and returns the verdict on it. `seconds` is the time of the row since an epoch that
   begins at a midnight of the place, for models with EK_CLOCK; NAN if it is not known. A number that
   is not finite is a missing reading. ek_learn() does the same without a time. */
ek_verdict ek_watch(void *arena, const ek_number *x, double seconds);

/* Ends the event and takes the last rows as normal from now on. */
void ek_accept(void *arena);

/* After a long stop: the next row has no predecessor. */
void ek_restart(void *arena);
#endif

/* The model as a file for edgeolk.load(): EK_STATE_BYTES, valid until the next call that learns. */
const void *ek_file(void *arena);

/* Continues from the state in a file of the same configuration; on EK_BAD_STATE nothing has
   changed. */
int ek_load(void *arena, const void *file, size_t bytes);
#endif

#ifdef __cplusplus
}
#endif

#endif
