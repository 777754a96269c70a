/* Layout of the row memory (docs/sorf.md, section 7f), the blend of its scores with those of the
   features, and its reset. Functions independent of the type of weights, in double. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hedge.h"

/* Codes are -7 to 7 in steps of a fifth of sqrt(gamma d); stored with 8 added. */
enum { OLK_MAX_CODE = 7, OLK_ZERO_CODE = 8 };
static const double olk_memory_step = 5.0;
/* The experts' weights of the memory, and the penalty of weight 1 in mistakes (rho): with the mean
   of both kernels only, and where the narrower kernel has experts too; there, with three classes or
   more, the penalty applies to the features instead. */
OLK_TABLE double olk_memory_weights[OLK_MEMORY_WEIGHTS] = {0.0, 0.25, 0.5, 0.75, 1.0};
static const double olk_memory_cost = 4.0, olk_memory_cost_of_two = 3.0;
/* Margins smaller than this: the features' scores are computed again in olk_compute_t. */
static const double olk_memory_undecided = 1e-4;

/* Whether there is a row memory; a program without one omits its code. */
static inline int olk_has_memory(const olk_sorf *p)
{
#ifdef OLK_SORF_NO_MEMORY
    (void)p;
    return 0;
#else
    return p->memory > 0;
#endif
}

/* Code steps per unit of an input, from the kernel's initial width. */
static inline void olk_set_memory_steps(olk_sorf *p, double gamma)
{
    p->memory_steps = olk_memory_step * olk_sqrt(gamma * (double)p->d);
}

/* Codes of inputs 2 c (low half) and 2 c + 1 of all rows. After all codes: with two classes the
   signed coefficients; with several the labels, the rivals and the coefficients. */
static inline uint8_t *olk_memory_codes(const olk_sorf *p, const olk_sorf_state *s, ptrdiff_t c)
{
    return s->memory_rows + c * p->memory;
}

static inline uint8_t *olk_memory_labels(const olk_sorf *p, const olk_sorf_state *s)
{
    return olk_memory_codes(p, s, (p->d + 1) / 2);
}

/* Number of rows stored, and where the search for the smallest coefficient begins. */
static inline ptrdiff_t olk_memory_n_rows(const olk_sorf_state *s)
{
    return (ptrdiff_t)(*s->memory_held & UINT32_MAX);
}

static inline ptrdiff_t olk_memory_head(const olk_sorf_state *s)
{
    return (ptrdiff_t)(*s->memory_held >> 32);
}

static inline void olk_memory_set_rows(const olk_sorf_state *s, ptrdiff_t n_rows, ptrdiff_t head)
{
    *s->memory_held = (uint64_t)n_rows | (uint64_t)head << 32;
}

/* Weights in an answer: of g, and of the narrower kernel's g. */
typedef struct {
    double mean, narrow;
} olk_memory_blend;

/* The penalty of weight 1, in mistakes. */
static inline double olk_cost_of_memory(const olk_sorf *p)
{
    if (!p->memory_narrow)
        return olk_memory_cost;
    return p->classes >= 3 ? -olk_memory_cost_of_two : olk_memory_cost_of_two;
}

/* The weights for the next answer. */
static inline olk_memory_blend olk_memory_blend_of(const olk_sorf *p, const olk_sorf_state *s)
{
    const double *losses = s->memory_mistakes, *narrow = s->memory_narrow;
    const double cost = olk_cost_of_memory(p);
    olk_memory_blend blend = {0.0, 0.0};
    double min_loss = losses[0], total = 0.0;
    for (int i = 1; i < OLK_MEMORY_WEIGHTS; i++)
        min_loss = losses[i] < min_loss ? losses[i] : min_loss;
    for (int i = 1; i < OLK_MEMORY_WEIGHTS && narrow; i++)
        min_loss = narrow[i - 1] < min_loss ? narrow[i - 1] : min_loss;
    for (int i = 0; i < OLK_MEMORY_WEIGHTS; i++) {
        const double e = olk_sorf_exp(-(losses[i] - min_loss) - cost * olk_memory_weights[i]);
        blend.mean += e * olk_memory_weights[i];
        total += e;
    }
    for (int i = 1; i < OLK_MEMORY_WEIGHTS && narrow; i++) {
        const double e = olk_sorf_exp(-(narrow[i - 1] - min_loss) - cost * olk_memory_weights[i]);
        blend.narrow += e * olk_memory_weights[i];
        total += e;
    }
    blend.mean /= total;
    blend.narrow /= total;
    return blend;
}

/* The memory's weight in the next answer. */
static inline double olk_memory_weight(const olk_sorf *p, const olk_sorf_state *s)
{
    const olk_memory_blend blend = olk_memory_blend_of(p, s);
    return blend.mean + blend.narrow;
}

/* Clears the memory. */
static inline void olk_clear_memory(const olk_sorf_state *s)
{
    *s->memory_held = 0;
    memset(s->memory_mistakes, 0, OLK_MEMORY_WEIGHTS * sizeof *s->memory_mistakes);
    if (s->memory_narrow)
        memset(s->memory_narrow, 0, (OLK_MEMORY_WEIGHTS - 1) * sizeof *s->memory_narrow);
}

/* The best class other than `but`, the smallest at a tie. */
static inline ptrdiff_t olk_best_rival(const double *f, ptrdiff_t classes, ptrdiff_t but)
{
    ptrdiff_t best = -1;
    for (ptrdiff_t c = 0; c < classes; c++)
        if (c != but && (best < 0 || f[c] > f[best]))
            best = c;
    return best;
}

/* A column of f = f_s + blend (g - f_s), from `scores`: g[K], then f_s[K], then the narrower
   kernel's g[K]. */
static inline double olk_memory_score(const double *scores, ptrdiff_t K, olk_memory_blend blend,
                                      ptrdiff_t c)
{
    const double f_s = scores[K + c], f = f_s + blend.mean * (scores[c] - f_s);
    return blend.narrow > 0.0 ? f + blend.narrow * (scores[2 * K + c] - f_s) : f;
}

/* The margin: y f with two classes, f_y minus the best other score with several. */
static inline double olk_memory_margin(const olk_sorf *p, const double *scores,
                                       olk_memory_blend blend, double y)
{
    const ptrdiff_t K = p->classes, own_class = (ptrdiff_t)y;
    if (p->task != OLK_SORF_CLASSES)
        return y * olk_memory_score(scores, 1, blend, 0);
    double best = 0.0;
    int found = 0;
    for (ptrdiff_t c = 0; c < K; c++) {
        const double other = olk_memory_score(scores, K, blend, c);
        if (c != own_class && (!found || other > best)) {
            best = other;
            found = 1;
        }
    }
    return olk_memory_score(scores, K, blend, own_class) - best;
}

/* Writes the features' scores [K] behind the memory's g[K]; returns all scores. */
static inline const double *olk_feature_scores(const olk_group_scores *f,
                                               const olk_expert_weights *expert_weights)
{
    double *f_s = f->recalled + f->p->classes;
    for (ptrdiff_t c = 0; c < f->p->classes; c++)
        f_s[c] = olk_sorf_score(f, expert_weights, -1, 0.0, c);
    return f->recalled;
}

/* The experts: weights of g, then weights above 0 of the narrower kernel's g. */
static inline int olk_n_memory_experts(const olk_sorf_state *s)
{
    return s->memory_narrow ? 2 * OLK_MEMORY_WEIGHTS - 1 : OLK_MEMORY_WEIGHTS;
}

static inline olk_memory_blend olk_memory_expert(int i)
{
    const int narrow = i >= OLK_MEMORY_WEIGHTS;
    const double weight = olk_memory_weights[narrow ? i - OLK_MEMORY_WEIGHTS + 1 : i];
    const olk_memory_blend blend = {narrow ? 0.0 : weight, narrow ? weight : 0.0};
    return blend;
}

/* Whether the margin of an expert or of the blend is too small for single precision. */
static inline int olk_memory_is_undecided(const olk_group_scores *f,
                                          const olk_expert_weights *expert_weights,
                                          const olk_sorf_state *s, double y)
{
    const double *scores = olk_feature_scores(f, expert_weights);
    const olk_memory_blend now = olk_memory_blend_of(f->p, s);
    int undecided = olk_fabs(olk_memory_margin(f->p, scores, now, y)) < olk_memory_undecided;
    for (int i = 0; i < olk_n_memory_experts(s) && !undecided; i++) {
        const olk_memory_blend blend_of = olk_memory_expert(i);
        if (blend_of.mean + blend_of.narrow < 1.0) /* 1: the features do not count */
            undecided =
                olk_fabs(olk_memory_margin(f->p, scores, blend_of, y)) < olk_memory_undecided;
    }
    return undecided;
}

/* The margin of a row with memory and features blended, and with two classes its score; updates the
   experts' losses. */
static inline double olk_blend_memory(const olk_group_scores *f,
                                      const olk_expert_weights *expert_weights,
                                      const olk_sorf_state *s, double y, double weight,
                                      double *score)
{
    const olk_sorf *p = f->p;
    const double *scores = olk_feature_scores(f, expert_weights);
    const olk_memory_blend now = olk_memory_blend_of(p, s);
    const double margin = olk_memory_margin(p, scores, now, y);
    for (int i = 0; i < olk_n_memory_experts(s); i++) {
        double *loss = i < OLK_MEMORY_WEIGHTS ? s->memory_mistakes + i
                                              : s->memory_narrow + (i - OLK_MEMORY_WEIGHTS);
        const double m = olk_memory_margin(p, scores, olk_memory_expert(i), y);
        *loss = p->delta * *loss + (m <= 0.0 ? weight : 0.0);
    }
    *score = p->task == OLK_SORF_CLASSES ? margin : olk_memory_score(scores, 1, now, 0);
    return margin;
}
