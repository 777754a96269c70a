/* How much a channel's recent history counts (docs/novelty.md, steps A.1 and A.7). */
#pragma once

#include "roots.h"

/* Correlation of successive readings at which the gate begins to open, and how much more opens it
   fully. */
static const double olk_gate_from = 0.1, olk_gate_width = 0.2;
/* `robust`: standard errors by which a correlation of unrelated readings may be off by chance;
   deviations at which readings are clipped where the gate is closed, and where it is open. */
static const double olk_chance_errors = 2.0;
static const double olk_closed_deviations = 3.0, olk_open_deviations = 6.0;

/* 0 where successive readings are uncorrelated, 1 where they are strongly correlated; `rows` is the
   number of rows behind the correlation. */
static inline double olk_gate(double correlation, double rows, int robust)
{
    double open = correlation - olk_gate_from;
    if (robust && open > 0.0) /* there are rows */
        open -= olk_chance_errors / olk_sqrt(rows);
    open /= olk_gate_width;
    return open > 0.0 ? (open < 1.0 ? open : 1.0) : 0.0;
}

/* Deviations at which a reading is clipped before it enters its channel's scale. */
static inline double olk_max_for_scale(double gate, int robust)
{
    const double more = olk_open_deviations - olk_closed_deviations;
    return robust ? olk_closed_deviations + more * gate : olk_open_deviations;
}
