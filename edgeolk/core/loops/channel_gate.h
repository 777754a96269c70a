/* How far what a channel did of late is allowed to count (docs/novelty.md, step A.1). */
#pragma once

/* Correlations of successive readings at which the gate begins to open, and how much more opens it. */
static const double olk_gate_from = 0.1, olk_gate_width = 0.2;

/* 0 where successive readings are unrelated, 1 where they follow each other. */
static inline double olk_gate(double correlation)
{
    const double open = (correlation - olk_gate_from) / olk_gate_width;
    return open > 0.0 ? (open < 1.0 ? open : 1.0) : 0.0;
}
