/* How far what a channel did of late is allowed to count (docs/novelty.md, step A.1). */
#ifndef EDGEOLK_CHANNEL_GATE_H
#define EDGEOLK_CHANNEL_GATE_H

#include "roots.h"

/* Correlations of successive readings at which the gate begins to open, and how much more opens it;
   how often the error of one that is estimated from few readings is taken off. */
static const double olk_gate_from = 0.1, olk_gate_width = 0.2, olk_gate_errors = 2.0;

/* 0 where successive readings are unrelated, 1 where they follow each other. `share` is 1 over the
   readings that the correlation is the mean of. */
static inline double olk_gate(double correlation, double share)
{
    const double error = OLK_SQRT(share);
    const double open = (correlation - olk_gate_from - olk_gate_errors * error) / olk_gate_width;
    return open > 0.0 ? (open < 1.0 ? open : 1.0) : 0.0;
}

#endif
