/* A learner on structured features: the library's C (edgeolk/) over one block. */
#include "strict.h"

#include "edgeolk.h"

#include "block.h"

#define OLK_SORF_PLAIN 1
#define OLK_SORF_WIDTHS_SCALED 1 /* ek_enter scales the widths */
#if EK_STORES == 1
#define OLK_SORF_INT8 1
#elif EK_STORES == 2
#define OLK_SORF_FLOAT32 1
#else
#define OLK_SORF_FLOAT64 1
#endif
#if defined(EK_FIXED)
#if EK_STORES != 1
#error "-DEK_FIXED is for weights of int8"
#endif
#define OLK_SORF_FIXED 1
#elif defined(EK_SINGLE)
#define OLK_SORF_SINGLE 1
#endif
#define OLK_SORF_WATCHES EK_WATCHES
#if !EK_AT_row_memory
#define OLK_SORF_NO_MEMORY 1
#endif
#if EK_SCRATCH
#define OLK_SORF_SCRATCH 1
#endif
#define OLK_SCALE_METHOD EK_SCALE_METHOD
#define OLK_ROW_TYPE ek_number
#define OLK_SETUP ek_setup

#include "edgeolk/setup.h"

/* What the model is. The compiler replaces its members by their values. */
static const olk_setup ek_setup = EK_SETUP;

#include "edgeolk/intake.h"
#include "edgeolk/sorf_row.h"
#include "edgeolk/sorf.h"
#include "edgeolk/sorf_holds.h"

static const olk_sorf ek_config = EK_SORF;
#if EK_GAMMA_ROWS || EK_FOLLOWS
/* Named by its contents: models with the same table share it. */
OLK_TABLE double EK_MULTIPLES_NAME[OLK_SORF_GROUPS][OLK_SORF_WIDTHS] = EK_MULTIPLES;
#endif

/* Whether widths can differ from the exported ones. */
#define EK_OWN_WIDTHS (EK_GAMMA_ROWS || EK_FOLLOWS || EK_SHARED)

#include "call.h"

#if !EK_FORECASTS
#if EK_AT_drift
/* Checks for drift after a row was learned; squares: the sum of its squared scaled inputs. */
static OLK_NOINLINE void ek_check_drift(ek_call *c, double squares)
{
    const olk_intake *intake = &c->intake;
    olk_check_drift(c->p, c->s, olk_intake_scales_each(intake), squares,
                    olk_intake_deviating(intake), olk_intake_seen(intake), EK_WIDE_ROWS,
                    sizeof(olk_stored));
}
#endif

/* The row as the learner sees it; NULL if it is bad. */
static const void *ek_take(ek_call *c, const ek_number *x, int learning)
{
#if EK_WATCHES /* NaN is a missing reading */
    (void)c;
    (void)learning;
    return x;
#else
    olk_raw_row row = {x};
    if (!olk_intake_row(&c->intake, &row, learning, c->base + EK_AT_query))
        return NULL;
#if EK_PAIRS
    c->config.hold = olk_intake_clamp(&c->intake);
#endif
    return olk_sorf_accepts(row.dense, EK_FEATURES, EK_WIDE_ROWS, c->max_sum) ? row.dense : NULL;
#endif
}
#endif

static int ek_reject(const ek_call *c, int why)
{
#if EK_AT_skipped
    olk_begin_step(c->s->flags);
    *ek_words(c->base, EK_AT_skipped) += 1;
    olk_end_step(c->s->flags, 0);
#else
    (void)c;
#endif
    return why;
}

#if EK_FORECASTS
#include "edgeolk/forecast.h"
static const olk_forecast ek_forecaster = EK_FORECAST;
#include "forecasting.h"
#else
int ek_scores(void *arena, const ek_number *x, double *scores)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    const olk_sorf_row row = {ek_take(c, x, 0), NULL, 0};
    if (!row.values)
        return EK_BAD_ROW;
#if EK_LAPSE
    double no_label = 0.0, *const answers = c->s->last + 1;
    const int counts = *answers < EK_LAPSE;
    if (!counts)
        c->s->last = &no_label;
#endif
    olk_sorf_scores(c->p, c->s, &row, 1, scores);
    for (int k = 0; k < EK_COLUMNS; k++)
        if (!(scores[k] - scores[k] == 0.0))
            return EK_BAD_ROW;
#if EK_LAPSE
    if (counts)
        *answers += 1.0;
#endif
    return EK_OK;
}
#endif

#include "answers.h"

#if !EK_FORECASTS
#if EK_TASK != 3
static int ek_is_label(double y)
{
#if EK_TASK == 0
    return y == 1.0 || y == -1.0;
#elif EK_TASK == 1
    return y >= 0.0 && y < EK_COLUMNS && y == (double)(int32_t)y;
#else
    return y - y == 0.0;
#endif
}
#endif

#if EK_GAMMA_ROWS
/* Adds a learned row to the estimate of the width; once that is known the model and its generator
   are reset with it; the stream's counters are kept. */
static void ek_follow_width(ek_call *c, const void *x)
{
    static const uint32_t cleared[][2] = EK_CLEARED_REGIONS;
    olk_width *w = olk_intake_measured(&c->intake);
    if (!olk_intake_width_is_due(&c->intake, x))
        return;
    olk_intake_set_width(&c->intake);
    ek_use_width(c);
    w->steps = (int64_t)*c->s->t;
    w->mistakes = (int64_t)*c->s->mistakes;
    w->updates = (int64_t)*c->s->updates;
    for (size_t i = 0; i < sizeof cleared / sizeof cleared[0]; i++)
        memset(c->base + cleared[i][0], 0, cleared[i][1]);
    *c->s->t = *c->s->mistakes = *c->s->updates = 0;
    *c->s->rounding = olk_pcg_seed(EK_SEED, OLK_PCG_DRAWS);
    olk_sorf_begin(c->p, c->s, EK_WIDE_ROWS);
}
#endif

int ek_learn_weighted(void *arena, const ek_number *x, double y, double weight, double *score)
{
    EK_CALL(c, arena);
    double before;
    ek_enter(arena, c);
#if EK_TASK == 3
    (void)y;
    (void)weight;
#else
    if (!(weight > 0.0 && weight <= EK_MOST_WEIGHT))
        return EK_BAD_LABEL;
    if (!ek_is_label(y))
        return y - y == 0.0 ? EK_BAD_LABEL : ek_reject(c, EK_BAD_LABEL);
#endif
    const olk_sorf_row row = {ek_take(c, x, 1), NULL, 0};
    if (!row.values)
        return ek_reject(c, EK_BAD_ROW);
#if EK_FOLLOWS || EK_AT_drift /* the features may scale the row in place */
    const olk_row_sums sums =
        olk_sums_of_row(row.values, EK_FEATURES, EK_WIDE_ROWS, c->p->hold);
#endif
#if EK_WATCHES
    before = olk_sorf_learn_in_time(c->p, c->s, &row);
#elif EK_TASK == 3
    before = olk_sorf_learn_novelty(c->p, c->s, &row);
#else
#if EK_TASK == 2
    if (!olk_sorf_accepts_target(y))
        return ek_reject(c, EK_BAD_ROW);
#endif
    before = olk_sorf_learn(c->p, c->s, &row, y, weight);
#endif
#if EK_AT_errors
    double *errors = (double *)ek_at(c->base, EK_AT_errors);
    errors[0] += (y - before) * (y - before);
    errors[1] += olk_fabs(y - before);
#endif
#if EK_LAPSE
    c->s->last[1] = 0.0;
#endif
#if !EK_WATCHES
    olk_intake_keep(&c->intake);
#endif
#if EK_AT_drift
    ek_check_drift(c, EK_SCALE_METHOD ? sums.squares : 0.0);
#endif
#if EK_GAMMA_ROWS
    ek_follow_width(c, row.values);
#elif EK_FOLLOWS
    olk_intake_follow(&c->intake, sums.clamped, EK_FEATURES, *c->s->t);
#endif
    olk_end_step(c->s->flags, 0);
    if (score)
        *score = before;
    return EK_OK;
}
#endif

#if EK_REPEATS
void ek_restart(void *arena)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    olk_begin_step(c->s->flags);
    *c->s->last = 0.0;
    olk_end_step(c->s->flags, 0);
}
#endif

int ek_learn(void *arena, const ek_number *x, double y, double *score)
{
    return ek_learn_weighted(arena, x, y, 1.0, score);
}

void ek_count(const void *arena, ek_counts *counts)
{
    EK_CALL(c, (void *)(uintptr_t)arena);
    ek_enter((void *)(uintptr_t)arena, c);
    counts->steps = *ek_words(c->base, EK_AT_STEPS);
    counts->mistakes = *c->s->mistakes;
    counts->updates = *c->s->updates;
#if EK_GAMMA_ROWS
    const olk_width *before = olk_intake_measured(&c->intake);
    counts->steps += (uint64_t)before->steps;
    counts->mistakes += (uint64_t)before->mistakes;
    counts->updates += (uint64_t)before->updates;
#endif
#if EK_WATCHES
    counts->alarms = c->s->watch[OLK_EVENTS];
#else
    counts->alarms =
        EK_AT_drift ? (uint64_t)olk_drift_number(c->s, EK_WIDE_ROWS, OLK_DRIFT_ALARMS) : 0;
#endif
#if EK_AT_row_memory
    counts->remembered = (uint64_t)olk_memory_n_rows(c->s);
#else
    counts->remembered = 0;
#endif
    counts->skipped = EK_AT_skipped ? *ek_words(c->base, EK_AT_skipped) : 0;
}

#if EK_WATCHES
void ek_watch(const void *arena, ek_verdict *verdict)
{
    EK_CALL(c, (void *)(uintptr_t)arena);
    ek_enter((void *)(uintptr_t)arena, c);
    const uint64_t bits = c->s->watch[OLK_VERDICT];
    verdict->novel = (int)(bits & 1);
    verdict->event = c->s->watch[OLK_QUIET_ROWS] <= OLK_EVENT_ROWS;
    verdict->part = (int)(bits >> 1 & 3);
    verdict->what = (int)(bits >> 3 & 3);
    verdict->channel = (uint32_t)(bits >> 8);
    verdict->alarms = c->s->watch[OLK_EVENTS];
    verdict->threshold = (double)((const ek_number *)c->s->deviations)[0];
}

static void ek_report(void *arena, olk_sorf_event_fn report_event)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    olk_begin_step(c->s->flags);
    report_event(c->p, c->s);
    olk_end_step(c->s->flags, 0);
}

void ek_accept(void *arena)
{
    ek_report(arena, olk_accept_rows);
}

void ek_restart(void *arena)
{
    ek_report(arena, olk_restart_rows);
}
#endif

void ek_start(void *arena)
{
    uint8_t *base = ek_base(arena);
    const uint8_t *from = ek_model_bytes;
    memset(base, 0, EK_STATE_BYTES);
    for (size_t i = 0; i < EK_RUNS; i++) {
        memcpy(base + ek_model_runs[i].offset, from, ek_model_runs[i].bytes);
        from += ek_model_runs[i].bytes;
    }
}

const void *ek_file(void *arena)
{
    uint8_t *base = ek_base(arena);
    const uint32_t crc = ek_file_crc(base);
    memcpy(base + EK_AT_CRC, &crc, sizeof crc);
    return base;
}

int ek_load(void *arena, const void *file, size_t bytes)
{
    const uint8_t *from = (const uint8_t *)file;
    uint32_t crc;
    if (bytes != EK_STATE_BYTES || !ek_same_model(from))
        return EK_BAD_STATE;
    memcpy(&crc, from + EK_AT_CRC, sizeof crc);
    if (crc != ek_file_crc(from) || olk_check_sorf(&ek_setup, from, NULL))
        return EK_BAD_STATE;
    if (from != ek_base(arena))
        memcpy(ek_base(arena), from, EK_STATE_BYTES);
    return EK_OK;
}
