/* Where a learner of the SORF family, its forecaster and the Gaussian process beside it are in a block;
   the width of its kernel; a new model.

   Design. What is constant about a model is its setup (setup.h). The library has many models and
   finds their setups and operations through pointers. A program for one model defines OLK_SETUP
   and OLK_CONSTANTS, the names of its constants: the compiler then leaves out what that model does
   not have, and calls its operations directly. */
#pragma once

#include <string.h>

#include "intake.h"
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
