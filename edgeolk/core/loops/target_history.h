/* A forecaster's statistics of its target: the last values, their changes, mean, variance and unit
   (docs/forecast.md, sections 2, 3.3, 3.5 and 4.4). */
#pragma once

#include "bounded.h"

/* Windows of the unit, of the running means, of mean and variance, in rows; repeats of one target
   after which it is no longer learned; clip of numbers in units; the factor that turns persistence
   into a gate; clip of a level in deviations. */
static const olk_real olk_unit_window = 200, olk_near_window = 16, olk_far_window = 256;
static const olk_real olk_mean_window = 10000, olk_dead = 200, olk_most_units = 10, olk_gain = 3;
static const olk_real olk_most_level = 5;

/* Bits of `marks`. */
enum { OLK_KNOWN = 1, OLK_KERNEL_KNOWN = 2 };

/* All zero at the start. In brackets: the name in docs/forecast.md. */
typedef struct {
    olk_input targets;    /* known so far [N] */
    olk_input changes;    /* number of changes in the unit [J] */
    olk_input squares;    /* number of changes in the mean squared change [Q] */
    olk_input repeats;    /* of the last target [Z] */
    olk_input learned;    /* rows learned by the linear learners [n] */
    olk_input marks;      /* whether `last` and `kernel` are known */
    olk_input first[2];   /* the first two targets */
    olk_input error;      /* mean error of the answers, in units [mo] */
    olk_input last;       /* last known target [y1] */
    olk_input change[3];  /* last three changes [c1, c2, c3] */
    olk_input mean, variance; /* [m, v] */
    olk_input square;     /* mean squared change [q] */
    olk_input unit;       /* mean absolute change [sc] */
    olk_input near, far;  /* running means [e1, e2] */
    olk_input kernel;     /* the kernel's answer to the row of the last target [slast] */
} olk_history;

static inline int olk_marked(const olk_history *h, int bit)
{
    return ((int)h->marks & bit) != 0;
}

/* v in units, clipped; 0 while the unit is unknown. */
static inline olk_real olk_in_units(olk_real v, olk_real unit)
{
    return unit > 0 ? olk_bounded(v / unit, olk_most_units) : 0;
}

/* The last target minus a running mean over `window` rows, in that mean's units. */
static inline olk_real olk_off_mean(const olk_history *h, olk_input mean, olk_real window)
{
    const olk_real unit = (olk_real)h->unit;
    return unit > 0
               ? olk_bounded(((olk_real)h->last - (olk_real)mean) / (unit * olk_root(window)),
                             olk_most_units)
               : 0;
}

/* Correlation of a target with the last one [rho]. */
static inline olk_real olk_persistence(const olk_history *h)
{
    if (!((olk_real)h->variance > 0) || (olk_real)h->squares < 3)
        return 0;
    return olk_bounded(1 - (olk_real)h->square / (2 * (olk_real)h->variance), 1);
}

/* The level of the last target, in deviations [a]. */
static inline olk_real olk_level_of(const olk_history *h)
{
    const olk_real v = (olk_real)h->variance;
    return v > 0 ? olk_bounded(((olk_real)h->last - (olk_real)h->mean) / olk_root(v),
                               olk_most_level)
                 : 0;
}

/* The start: the median of three targets and its distance to the nearer of the others. */
static inline void olk_start_history(olk_history *h, olk_real y)
{
    const olk_real a = (olk_real)h->first[0], b = (olk_real)h->first[1];
    const olk_real low = olk_least(a, b), high = olk_most(a, b);
    const olk_real middle = olk_most(low, olk_least(high, y));
    const olk_real below = middle - olk_least(low, y), above = olk_most(high, y) - middle;
    const olk_real gap = olk_least(below, above);
    h->mean = h->near = h->far = (olk_input)middle;
    h->variance = (olk_input)(gap * gap);
    if (gap > 0) {
        h->unit = (olk_input)gap;
        h->square = (olk_input)(gap * gap);
        h->changes = h->squares = 1;
    }
}

static inline void olk_follow_mean(olk_input *mean, olk_real step, olk_real targets,
                                   olk_real window)
{
    *mean = (olk_input)((olk_real)*mean + step / olk_least(targets, window));
}

/* Learns a known target; change: the absolute difference from the last target known when its row
   was answered, negative if there was none. */
static inline void olk_take_target(olk_history *h, olk_real y, olk_real change)
{
    const olk_real unit = (olk_real)h->unit;
    const olk_real targets = (olk_real)h->targets + 1;
    h->targets = (olk_input)targets;
    if (targets <= 3) {
        h->mean = h->near = h->far = (olk_input)y;
        if (targets < 3)
            h->first[(int)targets - 1] = (olk_input)y;
        else
            olk_start_history(h, y);
        return;
    }
    olk_real b = y - (olk_real)h->mean, near = y - (olk_real)h->near, far = y - (olk_real)h->far;
    if (unit > 0) {
        const olk_real limit = olk_most_units * unit;
        b = olk_bounded(b, olk_most_units * olk_most(olk_root((olk_real)h->variance), unit));
        near = olk_bounded(near, limit * olk_root(olk_near_window));
        far = olk_bounded(far, limit * olk_root(olk_far_window));
    }
    const olk_real n = olk_least(targets, olk_mean_window), v = (olk_real)h->variance;
    h->variance = (olk_input)(v + (b * b * (1 - 1 / n) - v) / n);
    olk_follow_mean(&h->mean, b, targets, olk_mean_window);
    olk_follow_mean(&h->near, near, targets, olk_near_window);
    olk_follow_mean(&h->far, far, targets, olk_far_window);
    if (change < 0)
        return;
    if (unit > 0)
        change = olk_least(change, olk_most_units * unit);
    h->squares = (olk_input)((olk_real)h->squares + 1);
    h->square = (olk_input)((olk_real)h->square +
                            (change * change - (olk_real)h->square) /
                                olk_least((olk_real)h->squares, olk_mean_window));
    if (unit > 0 || change > 0) {
        h->changes = (olk_input)((olk_real)h->changes + 1);
        h->unit = (olk_input)(unit + (change - unit) /
                                         olk_least((olk_real)h->changes, olk_unit_window));
    }
}

/* The target becomes the last one. */
static inline void olk_shift_history(olk_history *h, olk_real y)
{
    h->change[2] = h->change[1];
    h->change[1] = h->change[0];
    h->change[0] = (olk_input)(olk_marked(h, OLK_KNOWN) ? y - (olk_real)h->last : 0);
    h->last = (olk_input)y;
}
