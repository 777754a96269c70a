/* A forecaster's statistics of its target: the last values, their changes, mean, variance and unit
   (docs/forecast.md, sections 2, 3.3, 3.5 and 4.4). */
#pragma once

#include "bounded.h"

/* Windows of the unit, of the running means, of mean and variance, in rows; repeats of one target
   after which it is no longer learned; clip of numbers in units; the factor that turns persistence
   into a gate; clip of a level in deviations. */
static const olk_compute_t olk_unit_window = 200, olk_near_window = 16, olk_far_window = 256;
static const olk_compute_t olk_mean_window = 10000, olk_max_repeats = 200, olk_max_units = 10,
                           olk_gate_gain = 3;
static const olk_compute_t olk_max_level = 5;

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
static inline olk_compute_t olk_in_units(olk_compute_t v, olk_compute_t unit)
{
    return unit > 0 ? olk_clip(v / unit, olk_max_units) : 0;
}

/* The last target minus a running mean over `window` rows, in that mean's units. */
static inline olk_compute_t olk_off_mean(const olk_history *h, olk_input mean, olk_compute_t window)
{
    const olk_compute_t unit = (olk_compute_t)h->unit;
    return unit > 0 ? olk_clip(((olk_compute_t)h->last - (olk_compute_t)mean) /
                                   (unit * olk_root(window)),
                               olk_max_units)
                    : 0;
}

/* Correlation of a target with the last one [rho]. */
static inline olk_compute_t olk_persistence(const olk_history *h)
{
    if (!((olk_compute_t)h->variance > 0) || (olk_compute_t)h->squares < 3)
        return 0;
    return olk_clip(1 - (olk_compute_t)h->square / (2 * (olk_compute_t)h->variance), 1);
}

/* The level of the last target, in deviations [a]. */
static inline olk_compute_t olk_level_of(const olk_history *h)
{
    const olk_compute_t v = (olk_compute_t)h->variance;
    return v > 0 ? olk_clip(((olk_compute_t)h->last - (olk_compute_t)h->mean) / olk_root(v),
                            olk_max_level)
                 : 0;
}

/* The start: the median of three targets and its distance to the nearer of the others. */
static inline void olk_start_history(olk_history *h, olk_compute_t y)
{
    const olk_compute_t a = (olk_compute_t)h->first[0], b = (olk_compute_t)h->first[1];
    const olk_compute_t low = olk_min(a, b), high = olk_max(a, b);
    const olk_compute_t middle = olk_max(low, olk_min(high, y));
    const olk_compute_t below = middle - olk_min(low, y), above = olk_max(high, y) - middle;
    const olk_compute_t gap = olk_min(below, above);
    h->mean = h->near = h->far = (olk_input)middle;
    h->variance = (olk_input)(gap * gap);
    if (gap > 0) {
        h->unit = (olk_input)gap;
        h->square = (olk_input)(gap * gap);
        h->changes = h->squares = 1;
    }
}

static inline void olk_update_mean(olk_input *mean, olk_compute_t step, olk_compute_t targets,
                                   olk_compute_t window)
{
    *mean = (olk_input)((olk_compute_t)*mean + step / olk_min(targets, window));
}

/* Learns a known target; change: the absolute difference from the last target known when its row
   was answered, negative if there was none. */
static inline void olk_learn_target(olk_history *h, olk_compute_t y, olk_compute_t change)
{
    const olk_compute_t unit = (olk_compute_t)h->unit;
    const olk_compute_t targets = (olk_compute_t)h->targets + 1;
    h->targets = (olk_input)targets;
    if (targets <= 3) {
        h->mean = h->near = h->far = (olk_input)y;
        if (targets < 3)
            h->first[(int)targets - 1] = (olk_input)y;
        else
            olk_start_history(h, y);
        return;
    }
    olk_compute_t b = y - (olk_compute_t)h->mean, near = y - (olk_compute_t)h->near,
                  far = y - (olk_compute_t)h->far;
    if (unit > 0) {
        const olk_compute_t limit = olk_max_units * unit;
        b = olk_clip(b, olk_max_units * olk_max(olk_root((olk_compute_t)h->variance), unit));
        near = olk_clip(near, limit * olk_root(olk_near_window));
        far = olk_clip(far, limit * olk_root(olk_far_window));
    }
    const olk_compute_t n = olk_min(targets, olk_mean_window), v = (olk_compute_t)h->variance;
    h->variance = (olk_input)(v + (b * b * (1 - 1 / n) - v) / n);
    olk_update_mean(&h->mean, b, targets, olk_mean_window);
    olk_update_mean(&h->near, near, targets, olk_near_window);
    olk_update_mean(&h->far, far, targets, olk_far_window);
    if (change < 0)
        return;
    if (unit > 0)
        change = olk_min(change, olk_max_units * unit);
    h->squares = (olk_input)((olk_compute_t)h->squares + 1);
    h->square = (olk_input)((olk_compute_t)h->square +
                            (change * change - (olk_compute_t)h->square) /
                                olk_min((olk_compute_t)h->squares, olk_mean_window));
    if (unit > 0 || change > 0) {
        h->changes = (olk_input)((olk_compute_t)h->changes + 1);
        h->unit = (olk_input)(unit + (change - unit) /
                                         olk_min((olk_compute_t)h->changes, olk_unit_window));
    }
}

/* The target becomes the last one. */
static inline void olk_shift_history(olk_history *h, olk_compute_t y)
{
    h->change[2] = h->change[1];
    h->change[1] = h->change[0];
    h->change[0] = (olk_input)(olk_marked(h, OLK_KNOWN) ? y - (olk_compute_t)h->last : 0);
    h->last = (olk_input)y;
}
