/* Drift: an alarm on a learner's own mistakes that starts the scaler's ages or the model anew
   (docs/sorf.md, section 13). Functions without a type of weights, compiled where they are used. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preprocessing.h"
#include "kept_rows.h"
#include "mixing.h"
#include "sorf_types.h"

/* Numbers of the state, in the type of rows: v, the spread of the inputs; g, by how much the last
   weights err more often than their average; mistakes of late, and of long; rows since the last look
   (rows - `last`), which stops at its largest; alarms, which stop there too. */
enum {
    OLK_DRIFT_SPREAD = 0,
    OLK_DRIFT_GAP = 1,
    OLK_DRIFT_FAST = 2,
    OLK_DRIFT_SLOW = 3,
    OLK_DRIFT_SINCE = 4,
    OLK_DRIFT_ALARMS = 5,
    OLK_DRIFT_NUMBERS = 6
};
/* Whole numbers up to it are exact in single precision. */
static const double olk_most_counted = 16777215.0;
/* Rows that the averages remember; rows before the first look, from one alarm to the next look, and
   how far a look that finds nothing sets that back. */
static const double olk_fast_rows = 128.0, olk_slow_rows = 2048.0;
static const double olk_first_look = 500.0, olk_calm_rows = 256.0, olk_looked_back = 240.0;
/* Mistakes of late that are a change: more than so many times those of long, and this. */
static const double olk_alarm_factor = 2.0, olk_alarm_more = 0.1;
/* Spreads that a scaler which fits does not leave; the age that it then has at most; the gap at
   which the weights are right where their average is not. */
static const double olk_narrowest_spread = 0.6;
enum { OLK_YOUNG = 100 };
static const double olk_alarm_gap = -0.1;
/* Squares count up to this. */
static const double olk_most_square = 1e30;

/* The group with the largest share, the first at a tie. */
static inline int32_t olk_leader(const olk_sorf *p, const olk_sorf_shares *share)
{
    int32_t lead = 0;
    for (int32_t g = 1; g < p->groups; g++)
        lead = share->E[g] > share->E[lead] ? g : lead;
    return lead;
}

/* A number of the state. `wide`: they are doubles, else floats. */
static inline double olk_drift_number(const olk_sorf_state *s, int wide, int i)
{
    return wide ? ((const double *)s->drift)[i] : (double)((const float *)s->drift)[i];
}

static inline void olk_put_drift_number(const olk_sorf_state *s, int wide, int i, double v)
{
    if (wide)
        ((double *)s->drift)[i] = v;
    else
        ((float *)s->drift)[i] = (float)v;
}

/* An average over `rows`, or over all of them so far, with one more in it. */
static inline void olk_follow_number(const olk_sorf_state *s, int wide, int i, double v,
                                     double rows)
{
    const double t = (double)*s->t, old = olk_drift_number(s, wide, i);
    olk_put_drift_number(s, wide, i, old + (v - old) / (t < rows ? t : rows));
}

/* What a row cost the blend, the last weights and their average, before they changed; the row is
   counted in t. */
static OLK_ALONE void olk_note_costs(const olk_sorf *p, const olk_sorf_state *s, int wide,
                                     double blend, double last, double average)
{
    const double by = p->task == OLK_SORF_REGRESSION ? 1.0 / olk_most_error : 1.0;
    const double since = olk_drift_number(s, wide, OLK_DRIFT_SINCE) + 1.0;
    olk_follow_number(s, wide, OLK_DRIFT_GAP, by * (last - average), olk_fast_rows);
    olk_follow_number(s, wide, OLK_DRIFT_FAST, by * blend, olk_fast_rows);
    olk_follow_number(s, wide, OLK_DRIFT_SLOW, by * blend, olk_slow_rows);
    olk_put_drift_number(s, wide, OLK_DRIFT_SINCE,
                         since < olk_most_counted ? since : olk_most_counted);
}

/* The mean square of a scaled row over the inputs that have a deviation, the others being 0; none:
   the spread stays. */
static inline void olk_note_spread(const olk_sorf_state *s, double squares, ptrdiff_t deviating,
                                   int wide)
{
    const double mean = deviating ? squares / (double)deviating : 0.0;
    if (deviating)
        olk_follow_number(s, wide, OLK_DRIFT_SPREAD,
                          mean < olk_most_square ? mean : olk_most_square, olk_fast_rows);
}

/* The model begins anew, but for the widths that were learned, the linear candidate and what is
   known of targets; item: bytes of a stored weight. */
static inline void olk_forget_weights(const olk_sorf *p, const olk_sorf_state *s, size_t item)
{
    const size_t nbytes = 2 * (size_t)p->D * (size_t)p->classes * item;
    const int32_t counters = p->groups * p->n_blends + p->linear + p->last_label;
    memset(s->w, 0, nbytes);
    memset(s->a, 0, nbytes);
    memset(s->L, 0, (size_t)counters * sizeof *s->L);
    for (int32_t g = 0; g < p->groups; g++)
        s->n[g] = 1.0;
    if (olk_remembers(p))
        olk_forget_rows(s);
}

/* Looks for drift, after a row that was learned: the sum of its squares as scaled, and how many
   inputs have a deviation by now. `scaler` has kept it, with `seen` rows; NULL where there is none, and
   where one scale is that of all inputs: that has no ages. */
static inline void olk_watch(const olk_sorf *p, const olk_sorf_state *s, const olk_scaler *scaler,
                             double squares, ptrdiff_t deviating, int64_t seen, int wide,
                             size_t item)
{
    olk_note_spread(s, squares, deviating, wide);
    if (!(olk_drift_number(s, wide, OLK_DRIFT_SINCE) > olk_calm_rows) ||
        !((double)*s->t > olk_first_look) ||
        !(olk_drift_number(s, wide, OLK_DRIFT_FAST) >
          olk_alarm_factor * olk_drift_number(s, wide, OLK_DRIFT_SLOW) + olk_alarm_more))
        return;
    const double spread = olk_drift_number(s, wide, OLK_DRIFT_SPREAD);
    const double alarms = olk_drift_number(s, wide, OLK_DRIFT_ALARMS) + 1.0;
    double since = 0.0;
    if (scaler && olk_follows_rows(scaler, seen) &&
        (spread < olk_narrowest_spread || spread > 1.0 / olk_narrowest_spread))
        olk_limit_age(scaler, p->d, OLK_YOUNG);
    else if (olk_drift_number(s, wide, OLK_DRIFT_GAP) <= olk_alarm_gap)
        olk_forget_weights(p, s, item);
    else
        since = olk_looked_back;
    olk_put_drift_number(s, wide, OLK_DRIFT_SINCE, since);
    if (since == 0.0)
        olk_put_drift_number(s, wide, OLK_DRIFT_ALARMS,
                             alarms < olk_most_counted ? alarms : olk_most_counted);
}
