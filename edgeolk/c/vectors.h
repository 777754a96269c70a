/* Vectors of the instruction set that a unit is compiled for (port.h): one layer for all loops.

   olk_f32s, olk_f64s: numbers that fill OLK_BYTES; olk_i32s, olk_i64s: masks and indices in the
   same lanes; olk_u32s, olk_u64s: unsigned, for sums and shifts that may wrap. Sums, products,
   comparisons and shifts are C's operators; the functions here are what C has no operator for.
   Names end in the type of a vector's lanes plus s, or in that of a single number.

   With vector types of the compiler they are in vectors_wide.h, else here, one number long. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "storage.h"

/* -- Types and operations -- */

#if OLK_BYTES
#include "vectors_wide.h"
#else
/* "Vectors" of one number, in plain C: the same loops for compilers without vector types, and the
   reference for the others. Nothing is fused; sums have the same order as with wider vectors. */
typedef float olk_f32s;
typedef double olk_f64s;
typedef int32_t olk_i32s;
typedef int64_t olk_i64s;
typedef uint32_t olk_u32s;
typedef uint64_t olk_u64s;

/* A lane of a vector, to read or set; all bits set in lanes where a comparison is true. */
#define OLK_LANE(v, k) (*((void)(k), &(v)))
#define OLK_MASK_F64S(comparison) ((int64_t)0 - (int64_t)(comparison))

static OLK_INLINE olk_f64s olk_select_f64s(olk_i64s mask, olk_f64s yes, olk_f64s no)
{
    return mask ? yes : no;
}

static OLK_INLINE olk_f32s olk_madd_f32s(olk_f32s a, olk_f32s b, olk_f32s c)
{
    return a * b + c;
}

static OLK_INLINE olk_f64s olk_madd_f64s(olk_f64s a, olk_f64s b, olk_f64s c)
{
    return a * b + c;
}

static OLK_INLINE olk_f32s olk_max_f32s(olk_f32s a, olk_f32s b)
{
    return a > b ? a : b;
}

static OLK_INLINE olk_f64s olk_max_f64s(olk_f64s a, olk_f64s b)
{
    return a > b ? a : b;
}

static OLK_INLINE olk_f32s olk_load_i8s(const int8_t *p)
{
    return (float)*p;
}

static OLK_INLINE olk_f32s olk_load_f16s(const uint16_t *p)
{
    return olk_half_to_float(*p);
}

static OLK_INLINE olk_f64s olk_widen_f32(const float *p)
{
    return (double)*p;
}

static OLK_INLINE void olk_narrow_f32(float *p, olk_f64s v)
{
    *p = (float)v;
}
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
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
           ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

/* -- Cosines and sines --
   Cosines and sines of vectors of angles, reduced by full quarter turns, by the polynomials of
   mathf.h. */

/* Two vectors at once, as each is a chain of dependent operations. The quarter turns are subtracted
   in `parts` parts, a constant: 3, or 2 if angles are below 512 and an error of 1e-14 is
   acceptable. */
static OLK_INLINE void olk_two_reduced_cos_sin(const int parts, const olk_f64s *angle,
                                               olk_f64s *cosine, olk_f64s *sine, olk_u64s *quarters)
{
    olk_f64s r[2], z[2], s[2], c[2];
    for (int g = 0; g < 2; g++) {
        const olk_f64s shifted =
            olk_madd_f64s(angle[g], olk_splat_f64(OLK_TURNS_F64), olk_splat_f64(OLK_MAGIC_F64));
        const olk_f64s n = shifted - OLK_MAGIC_F64;
        quarters[g] = olk_words_of_f64s(shifted);
        r[g] = olk_madd_f64s(n, olk_splat_f64(-OLK_QUARTER_1_F64), angle[g]);
        r[g] = olk_madd_f64s(n, olk_splat_f64(-OLK_QUARTER_2_F64), r[g]);
        if (parts > 2)
            r[g] = olk_madd_f64s(n, olk_splat_f64(-OLK_QUARTER_3_F64), r[g]);
        z[g] = r[g] * r[g];
        s[g] = olk_splat_f64(olk_sine_f64[0]);
        c[g] = olk_splat_f64(olk_cosine_f64[0]);
    }
    for (int k = 1; k < 6; k++)
        for (int g = 0; g < 2; g++) {
            s[g] = olk_madd_f64s(s[g], z[g], olk_splat_f64(olk_sine_f64[k]));
            c[g] = olk_madd_f64s(c[g], z[g], olk_splat_f64(olk_cosine_f64[k]));
        }
    for (int g = 0; g < 2; g++) {
        sine[g] = olk_madd_f64s(s[g] * z[g], r[g], r[g]);
        cosine[g] = olk_madd_f64s(c[g] * z[g], z[g],
                                  olk_madd_f64s(z[g], olk_splat_f64(-0.5), olk_splat_f64(1.0)));
    }
}
