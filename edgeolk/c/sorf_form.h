/* The form in which a unit of the learner on structured features is compiled: the types of its
   weights and inputs, what is on the stack and how much at once. A unit is for one type of weights
   (OLK_SORF_INT8, _FLOAT32 or _FLOAT64) and one instruction set (port.h); with OLK_SORF_PLAIN it is
   plain C99. */
#pragma once

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mathf.h"
#include "random.h"
#include "sorf_types.h"

/* The type of readings and of every number that is computed: learners with weights of int8 and of
   float32 are defined in single precision (docs/sorf.md, section 17), those with weights of float64
   in double. A constant of the algorithm is rounded to it. */
#ifdef OLK_SORF_FLOAT64
typedef double olk_real;
#else
typedef float olk_real;
#endif
typedef olk_real olk_input;

static OLK_INLINE olk_real olk_abs(olk_real x)
{
    return sizeof x == sizeof(float) ? (olk_real)olk_fabsf((float)x)
                                     : (olk_real)olk_fabs((double)x);
}

static OLK_INLINE olk_real olk_root(olk_real x)
{
    return sizeof x == sizeof(float) ? (olk_real)olk_sqrtf((float)x)
                                     : (olk_real)olk_sqrt((double)x);
}

static OLK_INLINE olk_real olk_exponential(olk_real x)
{
    return sizeof x == sizeof(float) ? (olk_real)olk_exp_f32((float)x)
                                     : (olk_real)olk_sorf_exp((double)x);
}

/* OLK_SORF_ROWS: rows of a block of rows, whose signs are drawn once for all. OLK_SORF_BLOCKS:
   blocks of one row that are transformed together. OLK_SORF_SCALED, OLK_SORF_SCORES: inputs of such
   rows, scaled by relevance, and scores of each that fit the stack. OLK_SORF_CACHED: blocks of features that a step caches on the
   stack unless the caller provides memory for a row's. */
#ifdef OLK_SORF_PLAIN
enum {
    OLK_SORF_ROWS = 1,
    OLK_SORF_BLOCKS = 1,
    OLK_SORF_SCALED = 1,
    OLK_SORF_SCORES = OLK_SORF_GROUPS,
    OLK_SORF_CACHED = 0
};
#else
enum {
    OLK_SORF_ROWS = OLK_BYTES ? OLK_BYTES / (int)sizeof(olk_real) : 8,
    OLK_SORF_BLOCKS = 2,
    OLK_SORF_SCALED = 128,
    OLK_SORF_SCORES = 64,
    OLK_SORF_CACHED = 40
};
#endif

/* OLK_LINES: lines whose features are computed at once: a block's, or with OLK_STREAMED (plain C with
   a small stack, one column, no learned widths) as many as there are numbers for its sums. */
#if !defined(OLK_STREAMED)
enum { OLK_LINES = 64 };
#elif defined(__AVR__)
enum { OLK_LINES = 1 };
#else
enum { OLK_LINES = 32 / (int)sizeof(olk_real) };
#endif

/* OLK_CHUNK: changes that are rounded at once. OLK_SCALES_SIZE: entries to which a group's
   frequency scales are repeated; OLK_TAIL_SIZE: numbers to which the end of a row is padded. Plain
   C does neither, as stacks of microcontrollers are small; there, features overlay the lines they
   are computed from. */
#ifdef OLK_SORF_PLAIN
enum { OLK_CHUNK = OLK_LINES < 16 ? 2 * OLK_LINES : 32, OLK_SCALES_SIZE = OLK_SORF_WIDTHS, OLK_TAIL_SIZE = 1 };
#define OLK_RESTRICT
#else
enum { OLK_CHUNK = 128, OLK_SCALES_SIZE = 64 + OLK_SORF_WIDTHS, OLK_TAIL_SIZE = 64 };
#define OLK_RESTRICT restrict
#endif

/* Working memory of a function: on the stack or, with OLK_SORF_SCRATCH (plain C with a small
   stack), in `work` of the state, at an offset of its own among what is used at the same time. */
enum {
    OLK_AT_BLOCK = 0,
    OLK_AT_LINE = 128 * sizeof(olk_real),
    OLK_AT_GRADIENT = 192 * sizeof(olk_real)
};
#ifdef OLK_STREAMED
enum { OLK_WORK_BYTES = 64 * sizeof(olk_real) + 2 * 64 };
#else
enum { OLK_WORK_BYTES = 256 * sizeof(olk_real) };
#endif
#ifdef OLK_SORF_SCRATCH
#define OLK_WORK(type, name, s, at) type *const name = (type *)(void *)((uint8_t *)(s)->work + (at))
#else
#define OLK_WORK(type, name, s, at)                                                                \
    type name##_here;                                                                              \
    type *const name = &name##_here
#endif

/* A program for one learner may know that no angle is too large for olk_phases (sorf_features.h), and
   that no row of features is cached: it then has no code for them. */
#ifndef OLK_SMALL_ANGLES
#define OLK_SMALL_ANGLES 0
#endif
#ifdef OLK_NO_CACHE
#define OLK_CACHED(cache, part) ((void)(cache), (ptrdiff_t)0)
#else
#define OLK_CACHED(cache, part) ((cache)->part)
#endif

/* The type of stored weights. OLK_QUANTIZED: weights are integer levels, rounded stochastically. */
#ifdef OLK_SORF_INT8
typedef int8_t olk_stored;
enum { OLK_QUANTIZED = 1 };
#elif defined(OLK_SORF_FLOAT32)
typedef float olk_stored;
enum { OLK_QUANTIZED = 0 };
#elif defined(OLK_SORF_FLOAT64)
typedef double olk_stored;
enum { OLK_QUANTIZED = 0 };
#else
#error "a unit is for one type of weights: OLK_SORF_INT8, OLK_SORF_FLOAT32 or OLK_SORF_FLOAT64"
#endif

/* The type of differences of two stored weights, and the representation of a feature of 1. */
#ifdef OLK_SORF_INT8
typedef int32_t olk_gap;
#else
typedef olk_stored olk_gap;
#endif
#ifdef OLK_SORF_FIXED
enum { OLK_FEATURE_OF_ONE = 32768 }; /* nearly: a sine of 1 is 32767 */
#else
enum { OLK_FEATURE_OF_ONE = 1 };
#endif
enum { OLK_MAX_LEVEL = 127 };

/* OLK_INTERLEAVED: blocks of a row are interleaved where vectors are long enough to gain by it.
   OLK_MASKED: bits of a word are the signs of a register's lanes. */
#if OLK_BYTES > 16 && !defined(__clang__)
#define OLK_INTERLEAVED 1
#endif
#if OLK_BYTES == 64 && !defined(__clang__)
#define OLK_MASKED 1
#endif
#if defined(OLK_MASKED) || defined(OLK_SORF_PLAIN)
#define OLK_SIGN_BITS 1 /* the signs of 64 lines are a word */
#endif

/* The index of a block's first scale among its group's widths, which repeat over the lines; the
   index after `at`, cyclic in plain C, where scales are not repeated in memory. */
static inline int olk_first_scale(int widths, ptrdiff_t block)
{
    return (int)(64u * (uint32_t)block % (uint32_t)widths);
}

static OLK_INLINE int olk_next_index(int many, int at)
{
#ifdef OLK_SORF_PLAIN
    return at + 1 < many ? at + 1 : 0;
#else
    (void)many;
    return at + 1;
#endif
}

/* Frequencies of block b: 64, or fewer in the last block. */
static inline ptrdiff_t olk_lines(const olk_sorf *p, ptrdiff_t b)
{
    return p->D - 64 * b < 64 ? p->D - 64 * b : 64;
}

/* Whether a group is the linear one, whose features are the row (section 7i). */
static inline int olk_is_linear_group(const olk_sorf *p, int32_t g)
{
    return p->linear_group && g == p->groups - 1;
}

/* Where the scores of averages are, behind fw of the last weights [groups][columns]: in the same place
   where no group has an average. */
static inline olk_real *olk_behind(const olk_sorf *p, olk_real *fw)
{
    return p->linear_group == OLK_LINEAR_LAST && p->groups == 1 ? fw : fw + p->groups * p->classes;
}

/* What turns sums of stored weights times features into scores of group g. */
static inline olk_real olk_inverse_size(const olk_sorf *p, int32_t g)
{
    return 1 / ((olk_real)p->kappa * (olk_real)p->size[g]);
}
