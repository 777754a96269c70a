/* The natural logarithm, the same bits on every platform. */
#pragma once

#include <stdint.h>

#include "compiler.h"

/* 1 / (2 k + 1), k from 11 to 1. */
OLK_TABLE double olk_log_terms[] = {
    0.043478260869565216, 0.047619047619047616, 0.05263157894736842, 0.058823529411764705,
    0.06666666666666667,  0.07692307692307693,  0.09090909090909091, 0.1111111111111111,
    0.14285714285714285,  0.2,                  0.3333333333333333,
};

/* ln(x) within 2e-16 (1 + |ln(x)|), for normal x > 0: ln(2^n m) = n ln 2 + 2 artanh((m - 1) / (m +
   1)), m within a factor of sqrt(2) of 1. */
static inline double olk_log(double x)
{
    union { double f; uint64_t bits; } part;
    part.f = x;
    /* Raised by as much as 1 is above sqrt(1/2): the exponent is then n. */
    const uint64_t raised = part.bits + (UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd));
    const double n = (double)((int32_t)(raised >> 52) - 1023);
    part.bits = (raised & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd);
    const double gap = part.f - 1.0, s = gap / (part.f + 1.0), square = s * s;
    double sum = olk_log_terms[0];
    for (int k = 1; k < 11; k++)
        sum = sum * square + olk_log_terms[k];
    /* 2 s = gap - gap s, so that the largest part has no error. */
    const double rest = s * (2.0 * square * sum - gap);
    return n * 6.93147180369123816490e-1 + (gap + (rest + n * 1.90821492927058770002e-10));
}
