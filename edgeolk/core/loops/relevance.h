/* A row as the features see it, clamped (docs/sorf.md, section 15) and scaled by relevance (7c), or
   all angles multiplied by one scale (7e); and gradient steps of the log scales. */
#pragma once

/* Relevance (section 7c): rows before it begins, decay of the squared gradients and weight of a new
   one, step size, what keeps the root above zero, and the largest log scale. */
enum { OLK_RELEVANCE_START = 200 };
static const double olk_relevance_memory = 0.999, olk_relevance_share = 0.001;
static const double olk_relevance_step = 0.003, olk_relevance_floor = 1e-12;
static const double olk_shared_step = 0.01; /* section 7e */
static const double olk_max_log_scale = 2.0;

/* Multiplies the frequencies by the scale shared by all inputs (section 7e). */
static inline void olk_scale_widths(olk_sorf *p, const olk_sorf_state *s)
{
    const double by = olk_sorf_exp((double)*(const olk_input *)s->shared);
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++)
            p->omega[g][i] *= by;
}

/* The learner with its current widths: `sorf`, or `copy` if a shared scale multiplies them. With
   OLK_SORF_WIDTHS_SCALED the caller has already scaled `sorf`: a copy would take a tenth of a small
   stack. */
static inline const olk_sorf *olk_with_scaled_widths(const olk_sorf *sorf, const olk_sorf_state *s,
                                                     olk_sorf *copy)
{
#ifdef OLK_SORF_WIDTHS_SCALED
    (void)s, (void)copy;
    return sorf;
#else
    if (sorf->relevance != OLK_RELEVANCE_SHARED || *(const olk_input *)s->shared == 0)
        return sorf;
    *copy = *sorf;
    olk_scale_widths(copy, s);
    return copy;
#endif
}

static inline olk_input olk_clamped(olk_input x, olk_input limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/* Clamps n numbers into `to`, which may be x. */
static inline void olk_clamp_inputs(const olk_sorf *p, const olk_input *x, ptrdiff_t n,
                                    olk_input *to)
{
    const olk_input limit = (olk_input)p->hold;
    for (ptrdiff_t k = 0; k < n; k++)
        to[k] = olk_clamped(x[k], limit);
}

/* Whether the features see other numbers than the row has. */
static inline int olk_reshapes(const olk_sorf *p)
{
    return p->relevance == OLK_RELEVANCE_EACH || p->hold > 0.0;
}

/* One row as the features see it; written to `to`, which may be the row, if it differs. */
static inline olk_sorf_row olk_reshaped_row(const olk_sorf *p, const olk_sorf_state *s,
                                            const olk_sorf_row *row, olk_input *to)
{
    if (!olk_reshapes(p))
        return *row;
    const olk_input *x = row->values, *log_scale = s->log_scale;
    const ptrdiff_t count = row->index ? row->count : p->d;
    if (p->hold > 0.0) {
        olk_clamp_inputs(p, x, count, to);
        x = to;
    }
    for (ptrdiff_t k = 0; p->relevance == OLK_RELEVANCE_EACH && k < count; k++) {
        const ptrdiff_t i = row->index ? row->index[k] : k;
        to[k] =
            (olk_input)((olk_compute_t)x[k] * (olk_compute_t)olk_sorf_exp((double)log_scale[i]));
    }
    return (olk_sorf_row){to, row->index, row->count};
}

/* The same for m dense rows, with the factor of each column. */
static inline olk_sorf_row olk_reshaped_rows(const olk_sorf *p, const olk_compute_t *by,
                                             const olk_sorf_row *row, ptrdiff_t m, olk_input *to)
{
    const olk_input *x = row->values;
    if (!olk_reshapes(p))
        return *row;
    if (p->hold > 0.0) {
        olk_clamp_inputs(p, x, m * p->d, to);
        x = to;
    }
    for (ptrdiff_t r = 0; p->relevance == OLK_RELEVANCE_EACH && r < m; r++)
        for (ptrdiff_t k = 0; k < p->d; k++)
            to[r * p->d + k] = (olk_input)((olk_compute_t)x[r * p->d + k] * by[k]);
    return (olk_sorf_row){to, NULL, 0};
}

/* Adds a gradient to the running squared gradient. */
static inline double olk_decayed_square(double G, double q)
{
    return olk_relevance_memory * G + olk_relevance_share * q * q;
}

/* Counts a gradient step; returns the bias correction of the squared gradients, which began at
   0. */
static inline double olk_count_gradient(const olk_sorf_state *s)
{
    double decayed = 1.0, power = olk_relevance_memory;
    *s->gradient_steps += 1;
    for (uint64_t u = *s->gradient_steps; u; u >>= 1, power *= power)
        decayed *= u & 1 ? power : 1.0;
    return 1.0 - decayed;
}

/* A log scale after a step along q, where G is the squared gradient including q. */
static inline double olk_stepped_scale(double scale, double step, double q, double G, double known)
{
    const double stepped = scale + step * q / olk_sqrt(G / known + olk_relevance_floor);
    const double clipped = stepped > olk_max_log_scale ? olk_max_log_scale : stepped;
    return clipped < -olk_max_log_scale ? -olk_max_log_scale : clipped;
}

/* One step of the shared log scale along q, its derivative times sigma (section 7e). */
static inline void olk_shared_gradient_step(const olk_sorf_state *s, double q)
{
    olk_input *scale = s->shared, *G = scale + 1;
    const double known = olk_count_gradient(s);
    *G = (olk_input)olk_decayed_square((double)*G, q);
    if (*G > 0)
        *scale =
            (olk_input)olk_stepped_scale((double)*scale, olk_shared_step, q, (double)*G, known);
}

/* One step of each log scale along sigma x' o q; inputs absent from a sparse row only decay. */
static inline void olk_gradient_step(const olk_sorf *p, const olk_sorf_state *s,
                                     const olk_sorf_row *x, double sigma)
{
    const olk_input *scaled = x->values, *sum = (const olk_input *)s->inputs + p->d;
    olk_input *log_scale = s->log_scale, *G = s->gradient_square;
    const ptrdiff_t count = x->index ? x->count : p->d;
    const double known = olk_count_gradient(s);
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < p->d; i++) {
        double q = 0.0;
        if (k < count && (!x->index || x->index[k] == i)) {
            q = sigma * (double)scaled[k] * (double)sum[k];
            k++;
        }
        G[i] = (olk_input)olk_decayed_square((double)G[i], q);
        if (G[i] > 0)
            log_scale[i] = (olk_input)olk_stepped_scale((double)log_scale[i], olk_relevance_step, q,
                                                        (double)G[i], known);
    }
}
