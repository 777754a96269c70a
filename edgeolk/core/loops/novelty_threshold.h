/* The threshold that a share nu of rows exceeds in the long run, and which rows make one event
   (docs/novelty.md, steps C.1 and E). */
#ifndef EDGEOLK_NOVELTY_THRESHOLD_H
#define EDGEOLK_NOVELTY_THRESHOLD_H

#include <stdint.h>

/* Where the threshold starts, and the least it comes to; its steps, at least, and times the rows so
   far; rows without an alarm after which an event is over. */
static const double olk_first_threshold = 4.0, olk_least_threshold = 0.5;
static const double olk_threshold_step = 0.002, olk_first_steps = 10.0;
enum { OLK_EVENT_ROWS = 64 };

/* After a row, quantile tracking by stochastic gradient. `rows`: with a model, before this one. */
static inline double olk_next_threshold(double threshold, int novel, double rows, double nu)
{
    const double early = olk_first_steps / (rows + 1.0);
    const double step = early > olk_threshold_step ? early : olk_threshold_step;
    threshold += novel ? step * (1.0 - nu) : -step * nu;
    return threshold > olk_least_threshold ? threshold : olk_least_threshold;
}

/* Words of the block, each of 64 bits: rows that do not count, as nothing had moved yet; events; rows
   since the last novel one; the verdict on the last row. */
enum { OLK_IDLE_ROWS = 0, OLK_EVENTS = 1, OLK_QUIET_ROWS = 2, OLK_VERDICT = 3, OLK_WATCH_WORDS = 4 };
/* A verdict: bit 0 novel, 1 and 2 the part, 3 and 4 what of the channel, from 8 on which channel. */

static inline void olk_conclude(uint64_t *watch, int novel, int part, int what, ptrdiff_t channel)
{
    const uint64_t quiet = watch[OLK_QUIET_ROWS];
    watch[OLK_EVENTS] += novel && quiet > OLK_EVENT_ROWS;
    watch[OLK_QUIET_ROWS] = novel ? 0 : quiet + (quiet < UINT16_MAX);
    watch[OLK_VERDICT] = (uint64_t)novel | (uint64_t)part << 1 | (uint64_t)what << 3 |
                         (uint64_t)channel << 8;
}

#endif
