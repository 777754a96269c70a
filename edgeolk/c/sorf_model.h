/* A learner of the SORF family over a block: rows as the learner sees them are learned and scored, and
   users ask for outputs and counters. One source for the library and for boards. sorf_block.h has
   what is where; sorf_forecaster.h what a model of targets in time does.

   Rows come from intake.h. A call that returns a refusal has changed nothing. Learning marks the
   block (olk_begin_step) and leaves it marked: the caller ends the step after olk_model_finish, or,
   if the model forecasts, olk_intake_keep. */
#pragma once

#include "late_labels.h"
#include "sorf_process.h"

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
    double no_label = 0.0; /* zero in either type */
    void *const last = m->state.last;
    if (setup->lapse > 0 && m->lapsed)
        m->state.last = &no_label;
    OLK_OF(m).ops->scores(OLK_CONFIG(m), &m->state, rows, count, f);
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
    *sums = olk_sums_of_row(x, setup->features, setup->wide, OLK_HOLD(p, &m->state));
    if (OLK_HAS(m, watch)) {
        *f = (olk_scalar)OLK_OF(m).ops->learn_in_time(p, &m->state, x, (double)y);
        return OLK_DONE;
    }
    if (!(sums->sizes <= OLK_MAX_SUM(m)))
        return OLK_REFUSED_OVERFLOW;
    if (setup->sorf.task == OLK_SORF_NOVELTY) {
        *f = OLK_OF(m).ops->learn_novelty(p, &m->state, x);
        return OLK_DONE;
    }
    if (setup->sorf.task == OLK_SORF_REGRESSION && !olk_sorf_accepts_target((double)y))
        return OLK_REFUSED_TARGET;
    *f = OLK_OF(m).ops->learn(p, &m->state, x, y, weight);
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
