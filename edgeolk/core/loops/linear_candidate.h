/* The linear expert (docs/sorf.md, section 7). */
#pragma once

static inline double olk_linear_score(const olk_sorf *p, const olk_sorf_state *s,
                                      const olk_sorf_row *row)
{
    if (!p->linear)
        return 0.0;
    const olk_input *x = row->values, *wl = s->wl;
    const ptrdiff_t count = row->index ? row->count : p->d;
    double f = (double)wl[p->d];
    for (ptrdiff_t k = 0; k < count; k++)
        f += (double)x[k] * (double)wl[row->index ? row->index[k] : k];
    return f;
}

/* AROW with one variance per weight. */
static inline void olk_learn_linear(const olk_sorf *p, const olk_sorf_state *s,
                                    const olk_sorf_row *row, double y, double f)
{
    const olk_input *x = row->values;
    olk_input *wl = s->wl, *Sl = s->Sl;
    const ptrdiff_t count = row->index ? row->count : p->d;
    const double error = p->task == OLK_SORF_REGRESSION ? y - f : y * (1.0 - y * f);
    if (p->task != OLK_SORF_REGRESSION && !(1.0 - y * f > 0.0))
        return;
    double spread = (double)Sl[p->d] + 1.0;
    for (ptrdiff_t k = 0; k < count; k++)
        spread += (double)x[k] * (double)x[k] * (double)Sl[row->index ? row->index[k] : k];
    const double b = 1.0 / spread;
    for (ptrdiff_t k = 0; k <= count; k++) { /* the last is the bias */
        const ptrdiff_t i = k == count ? p->d : (row->index ? row->index[k] : k);
        const double q = (double)Sl[i] * (k == count ? 1.0 : (double)x[k]);
        wl[i] = (olk_input)((double)wl[i] + error * b * q);
        Sl[i] = (olk_input)((double)Sl[i] - b * q * q);
    }
}
