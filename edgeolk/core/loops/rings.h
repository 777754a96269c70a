/* The loops over rings and coefficients, for the set of instructions that a unit is compiled for
   (set.h). All of it is static but the table, which variants.h chooses from. */
#ifndef EDGEOLK_RINGS_H
#define EDGEOLK_RINGS_H

#include "set.h"

#include "simd.h"
#include "tiles.h"

#define OLK_NAME(name) name
#if OLK_BYTES
#define OLK_LANES_OF(type) ((ptrdiff_t)(OLK_BYTES / sizeof(type)))
#include "lanes.h"
#else
#define OLK_LANES_OF(type) ((ptrdiff_t)1)
#include "one_lane.h"
#endif

#include "totals.h"

/* Kernels and pairs by the type computed in, rings by the type stored. Double comes first: its sums
   serve the other kernels of float. */
#include "type_f64.h"
#include "kernel.h"

/* What policies and features need is computed in double, from coefficients and kernel rows of either
   type. */
#define OLK_V OLK_NAME(olk_v_f64)
#define OLK_BITS OLK_NAME(olk_bits_f64)
#define OLK_WORDS OLK_NAME(olk_words_f64)
#define OLK_L OLK_LANES_OF(double)
#define OLK_SUMS (8 / OLK_L)
#define OLK_ALL(number) ((number) - (OLK_V){0})
#define OLK_PICK(mask, yes, no) OLK_CHOOSE(OLK_V, OLK_BITS, mask, yes, no)
#include "probabilities.h"
#include "tracker.h"
#define OLK_BY "by_real.h"
#include "reals.h"
#include "linalg.h"
#include "matrices.h"
#undef OLK_V
#undef OLK_BITS
#undef OLK_WORDS
#undef OLK_L
#undef OLK_SUMS
#undef OLK_ALL
#undef OLK_PICK

#define OLK_LOOPS "ring_loops.h"
#include "by_storage.h"
#include "type_end.h"

#include "type_f32.h"
#include "kernel.h"

#include "by_storage.h"
#undef OLK_LOOPS
#include "type_end.h"

#define OLK_ENTRY(number, real, type, function) [number] = olk_##function##_##real,
#define OLK_BY_REAL(function)                                                                 \
    {                                                                                              \
        OLK_EACH_REAL(OLK_ENTRY, function)                                                    \
    }
/* By storage type: the function of that type, the same where it keeps zeros, that of the type it
   computes in. */
#define OLK_OF_STORED(number, name, type, computes, zero, function)                           \
    [number] = olk_##function##_##name,
#define OLK_OF_KEPT(number, name, type, computes, zero, function)                             \
    [number] = OLK_IF_##zero(olk_##function##_##name),
#define OLK_IF_KEPT(function) function
#define OLK_IF_SHIFTED(function) NULL
#define OLK_OF_COMPUTED(number, name, type, computes, zero, function)                         \
    [number] = olk_##function##_##computes,
#define OLK_BY_STORAGE(entry, function)                                                       \
    {                                                                                              \
        OLK_EACH_STORAGE(entry, function)                                                     \
    }
#define OLK_TABLE                                                                           \
    {                                                                                              \
        .name = OLK_SET,                                                                              \
        .row = OLK_BY_STORAGE(OLK_OF_STORED, row),                                            \
        .rows = OLK_BY_STORAGE(OLK_OF_STORED, rows),                                          \
        .sparse = OLK_BY_STORAGE(OLK_OF_KEPT, sparse),                                        \
        .norm = OLK_BY_STORAGE(OLK_OF_KEPT, norm),                                            \
        .pair = OLK_BY_STORAGE(OLK_OF_COMPUTED, pair),                                        \
        .recall = OLK_BY_REAL(recall),                                                        \
        .dot = OLK_BY_REAL(dot),                                                              \
        .weigh = OLK_BY_REAL(weigh),                                                          \
        .weigh_values = OLK_BY_REAL(weigh_values),                                            \
        .axpy = OLK_BY_REAL(axpy),                                                            \
        .scale = OLK_BY_REAL(scale),                                                          \
        .clamp = OLK_BY_REAL(clamp),                                                          \
        .divide_by_probability = OLK_BY_REAL(divide_by_probability),                          \
        .settle = OLK_BY_REAL(settle),                                                        \
        .sizes = OLK_BY_REAL(sizes),                                                          \
        .max_abs = OLK_BY_REAL(max_abs),                                                      \
        .argmin = OLK_BY_REAL(argmin),                                                        \
        .argmin_abs = OLK_BY_REAL(argmin_abs),                                                \
        .argmin_line_residual = OLK_BY_REAL(argmin_line_residual),                            \
        .argmin_plane_residual = OLK_BY_REAL(argmin_plane_residual),                          \
        .argmin_line_weight = OLK_BY_REAL(argmin_line_weight),                                \
        .argmin_plane_weight = OLK_BY_REAL(argmin_plane_weight),                              \
        .squares = OLK_BY_REAL(squares),                                                      \
        .merge = OLK_BY_REAL(merge),                                                          \
        .cos_sin = OLK_BY_REAL(cos_sin),                                                      \
        .sum_uncertain = olk_sum_uncertain,                                                  \
        .leaver = olk_leaver,                                                                \
        .matrix_vector = olk_matrix_vector,                                                  \
        .matrix_vectors = olk_matrix_vectors,                                                \
        .rotate = olk_rotate,                                                                \
        .symmetric_product = olk_symmetric_product,                                          \
        .solve_inverse_factor = olk_solve_inverse_factor,                                    \
        .rank_two_update = olk_rank_two_update,                                              \
        .solve_lower = olk_solve_lower,                                                      \
        .solve_lower_transposed = olk_solve_lower_transposed,                                \
        .cholesky = olk_cholesky,                                                            \
        .invert = olk_invert,                                                                \
    }

extern const olk_simd OLK_OF_SET(olk_rings);
const olk_simd OLK_OF_SET(olk_rings) = OLK_TABLE;

#endif
