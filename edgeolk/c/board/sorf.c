/* A learner on structured features: the library's C (edgeolk/) over one block. */
#include "strict.h"

#include "edgeolk.h"

#if EK_NARROW
#define OLK_NARROW 1 /* before the first header of the library */
#endif
#include "block.h"

#define OLK_SORF_PLAIN 1
#define OLK_SORF_NO_WISHES 1
#if !EK_LATE
#define OLK_SORF_NO_LATE 1
#endif
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
#endif
#if EK_STREAMS && !defined(EK_FIXED)
#define OLK_STREAMED 1
#endif
#define OLK_SORF_WATCHES EK_WATCHES
#define OLK_SORF_CLOCK EK_CLOCK
#if !EK_ROW_MEMORY
#define OLK_SORF_NO_MEMORY 1
#endif
#if EK_SCRATCH
#define OLK_SORF_SCRATCH 1
#endif
#define OLK_SCALE_METHOD EK_SCALE_METHOD
#if !EK_PAIRS && EK_SCALE_METHOD != 3
#define OLK_NO_ONE_SCALE 1
#endif
#if !EK_FORECASTS
#define OLK_SORF_NO_FORECASTS 1
#endif
#if EK_MIXES
#define OLK_HAS_PROCESS 1
#define OLK_COEF_BITS (EK_WIDE_ROWS ? 64 : 32)
#endif
#if !EK_GAMMA_ROWS && !EK_FOLLOWS && !EK_SHARED
#define OLK_SORF_FIXED_WIDTHS 1
#endif
#if !EK_CACHES
#define OLK_NO_CACHE 1
#endif
#define OLK_SMALL_ANGLES EK_SMALL_ANGLES
/* What follows the rows; all else of the configuration is constant. */
#if EK_GAMMA_ROWS || EK_FOLLOWS || EK_SHARED
#define OLK_TUNES_WIDTHS 1
#endif
#if EK_PAIRS
#define OLK_TUNES_HOLD 1
#endif
#if EK_GAMMA_ROWS
#define OLK_TUNES_STEPS 1
#endif
#if EK_FEW_PARTS && defined(__GNUC__)
#define OLK_FEW_PARTS 1
#endif
#define OLK_SORF_SIZES 1
enum { OLK_SORF_GROUPS = EK_GROUPS, OLK_SORF_WIDTHS = EK_WIDTHS, OLK_SORF_BLENDS = EK_BLENDS };
#define OLK_SETUP ek_setup
#define OLK_CONSTANTS ek_constants
#define OLK_ROW_TYPE ek_number

#include "edgeolk/setup.h"

/* Read member by member, so that the compiler stores no bytes of it. */
static const olk_setup ek_setup = EK_SETUP;
/* What loops take by its address; of a constant that is only read the compiler stores little. */
static const olk_sorf ek_config = EK_SORF;
#define OLK_OPTIONS ek_config

#include "edgeolk/intake.h"
#include "edgeolk/sorf_row.h"
#include "edgeolk/sorf.h"
#include "edgeolk/sorf_holds.h"
#if EK_FORECASTS
#include "edgeolk/forecast.h"
#endif
#if EK_MIXES
#include "mixing.h"
#endif

#if EK_FORECASTS
static const olk_forecast ek_forecaster = EK_FORECAST;
#endif
#if EK_GAMMA_ROWS || EK_FOLLOWS
/* Named by its contents: models with the same table share it. */
OLK_TABLE olk_scalar EK_MULTIPLES_NAME[OLK_SORF_GROUPS][OLK_SORF_WIDTHS] = EK_MULTIPLES;
#endif
static const olk_sorf_ops ek_ops = {
    .scores = olk_sorf_scores,
#if EK_WATCHES
    .learn_in_time = olk_sorf_learn_in_time,
    .accept = olk_accept_rows,
    .restart_rows = olk_restart_rows,
#elif EK_TASK == 3
    .learn_novelty = olk_sorf_learn_novelty,
#else
    .learn = olk_sorf_learn,
#endif
#if EK_FORECASTS
    .predict = olk_forecast_predict,
    .ask = olk_forecast_ask,
    .tell = olk_forecast_tell,
    .restart = olk_forecast_restart,
    .largest_target = EK_WIDE_ROWS ? OLK_MAX_DOUBLE_TARGET : OLK_MAX_SINGLE_TARGET,
#endif
};
static const olk_constants ek_constants = {
    .sorf = &ek_config,
#if EK_FORECASTS
    .forecast = &ek_forecaster,
#endif
#if EK_GAMMA_ROWS || EK_FOLLOWS
    .widths = EK_MULTIPLES_NAME,
#endif
    .ops = &ek_ops,
#if EK_MIXES
    .process = &ek_process,
#endif
};

#include "edgeolk/sorf_model.h"
#if EK_FORECASTS
#include "edgeolk/sorf_forecaster.h"
#endif

#include "call.h"

#if !EK_FORECASTS
/* The row as the learner sees it; NULL if a number is not finite. */
static OLK_NOINLINE const void *ek_take(ek_call *c, const ek_number *x, int learning)
{
#if EK_WATCHES /* NaN is a missing reading */
    (void)c;
    (void)learning;
    return x;
#else
    olk_raw_row row = {x};
    if (!olk_intake_row(&c->intake, &row, learning, OLK_REGION(&c->m, query)))
        return NULL;
#if EK_MIXES
    olk_model_keep_raw(&c->m, &c->intake.row);
#endif
#if EK_PAIRS
    c->m.config.hold = olk_intake_clamp(&c->intake);
#endif
    return row.dense;
#endif
}
#endif

#if !EK_WATCHES
static int ek_reject(const ek_call *c, int why)
{
    if (OLK_HAS(&c->m, skipped)) {
        olk_begin_step(c->m.state.flags);
        *olk_counter(&c->m, ek_setup.at.skipped) += 1;
        olk_end_step(c->m.state.flags, 0);
    }
    return why;
}
#endif

#if EK_FORECASTS
#include "forecasting.h"
#define ek_scored ek_scores
#else
/* `answer` scores a row: olk_model_decide, or olk_model_ask_late, after which it waits. */
static int ek_answered(void *arena, const ek_number *x, olk_scalar *scores,
                       int (*answer)(olk_model *, const void *, olk_scalar *))
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    const void *row = ek_take(c, x, 0);
    if (!row)
        return EK_BAD_ROW;
    (void)olk_model_begin_answers(&c->m);
    if (answer(&c->m, row, scores) != OLK_DONE)
        return EK_BAD_ROW;
    olk_model_count_answers(&c->m, 1);
    return EK_OK;
}

static OLK_NOINLINE int ek_scored(void *arena, const ek_number *x, olk_scalar *scores)
{
    return ek_answered(arena, x, scores, olk_model_decide);
}
#endif

#include "answers.h"

#if !EK_FORECASTS
#if EK_NARROW
static void ek_widen(const olk_scalar *found, double *scores)
{
    for (int k = 0; k < EK_COLUMNS; k++)
        scores[k] = (double)found[k];
}
#endif

int ek_scores(void *arena, const ek_number *x, double *scores)
{
#if EK_NARROW
    olk_scalar found[EK_COLUMNS];
    const int outcome = ek_scored(arena, x, found);
    if (outcome == EK_OK)
        ek_widen(found, scores);
    return outcome;
#else
    return ek_scored(arena, x, scores);
#endif
}
#endif

#if EK_LATE
int ek_ask(void *arena, const ek_number *x, double *scores)
{
#if EK_NARROW
    olk_scalar found[EK_COLUMNS];
    const int outcome = ek_answered(arena, x, found, olk_model_ask_late);
    if (outcome == EK_OK)
        ek_widen(found, scores);
    return outcome;
#else
    return ek_answered(arena, x, scores, olk_model_ask_late);
#endif
}

int ek_give_up(void *arena)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    return olk_model_give_up(&c->m) == OLK_DONE ? EK_OK : EK_WRONG_ORDER;
}
#endif

#if EK_WATCHES
static olk_verdict ek_learn_row(void *arena, const ek_number *x, double seconds, double *score)
{
    EK_CALL(c, arena);
    olk_row_sums sums;
    ek_enter(arena, c);
    (void)olk_model_learn(&c->m, x, seconds, 1.0, score, &sums);
    olk_end_step(c->m.state.flags, 0);
    return olk_model_verdict(&c->m);
}

int ek_learn_weighted(void *arena, const ek_number *x, double y, double weight, double *score)
{
    double before;
    (void)y;
    (void)weight;
    (void)ek_learn_row(arena, x, (double)NAN, score ? score : &before);
    return EK_OK;
}

int ek_learn(void *arena, const ek_number *x, double y, double *score)
{
    return ek_learn_weighted(arena, x, y, 1.0, score);
}

ek_verdict ek_watch(void *arena, const ek_number *x, double seconds)
{
    double before;
    const olk_verdict v = ek_learn_row(arena, x, seconds, &before);
    const ek_verdict verdict = {v.score, v.novel, v.alarm,   v.event,
                                v.rare,  v.part,  v.channel, v.alarms};
    return verdict;
}
#elif !EK_FORECASTS
#if EK_TASK != 3
/* By its bits: boards with floats alone do not compute with a double. */
static int ek_is_finite(double y)
{
    uint8_t at[sizeof y];
    memcpy(at, &y, sizeof y);
    const int low = at[sizeof y - 2], least = sizeof y == sizeof(float) ? 0x80 : 0xf0;
    return (at[sizeof y - 1] & 0x7f) != 0x7f || (low & least) != least;
}

static int ek_is_label(double y)
{
#if EK_TASK == 2
    return ek_is_finite(y);
#else
    const float label = (float)y;
    const double exact = (double)label;
    if (memcmp(&exact, &y, sizeof y))
        return 0;
#if EK_TASK == 0
    return label == 1.0f || label == -1.0f;
#else
    return label >= 0.0f && label < EK_COLUMNS && label == (float)(int32_t)label;
#endif
#endif
}
#endif

static OLK_NOINLINE int ek_learn_row(void *arena, const ek_number *x, double y, olk_scalar weight, double *score)
{
    EK_CALL(c, arena);
    olk_row_sums sums;
    olk_scalar before;
    ek_enter(arena, c);
#if EK_TASK != 3
    if (!ek_is_label(y))
        return ek_is_finite(y) ? EK_BAD_LABEL : ek_reject(c, EK_BAD_LABEL);
#endif
    const void *row = ek_take(c, x, 1);
    if (!row || olk_model_learn(&c->m, row, (olk_scalar)y, weight, &before, &sums) != OLK_DONE)
        return ek_reject(c, EK_BAD_ROW);
    (void)olk_model_finish(&c->m, &c->intake, row, &sums);
    olk_end_step(c->m.state.flags, 0);
    if (score)
        *score = (double)before;
    return EK_OK;
}

int ek_learn_weighted(void *arena, const ek_number *x, double y, double weight, double *score)
{
    const olk_scalar given = (olk_scalar)weight;
#if EK_TASK != 3
    if (!(given > 0 && given <= (olk_scalar)EK_MOST_WEIGHT))
        return EK_BAD_LABEL;
#endif
    return ek_learn_row(arena, x, y, given, score);
}

int ek_learn(void *arena, const ek_number *x, double y, double *score)
{
    return ek_learn_row(arena, x, y, 1, score);
}
#else
int ek_learn(void *arena, const ek_number *x, double y, double *score)
{
    return ek_learn_weighted(arena, x, y, 1.0, score);
}
#endif

#if EK_MIXES
int ek_variance(void *arena, const ek_number *x, double *variance)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    const void *row = ek_take(c, x, 0);
    if (!row)
        return EK_BAD_ROW;
    *variance = olk_model_variance(&c->m, row);
    return EK_OK;
}
#endif

#if EK_FORECASTS || EK_REPEATS || EK_WATCHES || EK_LATE
void ek_restart(void *arena)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    olk_model_restart(&c->m);
}
#endif

void ek_count(const void *arena, ek_counts *counts)
{
    EK_CALL(c, (void *)(uintptr_t)arena);
    ek_enter((void *)(uintptr_t)arena, c);
    const olk_counts n = olk_model_counts(&c->m);
    counts->steps = n.steps;
    counts->mistakes = n.mistakes;
    counts->updates = n.updates;
    counts->skipped = n.skipped;
    counts->alarms = n.alarms;
    counts->remembered = n.remembered;
}

#if EK_WATCHES
void ek_accept(void *arena)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    olk_model_accept(&c->m);
}
#endif

#define EK_HOLDS(block) (!olk_check_sorf(&ek_setup, block, NULL))
#include "state.h"
