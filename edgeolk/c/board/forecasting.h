/* The forecaster (docs/forecast.md of the library): forecasts of rows, and pending rows. Included
   by sorf.c. */
#ifndef EDGEOLK_FORECASTING_H
#define EDGEOLK_FORECASTING_H

/* A scaled row, followed by space for the kernel's inputs from the history; NULL if the row is bad.
   NaN is a missing reading, replaced by the previous one. */
static ek_number *ek_take_readings(ek_call *c, const ek_number *x)
{
    ek_number *z = OLK_REGION(&c->m, query);
    olk_raw_row row = {x};
    return olk_intake_row(&c->intake, &row, 1, z) ? z : NULL;
}

/* An interval is infinite while errors are unknown, as in the library: a half width is then 0. */
static void ek_fill_forecast(const olk_forecast_answer *prediction, ek_forecast *forecast)
{
    int known = 1;
    for (int i = 0; i < EK_INTERVALS; i++)
        known = known && prediction->half_width[i] > 0.0;
    forecast->answer = prediction->answer;
    for (int i = 0; i < EK_INTERVALS; i++) {
        const double half = known ? prediction->half_width[i] : (double)INFINITY;
        forecast->low[i] = prediction->answer - half;
        forecast->high[i] = prediction->answer + half;
    }
}

int ek_look(void *arena, const ek_number *x, ek_forecast *forecast)
{
    EK_CALL(c, arena);
    ek_enter(arena, c);
    olk_forecast_answer prediction;
    ek_number *z = ek_take_readings(c, x);
    if (!z || olk_model_predict(&c->m, z, &prediction) != OLK_DONE)
        return EK_BAD_ROW;
    ek_fill_forecast(&prediction, forecast);
    return EK_OK;
}

/* The functions of edgeolk.h in a context that the caller has: another would take as much stack. */
static int ek_ask_with(void *arena, ek_call *c, const ek_number *x, ek_forecast *forecast)
{
    ek_enter(arena, c);
    olk_forecast_answer prediction;
    ek_number *z = ek_take_readings(c, x);
    if (!z || olk_model_ask(&c->m, z, &prediction) != OLK_DONE)
        return EK_BAD_ROW;
    olk_intake_keep(&c->intake);
    olk_end_step(c->m.state.flags, 0);
    ek_fill_forecast(&prediction, forecast);
    return EK_OK;
}

static int ek_tell_with(void *arena, ek_call *c, double y)
{
    ek_enter(arena, c);
    const int outcome = olk_model_tell(&c->m, &c->intake, OLK_REGION(&c->m, query), y);
    if (outcome != OLK_DONE)
        return outcome == OLK_REFUSED_TARGET ? EK_BAD_LABEL : EK_WRONG_ORDER;
    olk_end_step(c->m.state.flags, 0);
    return EK_OK;
}

int ek_ask(void *arena, const ek_number *x, ek_forecast *forecast)
{
    EK_CALL(c, arena);
    return ek_ask_with(arena, c, x, forecast);
}

int ek_tell(void *arena, double y)
{
    EK_CALL(c, arena);
    return ek_tell_with(arena, c, y);
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
    const int outcome = olk_model_check_target(&c->m, y);
    if (outcome != OLK_DONE)
        return outcome == OLK_REFUSED_TARGET ? ek_reject(c, EK_BAD_LABEL) : EK_WRONG_ORDER;
    if (ek_ask_with(arena, c, x, &forecast) != EK_OK)
        return ek_reject(c, EK_BAD_ROW);
    if (score)
        *score = forecast.answer;
    return ek_tell_with(arena, c, y);
}

#endif
