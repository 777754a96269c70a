/* Vectors of the instruction set that a unit is compiled for (set.h): one layer for all loops.

   olk_f32s, olk_f64s: numbers that fill OLK_BYTES; olk_i32s, olk_i64s: masks and indices in the
   same lanes; olk_u32s, olk_u64s: unsigned, for sums and shifts that may wrap. Sums, products,
   comparisons and shifts are C's operators; the functions here are what C has no operator for.
   Names end in the type of a vector's lanes plus s, or in that of a single number. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "set.h"
#include "storage.h"

#if OLK_BYTES
#include "vector_wide.h"
#else
#include "vector_plain.h"
#endif

/* Lanes of a vector of doubles, and vectors for eight doubles: the running sums. */
enum {
    OLK_LANES_F64 = sizeof(olk_f64s) / sizeof(double),
    OLK_SUMS = 8 / OLK_LANES_F64
};

/* The bits of the lanes, and back. */
static OLK_INLINE olk_u32s olk_words_of_f32s(olk_f32s v)
{
    olk_u32s bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static OLK_INLINE olk_f32s olk_f32s_of_words(olk_u32s v)
{
    olk_f32s bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static OLK_INLINE olk_u64s olk_words_of_f64s(olk_f64s v)
{
    olk_u64s bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static OLK_INLINE olk_f64s olk_f64s_of_words(olk_u64s v)
{
    olk_f64s bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* The same number in every lane. */
static OLK_INLINE olk_f32s olk_splat_f32(float number)
{
    return number - (olk_f32s){0};
}

static OLK_INLINE olk_f64s olk_splat_f64(double number)
{
    return number - (olk_f64s){0};
}

/* Unaligned loads: a score may start at any slot. */
static OLK_INLINE olk_f32s olk_load_f32s(const float *p)
{
    return *(const olk_f32s *)p;
}

static OLK_INLINE olk_f64s olk_load_f64s(const double *p)
{
    return *(const olk_f64s *)p;
}

static OLK_INLINE void olk_store_f64s(double *p, olk_f64s v)
{
    *(olk_f64s *)p = v;
}

/* The first lane. */
static OLK_INLINE double olk_first_lane(olk_f64s v)
{
    return OLK_LANE(v, 0);
}

/* |v|; below, max(v, 0), where NaN stays NaN. */
static OLK_INLINE olk_f32s olk_abs_f32s(olk_f32s v)
{
    return olk_f32s_of_words(olk_words_of_f32s(v) & ~olk_words_of_f32s(olk_splat_f32(-0.0f)));
}

static OLK_INLINE olk_f64s olk_abs_f64s(olk_f64s v)
{
    return olk_f64s_of_words(olk_words_of_f64s(v) & ~olk_words_of_f64s(olk_splat_f64(-0.0)));
}

static OLK_INLINE olk_f64s olk_max_zero_f64s(olk_f64s v)
{
    return olk_max_f64s(olk_splat_f64(0.0), v);
}

/* Doubles from index i on of an array of type `dtype`, a constant; and back. */
static OLK_INLINE olk_f64s olk_widen(const int dtype, const void *array, ptrdiff_t i)
{
    if (dtype == OLK_F64)
        return olk_load_f64s((const double *)array + i);
    return olk_widen_f32((const float *)array + i);
}

static OLK_INLINE void olk_narrow(const int dtype, void *array, ptrdiff_t i, olk_f64s v)
{
    if (dtype == OLK_F64)
        olk_store_f64s((double *)array + i, v);
    else
        olk_narrow_f32((float *)array + i, v);
}

#if defined(OLK_X86) && OLK_BYTES == 64
/* The first `count` of these, fewer than eight; the other lanes are 0. */
static OLK_INLINE olk_f64s olk_widen_first(const int dtype, const void *array, ptrdiff_t i,
                                           ptrdiff_t count)
{
    const __mmask8 lanes = (__mmask8)~(~0u << count);
    if (dtype == OLK_F64)
        return (olk_f64s)_mm512_maskz_loadu_pd(lanes, (const double *)array + i);
    return (olk_f64s)_mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, (const float *)array + i));
}
#endif

/* Adds eight running sums in a fixed order: the same bits for every width of vectors. */
static OLK_INLINE double olk_total(const double *lane)
{
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}
