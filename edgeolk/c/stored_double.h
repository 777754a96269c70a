/* Numbers that a block stores as doubles, of a learner whose numbers are floats. A program with
   OLK_NARROW converts their bits: its compiler need not have doubles of 64 bits. */
#pragma once

#include <stdint.h>

#include "float_bits.h"
#include "mathf.h"

#ifdef OLK_NARROW
typedef struct {
    uint32_t low, high;
} olk_stored_double;

/* A stored float; a count, which is not negative, and below 2^53. */
static inline float olk_stored_number(const olk_stored_double *v)
{
    const int32_t exponent = (int32_t)(v->high >> 20 & 0x7ff) - 1023 + 127;
    const uint32_t sign = v->high & UINT32_C(0x80000000);
    const uint32_t fraction = (v->high & UINT32_C(0xfffff)) << 3 | v->low >> 29;
    if (exponent <= 0) /* 0, and what no float but a subnormal one becomes */
        return olk_float_of(sign) + olk_float_of(sign | fraction | UINT32_C(1) << 23) *
                                        (exponent > -24 ? olk_two(exponent - 1) : 0.0f);
    return olk_float_of(sign | (uint32_t)exponent << 23 | fraction);
}

static inline void olk_store_number(olk_stored_double *v, float x)
{
    const uint32_t normal = olk_fabsf(x) < 0x1p-126f; /* 0, or subnormal: made normal */
    const uint32_t bits = olk_bits_of(normal ? x * 0x1p24f : x);
    const uint32_t exponent = (bits >> 23 & 0xff) + 1023 - 127 - (normal ? 24 : 0);
    v->low = bits << 29;
    v->high = (bits & UINT32_C(0x80000000)) | (bits & UINT32_C(0x7fffff)) >> 3;
    if (bits << 1)
        v->high |= exponent << 20;
}

static inline int olk_is_negative(const olk_stored_double *v)
{
    return (int)(v->high >> 31);
}

static inline uint64_t olk_stored_count(const olk_stored_double *v)
{
    const uint64_t fraction = (uint64_t)(v->high & UINT32_C(0xfffff)) << 32 | v->low;
    const int32_t exponent = (int32_t)(v->high >> 20 & 0x7ff) - 1023;
    return exponent < 0 ? 0 : (fraction | UINT64_C(1) << 52) >> (52 - exponent);
}

static inline void olk_store_count(olk_stored_double *v, uint64_t count)
{
    uint32_t exponent = 1023 + 52;
    if (count)
        for (; !(count >> 52); exponent--)
            count <<= 1;
    else
        exponent = 0;
    v->low = (uint32_t)count;
    v->high = exponent << 20 | (uint32_t)(count >> 32 & 0xfffff);
}

static inline void olk_store_none(olk_stored_double *v)
{
    v->low = 0;
    v->high = UINT32_C(0xbff00000);
}
#else
typedef double olk_stored_double;

static inline double olk_stored_number(const olk_stored_double *v)
{
    return *v;
}

static inline void olk_store_number(olk_stored_double *v, double x)
{
    *v = x;
}

static inline int olk_is_negative(const olk_stored_double *v)
{
    return *v < 0.0;
}

static inline uint64_t olk_stored_count(const olk_stored_double *v)
{
    return (uint64_t)*v;
}

static inline void olk_store_count(olk_stored_double *v, uint64_t count)
{
    *v = (double)count;
}

/* -1: no count. */
static inline void olk_store_none(olk_stored_double *v)
{
    *v = -1.0;
}
#endif
