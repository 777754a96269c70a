/* The learner on structured Fourier features (`sorf`): weights only, features made again from a seed
   at every row. Structured orthogonal random features of Yu, Suresh, Choromanski, Holtmann-Rice,
   Kumar, NeurIPS 2016.

   Design. A block is 64 frequencies: a row folded to 64 lines under random signs, three
   Walsh-Hadamard transforms with signs between, cosine and sine. Blocks stay in registers and in
   2 KiB of stack; the caller gives the rest, nothing is allocated. Weights of float64 are computed
   in double, of float32 in float. int8: rounding at random turns on the last bits of a weight's
   change, so what changes weights is computed in double, and stored weights are those of any exact
   implementation; rows that change none are scored in float (an update is one row in five). A
   microcontroller without double defines OLK_SORF_SINGLE: int8 alone, everything in float, where
   one rounding in some millions falls otherwise.

   The code is compiled once per instruction set; with OLK_SORF_PLAIN once, as plain C99. */
#ifndef EDGEOLK_STRUCTURED_H
#define EDGEOLK_STRUCTURED_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && !defined(OLK_SORF_PLAIN)
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(OLK_SORF_PLAIN)
#include <arm_neon.h>
#endif

#include "pcg.h"

enum { OLK_SORF_GROUPS = 4, OLK_SORF_WIDTHS = 8, OLK_SORF_BLENDS = 8 };
enum { OLK_SORF_TWO = 0, OLK_SORF_CLASSES = 1, OLK_SORF_REGRESSION = 2, OLK_SORF_NOVELTY = 3 };

/* What a learner is made of; made at construction, constant afterwards. */
typedef struct {
    ptrdiff_t d, D;    /* inputs, frequencies */
    ptrdiff_t classes; /* columns of w and a: K for several classes, else 1 */
    int32_t task;
    int32_t groups;                              /* 1 to 4; 1 for novelty */
    int32_t first[OLK_SORF_GROUPS + 1];          /* blocks of each; the last: all blocks */
    int32_t widths[OLK_SORF_GROUPS];             /* 1 to 8 */
    double omega[OLK_SORF_GROUPS][OLK_SORF_WIDTHS]; /* sqrt(2 gamma m) / 64 */
    double size[OLK_SORF_GROUPS];                /* what a group's sums are divided by */
    int32_t n_blends;                            /* 2 to 8 */
    int32_t linear, last_label, relevance;       /* options, 0 or 1 */
    double blends[OLK_SORF_BLENDS];              /* first 0, last 1, increasing */
    double kappa;                                /* stored levels per unit of weight */
    double r, sharp, delta, cmin, cmax, shrink;
    double nu, window;                           /* novelty */
    uint64_t signs;                              /* state of the feature generator, seeded */
} olk_sorf;

/* A learner's memory: the caller's. NULL where the learner has no such part. "Type" is the type of
   rows: double for float64, else float. */
typedef struct {
    void *w, *a;            /* [D][K][2] stored numbers; novelty: a only */
    double *L;              /* [groups][n_blends], then linear's, then the last label's */
    double *n;              /* [groups], starts at 1 */
    uint64_t *t, *mistakes, *updates;
    uint64_t *rounding;     /* state of the rounding generator, seeded; int8 only */
    double *target;         /* regression: mean, sum of squared deviations */
    double *last;           /* last label: y, z, or class + 1 */
    double *novelty;        /* rho, m */
    void *wl, *Sl;          /* linear: [d + 1] of type, start at 0 and 1 */
    void *lambda, *G;       /* relevance: [d] of type */
    uint64_t *turns;        /* relevance */
    /* scratch */
    void *inputs;           /* relevance: [2][d] of type */
    double *scores;         /* K > 1: [2][groups][K] */
    void *row;              /* may be NULL: [D][2], float for float32, else double */
} olk_sorf_state;

/* Numbers of type: dense, d of them (index NULL), or `count` non-zeros with ascending indices. */
typedef struct {
    const void *values;
    const int32_t *index;
    ptrdiff_t count;
} olk_sorf_row;

typedef uint32_t olk_u_f32;
typedef uint64_t olk_u_f64;

#ifndef OLK_SQRT
#define OLK_SQRT sqrt
#define OLK_COS cos
#define OLK_SIN sin
#endif

#include "mixing.h"

#ifndef OLK_CAT
#define OLK_CAT_(a, b) a##_##b
#define OLK_CAT(a, b) OLK_CAT_(a, b)
#endif
#define OLK_NAME(name) OLK_CAT(name, OLK_SORF_ISA)

#ifdef OLK_SORF_PLAIN
enum { OLK_SORF_ROWS = 1 }; /* of a block of rows: signs are drawn once for all of them */
#define OLK_COLD
#define OLK_FUSED 0
#define OLK_BYTES 0
#define OLK_SORF_ISA plain
#include "structured_isa.h"
#undef OLK_SORF_ISA
#undef OLK_BYTES
#undef OLK_FUSED
#else
enum { OLK_SORF_ROWS = 8 };
#define OLK_COLD __attribute__((noinline, cold))
#if defined(__ARM_FEATURE_FMA) || defined(__FMA__)
#define OLK_FUSED 1
#else
#define OLK_FUSED 0
#endif
#define OLK_BYTES 16
#define OLK_SORF_ISA baseline
#include "structured_isa.h"
#undef OLK_SORF_ISA
#undef OLK_BYTES
#undef OLK_FUSED
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define OLK_SORF_X86 1
#define OLK_FUSED 1
#define OLK_BYTES 32
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define OLK_SORF_ISA v3
#include "structured_isa.h"
#undef OLK_SORF_ISA
#undef OLK_BYTES
#pragma GCC pop_options
#define OLK_BYTES 64
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#define OLK_SORF_ISA v4
#include "structured_isa.h"
#undef OLK_SORF_ISA
#undef OLK_BYTES
#undef OLK_FUSED
#pragma GCC pop_options
#endif
#endif
#undef OLK_NAME

/* One instruction set's functions, by storage: int8, float32, float64. */
typedef struct {
    const char *name;
    double (*step[3])(const olk_sorf *, const olk_sorf_state *, const olk_sorf_row *, double y,
                      double weight);
    double (*novelty[3])(const olk_sorf *, const olk_sorf_state *, const olk_sorf_row *);
    void (*scores[3])(const olk_sorf *, const olk_sorf_state *, const olk_sorf_row *, ptrdiff_t m,
                      double *out);
} olk_sorf_functions;

#ifdef OLK_SORF_SINGLE
#define OLK_SORF_VARIANT(isa)                                                                      \
    {#isa,                                                                                         \
     {olk_sorf_step_i8_##isa, NULL, NULL},                                                         \
     {olk_sorf_novelty_i8_##isa, NULL, NULL},                                                      \
     {olk_sorf_scores_i8_##isa, NULL, NULL}}
#else
#define OLK_SORF_VARIANT(isa)                                                                      \
    {#isa,                                                                                         \
     {olk_sorf_step_i8_##isa, olk_sorf_step_f32_##isa, olk_sorf_step_f64_##isa},                   \
     {olk_sorf_novelty_i8_##isa, olk_sorf_novelty_f32_##isa, olk_sorf_novelty_f64_##isa},          \
     {olk_sorf_scores_i8_##isa, olk_sorf_scores_f32_##isa, olk_sorf_scores_f64_##isa}}
#endif
static const olk_sorf_functions olk_sorf_variants[] = {
#ifdef OLK_SORF_PLAIN
    OLK_SORF_VARIANT(plain),
#else
    OLK_SORF_VARIANT(baseline),
#ifdef OLK_SORF_X86
    OLK_SORF_VARIANT(v3),
    OLK_SORF_VARIANT(v4),
#endif
#endif
};

#endif
