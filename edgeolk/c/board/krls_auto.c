/* A tracker without settings on a ring (krls_auto): the library's C (edgeolk/) over one block. */
#include "strict.h"

#include "edgeolk.h"

#include "block.h"

#define OLK_SORF_PLAIN 1
#define OLK_SCALE_METHOD 0
#define OLK_NO_ONE_SCALE 1
#define OLK_COEF_BITS (EK_WIDE_ROWS ? 64 : 32)
#define OLK_ROW_TYPE ek_number
#define OLK_SETUP ek_setup

#include "edgeolk/setup.h"

static const olk_setup ek_setup = EK_SETUP;

#include "edgeolk/intake.h"
#include "edgeolk/krls_auto.h"
#include "edgeolk/ring_holds.h"

/* What the block is, for its rules; read member by member. */
static const olk_ring_setup ek_ring = EK_RING;

static int64_t *ek_counter(uint8_t *base, size_t offset)
{
    return (int64_t *)(void *)(base + offset);
}

static int32_t *ek_vectors(uint8_t *base)
{
    return (int32_t *)(void *)(base + OLK_AT_VECTORS);
}

static uint16_t *ek_flags(uint8_t *base)
{
    return (uint16_t *)(void *)(base + OLK_AT_FLAGS);
}

static void ek_enter(uint8_t *base, olk_untuned *t)
{
    memset(t, 0, sizeof *t);
    t->d = ek_ring.inputs;
    t->budget = ek_ring.budget;
    t->stride = ek_ring.stride;
    t->weight = 1.0;
    t->n = *ek_vectors(base);
    t->words = (olk_tracking *)ek_at(base, ek_ring.at.tracking);
    t->origin = (double *)ek_at(base, ek_ring.at.origin);
    t->inputs = ek_at(base, ek_ring.at.input_scales);
    t->vectors = ek_at(base, ek_ring.at.support_vectors);
    t->coef = ek_at(base, ek_ring.at.coefficients);
    t->whitening = ek_at(base, ek_ring.at.whitening);
    t->factor = ek_at(base, ek_ring.at.posterior_factor);
    t->mean = ek_at(base, ek_ring.at.coordinates);
    t->kernel_row = ek_at(base, ek_ring.at.kernel_row);
    t->scratch = ek_at(base, ek_ring.at.tracker_rows);
#if EK_FORECASTS
    t->lags = ek_ring.lags;
    t->delay = ek_ring.delay;
    t->lagging = (olk_lagging *)ek_at(base, ek_ring.at.lagging);
    t->recent = (double *)ek_at(base, ek_ring.at.recent_targets);
    t->pending_rows = (double *)ek_at(base, ek_ring.at.pending_rows);
#endif
}

static int ek_reject(uint8_t *base, int why)
{
    if (ek_setup.at.skipped) {
        olk_begin_step(ek_flags(base));
        *ek_counter(base, ek_setup.at.skipped) += 1;
        olk_end_step(ek_flags(base), 0);
    }
    return why;
}

/* Counts the error of an answer; an unknown target has none. */
static void ek_count_error(uint8_t *base, double y, double answer)
{
    double *errors = (double *)ek_at(base, ek_setup.at.errors);
    if (y != y)
        return;
    *ek_counter(base, OLK_AT_UPDATES) += 1;
    errors[0] += (y - answer) * (y - answer);
    errors[1] += olk_fabs(y - answer);
}

/* Whether a target may be learned. */
static int ek_takes(const olk_untuned *t, double y)
{
    return (EK_FORECASTS && y != y) || (olk_fabs(y) <= EK_MOST_COEFFICIENT && olk_auto_takes(t, y));
}

int ek_learn(void *arena, const ek_number *x, double y, double *score)
{
    uint8_t *base = ek_base(arena);
    olk_untuned t;
    ek_enter(base, &t);
    if (!(y - y == 0.0) && !(EK_FORECASTS && y != y))
        return ek_reject(base, EK_BAD_LABEL);
    if (!olk_auto_accepts(&t, x) || !ek_takes(&t, y))
        return ek_reject(base, EK_BAD_ROW);
#if EK_FORECASTS
    if (t.delay > 1 || t.lagging->pending > 0.0)
        return EK_WRONG_ORDER;
#endif
    olk_begin_step(ek_flags(base));
    *ek_counter(base, OLK_AT_STEPS) += 1;
    const double answer = olk_auto_learn(&t, x, y);
    *ek_vectors(base) = (int32_t)t.n;
    ek_count_error(base, y, answer);
    olk_end_step(ek_flags(base), 0);
    if (score)
        *score = answer;
    return EK_OK;
}

int ek_scores(void *arena, const ek_number *x, double *scores)
{
    uint8_t *base = ek_base(arena);
    olk_untuned t;
    ek_enter(base, &t);
    if (!olk_auto_accepts(&t, x))
        return EK_BAD_ROW;
    scores[0] = olk_auto_answer(&t, x);
    return scores[0] - scores[0] == 0.0 ? EK_OK : EK_BAD_ROW;
}

int ek_variance(void *arena, const ek_number *x, double *variance)
{
    uint8_t *base = ek_base(arena);
    olk_untuned t;
    ek_enter(base, &t);
    if (!olk_auto_accepts(&t, x))
        return EK_BAD_ROW;
    *variance = olk_auto_variance(&t, x);
    return EK_OK;
}

#if EK_FORECASTS
/* An interval is infinite while the variance is unknown, as in the library. */
static void ek_fill_forecast(const olk_untuned *t, double answer, ek_forecast *forecast)
{
    const double width = t->variance < HUGE_VAL ? olk_normal_95 * olk_sqrt(t->variance) : 0.0;
    const double half = width > 0.0 ? width : HUGE_VAL;
    forecast->answer = answer;
    forecast->low[0] = answer - half;
    forecast->high[0] = answer + half;
}

int ek_look(void *arena, const ek_number *x, ek_forecast *forecast)
{
    uint8_t *base = ek_base(arena);
    olk_untuned t;
    ek_enter(base, &t);
    if (!olk_auto_accepts(&t, x))
        return EK_BAD_ROW;
    ek_fill_forecast(&t, olk_auto_answer(&t, x), forecast);
    return EK_OK;
}

int ek_ask(void *arena, const ek_number *x, ek_forecast *forecast)
{
    uint8_t *base = ek_base(arena);
    olk_untuned t;
    ek_enter(base, &t);
    if (!olk_auto_accepts(&t, x))
        return EK_BAD_ROW;
    olk_begin_step(ek_flags(base));
    *ek_counter(base, OLK_AT_STEPS) += 1;
    ek_fill_forecast(&t, olk_auto_ask(&t, x), forecast);
    olk_end_step(ek_flags(base), 0);
    return EK_OK;
}

int ek_tell(void *arena, double y)
{
    uint8_t *base = ek_base(arena);
    olk_untuned t;
    ek_enter(base, &t);
    if (!ek_takes(&t, y))
        return EK_BAD_LABEL;
    if (!(t.lagging->pending > 0.0))
        return EK_WRONG_ORDER;
    olk_begin_step(ek_flags(base));
    ek_count_error(base, y, olk_auto_tell(&t, y));
    *ek_vectors(base) = (int32_t)t.n;
    olk_end_step(ek_flags(base), 0);
    return EK_OK;
}

void ek_restart(void *arena)
{
    uint8_t *base = ek_base(arena);
    olk_untuned t;
    ek_enter(base, &t);
    olk_begin_step(ek_flags(base));
    olk_auto_forget(&t);
    olk_end_step(ek_flags(base), 0);
}
#endif

#define ek_scored ek_scores
#include "answers.h"

void ek_count(const void *arena, ek_counts *counts)
{
    uint8_t *base = ek_base((void *)(uintptr_t)arena);
    memset(counts, 0, sizeof *counts);
    counts->steps = (uint64_t)*ek_counter(base, OLK_AT_STEPS);
    counts->updates = (uint64_t)*ek_counter(base, OLK_AT_UPDATES);
    if (ek_setup.at.skipped)
        counts->skipped = (uint64_t)*ek_counter(base, ek_setup.at.skipped);
}

#define EK_HOLDS(block) (!olk_check_ring(&ek_ring, block, NULL))
#include "state.h"
