/* The forecaster of a model over its block: rows are predicted, and learned when their targets come.
   One source for the library and for boards (sorf_model.h). */
#pragma once

#include "sorf_model.h"

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
