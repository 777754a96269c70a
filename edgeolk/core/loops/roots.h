/* Square roots and absolute values, by the processor and its C library or, with OLK_NO_LIBM, in
   integer arithmetic. The bits are the same: a square root is rounded once. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "compiler.h"

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

/* The square root of x >= 0, bit by bit, rounded to nearest. */
static inline double olk_square_root(double x)
{
    uint64_t bits, rest, root = 0, sum = 0;
    memcpy(&bits, &x, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52);
    if (!(x > 0.0) || exponent == 0x7ff)
        return x;
    rest = bits & (UINT64_MAX >> 12);
    if (exponent == 0) { /* subnormal */
        for (exponent = 1; !(rest >> 52); exponent--)
            rest <<= 1;
    } else {
        rest |= UINT64_C(1) << 52;
    }
    exponent -= 1023;
    if (exponent & 1) {
        rest <<= 1;
        exponent--;
    }
    rest <<= 1;
    for (uint64_t digit = UINT64_C(1) << 53; digit; digit >>= 1) {
        const uint64_t trial = sum + digit;
        if (trial <= rest) {
            sum = trial + digit;
            rest -= trial;
            root += digit;
        }
        rest <<= 1;
    }
    root += rest ? root & 1 : 0; /* the last digit decides the rounding */
    bits = (root >> 1) + (uint64_t)(exponent / 2 + 1022) * (UINT64_C(1) << 52);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The same for a float that is normal or 0. */
static inline float olk_square_root_f32(float x)
{
    uint32_t bits, root = 0, sum = 0;
    memcpy(&bits, &x, sizeof bits);
    int32_t exponent = (int32_t)(bits >> 23) - 127;
    if (!(x > 0.0f) || exponent == 128)
        return x;
    uint32_t rest = (bits & (UINT32_MAX >> 9)) | UINT32_C(1) << 23;
    if (exponent & 1) {
        rest <<= 1;
        exponent--;
    }
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
    bits = (root >> 1) + (uint32_t)(exponent / 2 + 126) * (UINT32_C(1) << 23);
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
