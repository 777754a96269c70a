/* Changes of weights: pass 2 of a row (docs/sorf.md, section 5), the losses that decide them,
   stochastic rounding, averages, leaks, and the linear expert. Needs the compute type, the scores
   (sorf_scores.h) and relevance.h. */
#pragma once

#include "relevance.h"

/* -- Changes of stored weights --
   Changes of stored weights (docs/sorf.md, section 5, store and steps 5 and 6). Changes of int8
   weights are in 65,536ths of a level, so that stochastic rounding is a shift. */

enum { OLK_LEVEL_PARTS = OLK_QUANTIZED ? 65536 : 1 };
/* Changes are clipped to this many levels, still beyond the range of int8. */
enum { OLK_MAX_CHANGE = 1000 };

#ifndef OLK_SORF_FIXED /* else fixed_point.h */
/* A change of a stored weight, in its levels. */
static OLK_INLINE olk_sum olk_level_parts(olk_real levels)
{
    return levels * (olk_real)OLK_LEVEL_PARTS;
}

/* A factor for features. */
typedef olk_sum olk_step;

static OLK_INLINE olk_step olk_step_of(olk_real tau)
{
    return tau * (olk_real)OLK_LEVEL_PARTS;
}

static OLK_INLINE olk_sum olk_times(olk_step step, olk_sum x)
{
    return step * x;
}

static OLK_INLINE int olk_is_in_range(olk_step step)
{
    return olk_abs(step) <= (olk_sum)OLK_MAX_CHANGE * (olk_sum)OLK_LEVEL_PARTS;
}

/* The factor of gaps between weights, a gap, and the gap of a weight to kappa times a feature. */
static OLK_INLINE olk_step olk_gap_step(olk_real inverse)
{
    return olk_step_of(inverse);
}

static OLK_INLINE olk_sum olk_gap_of(olk_gap levels)
{
    return (olk_sum)levels;
}

static OLK_INLINE olk_sum olk_feature_gap(olk_real kappa, olk_sorf_feature x, olk_stored a)
{
    return kappa * x - (olk_sum)a;
}

/* A change plus 2^27, rounded to the nearest integer, a half upwards. */
static OLK_INLINE int32_t olk_lifted(olk_sum change)
{
    const olk_sum v = change + (olk_sum)0.5;
    const int32_t towards_zero = (int32_t)v;
    return towards_zero - (v < (olk_sum)towards_zero) + (INT32_C(1) << 27);
}
#endif

/* stored[i] += change[i] / OLK_LEVEL_PARTS, i < n <= OLK_CHUNK. int8: |change| < 2^26 parts,
   rounded stochastically by bits[i]. The shift is of a positive number. */
static inline void olk_add_some_changes(olk_stored *restrict stored, const olk_sum *restrict change,
                                        const uint16_t *restrict bits, ptrdiff_t n)
{
    if (!OLK_QUANTIZED) {
        for (ptrdiff_t i = 0; i < n; i++)
            stored[i] = (olk_stored)((olk_sum)stored[i] + change[i]);
        return;
    }
    int32_t part[OLK_CHUNK];
    for (ptrdiff_t i = 0; i < n; i++)
        part[i] = olk_lifted(change[i]);
    for (ptrdiff_t i = 0; i < n; i++) {
        int32_t level = (int32_t)stored[i] + ((part[i] + bits[i]) >> 16) - (1 << 11);
        level = level > OLK_MAX_LEVEL ? OLK_MAX_LEVEL : level;
        stored[i] = (olk_stored)(level < -OLK_MAX_LEVEL ? -OLK_MAX_LEVEL : level);
    }
}

/* Clips changes that are far beyond the range of int8, so that they do not overflow. */
static inline void olk_clip_changes(olk_sum *change, olk_step step, ptrdiff_t n)
{
    const olk_sum limit = (olk_sum)OLK_MAX_CHANGE * (olk_sum)OLK_LEVEL_PARTS;
    if (!OLK_QUANTIZED || olk_is_in_range(step))
        return;
    for (ptrdiff_t i = 0; i < n; i++) {
        change[i] = change[i] > limit ? limit : change[i];
        change[i] = change[i] < -limit ? -limit : change[i];
    }
}

/* As olk_add_some_changes, with one random word for each pair of the n. */
static OLK_NOCLONE void olk_add_changes(olk_stored *stored, const olk_sum *change, ptrdiff_t n,
                                        uint64_t *generator)
{
#ifdef OLK_SORF_INT8
    OLK_ALIGNED(64) uint16_t bits[OLK_CHUNK];
    olk_draw(generator, bits, n / 2);
#if OLK_BYTES > 16
    if (n == OLK_CHUNK) {
        olk_round_levels(stored, change, bits);
        return;
    }
#endif
#else
    const uint16_t *bits = NULL;
    (void)generator;
#endif
    if (n == OLK_CHUNK)
        olk_add_some_changes(stored, change, bits, OLK_CHUNK);
    else
        olk_add_some_changes(stored, change, bits, n);
}

/* stored += tau feature, one column; n of 128 features are used. */
static inline void olk_learn(olk_stored *stored, const olk_sorf_feature *restrict feature,
                             olk_real tau, ptrdiff_t n, uint64_t *generator)
{
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    const olk_step step = olk_step_of(tau);
    for (ptrdiff_t start = 0; start < n; start += OLK_CHUNK) {
        const ptrdiff_t now = n - start < OLK_CHUNK ? n - start : OLK_CHUNK;
        for (int i = 0; i < OLK_CHUNK; i++)
            change[i] = olk_times(step, feature[start + i]);
        olk_clip_changes(change, step, OLK_CHUNK);
        olk_add_changes(stored + start, change, now, generator);
    }
}

/* Columns `low` and `high` of K, low < high: low += tau feature, high -= tau feature. */
static OLK_NOCLONE void olk_learn_two(olk_stored *stored, const olk_sorf_feature *feature,
                                      olk_real tau, ptrdiff_t lines, ptrdiff_t K, ptrdiff_t low,
                                      ptrdiff_t high, uint64_t *generator)
{
    enum { LINES = OLK_CHUNK / 4 };
    const olk_step by = olk_step_of(tau);
    for (ptrdiff_t start = 0; start < lines; start += LINES) {
        const ptrdiff_t n = lines - start < LINES ? lines - start : LINES;
        olk_stored pair[OLK_CHUNK];
        OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
        for (ptrdiff_t k = 0; k < n; k++)
            for (int i = 0; i < 2; i++) {
                const olk_sum step = olk_times(by, feature[2 * (start + k) + i]);
                pair[4 * k + i] = stored[2 * ((start + k) * K + low) + i];
                pair[4 * k + 2 + i] = stored[2 * ((start + k) * K + high) + i];
                change[4 * k + i] = step;
                change[4 * k + 2 + i] = -step;
            }
        olk_clip_changes(change, by, 4 * n);
        olk_add_changes(pair, change, 4 * n, generator);
        for (ptrdiff_t k = 0; k < n; k++)
            for (int i = 0; i < 2; i++) {
                stored[2 * ((start + k) * K + low) + i] = pair[4 * k + i];
                stored[2 * ((start + k) * K + high) + i] = pair[4 * k + 2 + i];
            }
    }
}

/* a += (w - a) / n over `count` numbers; `inverse` is 1 / n. */
static OLK_NOCLONE void olk_average_step(olk_stored *a, const olk_stored *w, ptrdiff_t count,
                                         olk_real inverse, uint64_t *generator)
{
    olk_gap gap[OLK_CHUNK];
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    const olk_step step = olk_gap_step(inverse);
    for (ptrdiff_t start = 0; start < count; start += OLK_CHUNK) {
        const ptrdiff_t n = count - start < OLK_CHUNK ? count - start : OLK_CHUNK;
        if (n == OLK_CHUNK) {
            for (int i = 0; i < OLK_CHUNK; i++)
                gap[i] = w[start + i] - a[start + i];
        } else {
            memset(gap, 0, sizeof gap);
            for (ptrdiff_t i = 0; i < n; i++)
                gap[i] = w[start + i] - a[start + i];
        }
        for (int i = 0; i < OLK_CHUNK; i++)
            change[i] = olk_times(step, olk_gap_of(gap[i]));
        olk_add_changes(a + start, change, n, generator);
    }
}

/* w -= leak w over `count` numbers (section 14). */
static OLK_NOCLONE void olk_leak(olk_stored *w, ptrdiff_t count, olk_real leak, uint64_t *generator)
{
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    const olk_step step = olk_gap_step(leak);
    for (ptrdiff_t start = 0; start < count; start += OLK_CHUNK) {
        const ptrdiff_t n = count - start < OLK_CHUNK ? count - start : OLK_CHUNK;
        memset(change, 0, sizeof change);
        for (ptrdiff_t i = 0; i < n; i++)
            change[i] = olk_times(step, olk_gap_of(-(olk_gap)w[start + i]));
        olk_add_changes(w + start, change, n, generator);
    }
}

/* a += (kappa feature - a) / n over one block. */
static inline void olk_average_block(olk_stored *a, const olk_sorf_feature *feature, olk_real kappa,
                                     ptrdiff_t n, olk_real inverse, uint64_t *generator)
{
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    const olk_step step = olk_gap_step(inverse);
    for (ptrdiff_t start = 0; start < n; start += OLK_CHUNK) {
        const ptrdiff_t now = n - start < OLK_CHUNK ? n - start : OLK_CHUNK;
        for (ptrdiff_t i = 0; i < now; i++)
            change[i] = olk_times(step, olk_feature_gap(kappa, feature[start + i], a[start + i]));
        olk_add_changes(a + start, change, now, generator);
    }
}

/* -- The linear expert --
   docs/sorf.md, section 7. */

static inline olk_real olk_linear_score(const olk_sorf *p, const olk_sorf_state *s,
                                        const olk_input *x)
{
    if (!p->linear)
        return 0;
    const olk_input *wl = s->wl;
    olk_real f = wl[p->d];
    for (ptrdiff_t k = 0; k < p->d; k++)
        f += x[k] * wl[k];
    return f;
}

/* AROW with one variance per weight. */
static inline void olk_learn_linear(const olk_sorf *p, const olk_sorf_state *s,
                                    const olk_input *x, olk_real y, olk_real f)
{
    olk_input *wl = s->wl, *Sl = s->Sl;
    const olk_real error = p->task == OLK_SORF_REGRESSION ? y - f : y * (1 - y * f);
    if (p->task != OLK_SORF_REGRESSION && !(1 - y * f > 0))
        return;
    olk_real spread = Sl[p->d] + 1;
    for (ptrdiff_t k = 0; k < p->d; k++)
        spread += x[k] * x[k] * Sl[k];
    const olk_real b = 1 / spread;
    for (ptrdiff_t i = 0; i <= p->d; i++) { /* the last is the bias */
        const olk_real q = i == p->d ? Sl[i] : Sl[i] * x[i];
        wl[i] += error * b * q;
        Sl[i] -= b * q * q;
    }
}

/* -- Losses -- */

/* Plan of pass 2: the change of each group, and the direction of relevance's gradient. */
typedef struct {
    olk_real tau[OLK_SORF_GROUPS];
    int live[OLK_SORF_GROUPS];
    ptrdiff_t rival[OLK_SORF_GROUPS]; /* columns: plus at y, minus at the rival */
    int follows;                      /* relevance follows the gradient along this slope */
#ifndef OLK_STREAMED
    olk_sorf_slope slope;
#endif
} olk_change_plan;

/* Ridges of the linear group: with an average, and of the last weights alone (section 7i). */
enum { OLK_LINEAR_RIDGE = 1, OLK_LINEAR_LAST_RIDGE = 3 };

static inline olk_real olk_linear_ridge(const olk_sorf *p)
{
    return p->linear_group == OLK_LINEAR_LAST ? OLK_LINEAR_LAST_RIDGE : OLK_LINEAR_RIDGE;
}

/* tau of each group from its own loss; returns how many groups change. */
static inline int olk_losses(const olk_group_scores *f, olk_real y, olk_real weight, uint64_t t,
                             olk_change_plan *plan)
{
    const olk_sorf *p = OLK_OPTIONS_OF(f->p);
    const olk_real kappa = (olk_real)p->kappa, r = (olk_real)p->r;
    /* Exactly f_w: f_a + 1 (f_w - f_a) is not, and a loss of exactly 0 changes nothing. */
    const olk_group_scores w = {p, f->fw, f->fw, {0}, NULL, 0};
    int n_changes = 0;
    for (int32_t g = 0; g < p->groups; g++) {
        /* The squared length of a group's features is 1. */
        const int linear = olk_is_linear_group(p, g);
        const olk_real square = linear ? f->square : 1, ridge = linear ? olk_linear_ridge(p) : r;
        plan->rival[g] = 0;
        if (p->task == OLK_SORF_REGRESSION) {
            const olk_real pull = weight / (square + ridge), most = linear ? 1 / square : 1;
            plan->live[g] = t > 0;
            plan->tau[g] = kappa * (y - f->fw[g]) * (pull < most ? pull : most);
        } else {
            const int multiclass = p->task == OLK_SORF_CLASSES;
            const olk_real loss =
                (weight == 1 ? 1 : olk_root(weight)) - olk_sorf_margin(&w, NULL, g, 0, y);
            if (multiclass)
                plan->rival[g] = olk_sorf_rival(&w, NULL, g, 0, y);
            plan->live[g] = loss > 0;
            plan->tau[g] =
                kappa * loss / ((multiclass ? 2 : 1) * square + ridge) * (multiclass ? 1 : y);
        }
        n_changes += plan->live[g];
    }
    return n_changes;
}

/* -- Pass 2 --
   Pass 2: the changes of a row (docs/sorf.md, section 5, step 5). */

#ifdef OLK_STREAMED
#include "sorf_streamed.h"
#else
/* A number for each line of a block. */
typedef struct {
    OLK_ALIGNED(64) olk_entry of[64];
} olk_line_values;

/* Adds a block's part of the gradient of each input to q, back through transforms and sketch.
   `generator`: the state before the block's words. */
static OLK_NOCLONE void olk_add_direction(const olk_sorf *p, const olk_sorf_state *s,
                                          const olk_change_plan *plan, int32_t g, ptrdiff_t b,
                                          uint64_t generator, const olk_frequency_scales *scales,
                                          const olk_sorf_feature *feature, olk_input *q)
{
    OLK_WORK(olk_line_values, back, s, OLK_AT_GRADIENT);
    olk_entry *const h = back->of;
    olk_signs first, second;
    const ptrdiff_t lines = olk_lines(p, b), from = 128 * b * p->classes;
    const olk_stored *w = (const olk_stored *)s->w + from, *a = (const olk_stored *)s->a + from;
    const uint64_t start = generator;
    const olk_real unit =
        olk_gradient(p, s, &plan->slope, g, w, a, feature, lines, scales, b - p->first[g], h);
    olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)((p->d + 31) / 32));
    olk_draw_signs(&generator, &first);
    olk_draw_signs(&generator, &second);
    olk_hadamard(h, 64, &second, &first);
    olk_sketch_transposed(p, start, h, unit, q);
}

/* Pass 2, from the cache; the rest is computed again. Returns the derivative of the score with
   respect to the shared log scale, if relevance follows that (section 7e). */
static OLK_NOCLONE olk_real olk_second_pass(const olk_sorf *p, const olk_sorf_state *s,
                                            const olk_input *x, const olk_change_plan *plan,
                                            const olk_row_cache *cache)
{
    OLK_WORK(olk_line_values, line_copy, s, OLK_AT_LINE); /* features may overlay their lines */
    OLK_WORK(olk_block, block, s, OLK_AT_BLOCK);
    olk_tail tail;
    olk_frequency_scales scales;
    olk_signs first, second;
    const ptrdiff_t K = p->classes, words = (p->d + 31) / 32;
    uint64_t generator = p->signs;
    const int shared = p->relevance == OLK_RELEVANCE_SHARED && plan->follows;
    const int per_input = p->relevance == OLK_RELEVANCE_EACH && plan->follows;
    const ptrdiff_t known = shared && OLK_CACHED(cache, lines) < OLK_CACHED(cache, blocks)
                                ? OLK_CACHED(cache, lines)
                                : OLK_CACHED(cache, blocks);
    const int recompute = known < p->first[p->groups];
    olk_input *q = per_input ? (olk_input *)s->inputs + p->d : NULL;
    olk_real gradient = 0;
    const int small_angles = recompute && olk_angles_are_small(p, s, x, 1);
    ptrdiff_t drawn = 0; /* blocks whose words were drawn */
    if (recompute)
        olk_tails(p, s, x, 1, &tail);
    if (per_input)
        memset(q, 0, (size_t)p->d * sizeof *q);
    for (int32_t g = 0; g < p->groups; g++) {
        const olk_real tau = plan->tau[g];
        const ptrdiff_t rival = plan->rival[g];
        if (!plan->live[g] || olk_is_linear_group(p, g))
            continue;
        if (recompute || plan->follows)
            olk_group_scales(p, s, g, &scales);
        for (ptrdiff_t b = p->first[g]; b < p->first[g + 1]; b++) {
            const ptrdiff_t lines = olk_lines(p, b), from = 128 * b * K;
            olk_stored *w = (olk_stored *)s->w + from;
            olk_sorf_feature *feature = block->feature;
            const olk_entry *line =
                b < OLK_CACHED(cache, lines) ? cache->line + 64 * b : line_copy->of;
            if (b >= known || per_input) {
                olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)((words + 4) * (b - drawn)));
                drawn = b + 1;
            }
            const uint64_t start = generator;
            if (b >= known)
                olk_transform_block(p, s, &generator, x, &tail, block, &first, &second);
            if (b >= known && shared)
                memcpy(line_copy->of, olk_lines_of(block), sizeof line_copy->of);
            if (b >= OLK_CACHED(cache, blocks)) {
                olk_features(olk_lines_of(block), &scales, b - p->first[g], small_angles,
                             block->feature);
            } else if (lines == 64) {
                feature = cache->feature + 128 * b;
            } else {
                memset(block->feature, 0, sizeof block->feature);
                memcpy(block->feature, cache->feature + 128 * b,
                       2 * (size_t)lines * sizeof *feature);
            }
            if (shared)
                gradient +=
                    olk_scale_gradient(p, s, &plan->slope, g, w, (const olk_stored *)s->a + from,
                                       feature, line, lines, &scales, b - p->first[g]);
            if (per_input)
                olk_add_direction(p, s, plan, g, b, start, &scales, feature, q);
            if (per_input && b < known)
                olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(words + 4));
            if (K == 1)
                olk_learn(w, feature, tau, 2 * lines, s->rounding);
            else if (plan->slope.y < rival)
                olk_learn_two(w, feature, tau, lines, K, plan->slope.y, rival, s->rounding);
            else
                olk_learn_two(w, feature, -tau, lines, K, rival, plan->slope.y, s->rounding);
        }
    }
    return gradient;
}
#endif
