/* A learner of the SORF family, and its forecaster, over a block: rows as the learner sees them are
   learned and scored, and users ask for outputs and counters. One source for the library and for
   boards.

   Design. What is constant about a model is its setup (setup.h). The library has many models and
   finds their setups and operations through pointers. A program for one model defines OLK_SETUP
   and OLK_CONSTANTS, the names of its constants: the compiler then leaves out what that model does
   not have, and calls its operations directly.

   Rows come from intake.h. A call that returns a refusal has changed nothing. Learning marks the
   block (olk_begin_step) and leaves it marked: the caller ends the step after olk_model_finish, or,
   if the model forecasts, olk_intake_keep. */
#pragma once

#include <string.h>

#include "intake.h"
#include "late_labels.h"
#include "row_memory_state.h"
#include "setup.h"
#include "sorf_row.h"

/* Why a row or a target was refused; those of the other family (engine/step.pyx) are here too. */
enum {
    OLK_DONE = 0,
    OLK_REFUSED_FULL = 1,        /* no free slot, where that is an error */
    OLK_REFUSED_OVERFLOW = 2,    /* the row or its score is out of range */
    OLK_REFUSED_ROW = 3,         /* a sparse row with invalid indices, or numbers not finite */
    OLK_REFUSED_COUNT = 4,       /* the step counter is at its limit */
    OLK_REFUSED_COEFFICIENT = 5, /* the new coefficient is out of range */
    OLK_REFUSED_TARGET = 6,      /* a target out of range */
    OLK_REFUSED_PENDING = 7,     /* an immediate target, while other rows are pending */
    OLK_REFUSED_NO_PENDING = 8,  /* a late target, but no row is pending */
    OLK_REFUSED_LATE = 9,        /* an immediate target, but the model expects late ones */
    OLK_REFUSED_LABEL = 10       /* a label without its row, which the model does not keep */
};

/* A model over its block. A program for one model defines OLK_SORF_FIXED_WIDTHS if its width never
   changes, and OLK_SORF_NO_FORECASTS if it does not forecast. */
typedef struct {
#ifndef OLK_SETUP
    const olk_setup *setup;
    olk_constants constants;
#endif
    uint8_t *base; /* of the block */
    int32_t lapsed; /* whether the last label has expired for the rows being scored */
    olk_sorf_state state;
#ifndef OLK_SORF_NO_FORECASTS
    olk_forecast_state forecast;
#endif
#ifdef OLK_HAS_PROCESS
    olk_untuned process;
    double *raw; /* the row as the caller gave it, for the process */
#endif
    /* With the frequencies of the width in use; the largest sum of |x_j| of a row for that width. */
#ifndef OLK_SETUP
    olk_sorf config;
#elif defined(OLK_TUNES)
    olk_tuned config;
#endif
#ifndef OLK_SORF_FIXED_WIDTHS
    olk_scalar max_sum;
#endif
} olk_model;

/* What a model's loops take; whether it has a part, the region of this name; its options and the
   largest sum, for the width in use. */
#ifdef OLK_SETUP
#define OLK_OF(m) (*((void)(m), &OLK_CONSTANTS))
#else
#define OLK_OF(m) ((m)->constants)
#endif
#define OLK_HAS(m, part) (OLK_SETUP_OF(m)->at.part != 0)
#ifdef OLK_SETUP
#define OLK_CONFIG(m) (OLK_OF(m).sorf)
#else
#define OLK_CONFIG(m) ((const olk_sorf *)&(m)->config)
#endif
#ifdef OLK_SORF_FIXED_WIDTHS
#define OLK_MAX_SUM(m) (OLK_SETUP_OF(m)->max_sum)
#else
#define OLK_MAX_SUM(m) ((m)->max_sum)
#endif

/* -- Attaching -- */

/* A counter in the header of the block. */
static inline uint64_t *olk_counter(const olk_model *m, size_t offset)
{
    return (uint64_t *)(void *)(m->base + offset);
}

static inline void olk_attach_learner(olk_model *m)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    const ptrdiff_t item = setup->wide ? (ptrdiff_t)sizeof(double) : (ptrdiff_t)sizeof(float);
    const ptrdiff_t row = item * setup->sorf.d;
    olk_sorf_state *s = &m->state;
    memset(s, 0, sizeof *s);
    s->w = OLK_REGION(m, weights);
    s->a = OLK_REGION(m, mean_weights);
    s->L = OLK_REGION(m, blend);
    if (s->L)
        s->n = (uint8_t *)s->L + item * olk_n_losses(&setup->sorf);
    /* The kernel of a forecaster counts its own rows. */
    s->t = OLK_HAS(m, history) ? OLK_REGION(m, kernel_rows)
                               : olk_counter(m, OLK_AT_STEPS);
    s->mistakes = olk_counter(m, OLK_AT_MISTAKES);
    s->updates = olk_counter(m, OLK_AT_UPDATES);
    s->rounding = olk_counter(m, OLK_AT_DRAWS);
    s->flags = (uint16_t *)(void *)(m->base + OLK_AT_FLAGS);
    s->target = OLK_REGION(m, target);
    s->last = OLK_REGION(m, last_label);
    s->label_counts = OLK_REGION(m, label_counts);
    s->late_counts = OLK_REGION(m, late_counts);
    s->late_losses = OLK_REGION(m, late_losses);
    s->late_answers = OLK_HAS(m, late_scores) ? OLK_REGION(m, late_scores)
                                              : OLK_REGION(m, late_answers);
    s->linear_w = OLK_REGION(m, linear_weights);
    s->linear_a = OLK_REGION(m, linear_mean);
    s->novelty = OLK_REGION(m, novelty);
    s->wl = OLK_REGION(m, linear);
    s->Sl = s->wl ? (uint8_t *)s->wl + row + item : NULL;
    s->log_scale = OLK_REGION(m, relevance);
    s->gradient_square = s->log_scale ? (uint8_t *)s->log_scale + row : NULL;
    s->gradient_steps = OLK_REGION(m, gradient_steps);
    s->shared = OLK_REGION(m, shared_relevance);
    s->drift = OLK_REGION(m, drift);
    if (OLK_HAS(m, row_memory)) {
        s->memory_rows = OLK_REGION(m, row_memory);
        s->memory_held = OLK_REGION(m, memory_state);
        s->memory_mistakes = OLK_REGION(m, memory_mistakes);
        s->memory_narrow = OLK_REGION(m, memory_narrow);
        s->recalled = OLK_REGION(m, recalled);
    }
    /* Without relevance, inputs are clamped where the row is. */
    s->inputs = OLK_HAS(m, inputs) ? OLK_REGION(m, inputs) : OLK_REGION(m, query);
    s->scores = OLK_REGION(m, class_scores);
    s->row = OLK_REGION(m, feature_row);
    s->channels = OLK_REGION(m, channels);
    s->readings = OLK_REGION(m, channel_counts);
    s->channel_bytes = OLK_REGION(m, channel_bytes);
    s->clock = OLK_REGION(m, clock);
    s->clock_bytes = OLK_REGION(m, clock_bytes);
    s->watch_scores = OLK_REGION(m, watch_scores);
    s->watch = OLK_REGION(m, watch);
}

#ifndef OLK_SORF_NO_FORECASTS
static inline void olk_attach_forecaster(olk_model *m)
{
    olk_forecast_state *s = &m->forecast;
    s->history = OLK_REGION(m, history);
    s->diagonal = OLK_REGION(m, forecaster);
    s->head = OLK_REGION(m, head);
    s->ml_poly = OLK_REGION(m, ml_poly);
    s->pending = OLK_REGION(m, pending);
    s->season = OLK_REGION(m, season);
    s->n_asked = olk_counter(m, OLK_AT_STEPS);
    s->flags = (uint16_t *)(void *)(m->base + OLK_AT_FLAGS);
}
#endif

#ifdef OLK_HAS_PROCESS
static inline int32_t *olk_model_vectors(const olk_model *m)
{
    return (int32_t *)(void *)(m->base + OLK_AT_VECTORS);
}

static inline void olk_attach_process(olk_model *m)
{
    olk_untuned *t = &m->process;
    memset(t, 0, sizeof *t);
    t->d = OLK_SETUP_OF(m)->features;
    t->budget = t->stride = OLK_SETUP_OF(m)->sorf.gaussian_process;
    t->weight = 1.0;
    t->words = OLK_REGION(m, process_words);
    t->origin = OLK_REGION(m, process_origin);
    t->inputs = OLK_REGION(m, process_inputs);
    t->vectors = OLK_REGION(m, process_vectors);
    t->coef = OLK_REGION(m, process_coefficients);
    t->whitening = OLK_REGION(m, process_whitening);
    t->factor = OLK_REGION(m, process_factor);
    t->mean = OLK_REGION(m, process_mean);
    t->kernel_row = OLK_REGION(m, process_kernel_row);
    t->scratch = OLK_REGION(m, process_scratch);
    t->row = m->raw = OLK_REGION(m, process_row);
}
#endif

/* Sets the pointers of a model, whose constants are set, into a block. */
static inline void olk_model_attach(olk_model *m, uint8_t *block)
{
    m->base = block;
    m->lapsed = 0;
#ifndef OLK_SORF_FIXED_WIDTHS
    m->max_sum = OLK_SETUP_OF(m)->max_sum;
#endif
    olk_attach_learner(m);
#if defined(OLK_SETUP) && !defined(OLK_TUNES)
#elif defined(OLK_SETUP)
    memcpy(m->config.omega, OLK_OF(m).sorf->omega, sizeof m->config.omega);
    m->config.hold = OLK_OF(m).sorf->hold;
    m->config.memory_steps = OLK_OF(m).sorf->memory_steps;
    m->state.tuned = &m->config;
#else
    m->config = *OLK_OF(m).sorf;
#endif
#ifndef OLK_SORF_NO_FORECASTS
    olk_attach_forecaster(m);
#endif
#ifdef OLK_HAS_PROCESS
    olk_attach_process(m);
#endif
}

/* -- The width of the kernel -- */

#ifndef OLK_SORF_FIXED_WIDTHS
/* Sets the frequencies for a width. One that follows the rows leaves the codes of the row memory as
   they were stored. */
static inline void olk_model_set_width(olk_model *m, olk_scalar gamma)
{
    m->max_sum = olk_sorf_set_width(OLK_OF(m).sorf, m->config.omega, OLK_OF(m).widths, gamma,
                                    OLK_SETUP_OF(m)->wide);
    if (!OLK_HAS(m, width_follows))
        m->config.memory_steps =
            olk_memory_steps_of(OLK_OF(m).sorf, gamma, OLK_SETUP_OF(m)->wide);
}
#endif

/* Initialises a new model, whose memory is all zero. */
static inline void olk_model_begin(olk_model *m)
{
    olk_sorf_begin(OLK_CONFIG(m), &m->state, OLK_SETUP_OF(m)->wide);
#ifndef OLK_SORF_NO_FORECASTS
    if (OLK_HAS(m, history))
        OLK_OF(m).ops->begin(OLK_OF(m).forecast, &m->forecast);
#endif
#ifdef OLK_HAS_PROCESS
    if (OLK_HAS(m, mixture)) {
        olk_mixture_begin(OLK_REGION(m, mixture));
        OLK_OF(m).process->begin(&m->process);
    }
#endif
}

/* Clears what was learned with a provisional width, whose counters the estimate keeps, and the
   generator. */
static inline void olk_model_clear(olk_model *m)
{
    const olk_run *run = OLK_SETUP_OF(m)->cleared;
    olk_width *w = OLK_REGION(m, width);
    w->steps = (int64_t)*m->state.t;
    w->mistakes = (int64_t)*m->state.mistakes;
    w->updates = (int64_t)*m->state.updates;
    /* One by one: the compiler of a board then knows each. */
    memset(m->base + run[0].offset, 0, run[0].bytes);
    memset(m->base + run[1].offset, 0, run[1].bytes);
    memset(m->base + run[2].offset, 0, run[2].bytes);
    memset(m->base + run[3].offset, 0, run[3].bytes);
    *m->state.t = *m->state.mistakes = *m->state.updates = 0;
#ifdef OLK_HAS_PROCESS
    if (OLK_HAS(m, mixture))
        *olk_model_vectors(m) = 0;
#endif
    *m->state.rounding = olk_pcg_seed(OLK_SETUP_OF(m)->seed, OLK_PCG_DRAWS);
    olk_model_begin(m);
}

/* -- The Gaussian process beside the features -- */

#ifdef OLK_HAS_PROCESS
/* Keeps a row as the caller gave it, which is decided or learned next. */
static inline void olk_model_keep_raw(olk_model *m, const olk_raw_row *row)
{
    olk_reader r;
    for (olk_begin_reading(&r, row, OLK_SETUP_OF(m)->features, 0); olk_next_piece(&r);)
        for (ptrdiff_t k = 0; k < olk_length_of(&r); k++)
            m->raw[r.first + k] = (double)r.x[k];
    if (!r.good) /* another thread has changed it: the process skips it */
        m->raw[0] = (double)NAN;
}

/* Whether the process can compute with its row: squares of differences must be finite. Else the
   features answer alone. */
static inline int olk_model_enter_process(olk_model *m)
{
    const double largest = olk_auto_largest_input(OLK_SETUP_OF(m)->wide);
    m->process.n = *olk_model_vectors(m);
    for (ptrdiff_t j = 0; j < m->process.d; j++)
        if (!(olk_fabs(m->raw[j]) <= largest))
            return 0;
    return 1;
}

/* The answer of the process to the row; NaN if there is none. */
static inline double olk_model_ask_process(olk_model *m)
{
    return olk_model_enter_process(m) ? OLK_OF(m).process->answer(&m->process, NULL) : (double)NAN;
}

/* Learns the row that the features have learned; returns the mixture of their answer and that of
   the process. */
static OLK_NOINLINE double olk_model_learn_process(olk_model *m, double features, double y,
                                                   double weight)
{
    const double largest = olk_auto_largest_number(OLK_SETUP_OF(m)->wide);
    const double lowest = 1.0 / olk_most_process_weight;
    double answers[2] = {features, features};
    if (olk_model_enter_process(m) && olk_fabs(y) <= largest) {
        m->process.weight = weight > lowest ? weight : lowest;
        answers[1] = OLK_OF(m).process->learn(&m->process, NULL, y);
        m->process.weight = 1.0;
        *olk_model_vectors(m) = (int32_t)m->process.n;
        if (!(olk_fabs(answers[1]) <= olk_largest_answer))
            answers[1] = features;
    }
    olk_mixture *x = OLK_REGION(m, mixture);
    const double answer = olk_mixture_answer(x, answers[0], answers[1]);
    olk_mixture_learn(x, answers, answer, y);
    return answer;
}
#endif

/* -- Scores -- */

/* Rows answered since the last label came, where labels lapse; a number behind the label. */
static inline olk_scalar olk_model_answers(const olk_model *m)
{
    return OLK_SETUP_OF(m)->wide ? (olk_scalar)((const double *)m->state.last)[1]
                                 : (olk_scalar)((const float *)m->state.last)[1];
}

static inline void olk_model_set_answers(const olk_model *m, olk_scalar count)
{
    if (OLK_SETUP_OF(m)->wide)
        ((double *)m->state.last)[1] = (double)count;
    else
        ((float *)m->state.last)[1] = (float)count;
}

/* The answers left until the last label expires. */
static inline int64_t olk_model_answers_left(const olk_model *m)
{
    const olk_scalar lapse = OLK_SETUP_OF(m)->lapse;
    return lapse > 0 ? (int64_t)(lapse - olk_model_answers(m)) : INT64_MAX;
}

/* Rows are scored next; returns for how many of them the last label is used. */
static inline int64_t olk_model_begin_answers(olk_model *m)
{
    const int64_t left = olk_model_answers_left(m);
    m->lapsed = left <= 0;
    return left;
}

/* Counts answered rows: the only change that an answer makes (docs/sorf.md, section 7b). */
static inline void olk_model_count_answers(const olk_model *m, int64_t rows)
{
    const olk_scalar lapse = OLK_SETUP_OF(m)->lapse;
    if (!(lapse > 0))
        return;
    const olk_scalar before = olk_model_answers(m), sum = before + (olk_scalar)rows;
    const olk_scalar count = sum < lapse ? sum : lapse;
    if (count != before) {
        olk_begin_step(m->state.flags);
        olk_model_set_answers(m, count);
        olk_end_step(m->state.flags, 0);
    }
}

/* Whether a row is in the range of the model. */
static inline int olk_model_accepts(const olk_model *m, const void *row)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    return OLK_HAS(m, watch) ||
           olk_sorf_accepts(row, setup->features, setup->wide, OLK_MAX_SUM(m));
}

/* Scores of rows in range, one per column; returns how many have finite scores. */
static inline int64_t olk_score_rows(olk_model *m, const void *rows, ptrdiff_t count, olk_scalar *f)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    const olk_sorf_row row = {rows, NULL, 0};
    double no_label = 0.0; /* zero in either type */
    void *const last = m->state.last;
    if (setup->lapse > 0 && m->lapsed)
        m->state.last = &no_label;
    OLK_OF(m).ops->scores(OLK_CONFIG(m), &m->state, &row, count, f);
    m->state.last = last;
    for (ptrdiff_t k = 0; k < count * setup->columns; k++)
        if (!(f[k] - f[k] == 0))
            return k / setup->columns;
    return count;
}

/* Scores of a row, one per column. */
static inline int olk_model_decide(olk_model *m, const void *row, olk_scalar *f)
{
    const int good = olk_model_accepts(m, row) && olk_score_rows(m, row, 1, f) == 1;
#ifdef OLK_HAS_PROCESS
    if (good && OLK_HAS(m, mixture))
        *f = (olk_scalar)olk_mixture_answer(OLK_REGION(m, mixture), (double)*f,
                                            olk_model_ask_process(m));
#endif
    return good ? OLK_DONE : OLK_REFUSED_OVERFLOW;
}

#ifdef OLK_HAS_PROCESS
/* The variance of the target of a row around the answer of a mixture; infinite before the first row
   was learned, and for a row out of range. */
static inline double olk_model_variance(olk_model *m, const void *row)
{
    olk_scalar features;
    if (!olk_model_accepts(m, row) || olk_score_rows(m, row, 1, &features) != 1)
        return HUGE_VAL;
    const double process = olk_model_ask_process(m);
    return olk_mixture_variance(OLK_REGION(m, mixture), (double)features, process,
                                m->process.variance);
}
#endif

/* Scores of rows, one per column; returns how many rows are in range, with finite scores. */
static inline int64_t olk_model_scores(olk_model *m, const void *rows, int64_t count, olk_scalar *f)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    const int64_t row_bytes =
        setup->features * (int64_t)(setup->wide ? sizeof(double) : sizeof(float));
    ptrdiff_t good = 0;
    while (good < count && olk_model_accepts(m, (const uint8_t *)rows + good * row_bytes))
        good++;
    return olk_score_rows(m, rows, good, f);
}

/* -- Labels that come late -- */

#ifndef OLK_SORF_NO_LATE
/* Answers a row as olk_model_decide does; it then waits for its label. */
static inline int olk_model_ask_late(olk_model *m, const void *row, olk_scalar *f)
{
    const olk_sorf *p = OLK_CONFIG(m);
    const olk_sorf_state *s = &m->state;
    uint8_t answers[OLK_ENTRY_BYTES];
    m->state.answers = answers;
    const int outcome = olk_model_decide(m, row, f);
    m->state.answers = NULL;
    if (outcome != OLK_DONE)
        return outcome;
    olk_begin_step(s->flags);
    olk_add_pending(p, s, answers);
    olk_end_step(s->flags, 0);
    return OLK_DONE;
}
#endif

/* The label of the oldest row will never come. */
static inline int olk_model_give_up(olk_model *m)
{
    if (!m->state.late_counts[OLK_LATE_PENDING])
        return OLK_REFUSED_NO_PENDING;
    olk_begin_step(m->state.flags);
    olk_drop_oldest(&m->state);
    olk_end_step(m->state.flags, 0);
    return OLK_DONE;
}

static inline int64_t olk_model_late_pending(const olk_model *m)
{
    return OLK_HAS(m, late_counts) ? m->state.late_counts[OLK_LATE_PENDING] : 0;
}

/* -- Learning -- */

/* Adds to the sums of squared and of absolute errors. */
static inline void olk_model_count_error(const olk_model *m, double y, double answer)
{
    double *errors = OLK_REGION(m, errors);
    errors[0] += (y - answer) * (y - answer);
    errors[1] += olk_fabs(y - answer);
}

/* Learns a row with its label and weight, not of a forecaster; the label of a row in time is its
   time in seconds, NaN if unknown. *f receives the score before learning, *sums those of the row,
   before the features scale it in place. */
static inline int olk_model_learn(olk_model *m, const void *x, olk_scalar y, olk_scalar weight,
                                  olk_scalar *f, olk_row_sums *sums)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    const olk_sorf *p = OLK_CONFIG(m);
    const olk_sorf_row row = {x, NULL, 0};
    *sums = olk_sums_of_row(x, setup->features, setup->wide, OLK_HOLD(p, &m->state));
    if (OLK_HAS(m, watch)) {
        *f = (olk_scalar)OLK_OF(m).ops->learn_in_time(p, &m->state, &row, (double)y);
        return OLK_DONE;
    }
    if (!(sums->sizes <= OLK_MAX_SUM(m)))
        return OLK_REFUSED_OVERFLOW;
    if (setup->sorf.task == OLK_SORF_NOVELTY) {
        *f = OLK_OF(m).ops->learn_novelty(p, &m->state, &row);
        return OLK_DONE;
    }
    if (setup->sorf.task == OLK_SORF_REGRESSION && !olk_sorf_accepts_target((double)y))
        return OLK_REFUSED_TARGET;
    *f = OLK_OF(m).ops->learn(p, &m->state, &row, y, weight);
#ifdef OLK_HAS_PROCESS
    if (OLK_HAS(m, mixture))
        *f = (olk_scalar)olk_model_learn_process(m, (double)*f, (double)y, (double)weight);
#endif
    if (setup->lapse > 0)
        olk_model_set_answers(m, 0);
    if (OLK_HAS(m, errors))
        olk_model_count_error(m, (double)y, (double)*f);
    return OLK_DONE;
}

/* Checks for drift after a row, the sum of whose squared inputs is given, was learned and added to
   the statistics. */
static OLK_NOINLINE void olk_model_check_drift(const olk_model *m, const olk_intake *in,
                                               olk_scalar squares)
{
    olk_check_drift(OLK_CONFIG(m), &m->state, olk_intake_scales_each(in), squares,
                    olk_intake_deviating(in), olk_intake_seen(in), OLK_SETUP_OF(m)->wide,
                    (size_t)OLK_SETUP_OF(m)->stored);
}

/* After the row that was taken last was learned and counted: updates statistics of inputs, drift
   and width; x: the row as the learner saw it. Returns whether there may be another width, which
   the caller then sets. */
static OLK_NOINLINE int olk_model_finish(olk_model *m, olk_intake *in, const void *x,
                                         const olk_row_sums *sums)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    olk_intake_keep(in);
    if (OLK_HAS(m, drift))
        olk_model_check_drift(m, in, setup->preprocessing.method ? sums->squares : 0);
#ifdef OLK_SORF_FIXED_WIDTHS
    (void)x;
    return 0;
#else
    if (setup->preprocessing.follows) {
        olk_intake_follow(in, sums->clamped, setup->sorf.d, *m->state.t);
        return 1;
    }
    if (!olk_intake_width_is_due(in, x))
        return 0;
    olk_intake_set_width(in);
    olk_model_set_width(m, olk_intake_gamma(in));
    olk_model_clear(m);
    return 1;
#endif
}

/* -- The forecaster -- */

#ifndef OLK_SORF_NO_FORECASTS
/* Whether every possible row is in the range of the kernel. */
static inline int olk_model_fits(const olk_model *m)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    return !setup->forecast.kernel ||
           setup->preprocessing.clip * (double)setup->features + 5.0 * OLK_HISTORY_INPUTS <=
               OLK_MAX_SUM(m);
}

/* Whether a target can be learned; NaN, a target never known, is accepted. */
static inline int olk_model_takes_target(const olk_model *m, double y)
{
    return y != y || olk_fabs(y) <= OLK_OF(m).ops->largest_target;
}

/* The number of rows predicted whose targets have not arrived. */
static inline int64_t olk_model_pending(const olk_model *m)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    const ptrdiff_t each = OLK_PENDING_NUMBERS + olk_head_inputs(&setup->forecast) +
                           2 * setup->forecast.d;
    int64_t found = 0;
    for (int32_t k = 0; k < setup->forecast.horizon; k++)
        found += setup->wide ? ((const double *)m->forecast.pending)[k * each] != 0.0
                             : ((const float *)m->forecast.pending)[k * each] != 0.0f;
    return found;
}

/* Predicts a row, which is followed by space for the kernel's inputs from the history. */
static inline int olk_model_predict(const olk_model *m, void *x, olk_forecast_answer *answer)
{
    if (!olk_model_fits(m))
        return OLK_REFUSED_OVERFLOW;
    OLK_OF(m).ops->predict(OLK_OF(m).forecast, &m->forecast, OLK_CONFIG(m), &m->state, x, answer);
    return OLK_DONE;
}

/* Predicts a row and keeps it pending. */
static inline int olk_model_ask(const olk_model *m, void *x, olk_forecast_answer *answer)
{
    if (!olk_model_fits(m))
        return OLK_REFUSED_OVERFLOW;
    OLK_OF(m).ops->ask(OLK_OF(m).forecast, &m->forecast, OLK_CONFIG(m), &m->state, x, answer);
    return OLK_DONE;
}

/* Takes the target of the oldest pending row; NaN: never known. A width that follows the rows moves
   if the kernel learned one, and is not set. `x`: scratch for the kernel's row. */
static inline int olk_model_tell(const olk_model *m, olk_intake *in, void *x, double y)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    const int follows = setup->preprocessing.follows;
    const uint64_t rows = follows ? *m->state.t : 0;
    double answer = 0.0;
    if (!olk_model_takes_target(m, y))
        return OLK_REFUSED_TARGET;
    if (!OLK_OF(m).ops->tell(OLK_OF(m).forecast, &m->forecast, OLK_CONFIG(m), &m->state, x, y,
                             &answer))
        return OLK_REFUSED_NO_PENDING;
    if (follows && *m->state.t != rows) /* the kernel's row is still stored there */
        olk_intake_follow(in, olk_sums_of_row(x, setup->sorf.d, setup->wide, 0.0).squares,
                          setup->sorf.d, *m->state.t);
    if (y == y && !OLK_OF(m).forecast->frozen)
        olk_model_count_error(m, y, answer);
    return OLK_DONE;
}

/* Whether a row may be learned with its target at once. */
static inline int olk_model_check_target(const olk_model *m, double y)
{
    if (OLK_SETUP_OF(m)->forecast.horizon > 1)
        return OLK_REFUSED_LATE;
    if (!olk_model_takes_target(m, y))
        return OLK_REFUSED_TARGET;
    return olk_model_pending(m) > 0 ? OLK_REFUSED_PENDING : OLK_DONE;
}
#endif

/* -- Events that a user reports -- */

/* Forgets the history of a forecaster, the last label and rows whose labels have not come, or the
   predecessor of the next row. */
static inline void olk_model_restart(olk_model *m)
{
#ifndef OLK_SORF_NO_FORECASTS
    if (OLK_HAS(m, history)) {
        OLK_OF(m).ops->restart(OLK_OF(m).forecast, &m->forecast);
        olk_end_step(m->state.flags, 0);
        return;
    }
#endif
    olk_begin_step(m->state.flags);
    if (OLK_HAS(m, watch))
        OLK_OF(m).ops->restart_rows(OLK_CONFIG(m), &m->state);
    if (OLK_HAS(m, last_label))
        memset(m->state.last, 0, OLK_SETUP_OF(m)->wide ? sizeof(double) : sizeof(float));
    if (OLK_HAS(m, late_counts))
        m->state.late_counts[OLK_LATE_PENDING] = 0;
    olk_end_step(m->state.flags, 0);
}

/* Rows in time: the recent ones are normal from now on. */
static inline void olk_model_accept(olk_model *m)
{
    olk_begin_step(m->state.flags);
    OLK_OF(m).ops->accept(OLK_CONFIG(m), &m->state);
    olk_end_step(m->state.flags, 0);
}

/* -- What users ask -- */

/* Rows in time: the verdict on the last row learned. */
typedef struct {
    double score; /* from 0 to 1; from 0.5 on the row is novel */
    int novel, alarm, event, rare;
    int part;         /* what it is unusual in (watch_state.h) */
    uint32_t channel; /* which is the most unusual in it */
    uint64_t bits;    /* all of these but the score as a word (watch_state.h) */
    uint64_t alarms;  /* of all rows */
} olk_verdict;

static inline olk_verdict olk_model_verdict(const olk_model *m)
{
    const uint64_t bits = m->state.watch[OLK_VERDICT];
    const void *scores = m->state.watch_scores;
    olk_verdict v;
    v.score = OLK_SETUP_OF(m)->wide ? ((const double *)scores)[OLK_WATCH_SCORE]
                                    : (double)((const float *)scores)[OLK_WATCH_SCORE];
    v.novel = (bits & OLK_IS_NOVEL) != 0;
    v.alarm = (bits & OLK_IS_ALARM) != 0;
    v.event = (bits & OLK_IS_EVENT) != 0;
    v.rare = (bits & OLK_IS_RARE) != 0;
    v.part = (int)(bits >> OLK_VERDICT_PART & 7);
    v.channel = (uint32_t)(bits >> OLK_VERDICT_CHANNEL);
    v.bits = bits;
    v.alarms = m->state.watch[OLK_ALARMS];
    return v;
}

/* Counters, 0 for those that the model does not keep. */
typedef struct {
    uint64_t steps, mistakes, updates; /* those before the width was known included */
    uint64_t skipped, clipped_rows;
    uint64_t alarms;     /* of drift; of rows in time */
    uint64_t remembered; /* rows in the row memory */
} olk_counts;

static inline olk_counts olk_model_counts(const olk_model *m)
{
    const olk_setup *setup = OLK_SETUP_OF(m);
    olk_counts n = {0, 0, 0, 0, 0, 0, 0};
    n.steps = *olk_counter(m, OLK_AT_STEPS);
    n.mistakes = *olk_counter(m, OLK_AT_MISTAKES);
    n.updates = *olk_counter(m, OLK_AT_UPDATES);
    if (OLK_HAS(m, width)) {
        const olk_width *w = OLK_REGION(m, width);
        n.steps += (uint64_t)w->steps;
        n.mistakes += (uint64_t)w->mistakes;
        n.updates += (uint64_t)w->updates;
    }
    if (OLK_HAS(m, skipped))
        n.skipped = *olk_counter(m, setup->at.skipped);
    if (OLK_HAS(m, clipped_rows))
        n.clipped_rows = *olk_counter(m, setup->at.clipped_rows);
    if (OLK_HAS(m, watch))
        n.alarms = m->state.watch[OLK_ALARMS];
    else if (OLK_HAS(m, drift))
        n.alarms = (uint64_t)olk_drift_number(&m->state, setup->wide, OLK_DRIFT_ALARMS);
    if (OLK_HAS(m, row_memory))
        n.remembered = (uint64_t)olk_memory_n_rows(&m->state);
    return n;
}
