/* The forecaster over a learner on structured features (docs/forecast.md): it predicts from a row's
   inputs and the history of the target, and learns when targets arrive. For one type of rows and
   weights, as sorf.h.

   forecast_models.h names the sources of its parts. Their combination, a kind of stacking, is this
   project's. */
#pragma once

#include "forecast_models.h"

/* -- Pending rows --
   Pending rows, whose targets are not yet known: a ring of `horizon` slots, row number t in slot t
   modulo `horizon` (docs/forecast.md, section 2). */

/* The forecast of a pending row; the head's inputs, z and its change are stored behind it. In
   brackets: the name in docs/forecast.md. */
typedef struct {
    olk_input mark;
    olk_input unit;   /* [sc'] */
    olk_input last;   /* [y1'] */
    olk_input kernel; /* [s'] */
    olk_input head;   /* [p'] */
    olk_input answer; /* [out'] */
    olk_input base;   /* the kernel's offset [base'] */
    olk_input level, gate; /* [a', G'] */
} olk_pending;

static inline ptrdiff_t olk_pending_numbers(const olk_forecast *f)
{
    return (ptrdiff_t)(sizeof(olk_pending) / sizeof(olk_input)) + olk_head_inputs(f) + 2 * f->d;
}

static inline olk_pending *olk_pending_at(const olk_forecast *f, const olk_forecast_state *m,
                                          uint64_t row)
{
    const ptrdiff_t place = (ptrdiff_t)(row % (uint64_t)f->horizon);
    return (olk_pending *)(void *)((olk_input *)m->pending + place * olk_pending_numbers(f));
}

static inline olk_input *olk_pending_inputs(olk_pending *row)
{
    return (olk_input *)(void *)(row + 1);
}

/* The oldest pending row, or NULL. */
static inline olk_pending *olk_oldest_pending(const olk_forecast *f, const olk_forecast_state *m)
{
    for (int32_t k = 0; k < f->horizon; k++) {
        olk_pending *row = olk_pending_at(f, m, *m->n_asked + (uint64_t)k);
        if (row->mark != 0)
            return row;
    }
    return NULL;
}

/* -- The forecaster -- */

/* Targets are clipped to this many units for the linear learners: in their first rows, and later;
   how many rows are the first. */
static const olk_real olk_max_first_target = 100, olk_max_target = 10000,
                           olk_first_targets = 5;

/* No answer is further from 0, so that its number can be stored and read again (sorf_holds.h): only
   weights and means that learning does not lead to go so far. */
static const olk_real olk_largest_answer =
    (olk_real)(0.9e10 * (sizeof(olk_input) == 4 ? OLK_MAX_SINGLE_TARGET : OLK_MAX_DOUBLE_TARGET));

static inline olk_input *olk_quantiles(const olk_forecast_state *m)
{
    return (olk_input *)((olk_history *)m->history + 1);
}

/* [d] scaled inputs of the row of the last known target. */
static inline olk_input *olk_last_inputs(const olk_forecast *f, const olk_forecast_state *m)
{
    return olk_quantiles(m) + f->n_levels;
}

/* Makes z the kernel's row: its inputs, then the history times the gate. */
static inline void olk_fill_kernel_row(const olk_forecast *f, olk_input *z, olk_real level,
                                       olk_real gate, const olk_real *h2)
{
    z[f->d] = (olk_input)(gate * level);
    for (ptrdiff_t j = 1; j < OLK_HISTORY_INPUTS; j++)
        z[f->d + j] = (olk_input)(gate * olk_clip(h2[j], olk_max_level));
}

/* The head's inputs from the history; those of the diagonal learner come first. Returns the index
   of the next input: other models fill the rest. */
static inline int32_t olk_history_inputs(const olk_forecast *f, const olk_forecast_state *m,
                                         olk_real unit, olk_real *h2)
{
    const olk_history *h = m->history;
    h2[0] = 1;
    for (int j = 0; j < 3; j++)
        h2[1 + j] = olk_in_units(h->change[j], unit);
    h2[4] = olk_off_mean(h, h->near, olk_near_window, unit);
    h2[5] = olk_off_mean(h, h->far, olk_far_window, unit);
    if (!f->season)
        return 7;
    olk_season_inputs(m->season, f->season, f->horizon, h->last, unit, h2 + 7);
    return 9;
}

/* Copies the first numbers of the diagonal learner's row from the head's inputs; returns their
   number. */
static inline int32_t olk_lead(const olk_forecast *f, const olk_real *h2, olk_real *lead)
{
    for (int j = 0; j < 4; j++)
        lead[j] = h2[j];
    lead[4] = f->season ? h2[7] : 0;
    lead[5] = f->season ? h2[8] : 0;
    return f->season ? 6 : 4;
}

/* Everything computed for the forecast of a row. */
typedef struct {
    olk_real h2[OLK_HEAD_INPUTS], of[OLK_EXPERTS];
    olk_real mark, unit, last, kernel, head, answer, base, level, gate;
} olk_forecast_row;

/* The experts in their order: head, kernel, last value. */
static inline void olk_list_experts(const olk_forecast *f, olk_forecast_row *row)
{
    int32_t n = 0;
    row->of[n++] = row->head;
    if (f->kernel)
        row->of[n++] = row->kernel;
    row->of[n] = row->last;
}

/* Forecasts a row of d scaled inputs, followed by space for OLK_HISTORY_INPUTS more; writes only to
   that space (section 3). */
static inline void olk_compute_forecast(const olk_forecast *f, const olk_forecast_state *m,
                                        const olk_sorf *p, const olk_sorf_state *s, olk_input *z,
                                        olk_forecast_row *row, olk_forecast_answer *answer)
{
    const olk_history *h = m->history;
    const int32_t n = olk_n_experts(f);
    olk_real lead[6], weights[OLK_EXPERTS];
    memset(row, 0, sizeof *row);
    memset(answer, 0, sizeof *answer);
    row->mark = h->error > 0 ? h->error
                                            : (olk_real)OLK_ROW_WITHOUT_ERROR;
    if (!olk_marked(h, OLK_KNOWN)) {
        row->mark = OLK_ROW_UNKNOWN;
        row->answer = h->mean;
        answer->answer = (double)row->answer;
        return;
    }
    const olk_real unit = olk_current_unit(h, f->horizon), last = h->last;
    const olk_real rho = olk_persistence(h);
    row->unit = unit;
    row->last = last;
    row->level = olk_level_of(h);
    row->gate = olk_min(1, olk_gate_gain * olk_abs(rho));
    row->base = h->mean + rho * olk_abs(rho) * (last - h->mean);
    int32_t next = olk_history_inputs(f, m, unit, row->h2);
    const int32_t n_lead = olk_lead(f, row->h2, lead);
    const olk_long_row inputs = {lead, n_lead, f->d, z, NULL, olk_last_inputs(f, m)};
    row->h2[6] = olk_clip(olk_diagonal_product(m->diagonal, &inputs), olk_max_units);
    if (f->kernel) {
        double added = 0.0;
        olk_fill_kernel_row(f, z, row->level, row->gate, row->h2);
        olk_sorf_scores(p, s, z, 1, &added);
        row->kernel = olk_clip(row->base + (olk_real)added, olk_largest_answer);
        row->h2[next++] = olk_in_units(row->kernel - last, unit);
        row->h2[next++] = olk_marked(h, OLK_KERNEL_KNOWN)
                              ? olk_in_units(last - h->kernel, unit)
                              : 0;
    }
    row->head = olk_clip(last + unit * olk_head_product(m->head, row->h2, next),
                         olk_largest_answer);
    olk_list_experts(f, row);
    olk_ml_poly_weights(m->ml_poly, n, weights);
    olk_real move = 0;
    for (int32_t c = 0; c < n; c++) {
        move += weights[c] * (row->of[c] - last);
        answer->share[c] = (double)weights[c];
    }
    row->answer = last + move;
    answer->answer = (double)row->answer;
    for (int32_t i = 0; i < f->n_levels; i++)
        answer->half_width[i] =
            (double)((olk_real)olk_quantiles(m)[i] * unit * h->error);
}

/* Answers a row without remembering it. */
static OLK_NOCLONE void olk_forecast_predict(const olk_forecast *f, const olk_forecast_state *m,
                                             const olk_sorf *p, const olk_sorf_state *s, void *z,
                                             olk_forecast_answer *answer)
{
    olk_forecast_row row;
    olk_compute_forecast(f, m, p, s, z, &row, answer);
}

/* Forecasts a row and stores it as pending; the row that has been pending for `horizon` rows is
   dropped. */
static OLK_NOCLONE void olk_forecast_ask(const olk_forecast *f, const olk_forecast_state *m,
                                         const olk_sorf *p, const olk_sorf_state *s, void *z,
                                         olk_forecast_answer *answer)
{
    olk_forecast_row row;
    olk_compute_forecast(f, m, p, s, z, &row, answer);
    const olk_input *before = olk_last_inputs(f, m);
    const int32_t inputs = olk_head_inputs(f);
    olk_begin_step(m->flags);
    olk_pending *stored_row = olk_pending_at(f, m, *m->n_asked);
    const olk_pending numbers = {
        (olk_input)row.mark,   (olk_input)row.unit,  (olk_input)row.last,
        (olk_input)row.kernel, (olk_input)row.head,  (olk_input)row.answer,
        (olk_input)row.base,   (olk_input)row.level, (olk_input)row.gate,
    };
    *stored_row = numbers;
    olk_input *h2 = olk_pending_inputs(stored_row), *x = h2 + inputs, *change = x + f->d;
    for (int32_t j = 0; j < inputs; j++)
        h2[j] = (olk_input)row.h2[j];
    for (ptrdiff_t i = 0; i < f->d; i++) {
        x[i] = ((const olk_input *)z)[i];
        change[i] = (olk_input)((olk_real)x[i] - (olk_real)before[i]);
    }
    *m->n_asked += 1;
}

/* Learns the target of a row whose previous target was known (section 4, steps 1 and 2). `z` has
   space for the kernel's row. */
static inline void olk_learn_row(const olk_forecast *f, const olk_forecast_state *m,
                                 const olk_sorf *p, const olk_sorf_state *s, olk_input *z,
                                 const olk_pending *row, olk_real y)
{
    olk_history *h = m->history;
    const int32_t n_head = olk_head_inputs(f);
    const olk_input *stored_row = (const olk_input *)(const void *)(row + 1),
                    *x = stored_row + n_head;
    const olk_real unit = row->unit, learned = h->learned;
    const olk_real error = olk_abs(y - row->answer) / unit;
    olk_real lead[6];
    olk_forecast_row back;
    memset(&back, 0, sizeof back);
    for (int32_t j = 0; j < n_head; j++)
        back.h2[j] = (olk_real)stored_row[j];
    back.head = row->head;
    back.kernel = row->kernel;
    back.last = row->last;
    olk_list_experts(f, &back);

    if (row->mark > 0)
        olk_update_quantiles(f, olk_quantiles(m), error, row->mark, learned);
    olk_update_mean_error(h, error);

    const olk_real limit =
        learned <= olk_first_targets ? olk_max_first_target : olk_max_target;
    const olk_real t = olk_clip((y - back.last) / unit, limit);
    const olk_real of_head =
        (olk_real)((const olk_input *)m->head)[n_head + olk_packed_row(n_head)];
    if (of_head > 0)
        olk_ml_poly_learn(m->ml_poly, olk_n_experts(f), back.of, row->answer, y,
                          unit * of_head);
    h->learned = (olk_input)(learned + 1);
    olk_learn_head(m->head, n_head, back.h2, t, learned + 1);
    const int32_t n_lead = olk_lead(f, back.h2, lead);
    const olk_long_row inputs = {lead, n_lead, f->d, x, x + f->d, NULL};
    olk_learn_diagonal(m->diagonal, &inputs, t, learned + 1);

    if (f->kernel) {
        for (ptrdiff_t i = 0; i < f->d; i++)
            z[i] = x[i];
        olk_fill_kernel_row(f, z, row->level, row->gate, back.h2);
        const olk_real rest = olk_clip(y - row->base, olk_max_units * unit);
        olk_sorf_learn(p, s, z, (double)rest, 1.0);
    }
}

/* The target of the oldest pending row; one that is not finite counts as unknown. `z` is scratch
   for the kernel's row; *answer receives the forecast of that row. Returns 0 if no row is pending
   (section 4). */
static OLK_NOCLONE int olk_forecast_tell(const olk_forecast *f, const olk_forecast_state *m,
                                         const olk_sorf *p, const olk_sorf_state *s, void *z,
                                         double target, double *answer)
{
    olk_history *h = m->history;
    olk_pending *row = olk_oldest_pending(f, m);
    const olk_input stored = (olk_input)target;
    const olk_real y = (olk_real)stored;
    if (!row)
        return 0;
    *answer = (double)row->answer;
    olk_begin_step(m->flags);
    if (!(y - y == 0)) {
        row->mark = 0;
        return 1;
    }
    const int known = row->mark != (olk_real)OLK_ROW_UNKNOWN;
    if (known)
        h->repeats = stored == row->last ? (olk_input)(h->repeats + 1) : 0;
    if (!known || h->repeats <= olk_max_repeats) {
        if (known && row->unit > 0 && !f->frozen)
            olk_learn_row(f, m, p, s, z, row, y);
        olk_learn_target(h, y, known ? olk_abs(y - row->last) : -1, f->horizon);
    }
    olk_shift_history(h, y);
    olk_input *last = olk_last_inputs(f, m);
    const olk_input *x = olk_pending_inputs(row) + olk_head_inputs(f);
    for (ptrdiff_t i = 0; i < f->d; i++)
        last[i] = x[i];
    h->kernel = known && f->kernel ? row->kernel : 0;
    h->marks = known && f->kernel ? OLK_KNOWN | OLK_KERNEL_KNOWN : OLK_KNOWN;
    if (f->season)
        olk_season_put(m->season, f->season, stored);
    row->mark = 0;
    return 1;
}

/* After a long stop, or for another device: forgets the history, keeps what was learned. */
static OLK_NOINLINE void olk_forecast_restart(const olk_forecast *f, const olk_forecast_state *m)
{
    olk_history *h = m->history;
    olk_begin_step(m->flags);
    h->marks = h->change[0] = h->change[1] = h->change[2] = h->kernel = 0;
    for (int32_t k = 0; k < f->horizon; k++)
        olk_pending_at(f, m, (uint64_t)k)->mark = 0;
    if (f->season)
        *(olk_input *)m->season = 0;
}

/* Initialises a new forecaster, whose memory is all zero. */
static OLK_NOINLINE void olk_forecast_begin(const olk_forecast *f, const olk_forecast_state *m)
{
    const ptrdiff_t long_row = olk_diagonal_inputs(f);
    const int32_t head = olk_head_inputs(f), n = olk_n_experts(f);
    for (int32_t i = 0; i < f->n_levels; i++)
        olk_quantiles(m)[i] = (olk_input)olk_first_quantile;
    for (ptrdiff_t j = 0; j < long_row; j++)
        ((olk_input *)m->diagonal)[long_row + j] = 1;
    olk_begin_covariance((olk_input *)m->head + head, head);
    for (int32_t c = 0; c < n; c++)
        ((olk_input *)m->ml_poly)[n + c] = 1;
}
