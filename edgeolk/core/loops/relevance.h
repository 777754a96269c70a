/* A row as the features see it, held (docs/sorf.md, section 15) and scaled by relevance (7c); and a
   step of its log scales along their gradient. */
#ifndef EDGEOLK_RELEVANCE_H
#define EDGEOLK_RELEVANCE_H

/* Relevance (section 7c): rows before it begins, memory of the squared gradients and what a new one
   adds to them, size of a step, what keeps its root from zero, and the largest log scale. */
enum { OLK_RELEVANCE_START = 200 };
static const double olk_relevance_memory = 0.999, olk_relevance_share = 0.001;
static const double olk_relevance_step = 0.003, olk_relevance_least = 1e-12;
static const double olk_largest_log_scale = 2.0;

static inline olk_input olk_held(olk_input x, olk_input hold)
{
    x = x < -hold ? -hold : x;
    return x > hold ? hold : x;
}

/* n numbers held, into `to`, which may be x. */
static inline void olk_hold(const olk_sorf *p, const olk_input *x, ptrdiff_t n, olk_input *to)
{
    const olk_input hold = (olk_input)p->hold;
    for (ptrdiff_t k = 0; k < n; k++)
        to[k] = olk_held(x[k], hold);
}

/* Whether features see other numbers than the row's. */
static inline int olk_reshapes(const olk_sorf *p)
{
    return p->relevance || p->hold > 0.0;
}

/* One row as the features see it, into `to`, which may be the row, if it is to be another. */
static inline olk_sorf_row olk_as_seen(const olk_sorf *p, const olk_sorf_state *s,
                                    const olk_sorf_row *row, olk_input *to)
{
    if (!olk_reshapes(p))
        return *row;
    const olk_input *x = row->values, *lambda = s->log_scale;
    const ptrdiff_t count = row->index ? row->count : p->d;
    if (p->hold > 0.0) {
        olk_hold(p, x, count, to);
        x = to;
    }
    for (ptrdiff_t k = 0; p->relevance && k < count; k++) {
        const ptrdiff_t i = row->index ? row->index[k] : k;
        to[k] = (olk_input)((olk_real)x[k] * (olk_real)olk_sorf_exp((double)lambda[i]));
    }
    return (olk_sorf_row){to, row->index, row->count};
}

/* The same for m dense rows by the factors of their columns. */
static inline olk_sorf_row olk_rows_as_seen(const olk_sorf *p, const olk_real *by,
                                         const olk_sorf_row *row, ptrdiff_t m, olk_input *to)
{
    const olk_input *x = row->values;
    if (!olk_reshapes(p))
        return *row;
    if (p->hold > 0.0) {
        olk_hold(p, x, m * p->d, to);
        x = to;
    }
    for (ptrdiff_t r = 0; p->relevance && r < m; r++)
        for (ptrdiff_t k = 0; k < p->d; k++)
            to[r * p->d + k] = (olk_input)((olk_real)x[r * p->d + k] * by[k]);
    return (olk_sorf_row){to, NULL, 0};
}

/* One step of relevance's rule along sigma x' o q; inputs without a number in the row only
   decay. */
static inline void olk_gradient_step(const olk_sorf *p, const olk_sorf_state *s,
                                     const olk_sorf_row *x, double sigma)
{
    const olk_input *scaled = x->values, *sum = (const olk_input *)s->inputs + p->d;
    olk_input *lambda = s->log_scale, *G = s->gradient_square;
    const ptrdiff_t count = x->index ? x->count : p->d;
    double faded = 1.0, power = olk_relevance_memory;
    *s->gradient_steps += 1;
    for (uint64_t u = *s->gradient_steps; u; u >>= 1, power *= power)
        faded *= u & 1 ? power : 1.0;
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < p->d; i++) {
        double q = 0.0;
        if (k < count && (!x->index || x->index[k] == i)) {
            q = sigma * (double)scaled[k] * (double)sum[k];
            k++;
        }
        G[i] = (olk_input)(olk_relevance_memory * (double)G[i] + olk_relevance_share * q * q);
        if (G[i] > 0) {
            double to = (double)lambda[i] +
                        olk_relevance_step * q /
                            OLK_SQRT((double)G[i] / (1.0 - faded) + olk_relevance_least);
            to = to > olk_largest_log_scale ? olk_largest_log_scale : to;
            lambda[i] = (olk_input)(to < -olk_largest_log_scale ? -olk_largest_log_scale : to);
        }
    }
}

#endif
