/* How far what a channel did of late is allowed to count (docs/novelty.md, steps A.1 and A.7). */
#pragma once

#include "roots.h"

/* Correlations of successive readings at which the gate begins to open, and how much more opens it. */
static const double olk_gate_from = 0.1, olk_gate_width = 0.2;
/* `robust`: standard errors that a correlation of unrelated readings may be off by chance;
   deviations that readings of a closed gate, and of an open one, are held to. */
static const double olk_chance_errors = 2.0;
static const double olk_closed_deviations = 3.0, olk_open_deviations = 6.0;

/* 0 where successive readings are unrelated, 1 where they follow each other; `rows` are those that
   the correlation is of. */
static inline double olk_gate(double correlation, double rows, int robust)
{
    double open = correlation - olk_gate_from;
    if (robust && open > 0.0) /* there are rows */
        open -= olk_chance_errors / olk_sqrt(rows);
    open /= olk_gate_width;
    return open > 0.0 ? (open < 1.0 ? open : 1.0) : 0.0;
}

/* Deviations that a reading may be off for its channel's scale. */
static inline double olk_most_for_scale(double gate, int robust)
{
    const double more = olk_open_deviations - olk_closed_deviations;
    return robust ? olk_closed_deviations + more * gate : olk_open_deviations;
}
