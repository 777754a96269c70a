/* exp, the same bits on every platform. */
#pragma once

#include <stdint.h>

#include "approximations.h"

/* 1 / k!, k from 13 to 0. */
OLK_TABLE double olk_exp_terms[] = {
    1.6059043836821613e-10, 2.08767569878681e-09,   2.505210838544172e-08,
    2.755731922398589e-07,  2.7557319223985893e-06, 2.48015873015873e-05,
    0.0001984126984126984,  0.001388888888888889,   0.008333333333333333,
    0.041666666666666664,   0.16666666666666666,    0.5,
    1.0,                    1.0,
};

/* exp(x) with a relative error below 4e-16, 0 below -700, for x <= 700: the same bits on every
   platform. */
static inline double olk_sorf_exp(double x)
{
    if (!(x >= -700.0))
        return 0.0;
    const double shifted = x * OLK_LOG2_E_F64 + OLK_MAGIC_F64;
    const double n = shifted - OLK_MAGIC_F64;
    const double r = (x - n * OLK_LN2_HIGH_F64) - n * OLK_LN2_LOW_F64;
    double sum = olk_exp_terms[0];
    for (int k = 1; k < 14; k++)
        sum = sum * r + olk_exp_terms[k];
    union { double f; int64_t bits; } power;
    power.bits = ((int64_t)n + 1023) * (INT64_C(1) << 52);
    return sum * power.f;
}
