/* The forecaster (docs/forecast.md of the library): forecasts of rows, and pending rows. Included
   by sorf.c. */
#ifndef EDGEOLK_FORECASTING_H
#define EDGEOLK_FORECASTING_H

static olk_forecast_state ek_forecast_state(uint8_t *base)
{
    olk_forecast_state m;
    m.history = ek_at(base, EK_AT_history);
    m.diagonal = ek_at(base, EK_AT_forecaster);
    m.head = ek_at(base, EK_AT_head);
    m.ml_poly = ek_at(base, EK_AT_ml_poly);
    m.pending = ek_at(base, EK_AT_pending);
    m.season = ek_at(base, EK_AT_season);
    m.n_asked = ek_words(base, EK_AT_STEPS);
    m.flags = (uint16_t *)(void *)(base + EK_AT_FLAGS);
    return m;
}

/* A scaled row, followed by space for the kernel's inputs from the history; NULL if the row is bad.
   NaN is a missing reading, replaced by the previous one. */
static ek_number *ek_take_readings(ek_call *c, const ek_number *x)
{
    ek_number *z = (ek_number *)(void *)(c->base + EK_AT_query);
    olk_raw_row row = {x};
    const int good = olk_intake_row(&c->intake, &row, 1, z);
    return good && EK_SCALE_CLIP * EK_FEATURES + 20.0 <= c->max_sum ? z : NULL;
}

static void ek_fill_forecast(const olk_forecast_answer *prediction, ek_forecast *forecast)
{
    forecast->answer = prediction->answer;
    for (int i = 0; i < EK_INTERVALS; i++) {
        forecast->low[i] = prediction->answer - prediction->half_width[i];
        forecast->high[i] = prediction->answer + prediction->half_width[i];
    }
}

int ek_look(void *arena, const ek_number *x, ek_forecast *forecast)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    const olk_forecast_state m = ek_forecast_state(c->base);
    olk_forecast_answer prediction;
    ek_number *z = ek_take_readings(c, x);
    if (!z)
        return EK_BAD_ROW;
    olk_forecast_predict(&ek_forecaster, &m, c->p, c->s, z, &prediction);
    ek_fill_forecast(&prediction, forecast);
    return EK_OK;
}

int ek_ask(void *arena, const ek_number *x, ek_forecast *forecast)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    const olk_forecast_state m = ek_forecast_state(c->base);
    olk_forecast_answer prediction;
    ek_number *z = ek_take_readings(c, x);
    if (!z)
        return EK_BAD_ROW;
    olk_forecast_ask(&ek_forecaster, &m, c->p, c->s, z, &prediction);
    olk_intake_keep(&c->intake);
    olk_end_step(c->s->flags, 0);
    ek_fill_forecast(&prediction, forecast);
    return EK_OK;
}

/* Whether a target can be learned; NaN means that it is unknown. */
static int ek_takes_target(double y)
{
    const double max_target = EK_WIDE_ROWS ? OLK_MAX_DOUBLE_TARGET : OLK_MAX_SINGLE_TARGET;
    return y != y || olk_fabs(y) <= max_target;
}

int ek_tell(void *arena, double y)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    const olk_forecast_state m = ek_forecast_state(c->base);
    double answer = 0.0;
#if EK_FOLLOWS
    const uint64_t rows = *c->s->t;
#endif
    if (!ek_takes_target(y))
        return EK_BAD_LABEL;
    if (!olk_forecast_tell(&ek_forecaster, &m, c->p, c->s, c->base + EK_AT_query, y, &answer))
        return EK_WRONG_ORDER;
#if EK_FOLLOWS /* the kernel's row is still stored there */
    if (*c->s->t != rows) {
        const double square =
            olk_sums_of_row(c->base + EK_AT_query, EK_INPUTS, EK_WIDE_ROWS, 0.0).squares;
        olk_intake_follow(&c->intake, square, EK_INPUTS, *c->s->t);
    }
#endif
    if (y == y) {
        double *errors = (double *)ek_at(c->base, EK_AT_errors);
        errors[0] += (y - answer) * (y - answer);
        errors[1] += olk_fabs(y - answer);
    }
    olk_end_step(c->s->flags, 0);
    return EK_OK;
}

void ek_restart(void *arena)
{
    uint8_t *base = ek_base(arena);
    const olk_forecast_state m = ek_forecast_state(base);
    olk_forecast_restart(&ek_forecaster, &m);
    olk_end_step(m.flags, 0);
}

static int ek_has_pending(void *arena)
{
    const olk_forecast_state m = ek_forecast_state(ek_base(arena));
    return olk_oldest_pending(&ek_forecaster, &m) != NULL;
}

int ek_scores(void *arena, const ek_number *x, double *scores)
{
    ek_forecast forecast;
    const int code = ek_look(arena, x, &forecast);
    if (code == EK_OK)
        *scores = forecast.answer;
    return code;
}

int ek_learn_weighted(void *arena, const ek_number *x, double y, double weight, double *score)
{
    EK_CALL(c, arena);
    ek_forecast forecast;
    ek_enter(arena, c);
    /* In the order of the library, which counts bad rows and targets but no wrong order. */
    if (weight != 1.0)
        return EK_BAD_LABEL;
    if (y == y && y - y != 0.0)
        return ek_reject(c, EK_BAD_LABEL);
    if (!ek_take_readings(c, x))
        return ek_reject(c, EK_BAD_ROW);
    if (EK_HORIZON > 1)
        return EK_WRONG_ORDER;
    if (!ek_takes_target(y))
        return ek_reject(c, EK_BAD_LABEL);
    if (ek_has_pending(arena))
        return EK_WRONG_ORDER;
    ek_ask(arena, x, &forecast);
    if (score)
        *score = forecast.answer;
    return ek_tell(arena, y);
}

#endif
