/* The linear group (docs/sorf.md, section 7i): a group of the blend whose features are the inputs as
   the others see them, without relevance, and a constant 1. It has d + 1 lines of one number a
   column; its sums go line by line.

   Included after sorf_weights.h. */
#pragma once

/* The k-th number of a row, held where those of the features are; 1 after the last. */
static inline olk_real olk_held(const olk_sorf *p, const olk_sorf_state *s, const olk_input *row,
                                ptrdiff_t k)
{
    if (k == p->d)
        return 1;
    const olk_input x = row[k], limit = (olk_input)OLK_HOLD(p, s);
    return limit > 0 ? olk_clamped(x, limit) : x;
}

/* fw and fa [columns] of a row that is not reshaped, without an average the same, perhaps in one
   place; returns the mean square of its inputs. */
static OLK_NOCLONE olk_real olk_linear_group_scores(const olk_sorf *p, const olk_sorf_state *s,
                                                    const olk_input *row, olk_real *fw,
                                                    olk_real *fa)
{
    const ptrdiff_t K = p->classes;
    const olk_real size = olk_inverse_size(p, p->groups - 1);
    const olk_stored *w = s->linear_w, *a = s->linear_a;
    olk_real square = 0;
    memset(fa, 0, (size_t)K * sizeof *fa);
    memset(fw, 0, (size_t)K * sizeof *fw);
    for (ptrdiff_t k = 0; k <= p->d; k++) {
        const olk_real x = olk_held(p, s, row, k);
        const ptrdiff_t from = k * K;
        square += x * x;
        for (ptrdiff_t c = 0; c < K; c++)
            fw[c] += x * (olk_real)w[from + c];
        for (ptrdiff_t c = 0; a && c < K; c++)
            fa[c] += x * (olk_real)a[from + c];
    }
    for (ptrdiff_t c = 0; c < K; c++)
        fw[c] *= size;
    for (ptrdiff_t c = 0; c < K && fa != fw; c++)
        fa[c] = a ? fa[c] * size : fw[c];
    return square / (olk_real)(p->d + 1);
}

/* What relevance would overwrite: the row as the features see it but for relevance, in scratch;
   NULL where that is the reshaped row itself. */
static inline const olk_input *olk_row_without_relevance(const olk_sorf *p, const olk_sorf_state *s,
                                                         const olk_input *row)
{
    if (!p->linear_group || p->relevance != OLK_RELEVANCE_EACH)
        return NULL;
    olk_input *to = (olk_input *)s->inputs + 2 * p->d;
    for (ptrdiff_t k = 0; k < p->d; k++)
        to[k] = olk_held(p, s, row, k);
    return to;
}

/* Rounds changes of n <= OLK_CHUNK numbers, n even, in place; a pair shares a random word. */
static inline void olk_change_numbers(olk_stored *stored, olk_sum *change, ptrdiff_t n,
                                      uint64_t *generator)
{
    const olk_sum limit = (olk_sum)OLK_MAX_CHANGE * (olk_sum)OLK_LEVEL_PARTS;
    for (ptrdiff_t i = 0; OLK_QUANTIZED && i < n; i++) {
        change[i] = change[i] > limit ? limit : change[i];
        change[i] = change[i] < -limit ? -limit : change[i];
    }
    olk_add_changes(stored, change, n, generator);
}

/* w of y += tau x, w of the rival -= tau x; `row`: as the features see it without relevance. */
static OLK_NOCLONE void olk_learn_linear_group(const olk_sorf *p, const olk_sorf_state *s,
                                               const olk_input *row, olk_real tau, ptrdiff_t y,
                                               ptrdiff_t rival)
{
    enum { LINES = OLK_CHUNK / 2 };
    const ptrdiff_t K = p->classes;
    olk_stored *w = s->linear_w;
    olk_stored pair[OLK_CHUNK];
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    ptrdiff_t from[LINES];
    for (ptrdiff_t k = 0; k <= p->d;) {
        ptrdiff_t n = 0;
        for (; k <= p->d && n < LINES; k++) {
            const olk_real x = olk_held(p, s, row, k);
            if (x == 0)
                continue;
            from[n] = k * K;
            change[2 * n] = olk_level_parts(tau * x);
            change[2 * n + 1] = K > 1 ? -change[2 * n] : 0;
            pair[2 * n] = w[from[n] + y];
            pair[2 * n + 1] = w[from[n] + rival];
            n++;
        }
        olk_change_numbers(pair, change, 2 * n, s->rounding);
        for (ptrdiff_t i = 0; i < n; i++) {
            w[from[i] + y] = pair[2 * i];
            if (K > 1)
                w[from[i] + rival] = pair[2 * i + 1];
        }
    }
}

/* Every number += its gap times `by`: that to w, or without w that to zero. The last of an odd count
   has a random word of its own. */
static OLK_NOCLONE void olk_move_linear_group(const olk_sorf *p, olk_stored *stored,
                                              const olk_stored *w, olk_real by,
                                              uint64_t *generator)
{
    const ptrdiff_t count = (p->d + 1) * p->classes;
    olk_stored last[2];
    if (w) {
        olk_average_step(stored, w, count / 2 * 2, by, generator);
    } else {
        olk_leak(stored, count / 2 * 2, by, generator);
    }
    if (count % 2 == 0)
        return;
    last[0] = stored[count - 1];
    last[1] = 0;
    if (w) {
        const olk_stored gap_to[2] = {w[count - 1], 0};
        olk_average_step(last, gap_to, 2, by, generator);
    } else {
        olk_leak(last, 2, by, generator);
    }
    stored[count - 1] = last[0];
}
