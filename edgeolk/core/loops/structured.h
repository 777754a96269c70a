/* The learner on structured Fourier features (`sorf`): weights only, features made again from a
   seed at every row; docs/sorf.md is the algorithm. Structured orthogonal random features of Yu,
   Suresh, Choromanski, Holtmann-Rice, Kumar, NeurIPS 2016.

   Design. A block is 64 frequencies: a row folded to 64 lines under random signs, three
   Walsh-Hadamard transforms with signs between, cosine and sine. Blocks stay in registers and in 74
   KiB of stack in a step, in 4 KiB where it is plain C; the caller gives the rest, nothing is
   allocated. Weights of float64 are computed in double, of float32 in float. int8:
   rounding at random turns on the last bits of a weight's change, and stored weights are those of
   any exact implementation. Rows are scored and changes rounded in float, within bounds of its
   error (sure_rounding.h); blocks that these do not decide are rounded in double
   (exact_fallback.h). Learned in double is what follows the numbers themselves: regression, and the
   direction of relevance (along.h). A microcontroller without double defines OLK_SORF_SINGLE: int8 alone, everything in
   float, where one rounding in some millions falls otherwise; one without any floating-point unit
   defines OLK_SORF_FIXED: features in whole numbers (whole.h), some thousandths from the exact
   ones.

   A unit holds the learner for one type of weights (OLK_SORF_INT8, _FLOAT32 or _FLOAT64) and one
   set of instructions (set.h). Its names are plain; structured_unit.h shows them to others. With
   OLK_SORF_PLAIN it is plain C99, for a program that calls the functions by their names.

   Headers without #pragma once are for one type computed in: a unit for int8 has two, the first
   under the names of single_names.h. */
#pragma once

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "set.h"

#include "dirty_flag.h"
#include "pcg.h"
#include "range_reduction.h"
#include "roots.h"
#include "sorf_types.h"

/* How far single precision goes with a row: not at all, to the scores of a, to the end of one that
   changes no weights, to the changes of weights, all sure. */
enum {
    OLK_SORF_NOTHING = 0,
    OLK_SORF_SCORES = 1,
    OLK_SORF_ALL = 2,
    OLK_SORF_TRIED = 3,
};

/* OLK_SORF_ROWS: of a block of rows, whose signs are drawn once for all of them. OLK_SORF_BLOCKS:
   of one row that are transformed together. OLK_SORF_SCALED: numbers of such rows, scaled by
   relevance, that fit the stack. OLK_SORF_KEPT: blocks of features that a step keeps there, where
   the caller gives no room for a row's. */
#ifdef OLK_SORF_PLAIN
enum { OLK_SORF_ROWS = 1, OLK_SORF_BLOCKS = 1, OLK_SORF_SCALED = 1, OLK_SORF_KEPT = 0 };
#else
enum { OLK_SORF_ROWS = 8, OLK_SORF_BLOCKS = 2, OLK_SORF_SCALED = 1024, OLK_SORF_KEPT = 40 };
#endif

/* OLK_PIECE: changes that are rounded at once. OLK_PACES: angles that a group's widths are laid out
   to; OLK_ENDS: numbers that the end of a row is filled up to; plain C needs neither: stacks of
   microcontrollers are small. There, features take the place of the lines that they are made of. */
#ifdef OLK_SORF_PLAIN
enum { OLK_PIECE = 32, OLK_PACES = OLK_SORF_WIDTHS, OLK_ENDS = 1 };
#define OLK_NOT_SHARED
#else
enum { OLK_PIECE = 128, OLK_PACES = 64 + OLK_SORF_WIDTHS, OLK_ENDS = 64 };
#define OLK_NOT_SHARED restrict
#endif

/* What a function works with: on the stack; with OLK_SORF_SCRATCH (plain C, whose caller has little of
   it) behind the state, at a place of its own among what is in use at the same time. Both types of a
   unit for int8 have the room of the larger one. */
#if defined(OLK_SORF_FIXED) || defined(OLK_SORF_SINGLE) || defined(OLK_SORF_FLOAT32)
enum { OLK_WIDEST = sizeof(float) };
#else
enum { OLK_WIDEST = sizeof(double) };
#endif
enum { OLK_AT_BLOCK = 0, OLK_AT_LINE = 128 * OLK_WIDEST, OLK_AT_TURNS = 192 * OLK_WIDEST };
enum { OLK_WORK_BYTES = 256 * OLK_WIDEST };
#ifdef OLK_SORF_SCRATCH
typedef struct {
    olk_sorf_state state;
    double work[OLK_WORK_BYTES / sizeof(double)];
} olk_sorf_worked;
#define OLK_WORK(type, name, s, at)                                                                \
    type *const name = (type *)(void *)((uint8_t *)((olk_sorf_worked *)(uintptr_t)(s))->work + (at))
#else
#define OLK_WORK(type, name, s, at)                                                                \
    type name##_here;                                                                              \
    type *const name = &name##_here
#endif

/* The types of stored weights and of readings. OLK_LEVELS: weights are whole levels, rounded at
   random. */
#ifdef OLK_SORF_INT8
typedef int8_t olk_stored;
typedef float olk_input;
enum { OLK_LEVELS = 1 };
#elif defined(OLK_SORF_FLOAT32)
typedef float olk_stored, olk_input;
enum { OLK_LEVELS = 0 };
#elif defined(OLK_SORF_FLOAT64)
typedef double olk_stored, olk_input;
enum { OLK_LEVELS = 0 };
#else
#error "a unit is for one type of weights: OLK_SORF_INT8, OLK_SORF_FLOAT32 or OLK_SORF_FLOAT64"
#endif

/* Differences of two stored weights, and a feature of 1 in the numbers that features have. */
#ifdef OLK_SORF_INT8
typedef int32_t olk_gap;
#else
typedef olk_stored olk_gap;
#endif
#ifdef OLK_SORF_FIXED
enum { OLK_ONE = 32768 }; /* nearly: a sine of 1 is 32767 */
#else
enum { OLK_ONE = 1 };
#endif
enum { OLK_MOST_LEVEL = 127 };

/* Blocks of a row go side by side where vectors are long enough to gain by it; registers take bits
   of a word for their lanes' signs. */
#if OLK_BYTES > 16 && !defined(__clang__)
#define OLK_INTERLEAVED 1
#endif
#if OLK_BYTES == 64 && !defined(__clang__)
#define OLK_MASKED 1
#endif
#if defined(OLK_MASKED) || defined(OLK_SORF_PLAIN)
#define OLK_SIGN_BITS 1 /* the signs of 64 lines are a word */
#endif

/* Where a group's block begins in its widths, which are over and over those of its lines; the number
   after number `at` of so many, which are laid out again and again but in plain C. */
static inline int olk_first_pace(int widths, ptrdiff_t block)
{
    return (int)(64u * (uint32_t)block % (uint32_t)widths);
}

static OLK_ALWAYS int olk_next_of(int many, int at)
{
#ifdef OLK_SORF_PLAIN
    return at + 1 < many ? at + 1 : 0;
#else
    (void)many;
    return at + 1;
#endif
}

/* Frequencies of block b that there are. */
static inline ptrdiff_t olk_lines(const olk_sorf *p, ptrdiff_t b)
{
    return p->D - 64 * b < 64 ? p->D - 64 * b : 64;
}

#include "mixing.h"
#ifdef OLK_SORF_PLAIN
#include "mixing_once.h"
#endif

#ifdef OLK_SORF_INT8
#include "draws.h"
#endif
#if defined(OLK_SORF_INT8) && defined(OLK_SORF_FIXED)
#include "whole.h"

#include "scoring.h"
#elif defined(OLK_SORF_INT8) && !defined(OLK_SORF_SINGLE)
#define OLK_TWO_TYPES 1
#include "single_names.h"

#include "single.h"

#include "scoring.h"

#include "sure_rounding.h"

#include "single_names_end.h"

#include "double.h"

#include "scoring.h"
#elif defined(OLK_SORF_FLOAT64)
#include "double.h"

#include "scoring.h"
#else
#include "single.h"

#include "scoring.h"
#endif

#include "sorf.h"
