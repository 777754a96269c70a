/* Elementary functions, the same bits on every platform: nothing is fused, nothing depends on the C
   library but sqrt and fabs, which are exact. Constants of approximations are defined here once,
   with their errors; vectors.h and kernels.h have the same for vectors. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "port.h"

#ifndef HUGE_VAL /* of some small boards' C library */
#define HUGE_VAL INFINITY
#endif

/* -- Square roots and absolute values --
   By the processor and its C library or, with OLK_NO_LIBM, in integer arithmetic. The bits are the
   same: a square root is rounded once. */

static OLK_INLINE double olk_fabs(double x)
{
#ifdef __GNUC__ /* a mask on the bits, even with -fno-builtin */
    return __builtin_fabs(x);
#else
    return fabs(x);
#endif
}

static OLK_INLINE float olk_fabsf(float x)
{
#ifdef __GNUC__
    return __builtin_fabsf(x);
#else
    return fabsf(x);
#endif
}

/* The upper half of a product, at most 3 too small. */
static inline uint64_t olk_multiply_high(uint64_t a, uint64_t b)
{
    const uint64_t a1 = a >> 32, a0 = a & UINT32_MAX, b1 = b >> 32, b0 = b & UINT32_MAX;
    return a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32);
}

static inline uint32_t olk_multiply_high_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

/* The square root of x >= 0, rounded to nearest: Newton's steps for 1 / sqrt in integers, the last
   one in 64 bits, then the comparison of squares that decides the rounding. */
static OLK_OUTSIDE double olk_square_root(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52);
    if (!(x > 0.0) || exponent == 0x7ff)
        return x;
    if (exponent == 0) { /* subnormal */
        for (exponent = 1; !(bits >> 52); exponent--)
            bits <<= 1;
    }
    const int doubled = !(exponent & 1);
    /* m, from 1 to 4 in units of 2^-62; r, 1 / sqrt(m) in units of 2^-32, first within .03 by a
       line; a step doubles its bits, and stays below 1, which would not fit. */
    uint64_t m = bits << 11 | UINT64_C(1) << 63;
    uint32_t r = UINT32_C(4213751000) -
                 olk_multiply_high_u32((uint32_t)(bits << 12 >> 32), UINT32_C(1257966797));
    if (doubled)
        r = olk_multiply_high_u32(r, UINT32_C(3037000499)); /* sqrt(1/2) */
    else
        m >>= 1;
    for (int i = 0; i < 3; i++) {
        const uint32_t root = olk_multiply_high_u32((uint32_t)(m >> 32), r);
        const uint32_t three_minus_square =
            UINT32_C(0xbffffffd) - olk_multiply_high_u32(root, r);
        r = olk_multiply_high_u32(r, three_minus_square) << 1;
    }
    const uint64_t wide = (uint64_t)r << 32, rough = olk_multiply_high(m, wide);
    const uint64_t last = (UINT64_C(3) << 62) - olk_multiply_high(rough, wide);
    uint64_t root = (olk_multiply_high(rough, last) - 2) >> 9; /* in units of 2^-52, not above */
    const uint64_t rest = (m << 42) - root * root;
    root += (root - rest) >> 63; /* m is above the square of root + 1/2 */
    bits = (root & (UINT64_MAX >> 12)) | (uint64_t)((exponent + 1023) >> 1) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The same for a float that is normal or 0. */
static inline float olk_square_root_f32(float x)
{
    uint32_t bits, root = 0, sum = 0;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t exponent = bits >> 23;
    if (!(x > 0.0f) || exponent == 255)
        return x;
    uint32_t rest = (bits & (UINT32_MAX >> 9)) | UINT32_C(1) << 23;
    if (!(exponent & 1)) /* of an odd power of 2 */
        rest <<= 1;
    rest <<= 1;
    for (uint32_t digit = UINT32_C(1) << 24; digit; digit >>= 1) {
        const uint32_t trial = sum + digit;
        if (trial <= rest) {
            sum = trial + digit;
            rest -= trial;
            root += digit;
        }
        rest <<= 1;
    }
    root += rest ? root & 1 : 0;
    bits = (root >> 1) + ((exponent + 125) / 2 << 23);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static OLK_INLINE double olk_sqrt(double x)
{
#ifdef OLK_NO_LIBM
    return olk_square_root(x);
#else
    return sqrt(x);
#endif
}

static OLK_INLINE float olk_sqrtf(float x)
{
#ifdef OLK_NO_LIBM
    return olk_square_root_f32(x);
#else
    return sqrtf(x);
#endif
}

/* -- Constants of approximations --
   Constants and coefficients of the loops' approximations, each defined once, with its error. */

/* Adding one of these, 1.5 times 2^23 or 2^52, rounds to an integer: the low bits of the sum. */
static const float OLK_MAGIC_F32 = 12582912.0f;
static const double OLK_MAGIC_F64 = 6755399441055744.0;

/* 1 / ln 2; ln 2 in two parts, so that n times the first is exact. */
static const float OLK_LOG2_E_F32 = 1.44269504088896341f;
static const float OLK_LN2_HIGH_F32 = 0.693359375f;
static const float OLK_LN2_LOW_F32 = -2.12194440e-4f;
static const double OLK_LOG2_E_F64 = 1.4426950408889634074;
static const double OLK_LN2_HIGH_F64 = 6.93145751953125e-1;
static const double OLK_LN2_LOW_F64 = 1.42860682030941723212e-6;

/* exp(r) for |r| <= ln(2)/2, lifted: p(0) is exact, so that k(x, x) = 1. Relative errors 3e-9 and
   3e-16: with rounding, the result is within 2 units in the last place of a float and within 4 of a
   double. */
static const double OLK_LIFT = 0x1p64;
OLK_TABLE float olk_exp_polynomial_f32[] = {
    0x1p64f, 0x1p64f * 1.0000000497968269f, 0x1p64f * 0.500000043574032318f,
    0x1p64f * 0.166663648088619529f, 0x1p64f * 0.0416647733349355985f,
    0x1p64f * 0.00837905902467253242f, 0x1p64f * 0.00140614213267004718f,
};
OLK_TABLE double olk_exp_polynomial_f64[] = {
    0x1p64, 0x1p64 * 1.00000000000000915, 0x1p64 * 0.500000000000008387,
    0x1p64 * 0.166666666665234461, 0x1p64 * 0.0416666666655889199,
    0x1p64 * 0.00833333339605874063, 0x1p64 * 0.00138888892573971791,
    0x1p64 * 0.00019841157665135299, 0x1p64 * 0.0000248011149824355013,
    0x1p64 * 2.76451886360171513e-6, 0x1p64 * 2.77796021615499535e-7,
};

/* 2 / pi; pi / 2 in parts, so that n times the first is exact: two parts for n up to 2^10, three for n
   up to 2^20. */
static const float OLK_TURNS_F32 = 0.636619772367581343f;
static const float OLK_QUARTER_1_F32 = 1.5703125f;
static const float OLK_QUARTER_2_F32 = 4.8382679489661923e-4f;
static const double OLK_TURNS_F64 = 0.63661977236758134308;
static const double OLK_QUARTER_1_F64 = 1.57079632673412561417e+00;
static const double OLK_QUARTER_2_F64 = 6.07710050630396597660e-11;
static const double OLK_QUARTER_3_F64 = 2.02226624879595063154e-21;

/* sin(r) = r + r z p(z), cos(r) = 1 - z/2 + z^2 q(z), z = r^2, |r| <= pi/4, highest power first:
   from Cephes in float (errors below 1e-7) and from fdlibm in double (below 3e-16). */
static const float olk_sine_f32[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
static const float olk_cosine_f32[] = {2.443315711809948e-5f, -1.388731625493765e-3f,
                                       4.166664568298827e-2f};
OLK_TABLE double olk_sine_f64[] = {
    1.58969099521155010221e-10,  -2.50507602534068634195e-08, 2.75573137070700676789e-06,
    -1.98412698298579493134e-04, 8.33333333332248946124e-03,  -1.66666666666666324348e-01,
};
OLK_TABLE double olk_cosine_f64[] = {
    -1.13596475577881948265e-11, 2.08757232129817482790e-09,  -2.75573143513906633035e-07,
    2.48015872894767294178e-05,  -1.38888888888741095749e-03, 4.16666666666666019037e-02,
};

/* -- Exponential -- */

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

/* exp(x) within 2 units in the last place, 0 below -87, for x <= 88: the same bits on every
   platform. */
static inline float olk_exp_f32(float x)
{
    if (!(x >= -87.0f))
        return 0.0f;
    const float shifted = x * OLK_LOG2_E_F32 + OLK_MAGIC_F32, n = shifted - OLK_MAGIC_F32;
    const float r = (x - n * OLK_LN2_HIGH_F32) - n * OLK_LN2_LOW_F32;
    float sum = olk_exp_polynomial_f32[6];
    for (int k = 5; k >= 0; k--)
        sum = sum * r + olk_exp_polynomial_f32[k];
    union { float f; uint32_t bits; } half; /* of the power of 2, twice: the polynomial is lifted */
    const uint32_t exponents = (uint32_t)((int32_t)n - 64 + 2 * 127);
    half.bits = exponents / 2 << 23;
    const float first = half.f;
    half.bits = (exponents - exponents / 2) << 23;
    return sum * first * half.f;
}

/* -- Logarithm -- */

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
    const uint64_t raised =
        part.bits + (UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd));
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

/* The same in floats, 1 / (2 k + 1), k from 4 to 1: within 1e-7 (1 + |ln(x)|), for normal x > 0. */
OLK_TABLE float olk_log_terms_f32[] = {0.111111111f, 0.142857143f, 0.2f, 0.333333333f};

static inline float olk_log_f32(float x)
{
    union { float f; uint32_t bits; } part;
    part.f = x;
    const uint32_t raised = part.bits + (UINT32_C(0x3f800000) - UINT32_C(0x3f3504f3));
    const float n = (float)((int32_t)(raised >> 23) - 127);
    part.bits = (raised & UINT32_C(0x007fffff)) + UINT32_C(0x3f3504f3);
    const float gap = part.f - 1.0f, s = gap / (part.f + 1.0f), square = s * s;
    float sum = olk_log_terms_f32[0];
    for (int k = 1; k < 4; k++)
        sum = sum * square + olk_log_terms_f32[k];
    const float rest = s * (2.0f * square * sum - gap);
    return n * OLK_LN2_HIGH_F32 + (gap + (rest + n * OLK_LN2_LOW_F32));
}

/* -- Cosine and sine --
   Of an angle of any size, by range reduction. */

/* The first 1,152 bits of 2 / pi. */
OLK_TABLE uint32_t olk_two_over_pi[36] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
};

/* The quarter turns of m 2^e, mod 4, rounded to nearest, and what is left in units of 2^-64 quarter
   turns, a number with a sign: m times the 160 relevant bits of 2 / pi (Payne & Hanek 1983).
   Absolute error below 2^-63. */
static inline uint32_t olk_quarter_turns(uint64_t m, int32_t e, uint64_t *rest, int *negative)
{
    const int32_t first = e < 2 ? 0 : (e - 2) / 32;
    uint32_t product[8] = {0}; /* lowest word first; one to spare */
    for (int32_t i = 0; i < 5; i++) {
        const uint64_t word = olk_two_over_pi[first + 4 - i];
        uint64_t carry = word * (uint32_t)m + product[i];
        product[i] = (uint32_t)carry;
        carry = (carry >> 32) + word * (m >> 32) + product[i + 1];
        product[i + 1] = (uint32_t)carry;
        product[i + 2] = (uint32_t)(carry >> 32);
    }
    /* The binary point is before bit `point`: 64 fraction bits behind it, two integer bits
       before. */
    const uint32_t point = (uint32_t)(32 * (first + 5) - e), from = point - 64, by = from % 32;
    const uint32_t *at = product + from / 32;
    const uint64_t low = (uint64_t)at[1] << 32 | at[0], high = (uint64_t)at[3] << 32 | at[2];
    const uint64_t part = by ? low >> by | high << (64 - by) : low;
    const uint32_t turns = (uint32_t)(high >> by) & 3u;
    *negative = part >> 63 != 0;
    *rest = *negative ? 0 - part : part;
    return turns + (uint32_t)*negative;
}

/* An angle of 512 or more, reduced: its quarter turns, and the rest in radians within 1e-7. */
static inline uint32_t olk_reduced_f32(float angle, float *r)
{
    uint32_t bits;
    uint64_t rest;
    int negative;
    memcpy(&bits, &angle, sizeof bits);
    const uint64_t m = (uint64_t)((bits & 0x7fffff) | 0x800000) << 29;
    const uint32_t turns =
        olk_quarter_turns(m, (int32_t)(bits >> 23 & 0xff) - 179, &rest, &negative);
    /* 24 bits of the rest, truncated: exact as a float. */
    const float size = (float)(int32_t)(rest >> 40) * 0x1p-24f * 1.57079632679489661923f;
    const int down = negative != (int)(bits >> 31);
    *r = down ? -size : size;
    return bits >> 31 ? 0u - turns : turns;
}

/* Cosine and sine of a finite angle, within 3e-16: nothing is fused. */
static inline void olk_cos_sin(double angle, double *cosine, double *sine)
{
    uint64_t bits;
    uint32_t turns;
    double r;
    if (angle < 512.0 && angle > -512.0) {
        const double shifted = angle * OLK_TURNS_F64 + OLK_MAGIC_F64;
        const double n = shifted - OLK_MAGIC_F64;
        memcpy(&bits, &shifted, sizeof bits);
        turns = (uint32_t)bits;
        r = angle - n * OLK_QUARTER_1_F64;
        r = r - n * OLK_QUARTER_2_F64;
        r = r - n * OLK_QUARTER_3_F64;
    } else {
        uint64_t rest;
        int negative;
        memcpy(&bits, &angle, sizeof bits);
        turns = olk_quarter_turns((bits & (UINT64_MAX >> 12)) | (UINT64_C(1) << 52),
                                  (int32_t)(bits >> 52 & 0x7ff) - 1075, &rest, &negative);
        const double size = (double)rest * (1.0 / 18446744073709551616.0);
        r = (negative ? -size : size) * 1.57079632679489661923;
        if (bits >> 63) {
            turns = 0u - turns;
            r = -r;
        }
    }
    const double z = r * r;
    double s = olk_sine_f64[0], c = olk_cosine_f64[0];
    for (int k = 1; k < 6; k++) {
        s = s * z + olk_sine_f64[k];
        c = c * z + olk_cosine_f64[k];
    }
    s = s * z * r + r;
    c = c * z * z + (1.0 - 0.5 * z);
    const double along = turns & 1 ? s : c, across = turns & 1 ? c : s;
    *cosine = (turns + 1) & 2 ? -along : along;
    *sine = turns & 2 ? -across : across;
}

/* -- Bounds --
   Without branches, so that compilers vectorise. */

/* The largest double that rounds to a finite float. */
static const double OLK_MAX_AS_FLOAT = 0x1.fffffefffffffp+127;

/* Whether every |x_j| <= limit; false for NaN. */
static inline int olk_within_f32(const float *x, ptrdiff_t n, float limit)
{
    int32_t beyond = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        beyond |= -(int32_t)!(fabsf(x[j]) <= limit);
    return beyond == 0;
}

static inline int olk_within_f64(const double *x, ptrdiff_t n, double limit)
{
    int64_t beyond = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        beyond |= -(int64_t)!(fabs(x[j]) <= limit);
    return beyond == 0;
}
