/* What is remembered of each channel of a stream, and what one reading is in its light: step A of
   novelty in time (docs/novelty.md). */
#pragma once

#include "channel_gate.h"
#include "logarithm.h"
#include "running_moments.h"

/* Rows that fast memory reaches back; readings after which a channel's scale is trusted; the largest
   reading that is one; the most that a count of 16 bits holds. */
enum { OLK_FAST_ROWS = 64, OLK_TRUSTED_READINGS = 10, OLK_MOST_RUN = 65535 };
static const double olk_largest_reading = 1e15;
/* A share of squared differences that stands for none; the least deviation of runs. */
static const double olk_least_roughness = 1e-6, olk_least_run_deviation = 0.5;

/* What a channel's reading is odd in, in the order that ties are settled. */
enum { OLK_OF_VALUE = 0, OLK_OF_ROUGHNESS = 1, OLK_OF_MEAN = 2, OLK_OF_FLAT = 3 };

/* One channel as the block holds it, twelve numbers and two counts; beside them the specification's
   names. */
typedef struct {
    olk_moments reading;     /* mu, v */
    double last;
    double correlation;      /* c: of successive readings */
    double roughness;        /* e: fast mean of squared differences */
    olk_moments log_rough;   /* lm, lv */
    double drift, square;    /* m, mv: fast mean of deviations, mean of its square */
    double energy;           /* q: fast mean of ln(1 + z^2) */
    olk_moments log_run;     /* rm, rv */
    uint32_t readings, run;  /* n; rows without a change */
} olk_channel;

/* A reading in the light of its channel. */
typedef struct {
    double input[3]; /* value, roughness, mean in deviations */
    double odd[4];   /* sizes of these, and of the run without a change */
    double level;    /* y */
    double gate;     /* G */
    int there;       /* it is a number */
} olk_reading_seen;

/* A row in the light of all channels. */
typedef struct {
    double most;       /* B: of all channels, in what a reading is furthest off */
    ptrdiff_t channel; /* which one that is */
    int what;
    olk_moments before; /* its readings' mean and variance before this one */
    double level, trust; /* Y, T */
    double spread;       /* expected square of all inputs, after the row */
    int there, moved;    /* some reading is one; some channel has moved */
    double reading;      /* of the channel that was asked for: its reading, if it is there, and rows */
    int reading_there;   /*   without a change */
    uint32_t run;
} olk_row_seen;

/* How a row is looked at. */
typedef struct {
    double rows, unit; /* rows of the stream before it; what inputs are multiplied by */
    int learning;      /* channels follow it */
    int anew;          /* no row is known before it */
    ptrdiff_t channel; /* whose reading is told */
} olk_row_asked;

/* How a channel looks at its readings: rows that it remembers, and whether outliers count less. */
typedef struct {
    double window;
    int robust;
} olk_channel_sight;

static inline olk_channel olk_recall_channel(const olk_sorf_state *s, ptrdiff_t j)
{
    const olk_input *v = (const olk_input *)s->channels + 12 * j;
    const olk_channel held = {
        {(double)v[0], (double)v[1]}, (double)v[2], (double)v[3], (double)v[4],
        {(double)v[5], (double)v[6]}, (double)v[7], (double)v[8], (double)v[9],
        {(double)v[10], (double)v[11]}, s->readings[j] & OLK_MOST_RUN, s->readings[j] >> 16};
    return held;
}

static inline void olk_keep_channel(const olk_sorf_state *s, ptrdiff_t j, const olk_channel *of)
{
    olk_input *v = (olk_input *)s->channels + 12 * j;
    const double now[12] = {of->reading.mean,   of->reading.variance,   of->last,
                            of->correlation,    of->roughness,          of->log_rough.mean,
                            of->log_rough.variance, of->drift,          of->square,
                            of->energy,         of->log_run.mean,       of->log_run.variance};
    for (int i = 0; i < 12; i++)
        v[i] = (olk_input)now[i];
    s->readings[j] = of->readings | of->run << 16;
}

/* 1 over the number of rows so far, at most so many. */
static inline double olk_share_of(double rows, double most)
{
    return 1.0 / (rows < most ? rows : most);
}

/* A.1: G, by what the channel remembers. */
static inline double olk_gate_of(const olk_channel *of, const olk_channel_sight *sight)
{
    const double rows = (double)of->readings;
    return olk_gate(of->correlation, rows < sight->window ? rows : sight->window, sight->robust);
}

/* A.3 to A.7: a number, taken into its channel. */
static inline void olk_see_number(olk_channel *of, double x, const olk_channel_sight *sight,
                                  olk_reading_seen *seen)
{
    const double window = sight->window;
    const double rows = (double)of->readings + 1.0, fast_rows = OLK_FAST_ROWS;
    const double share = olk_share_of(rows, window), fast = olk_share_of(rows, fast_rows);
    const double gate = seen->gate, most = olk_most_deviations;
    double z, before = 0.0;
    if (of->reading.variance > 0.0) {
        z = olk_held_deviations(&of->reading, x);
        before = olk_held_deviations(&of->reading, of->last);
    } else if (of->readings == 0 || x == of->reading.mean) {
        z = 0.0;
    } else {
        z = x > of->reading.mean ? most : -most;
    }
    of->correlation = olk_towards(of->correlation, z * before, share);
    of->roughness = olk_towards(of->roughness, (z - before) * (z - before), fast);
    const double log_rough = olk_log(of->roughness + olk_least_roughness);
    of->drift = olk_towards(of->drift, z, fast);
    const double energy = olk_log(1.0 + z * z);
    of->energy = olk_towards(of->energy, energy, fast);
    seen->level = energy + gate * (of->energy - energy);
    seen->input[0] = z;
    seen->input[1] = gate * olk_held_deviations(&of->log_rough, log_rough);
    seen->input[2] =
        of->square > 0.0 ? gate * olk_held_between(of->drift / olk_sqrt(of->square), -most, most) : 0.0;
    of->run = of->readings > 0 && x == of->last ? of->run + (of->run < OLK_MOST_RUN) : 0;
    const double far = olk_most_for_scale(gate, sight->robust);
    const double usual =
        of->readings >= OLK_TRUSTED_READINGS ? olk_winsorised(&of->reading, x, far) : x;
    olk_take_in(&of->reading, usual, share);
    olk_take_in(&of->log_rough, log_rough, share);
    of->square = olk_towards(of->square, of->drift * of->drift, share);
    of->last = x;
    of->readings += of->readings < OLK_MOST_RUN;
}

/* A.1 to A.8: a reading, after `rows` of the stream. */
static inline void olk_see_reading(olk_channel *of, olk_input x, double rows,
                                   const olk_channel_sight *sight, int anew,
                                   olk_reading_seen *seen)
{
    seen->gate = olk_gate_of(of, sight);
    seen->there = olk_fabs((double)x) <= olk_largest_reading; /* no number is not */
    if (seen->there) {
        if (anew)
            of->last = (double)x;
        olk_see_number(of, (double)x, sight, seen);
        of->run = anew ? 0 : of->run;
    } else {
        of->run += of->run < OLK_MOST_RUN;
        seen->input[0] = seen->input[1] = seen->input[2] = 0.0;
        seen->level = of->energy;
    }
    for (int i = 0; i < 3; i++)
        seen->odd[i] = olk_fabs(seen->input[i]);
    const double log_run = of->run ? olk_log(1.0 + (double)of->run) : 0.0;
    const double deviation = olk_sqrt(of->log_run.variance), least = olk_least_run_deviation;
    seen->odd[OLK_OF_FLAT] =
        (log_run - of->log_run.mean) / (deviation > least ? deviation : least);
    olk_take_in(&of->log_run, log_run, olk_share_of(rows + 1.0, sight->window));
}

/* A whole row; its inputs go to `inputs`, in whose last third it may lie. */
static OLK_ALONE void olk_see_row(const olk_sorf *p, const olk_sorf_state *s, const olk_input *x,
                                  const olk_row_asked *how, olk_input *inputs, olk_row_seen *all)
{
    const ptrdiff_t d = p->d / 3;
    const olk_channel_sight sight = {p->forget, p->robust};
    const olk_row_seen nothing = {0.0, 0,   OLK_OF_VALUE, {0.0, 0.0}, 0.0, 0.0,
                                  0.0, 0,   0,            0.0,        0,   0};
    *all = nothing;
    for (ptrdiff_t j = 0; j < d; j++) {
        olk_channel of = olk_recall_channel(s, j);
        const olk_moments before = of.reading;
        const double reading = (double)x[j];
        olk_reading_seen seen;
        olk_see_reading(&of, x[j], how->rows, &sight, how->anew, &seen);
        for (int i = 0; i < 3; i++)
            inputs[3 * j + i] = (olk_input)(how->unit * seen.input[i]);
        for (int i = 0; i < 4; i++)
            if (seen.odd[i] > all->most) {
                all->most = seen.odd[i];
                all->channel = j;
                all->what = i;
                all->before = before;
            }
        if (j == how->channel) {
            all->reading = reading;
            all->reading_there = seen.there;
            all->run = of.run;
        }
        all->level += seen.level;
        all->trust = seen.gate > all->trust ? seen.gate : all->trust;
        all->there |= seen.there;
        if (of.reading.variance > 0.0) {
            const double gate = olk_gate_of(&of, &sight);
            all->spread += 1.0 + 2.0 * gate * gate;
            all->moved = 1;
        }
        if (how->learning)
            olk_keep_channel(s, j, &of);
    }
    all->level /= (double)d;
}
