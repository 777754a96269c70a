/* The loops over rings and coefficients, compiled once per instruction set (port.h) and per type of
   coefficients: double with OLK_DOUBLE, float with OLK_SINGLE (dots.h). Everything is static except
   one function, which enters the loops of its type into the table of the chosen instruction set
   (ring_variants.h): olk_fill_double or olk_fill_single. */
#pragma once

#ifdef OLK_DOUBLE
#define OLK_NUMBER_BITS 64
#define OLK_COEF_BITS 64
#else
#define OLK_NUMBER_BITS 32
#define OLK_COEF_BITS 32
#endif

#include "gaussian_process.h"
#include "kernel_rows.h"
#include "krls_auto.h"
#include "ring.h"
#ifdef OLK_DOUBLE
#include "linalg.h"
#endif

/* The functions that both types have, indexed by the type of coefficients. */
static void olk_fill(olk_simd *to)
{
    to->cached_row[OLK_COEF_DTYPE] = olk_cached_row;
    to->dot[OLK_COEF_DTYPE] = olk_dot;
    to->weigh[OLK_COEF_DTYPE] = olk_weigh;
    to->weigh_values[OLK_COEF_DTYPE] = olk_weigh_values;
    to->axpy[OLK_COEF_DTYPE] = olk_axpy;
    to->scale[OLK_COEF_DTYPE] = olk_scale;
    to->clamp[OLK_COEF_DTYPE] = olk_clamp;
    to->divide_by_probability[OLK_COEF_DTYPE] = olk_divide_by_probability;
    to->flush_average[OLK_COEF_DTYPE] = olk_flush_average;
    to->sizes[OLK_COEF_DTYPE] = olk_sizes;
    to->max_abs[OLK_COEF_DTYPE] = olk_max_abs;
    to->argmin[OLK_COEF_DTYPE] = olk_argmin;
    to->argmin_abs[OLK_COEF_DTYPE] = olk_argmin_abs;
    to->argmin_line[OLK_COEF_DTYPE] = olk_argmin_line;
    to->argmin_plane[OLK_COEF_DTYPE] = olk_argmin_plane;
    to->squares[OLK_COEF_DTYPE] = olk_squares;
    to->cos_sin[OLK_COEF_DTYPE] = olk_cos_sin_row;
    to->process_outside[OLK_COEF_DTYPE] = olk_process_outside;
    to->process_victim[OLK_COEF_DTYPE] = olk_process_victim;
    to->process_learn[OLK_COEF_DTYPE] = olk_process_learn;
    to->process_variance[OLK_COEF_DTYPE] = olk_process_variance;
    to->process_is_sound[OLK_COEF_DTYPE] = olk_process_is_sound;
    to->auto_begin[OLK_COEF_DTYPE] = olk_auto_begin;
    to->auto_accepts[OLK_COEF_DTYPE] = olk_auto_accepts;
    to->auto_takes[OLK_COEF_DTYPE] = olk_auto_takes;
    to->auto_learn[OLK_COEF_DTYPE] = olk_auto_learn;
    to->auto_answer[OLK_COEF_DTYPE] = olk_auto_answer;
    to->auto_variance[OLK_COEF_DTYPE] = olk_auto_variance;
    to->auto_ask[OLK_COEF_DTYPE] = olk_auto_ask;
    to->auto_tell[OLK_COEF_DTYPE] = olk_auto_tell;
    to->auto_forget[OLK_COEF_DTYPE] = olk_auto_forget;
}

/* Each is declared first: compilers warn of an external function without a prototype. What does not
   depend on the type of coefficients is compiled and entered once, with one of the two. */
#ifdef OLK_DOUBLE
void OLK_OF_SET(olk_fill_double)(olk_simd *to);
void OLK_OF_SET(olk_fill_double)(olk_simd *to)
{
    olk_fill(to);
    to->name = OLK_SET;
    to->row[OLK_F64] = olk_row_f64;
    to->rows[OLK_F64] = olk_rows_f64;
    to->sparse[OLK_F64] = olk_sparse_f64;
    to->norm[OLK_F64] = olk_norm_f64;
    to->pair[OLK_F64] = olk_pair;
    to->merge = olk_merge;
    to->sum_uncertain = olk_sum_uncertain;
    to->sample_evicted = olk_sample_evicted;
    to->matrix_vector = olk_matrix_vector;
    to->matrix_vectors = olk_matrix_vectors;
    to->rotate = olk_rotate;
    to->symmetric_product = olk_symmetric_product;
    to->solve_inverse_factor = olk_solve_inverse_factor;
    to->rank_two_update = olk_rank_two_update;
    to->solve_lower = olk_solve_lower;
    to->solve_lower_transposed = olk_solve_lower_transposed;
    to->cholesky = olk_cholesky;
    to->invert = olk_invert;
}
#else
void OLK_OF_SET(olk_fill_single)(olk_simd *to);
void OLK_OF_SET(olk_fill_single)(olk_simd *to)
{
    olk_fill(to);
    to->row[OLK_F32] = olk_row_f32;
    to->row[OLK_F16] = olk_row_f16;
    to->row[OLK_I8] = olk_row_i8;
    to->rows[OLK_F32] = olk_rows_f32;
    to->rows[OLK_F16] = olk_rows_f16;
    to->rows[OLK_I8] = olk_rows_i8;
    to->sparse[OLK_F32] = olk_sparse_f32;
    to->sparse[OLK_F16] = olk_sparse_f16;
    to->norm[OLK_F32] = olk_norm_f32;
    to->norm[OLK_F16] = olk_norm_f16;
    to->learn_readings = olk_learn_readings;
    to->pair[OLK_F32] = to->pair[OLK_F16] = to->pair[OLK_I8] = olk_pair;
}
#endif
