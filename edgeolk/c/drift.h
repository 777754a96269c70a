/* Drift detection: an alarm on a learner's mistakes that resets the scaler's ages or the model
   (docs/sorf.md, section 13). Functions independent of the type of weights. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "row_memory_state.h"
#include "scaler.h"

/* Numbers of the state, in the type of rows: v, the spread of the inputs; g, how much more often
   the last weights err than their average; recent and long-term mistakes; rows since the last
   check, which saturates; alarms, which saturate too. */
enum {
    OLK_DRIFT_SPREAD = 0,
    OLK_DRIFT_GAP = 1,
    OLK_DRIFT_FAST = 2,
    OLK_DRIFT_SLOW = 3,
    OLK_DRIFT_SINCE = 4,
    OLK_DRIFT_ALARMS = 5,
    OLK_DRIFT_NUMBERS = 6
};
/* Integers up to this are exact in single precision. */
static const olk_scalar olk_max_counted = 16777215;
/* Windows of the fast and the slow averages in rows; rows before the first check, from one alarm to
   the next check, and the count after a check that changed nothing. */
enum { OLK_FAST_DRIFT_ROWS = 128, OLK_SLOW_DRIFT_ROWS = 2048 };
enum { OLK_FIRST_CHECK = 500, OLK_ALARM_INTERVAL = 256, OLK_ALARM_RETRY = 240 };
/* A change: recent mistakes above twice the long-term ones plus a margin. */
static const olk_scalar olk_alarm_margin = (olk_scalar)0.1;
/* A fitting scaler keeps the spread between this and its inverse; the age limit after an alarm; the
   gap at which the last weights are right where their average is not. */
static const olk_scalar olk_min_fitting_spread = (olk_scalar)0.6;
static const olk_scalar olk_max_fitting_spread = (olk_scalar)(1.0 / 0.6);
enum { OLK_ALARM_AGE = 100 };
static const olk_scalar olk_alarm_gap = (olk_scalar)-0.1;
/* Squares are clipped here. */
static const olk_scalar olk_max_square = (olk_scalar)1e30;

/* A number of the state. `wide`: they are doubles, else floats. */
static inline olk_scalar olk_drift_number(const olk_sorf_state *s, int wide, int i)
{
    return wide ? (olk_scalar)((const double *)s->drift)[i]
                : (olk_scalar)((const float *)s->drift)[i];
}

static inline void olk_put_drift_number(const olk_sorf_state *s, int wide, int i, olk_scalar v)
{
    if (wide)
        ((double *)s->drift)[i] = (double)v;
    else
        ((float *)s->drift)[i] = (float)v;
}

/* Adds a value to a running average over `rows`, or over all rows while there are fewer. */
static inline void olk_update_average(const olk_sorf_state *s, int wide, int i, olk_scalar v,
                                      int32_t rows)
{
    const olk_scalar old = olk_drift_number(s, wide, i);
    const int32_t n = *s->t < (uint64_t)rows ? (int32_t)*s->t : rows;
    if (wide)
        ((double *)s->drift)[i] = (double)(old + (v - old) / (olk_scalar)n);
    else
        ((float *)s->drift)[i] = (float)old + ((float)v - (float)old) / (float)n;
}

/* Records the losses of the blend, of the last weights and of their average on a row, all before
   learning; t already counts the row. */
static OLK_NOCLONE void olk_record_losses(const olk_sorf *p, const olk_sorf_state *s, int wide,
                                          olk_scalar blend, olk_scalar last, olk_scalar average)
{
    /* of errors up to 4 */
    const olk_scalar by = p->task == OLK_SORF_REGRESSION ? (olk_scalar)0.25 : 1;
    const olk_scalar since = olk_drift_number(s, wide, OLK_DRIFT_SINCE) + 1;
    olk_update_average(s, wide, OLK_DRIFT_GAP, by * (last - average), OLK_FAST_DRIFT_ROWS);
    olk_update_average(s, wide, OLK_DRIFT_FAST, by * blend, OLK_FAST_DRIFT_ROWS);
    olk_update_average(s, wide, OLK_DRIFT_SLOW, by * blend, OLK_SLOW_DRIFT_ROWS);
    olk_put_drift_number(s, wide, OLK_DRIFT_SINCE,
                         since < olk_max_counted ? since : olk_max_counted);
}

/* Records the mean square of a scaled row over the inputs that have a deviation (the others are 0);
   without any, the spread stays. */
static inline void olk_record_spread(const olk_sorf_state *s, olk_scalar squares,
                                     ptrdiff_t deviating, int wide)
{
    const olk_scalar mean = !deviating ? 0
                            : wide     ? squares / (olk_scalar)deviating
                                       : (olk_scalar)((float)squares / (float)deviating);
    if (deviating)
        olk_update_average(s, wide, OLK_DRIFT_SPREAD, mean < olk_max_square ? mean : olk_max_square,
                           OLK_FAST_DRIFT_ROWS);
}

/* Whether recent mistakes are an alarm. */
static inline int olk_errs_more(const olk_sorf_state *s, int wide)
{
    const olk_scalar fast = olk_drift_number(s, wide, OLK_DRIFT_FAST);
    const olk_scalar slow = olk_drift_number(s, wide, OLK_DRIFT_SLOW);
    return wide ? fast > 2 * slow + olk_alarm_margin
                : (float)fast > 2.0f * (float)slow + (float)olk_alarm_margin;
}

/* Averaging windows begin at 1. `wide`: they are doubles, else floats. */
static inline void olk_begin_windows(const olk_sorf *p, const olk_sorf_state *s, int wide)
{
    for (int32_t g = 0; s->n && g < p->groups; g++) {
        if (wide)
            ((double *)s->n)[g] = 1.0;
        else
            ((float *)s->n)[g] = 1.0f;
    }
}

/* Resets the model, except the learned widths, the linear expert and the statistics of targets;
   item: bytes of a stored weight. */
static inline void olk_reset_weights(const olk_sorf *p, const olk_sorf_state *s, int wide,
                                     size_t item)
{
    const size_t nbytes = 2 * (size_t)p->D * (size_t)p->classes * item;
    const size_t number = wide ? sizeof(double) : sizeof(float);
    if (nbytes) {
        memset(s->w, 0, nbytes);
        memset(s->a, 0, nbytes);
    }
    if (p->linear_group) {
        memset(s->linear_w, 0, (size_t)(p->d + 1) * (size_t)p->classes * item);
        if (s->linear_a)
            memset(s->linear_a, 0, (size_t)(p->d + 1) * (size_t)p->classes * item);
    }
    memset(s->L, 0, (size_t)olk_n_losses(p) * number);
    if (p->delay)
        memset(s->late_losses, 0, 2 * (size_t)p->groups * number);
    olk_begin_windows(p, s, wide);
    if (olk_has_memory(p))
        olk_clear_memory(s, wide);
}

/* Checks for drift after a row was learned; `squares`: the sum of the squared scaled inputs,
   `deviating`: how many inputs have a deviation. `scaler` has already learned the row, its
   `seen`-th; NULL without a scaler, and where all inputs share one scale, which has no age. */
static inline void olk_check_drift(const olk_sorf *p, const olk_sorf_state *s,
                                   const olk_scaler *scaler, olk_scalar squares,
                                   ptrdiff_t deviating, int64_t seen, int wide, size_t item)
{
    olk_record_spread(s, squares, deviating, wide);
    if (!(olk_drift_number(s, wide, OLK_DRIFT_SINCE) > OLK_ALARM_INTERVAL) ||
        *s->t <= OLK_FIRST_CHECK || !olk_errs_more(s, wide))
        return;
    const olk_scalar spread = olk_drift_number(s, wide, OLK_DRIFT_SPREAD);
    const olk_scalar alarms = olk_drift_number(s, wide, OLK_DRIFT_ALARMS) + 1;
    olk_scalar rows_since = 0;
    if (scaler && olk_is_adapting(scaler, seen) &&
        (spread < olk_min_fitting_spread || spread > olk_max_fitting_spread))
        olk_limit_age(scaler, p->d, OLK_ALARM_AGE);
    else if (olk_drift_number(s, wide, OLK_DRIFT_GAP) <= olk_alarm_gap)
        olk_reset_weights(p, s, wide, item);
    else
        rows_since = OLK_ALARM_RETRY;
    olk_put_drift_number(s, wide, OLK_DRIFT_SINCE, rows_since);
    if (rows_since == 0)
        olk_put_drift_number(s, wide, OLK_DRIFT_ALARMS,
                             alarms < olk_max_counted ? alarms : olk_max_counted);
}
