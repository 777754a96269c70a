/* The learner on structured Fourier features (`sorf`): weights only, features made again from a seed
   at every row. Structured orthogonal random features of Yu, Suresh, Choromanski, Holtmann-Rice,
   Kumar, NeurIPS 2016.

   Design. A block is 64 frequencies: a row folded to 64 lines under random signs, three
   Walsh-Hadamard transforms with signs between, cosine and sine. Blocks stay in registers and in
   2 KiB of stack, 54 KiB in a step where there is an operating system; the caller gives the rest,
   nothing is allocated. Weights of float64 are computed in double, of float32 in float. int8:
   rounding at random turns on the last bits of a weight's change, and stored weights are those of
   any exact implementation. Rows are scored and changes rounded in float, within bounds of its error
   (settle.h); blocks that these do not decide are rounded in double (unsure.h). Learned in double is
   what follows the numbers themselves: regression and relevance. A microcontroller without double
   defines OLK_SORF_SINGLE: int8 alone, everything in float, where one rounding in some millions falls
   otherwise; one without any floating-point unit defines OLK_SORF_FIXED: features in whole numbers
   (fixed.h), some thousandths from the exact ones.

   A unit is compiled for one set of instructions (set.h); with OLK_SORF_PLAIN it is plain C99, for a
   program. One with one learner defines OLK_SORF_STORES too, the types of weights that it needs: it calls the
   functions by their names and has no table of them. */
#ifndef EDGEOLK_STRUCTURED_H
#define EDGEOLK_STRUCTURED_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "set.h"

#include "marks.h"
#include "pcg.h"
#include "roots.h"
#include "sorf_types.h"
#include "turns.h"

/* A bit for each type of weights. */
#define OLK_SORF_I8 1
#define OLK_SORF_F32 2
#define OLK_SORF_F64 4
#ifndef OLK_SORF_STORES
#define OLK_SORF_TABLE 1
#if defined(OLK_SORF_SINGLE) || defined(OLK_SORF_FIXED)
#define OLK_SORF_STORES OLK_SORF_I8
#else
#define OLK_SORF_STORES (OLK_SORF_I8 | OLK_SORF_F32 | OLK_SORF_F64)
#endif
#endif

/* Lines, features, and words of as many bits as lines. */
typedef float olk_line_f32, olk_feature_f32;
typedef double olk_line_f64, olk_feature_f64;
typedef uint32_t olk_line_q15;
typedef int16_t olk_feature_q15;
typedef uint32_t olk_u_f32, olk_u_q15;
typedef uint64_t olk_u_f64;

#ifndef OLK_CAT
#define OLK_CAT_(a, b) a##_##b
#define OLK_CAT(a, b) OLK_CAT_(a, b)
#endif
#define OLK_NAME(name) name

/* How far single precision goes with a row: not at all, to the scores of a, to the end of one that
   changes no weights, to the changes of weights, all sure. */
enum {
    OLK_SORF_NOTHING = 0,
    OLK_SORF_SCORES = 1,
    OLK_SORF_ALL = 2,
    OLK_SORF_TRIED = 3,
};

/* OLK_SORF_ROWS: of a block of rows, whose signs are drawn once for all of them. OLK_SORF_BLOCKS: of
   one row that are transformed together. OLK_SORF_SCALED: numbers of such rows, scaled by relevance,
   that fit the stack. OLK_SORF_KEPT: blocks of features that a step keeps there, where the caller
   gives no room for a row's. */
#ifdef OLK_SORF_PLAIN
enum { OLK_SORF_ROWS = 1, OLK_SORF_BLOCKS = 1, OLK_SORF_SCALED = 1, OLK_SORF_KEPT = 0 };
#else
enum { OLK_SORF_ROWS = 8, OLK_SORF_BLOCKS = 2, OLK_SORF_SCALED = 1024, OLK_SORF_KEPT = 40 };
#endif
#include "mixing.h"
#include "structured_isa.h"

#ifdef OLK_SORF_TABLE
#ifdef OLK_SORF_PLAIN
static
#else
extern const olk_sorf_functions OLK_OF_SET(olk_sorf);
#endif
const olk_sorf_functions OLK_OF_SET(olk_sorf) = {
    OLK_SET,
#if OLK_SORF_STORES == OLK_SORF_I8
    {olk_sorf_step_i8, NULL, NULL},
    {olk_sorf_novelty_i8, NULL, NULL},
    {olk_sorf_scores_i8, NULL, NULL},
    {NULL, NULL, NULL},
#else
    {olk_sorf_step_i8, olk_sorf_step_f32, olk_sorf_step_f64},
    {olk_sorf_novelty_i8, olk_sorf_novelty_f32, olk_sorf_novelty_f64},
    {olk_sorf_scores_i8, olk_sorf_scores_f32, olk_sorf_scores_f64},
    {NULL, olk_spread_f32_f32, olk_spread_f64_f64},
#endif
};
#endif
#undef OLK_NAME

#endif
