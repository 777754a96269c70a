/* The first pass of a unit for int8, and the roundings that are certain, in single precision;
   everything else of the unit is in double (sorf.h has the design).

   The text of sorf_precision.h, sorf_features.h and sorf_scores.h is compiled a second time here.
   So that both are in one unit, and debuggers show which is which, the left names mean the right
   ones down to the end of this header.

   Rejected: a unit of its own, with two functions between the two. Without these names, but what
   both need is there twice: 3 to 5 % more code for a microcontroller, and a second source. */
#pragma once

#define olk_hadamard_across olk_hadamard_across_single
#define olk_add_columns olk_add_columns_single
#define olk_add_products olk_add_products_single
#define olk_add_some_columns olk_add_some_columns_single
#define olk_begin_scales olk_begin_scales_single
#define olk_begin_repeat olk_begin_repeat_single
#define olk_block olk_block_single
#define olk_draw_signs olk_draw_signs_single
#define olk_entry olk_entry_single
#define olk_exchange olk_exchange_single
#define olk_features olk_features_single
#define olk_group_scales olk_group_scales_single
#define olk_flip_eight olk_flip_eight_single
#define olk_flip_lanes olk_flip_lanes_single
#define olk_flip_lines olk_flip_lines_single
#define olk_negated olk_negated_single
#define olk_flips olk_flips_single
#define olk_fma_lanes olk_fma_lanes_single
#define olk_sketch olk_sketch_single
#define olk_sketch_interleaved olk_sketch_interleaved_single
#define olk_sketch_sparse olk_sketch_sparse_single
#define olk_sketched olk_sketched_single
#define olk_get_eight olk_get_eight_single
#define olk_continue_repeat olk_continue_repeat_single
#define olk_hadamard_within olk_hadamard_within_single
#define olk_interleave olk_interleave_single
#define olk_row_cache olk_row_cache_single
#define olk_cached_features olk_cached_features_single
#define olk_lane_numbers olk_lane_numbers_single
#define olk_has_large_angle olk_has_large_angle_single
#define olk_max_angle olk_max_angle_single
#define olk_repeat_scales olk_repeat_scales_single
#define olk_lines_of olk_lines_of_single
#define olk_hadamard olk_hadamard_single
#define olk_hadamard_many olk_hadamard_many_single
#define olk_hadamard_two olk_hadamard_two_single
#define olk_next_words olk_next_words_single
#define olk_frequency_scale olk_frequency_scale_single
#define olk_frequency_scales olk_frequency_scales_single
#define olk_pairs_of olk_pairs_of_single
#define olk_partners olk_partners_single
#define olk_pass olk_pass_single
#define olk_phases olk_phases_single
#define olk_phases_slowly olk_phases_slowly_single
#define olk_put_across olk_put_across_single
#define olk_reduced_cos_sin olk_reduced_cos_sin_single
#define olk_compute_t olk_compute_t_single
#define olk_compute_vec olk_compute_vec_single
#define olk_repeat olk_repeat_single
#define olk_sign olk_sign_single
#define olk_signs olk_signs_single
#define olk_abs_entry olk_abs_entry_single
#define olk_line_of_each olk_line_of_each_single
#define olk_angles_are_small olk_angles_are_small_single
#define olk_hadamard_stage olk_hadamard_stage_single
#define olk_sum olk_sum_single
#define olk_sum_of olk_sum_of_single
#define olk_tail olk_tail_single
#define olk_tails olk_tails_single
#define olk_transform_block olk_transform_block_single
#define olk_transform_blocks olk_transform_blocks_single
#define olk_transpose_lines olk_transpose_lines_single
#define olk_sorf_feature olk_sorf_feature_single
#define olk_weights_at olk_weights_at_single
#define olk_word olk_word_single
#define olk_words olk_words_single

#define OLK_IN_SINGLE 1
#include "sorf_precision.h"

#include "sorf_features.h"

#include "sorf_scores.h"
#undef OLK_IN_SINGLE

/* -- Roundings in single precision --
   All roundings are tried before anything is written, and if the error of single precision could
   change one, its block is rounded in double instead (sorf_weights.h). Stored weights are those of
   double. */

/* Error bounds of single precision (docs/sorf.md, section 5): of a feature and of a score, each
   with a part proportional to the widest typical angle. */
static const double olk_feature_error = 2e-7, olk_feature_error_of_angle = 1.6e-6;
static const double olk_score_error = 1e-6, olk_score_error_of_angle = 5e-7;
/* The largest change, and the largest distance of its bounds, in 65,536ths of a level: double
   handles larger ones. */
static const double olk_max_certain_change = 524000.0, olk_max_bounds = 64.0;

/* The largest possible norm of a row's sketch. */
static OLK_NOCLONE double olk_max_sketch_length(const olk_sorf *p, const olk_sorf_row *row)
{
    const olk_input *x = row->values;
    const ptrdiff_t count = row->index ? row->count : p->d;
    double lane[4] = {0.0, 0.0, 0.0, 0.0};
    for (ptrdiff_t k = 0; k < count; k++)
        lane[k % 4] += (double)x[k] * (double)x[k];
    return olk_sqrt((double)((p->d + 63) / 64) * ((lane[0] + lane[1]) + (lane[2] + lane[3])));
}

/* The widest typical angle of a group: 64 times a width times the norm of a sketch. */
static inline double olk_max_typical_angle(const olk_sorf *p, int32_t g, double longest)
{
    double widest = 0.0;
    for (int32_t i = 0; i < p->widths[g]; i++)
        widest = p->omega[g][i] > widest ? p->omega[g][i] : widest;
    return 64.0 * widest * longest;
}

/* The error bound of tau, from that of a score. */
static inline double olk_tau_error(const olk_sorf *p, double widest)
{
    return p->kappa * (olk_score_error + olk_score_error_of_angle * widest);
}

/* Bounds of changes tau feature, the same for cosine and sine, repeated like olk_frequency_scales:
   2^19 + 1/2, which makes them positive so that conversion rounds to nearest, minus and plus the
   error bound. Sketch and transforms preserve norms, so errors of their sums, and of products with
   widths, are a fraction of a typical angle: 64 times a width times the sketch's norm, at most
   `longest`. In 10^8 features the largest error was 1e-7 plus 8e-7 of that; in 10^5 scores with
   weights near the ends of their range, 7e-7 plus 3e-7 of the widest angle. */
typedef struct {
    float lower[2 * OLK_SCALES_SIZE], upper[2 * OLK_SCALES_SIZE];
    int end; /* plain C: the period */
} olk_bounds;

/* Returns 0 if changes are too large for that, or bounds too wide to be useful. */
static OLK_NOCLONE int olk_change_bounds(const olk_sorf *p, int32_t g, double longest, double tau,
                                         olk_bounds *bounds)
{
    const int widths = p->widths[g];
    const double widest = olk_max_typical_angle(p, g, longest);
    /* An eighth for the roundings of a change, its bounds and their sum. */
    const double all = 0.125 + 65536.0 * olk_tau_error(p, widest);
    const double step = 65536.0 * olk_fabs(tau);
    const double upper = all + step * (olk_feature_error + olk_feature_error_of_angle * widest);
    if (!(step < olk_max_certain_change && upper < olk_max_bounds))
        return 0;
    for (int i = 0; i < 2 * widths; i++) {
        const double angle = 64.0 * p->omega[g][i / 2] * longest;
        const double error = all + step * (olk_feature_error + olk_feature_error_of_angle * angle);
        bounds->lower[i] = (float)(524288.5 - error);
        bounds->upper[i] = (float)(524288.5 + error);
    }
    bounds->end = 2 * widths;
    if (OLK_SCALES_SIZE > 64) {
        olk_repeat(bounds->lower, 2 * widths, 2 * OLK_SCALES_SIZE);
        olk_repeat(bounds->upper, 2 * widths, 2 * OLK_SCALES_SIZE);
    }
    return 1;
}

/* to[i] <- stored[i] + step feature[i] / 65536, i < n <= OLK_CHUNK, rounded stochastically as in
   olk_add_some_changes; bounds from `at` on. Returns 0 if a change within its bounds could give
   another level. */
static OLK_NOCLONE int olk_round_if_certain(olk_stored *restrict to,
                                            const olk_stored *restrict stored,
                                            const float *restrict feature, float step,
                                            const olk_bounds *restrict bounds, int at,
                                            const uint16_t *restrict bits, ptrdiff_t n)
{
#if OLK_BYTES > 16
    if (n == OLK_CHUNK)
        return olk_round_features(to, stored, feature, step, bounds->lower + at, bounds->upper + at,
                                  bits);
#endif
    int32_t unsure = 0;
    for (ptrdiff_t i = 0; i < n; i++, at = olk_next_index(bounds->end, at)) {
        const float change = step * feature[i];
        const int32_t rise = ((int32_t)(change + bounds->lower[at]) + bits[i]) >> 16;
        unsure |= rise ^ (((int32_t)(change + bounds->upper[at]) + bits[i]) >> 16);
        int32_t level = stored[i] + rise - (1 << 3);
        level = level > OLK_MAX_LEVEL ? OLK_MAX_LEVEL : level;
        to[i] = (olk_stored)(level < -OLK_MAX_LEVEL ? -OLK_MAX_LEVEL : level);
    }
    return !unsure;
}

/* The same for 2 * lines changes of a block, with words from `after` on; `phase`: index of the
   first bound. */
static OLK_NOCLONE int olk_round_block(olk_stored *to, const olk_stored *stored,
                                       const float *feature, float step, const olk_bounds *bounds,
                                       int phase, ptrdiff_t lines, uint64_t *after)
{
    OLK_ALIGNED(64) uint16_t bits[OLK_CHUNK];
    for (ptrdiff_t start = 0; start < 2 * lines; start += OLK_CHUNK) {
        const ptrdiff_t n = 2 * lines - start < OLK_CHUNK ? 2 * lines - start : OLK_CHUNK;
        const int at = (int)((phase + start) % bounds->end);
        olk_draw(after, bits, n / 2);
        if (!olk_round_if_certain(to + start, stored + start, feature + start, step, bounds, at,
                                  bits, n))
            return 0;
    }
    return 1;
}

/* State between trying a row's changes and committing them: features of its first blocks, new
   weights of its first `stored` blocks, the rounding generator after these and after all rounded
   blocks, and whether tau is already that of double. */
typedef struct {
    olk_sorf_feature *feature;
    ptrdiff_t blocks;
    olk_stored *levels;
    ptrdiff_t stored;
    uint64_t middle, after;
    int exact;
} olk_trial;

/* Lays out a trial in the memory for a row's features in double: for all blocks, or for
   OLK_SORF_CACHED blocks and one of weights, where weights overlay features that have been
   rounded. */
static inline olk_trial olk_new_trial(const olk_sorf *p, void *memory, int all_blocks)
{
    const ptrdiff_t all = p->first[p->groups];
    olk_sorf_feature *feature = memory;
    if (all_blocks)
        return (olk_trial){feature, all, (olk_stored *)(feature + 2 * p->D), all, 0, 0, 0};
    return (olk_trial){feature + (OLK_SORF_CACHED ? 128 / sizeof *feature : 0),
                       2 * OLK_SORF_CACHED,
                       memory,
                       8 * OLK_SORF_CACHED,
                       0,
                       0,
                       0};
}

/* Writes the weights of a block; a full one with a constant size. */
static inline void olk_put_levels(olk_stored *w, const olk_stored *levels, ptrdiff_t lines)
{
    if (lines == 64)
        memcpy(w, levels, 128 * sizeof *w);
    else
        memcpy(w, levels, 2 * (size_t)lines * sizeof *w);
}

/* Rounds a row's changes, tau feature, in the live groups from block `from` on, into the trial or,
   with `write`, into w. Returns the first block with an uncertain rounding, leaving the generator
   before it, or else the number of blocks; -1 if changes are too large for single precision. */
static OLK_NOCLONE ptrdiff_t olk_round_row(const olk_sorf *p, const olk_sorf_state *s,
                                           const olk_sorf_row *row, const double *tau,
                                           const int *live, olk_trial *trial, ptrdiff_t from,
                                           int write)
{
    OLK_WORK(olk_block, block, s, OLK_AT_BLOCK);
    olk_tail tail;
    olk_frequency_scales scales;
    olk_signs first, second;
    olk_stored discarded[128];
    const ptrdiff_t words = (p->d + 31) / 32 + 4;
    OLK_ALIGNED(64) olk_bounds bounds;
    const double longest = olk_max_sketch_length(p, row);
    const int recompute = trial->blocks < p->first[p->groups];
    const int small_angles = recompute && olk_angles_are_small(p, row, 1);
    uint64_t generator = p->signs;
    ptrdiff_t drawn = 0;
    if (recompute && !row->index)
        olk_tails(p, row->values, 1, &tail);
    for (int32_t g = 0; g < p->groups; g++) {
        const float step = (float)(tau[g] * 65536.0);
        if (!live[g] || from >= p->first[g + 1])
            continue;
        if (!olk_change_bounds(p, g, longest, tau[g], &bounds))
            return -1;
        if (recompute)
            olk_group_scales(p, g, &scales);
        for (ptrdiff_t b = from < p->first[g] ? p->first[g] : from; b < p->first[g + 1]; b++) {
            const ptrdiff_t lines = olk_lines(p, b);
            const ptrdiff_t phase = 128 * (b - p->first[g]) % (2 * p->widths[g]);
            const int stored = !write && b < trial->stored;
            olk_stored *w = (olk_stored *)s->w + 128 * b;
            const olk_sorf_feature *feature = block->feature;
            uint64_t after = trial->after;
            if (b < trial->blocks) {
                feature = trial->feature + 128 * b;
            } else {
                olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(words * (b - drawn)));
                drawn = b + 1;
                olk_transform_block(p, &generator, row, &tail, block, &first, &second);
                olk_features(olk_lines_of(block), &scales, b - p->first[g], small_angles, 1,
                             block->feature);
            }
            if (!olk_round_block(stored ? trial->levels + 128 * b : discarded, w, feature, step,
                                 &bounds, (int)phase, lines, &after))
                return b;
            trial->after = after;
            if (stored)
                trial->middle = after;
            if (write)
                olk_put_levels(w, discarded, lines);
        }
    }
    return p->first[p->groups];
}

/* -- End of the names in single precision -- */

#undef olk_hadamard_across
#undef olk_add_columns
#undef olk_add_products
#undef olk_add_some_columns
#undef olk_begin_scales
#undef olk_begin_repeat
#undef olk_block
#undef olk_draw_signs
#undef olk_entry
#undef olk_exchange
#undef olk_features
#undef olk_group_scales
#undef olk_flip_eight
#undef olk_flip_lanes
#undef olk_flip_lines
#undef olk_negated
#undef olk_flips
#undef olk_fma_lanes
#undef olk_sketch
#undef olk_sketch_interleaved
#undef olk_sketch_sparse
#undef olk_sketched
#undef olk_get_eight
#undef olk_continue_repeat
#undef olk_hadamard_within
#undef olk_interleave
#undef olk_row_cache
#undef olk_cached_features
#undef olk_lane_numbers
#undef olk_has_large_angle
#undef olk_max_angle
#undef olk_repeat_scales
#undef olk_lines_of
#undef olk_hadamard
#undef olk_hadamard_many
#undef olk_hadamard_two
#undef olk_next_words
#undef olk_frequency_scale
#undef olk_frequency_scales
#undef olk_pairs_of
#undef olk_partners
#undef olk_pass
#undef olk_phases
#undef olk_phases_slowly
#undef olk_put_across
#undef olk_reduced_cos_sin
#undef olk_compute_t
#undef olk_compute_vec
#undef olk_repeat
#undef olk_sign
#undef olk_signs
#undef olk_abs_entry
#undef olk_line_of_each
#undef olk_angles_are_small
#undef olk_hadamard_stage
#undef olk_sum
#undef olk_sum_of
#undef olk_tail
#undef olk_tails
#undef olk_transform_block
#undef olk_transform_blocks
#undef olk_transpose_lines
#undef olk_sorf_feature
#undef olk_weights_at
#undef olk_word
#undef olk_words
