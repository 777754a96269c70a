/* The blend of the row memory's scores with those of the features by recent mistakes (docs/sorf.md,
   section 7f). */
#pragma once

#include "hedge.h"
#include "row_memory_state.h"

/* The experts' weights of the memory, and the penalty of weight 1 in mistakes (rho): with the mean
   of both kernels only, and where the narrower kernel has experts too; there, with three classes or
   more, the penalty applies to the features instead. */
static const olk_real olk_memory_weights[OLK_MEMORY_WEIGHTS] = {0, (olk_real)0.25, (olk_real)0.5,
                                                                (olk_real)0.75, 1};
enum { OLK_MEMORY_COST = 4, OLK_MEMORY_COST_OF_TWO = 3 };

/* Weights in an answer: of g, and of the narrower kernel's g. */
typedef struct {
    olk_real mean, narrow;
} olk_memory_blend;

/* The penalty of weight 1, in mistakes. */
static inline olk_real olk_cost_of_memory(const olk_sorf *p)
{
    if (!p->memory_narrow)
        return OLK_MEMORY_COST;
    return p->classes >= 3 ? -OLK_MEMORY_COST_OF_TWO : OLK_MEMORY_COST_OF_TWO;
}

/* The weights for the next answer. */
static inline olk_memory_blend olk_memory_blend_of(const olk_sorf *p, const olk_sorf_state *s)
{
    const olk_real *losses = s->memory_mistakes;
    const olk_real *narrow = p->memory_narrow ? s->memory_narrow : NULL;
    const olk_real cost = olk_cost_of_memory(p);
    olk_memory_blend blend = {0, 0};
    olk_real min_loss = losses[0], total = 0;
    for (int i = 1; i < OLK_MEMORY_WEIGHTS; i++)
        min_loss = losses[i] < min_loss ? losses[i] : min_loss;
    for (int i = 1; i < OLK_MEMORY_WEIGHTS && narrow; i++)
        min_loss = narrow[i - 1] < min_loss ? narrow[i - 1] : min_loss;
    for (int i = 0; i < OLK_MEMORY_WEIGHTS; i++) {
        const olk_real e = olk_exponential(-(losses[i] - min_loss) - cost * olk_memory_weights[i]);
        blend.mean += e * olk_memory_weights[i];
        total += e;
    }
    for (int i = 1; i < OLK_MEMORY_WEIGHTS && narrow; i++) {
        const olk_real e =
            olk_exponential(-(narrow[i - 1] - min_loss) - cost * olk_memory_weights[i]);
        blend.narrow += e * olk_memory_weights[i];
        total += e;
    }
    blend.mean /= total;
    blend.narrow /= total;
    return blend;
}

/* The best class other than `but`, the smallest at a tie. */
static inline ptrdiff_t olk_best_rival(const olk_real *f, ptrdiff_t classes, ptrdiff_t but)
{
    ptrdiff_t best = -1;
    for (ptrdiff_t c = 0; c < classes; c++)
        if (c != but && (best < 0 || f[c] > f[best]))
            best = c;
    return best;
}

/* A column of f = f_s + blend (g - f_s), from `scores`: g[K], then f_s[K], then the narrower
   kernel's g[K]. */
static inline olk_real olk_memory_score(const olk_sorf *p, const olk_real *scores,
                                        olk_memory_blend blend, ptrdiff_t c)
{
    const ptrdiff_t K = p->classes;
    const olk_real f_s = scores[K + c], f = f_s + blend.mean * (scores[c] - f_s);
    if (!p->memory_narrow || !(blend.narrow > 0))
        return f;
    return f + blend.narrow * (scores[2 * K + c] - f_s);
}

/* The margin: y f with two classes, f_y minus the best other score with several. */
static inline olk_real olk_memory_margin(const olk_sorf *p, const olk_real *scores,
                                         olk_memory_blend blend, olk_real y)
{
    const ptrdiff_t K = p->classes, own_class = (ptrdiff_t)y;
    if (p->task != OLK_SORF_CLASSES)
        return y * olk_memory_score(p, scores, blend, 0);
    olk_real best = 0;
    int found = 0;
    for (ptrdiff_t c = 0; c < K; c++) {
        const olk_real other = olk_memory_score(p, scores, blend, c);
        if (c != own_class && (!found || other > best)) {
            best = other;
            found = 1;
        }
    }
    return olk_memory_score(p, scores, blend, own_class) - best;
}

/* Writes the features' scores [K] behind the memory's g[K]; returns all scores. */
static inline const olk_real *olk_feature_scores(const olk_group_scores *f,
                                                 const olk_expert_weights *expert_weights)
{
    olk_real *f_s = f->recalled + OLK_OPTIONS_OF(f->p)->classes;
    for (ptrdiff_t c = 0; c < OLK_OPTIONS_OF(f->p)->classes; c++)
        f_s[c] = olk_sorf_score(f, expert_weights, -1, 0, c);
    return f->recalled;
}

/* The experts: weights of g, then weights above 0 of the narrower kernel's g. */
static inline int olk_n_memory_experts(const olk_sorf *p)
{
    return p->memory_narrow ? 2 * OLK_MEMORY_WEIGHTS - 1 : OLK_MEMORY_WEIGHTS;
}

static inline olk_memory_blend olk_memory_expert(int i)
{
    const int narrow = i >= OLK_MEMORY_WEIGHTS;
    const olk_real weight = olk_memory_weights[narrow ? i - OLK_MEMORY_WEIGHTS + 1 : i];
    const olk_memory_blend blend = {narrow ? 0 : weight, narrow ? weight : 0};
    return blend;
}

/* The margin of a row with memory and features blended, and with two classes its score; updates the
   experts' losses. */
static inline olk_real olk_blend_memory(const olk_group_scores *f,
                                        const olk_expert_weights *expert_weights,
                                        const olk_sorf_state *s, olk_real y, olk_real weight,
                                        olk_real *score)
{
    const olk_sorf *p = OLK_OPTIONS_OF(f->p);
    const olk_real *scores = olk_feature_scores(f, expert_weights);
    const olk_memory_blend now = olk_memory_blend_of(p, s);
    const olk_real margin = olk_memory_margin(p, scores, now, y);
    const olk_counting count = olk_counting_of(p, s, weight);
    for (int i = 0; i < olk_n_memory_experts(p); i++) {
        olk_real *loss = i < OLK_MEMORY_WEIGHTS
                             ? (olk_real *)s->memory_mistakes + i
                             : (olk_real *)s->memory_narrow + (i - OLK_MEMORY_WEIGHTS);
        const int wrong =
            olk_is_late(p) && count.answers
                ? olk_cost_in_entry(p, count.answers, olk_n_losses(p) + i, y) > 0
                : olk_memory_margin(p, scores, olk_memory_expert(i), y) <= 0;
        *loss = count.decay * *loss + (wrong ? count.weight : 0);
    }
    *score = p->task == OLK_SORF_CLASSES ? margin : olk_memory_score(p, scores, now, 0);
    return margin;
}

/* Writes the answers of the memory's experts to an entry, behind those of the others. */
static inline void olk_put_memory_answers(const olk_sorf *p, const olk_real *scores, uint8_t *entry)
{
    for (int i = 0; i < olk_n_memory_experts(p); i++) {
        olk_real best = 0;
        int answer = 0;
        for (ptrdiff_t c = 0; c < p->classes; c++)
            answer = olk_answer_with(p, c, olk_memory_score(p, scores, olk_memory_expert(i), c),
                                     &best, answer);
        olk_put_answer(p, entry, olk_n_losses(p) + i, answer);
    }
}
