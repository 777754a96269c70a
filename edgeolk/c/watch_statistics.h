/* Anomalies of a stream: what a row is measured with (docs/novelty.md, sections 2 and 4). Running
   moments; the numbers of a channel, of its season and of the model as a block stores them; a
   reading in deviations, and how a channel learns it. For one type of weights.

   Arithmetic is in double, and rounded to the type of rows where it is stored. */
#pragma once

#include "peaks.h"

/* -- Running moments --
   Means and variances with forgetting ("to" and "stat" of docs/novelty.md, section 4). */

/* Deviations are clipped here. */
static const double olk_max_deviations = 6.0;

typedef struct {
    olk_input mean, variance;
} olk_moments;

static OLK_INLINE double olk_clamp_between(double v, double low, double high)
{
    return v < low ? low : (v > high ? high : v);
}

static OLK_INLINE double olk_clip_deviations(double z)
{
    return olk_clamp_between(z, -olk_max_deviations, olk_max_deviations);
}

/* The step of a running average: 1 / min(rows, max_rows). */
static OLK_INLINE double olk_average_gain(double rows, double max_rows)
{
    return 1.0 / (rows < max_rows ? rows : max_rows);
}

/* Moves a running value towards `value` by a share of the difference. */
static OLK_INLINE void olk_step_towards(olk_input *current, double value, double gain)
{
    const double v = (double)*current;
    *current = (olk_input)(v + (value - v) * gain);
}

static OLK_INLINE void olk_update_moments(olk_moments *moments, double value, double gain)
{
    const double gap = value - (double)moments->mean;
    moments->mean = (olk_input)((double)moments->mean + gap * gain);
    /* Negative if rounding moved the mean past the value. */
    const double square = gap * (value - (double)moments->mean);
    const double variance = (double)moments->variance;
    const olk_input next = (olk_input)(variance + (square - variance) * gain);
    moments->variance = next > (olk_input)0.0 ? next : (olk_input)0.0;
}

/* The value in deviations from the mean; 0 while the variance is 0. */
static OLK_INLINE double olk_deviations(const olk_moments *moments, double value)
{
    const double variance = (double)moments->variance;
    return variance > 0.0 ? (value - (double)moments->mean) / olk_sqrt(variance) : 0.0;
}

/* A winsorised value: clipped to 6 deviations from the mean. */
static OLK_INLINE double olk_winsorised(const olk_moments *moments, double value, double deviation)
{
    const double far = olk_max_deviations * deviation, mean = (double)moments->mean;
    return deviation > 0.0 ? olk_clamp_between(value, mean - far, mean + far) : value;
}
/* -- The state of a channel -- */

/* In the comments, the specification's names. */
typedef struct {
    olk_input origin;     /* x0: the first reading; all other numbers are relative to it */
    olk_moments reading;  /* mu, v */
    olk_input last;
    olk_input correlation;   /* c: of successive readings */
    olk_input roughness;     /* e: fast mean of squared differences */
    olk_moments log_rough;   /* lm, lv */
    olk_input drift, square; /* m, mv: fast mean of deviations, mean of its square */
    olk_input energy;        /* q: fast mean of ln(1 + z^2) */
    olk_moments log_run;     /* rm, rv */
    olk_input level, level_square; /* f, fv: as m and mv, of fewer rows */
    olk_input change;              /* dm: mean change */
    olk_peaks high, low, changes, flat;
} olk_channel;

/* `readings_*`: nt. */
typedef struct {
    uint8_t readings_low, readings_high;
    uint8_t high, low, changes, flat; /* lengths of stretches */
} olk_channel_stretches;

/* Its season: usual differences from the mean by hour of the day. */
typedef struct {
    olk_input residual, size; /* pe, pm: fast mean of the residual, its mean absolute value */
    olk_peaks high, low;
    olk_input hour[OLK_HOURS]; /* B_b */
} olk_clock;

typedef struct {
    uint8_t high, low;        /* lengths of stretches */
    uint8_t rows[OLK_HOURS];  /* K_b */
} olk_clock_stretches;

/* The structs have no padding: they are the regions. */
typedef char olk_channel_is_the_region
    [sizeof(olk_channel) == OLK_CHANNEL_NUMBERS * sizeof(olk_input) &&
             sizeof(olk_channel_stretches) == OLK_CHANNEL_BYTES &&
             sizeof(olk_clock) == OLK_CLOCK_NUMBERS * sizeof(olk_input) &&
             sizeof(olk_clock_stretches) == OLK_CLOCK_BYTES
         ? 1
         : -1];

/* A channel while a row is read. */
typedef struct {
    olk_channel v;
    olk_channel_stretches stretch;
    uint32_t learned, run; /* n: readings learned; rows without a change */
} olk_watched;

static OLK_INLINE olk_watched olk_load_channel(const olk_sorf_state *s, ptrdiff_t j)
{
    olk_watched c;
    c.v = ((const olk_channel *)s->channels)[j];
    memcpy(&c.stretch, s->channel_bytes + OLK_CHANNEL_BYTES * j, sizeof c.stretch);
    c.learned = s->readings[j] & OLK_MAX_RUN;
    c.run = s->readings[j] >> 16;
    return c;
}

static OLK_INLINE void olk_store_channel(const olk_sorf_state *s, ptrdiff_t j, const olk_watched *c)
{
    ((olk_channel *)s->channels)[j] = c->v;
    memcpy(s->channel_bytes + OLK_CHANNEL_BYTES * j, &c->stretch, sizeof c->stretch);
    s->readings[j] = c->learned | c->run << 16;
}

/* Whether there is a season of a day; a constant in a program for one learner. */
static inline int olk_has_clock(const olk_sorf_state *s)
{
#ifdef OLK_SORF_CLOCK
    (void)s;
    return OLK_SORF_CLOCK;
#else
    return s->clock != NULL;
#endif
}

/* The numbers of the model as the block stores them. */
typedef struct {
    olk_input threshold, unit; /* tau, g */
    olk_moments rarity, energy;
    olk_input pattern, pattern_mean, pattern_size; /* fe, fm, fa */
    olk_peaks patterns;
    olk_input score;
} olk_watch_scores;

typedef char olk_watch_scores_are_the_region
    [sizeof(olk_watch_scores) == OLK_WATCH_NUMBERS * sizeof(olk_input) ? 1 : -1];

/* -- A reading -- */

/* Correlation of successive readings at which the gate begins to open, and how much more opens it
   fully. */
static const double olk_gate_from = 0.1, olk_gate_width = 0.2;
/* Windows of the fast averages in rows: of roughness, mean and energy; of the level. Readings after
   which a channel's scale is trusted. */
enum { OLK_FAST_ROWS = 64, OLK_LEVEL_ROWS = 16, OLK_TRUSTED_READINGS = 10 };
/* A channel begins again if one of its first OLK_TRUSTED_READINGS is so many deviations of the
   others away from them, unless these are a flat line: the mean of log runs is larger than that. */
static const double olk_wild_deviations = 50.0, olk_flat_log_run = 0.6;
/* Larger readings count as missing. */
static const double olk_max_valid_reading = 1e15;
/* The floor of the mean squared difference. */
static const double olk_min_roughness = 1e-6;

/* How to process a row. */
typedef struct {
    double rows, unit, window; /* previous rows of the stream; the factor of the inputs */
    int hour;                  /* of the day, -1 if unknown */
    int frozen;                /* the row is part of an abnormal stretch */
    int restarted;             /* the previous row is unknown */
    int learning;              /* channels are updated */
} olk_row_options;

/* A reading measured by its channel's statistics. */
typedef struct {
    double input[3];  /* value, roughness and mean, in deviations */
    double energy;    /* y */
    double gate;      /* G */
    double level;     /* L_j */
    double deviation; /* sd: the channel's, before this reading */
    double log_rough; /* l */
} olk_reading_stats;

/* G: 0 where successive readings are unrelated, 1 where they are strongly correlated. */
static OLK_INLINE double olk_gate(const olk_channel *channel)
{
    const double open = ((double)channel->correlation - olk_gate_from) / olk_gate_width;
    return olk_clamp_between(open, 0.0, 1.0);
}

/* The hour of the day of a time in seconds, whose zero is a midnight; -1 if it is no time. */
static inline int olk_hour_of(double seconds)
{
    if (!(olk_fabs(seconds) <= 9e15)) /* no more than integers of a double; false for NaN */
        return -1;
    int64_t second = (int64_t)seconds;
    second -= (double)second > seconds;
    second %= 86400;
    return (int)((second < 0 ? second + 86400 : second) / 3600);
}

/* The readings of a channel so far, before this one. */
static OLK_INLINE uint32_t olk_readings_of(const olk_watched *c)
{
    return (uint32_t)c->stretch.readings_low | (uint32_t)c->stretch.readings_high << 8;
}

/* A.2 to A.4: a valid reading, relative to the channel's origin, in deviations. */
static inline void olk_measure_reading(olk_watched *c, olk_input reading,
                                       const olk_row_options *options, olk_reading_stats *seen)
{
    olk_channel *v = &c->v;
    const double rows = (double)c->learned + 1.0;
    const double x = (double)reading, mean = (double)v->reading.mean;
    const double fast = olk_average_gain(rows, OLK_FAST_ROWS);
    const double deviation = olk_sqrt((double)v->reading.variance), gate = seen->gate;
    double z, previous = 0.0;
    seen->deviation = deviation;
    if (options->restarted)
        v->last = reading;
    if (deviation > 0.0) {
        z = olk_clip_deviations((x - mean) / deviation);
        previous = olk_clip_deviations(((double)v->last - mean) / deviation);
    } else if (c->learned == 0 || x == mean) {
        z = 0.0;
    } else {
        z = x > mean ? olk_max_deviations : -olk_max_deviations;
    }
    olk_step_towards(&v->correlation, z * previous, olk_average_gain(rows, options->window));
    olk_step_towards(&v->roughness, (z - previous) * (z - previous), fast);
    seen->log_rough = olk_log((double)v->roughness + olk_min_roughness);
    olk_step_towards(&v->drift, z, fast);
    olk_step_towards(&v->level, z, olk_average_gain(rows, OLK_LEVEL_ROWS));
    if (v->level_square > (olk_input)0.0)
        seen->level = gate * olk_fabs((double)v->level) / olk_sqrt((double)v->level_square);
    const double energy = olk_log(1.0 + z * z);
    olk_step_towards(&v->energy, energy, fast);
    seen->energy = energy + gate * ((double)v->energy - energy);
    seen->input[0] = z;
    seen->input[1] = gate * olk_clip_deviations(olk_deviations(&v->log_rough, seen->log_rough));
    seen->input[2] = v->square > (olk_input)0.0
                         ? gate * olk_clip_deviations((double)v->drift /
                                                      olk_sqrt((double)v->square))
                         : 0.0;
}

/* A.6 and A.7: the channel learns it. */
static inline void olk_update_channel(olk_watched *c, olk_input reading,
                                      const olk_row_options *options,
                                      const olk_reading_stats *seen)
{
    olk_channel *v = &c->v;
    const double gain = olk_average_gain((double)c->learned + 1.0, options->window);
    const double drift = (double)v->drift, level = (double)v->level, x = (double)reading;
    c->run = c->learned > 0 && reading == v->last && !options->restarted
                 ? c->run + (c->run < OLK_MAX_RUN)
                 : 0;
    if (!options->frozen) {
        const double kept = c->learned >= OLK_TRUSTED_READINGS
                                ? olk_winsorised(&v->reading, x, seen->deviation)
                                : x;
        olk_update_moments(&v->reading, kept, gain);
        olk_update_moments(&v->log_rough, seen->log_rough, gain);
        olk_step_towards(&v->square, drift * drift, gain);
        olk_step_towards(&v->level_square, level * level, gain);
        c->learned += c->learned < OLK_MAX_RUN;
    }
    v->last = reading;
}


/* Whether one of a channel's first readings, all of which it has learned, is so wild that the
   channel's scale and peaks would hide all later ones. Of n values, one that is far from the others
   is nearly sqrt(n - 1) deviations from the mean, which is the most that any can be. */
static inline int olk_begins_wildly(const olk_watched *c)
{
    const double mean = (double)c->v.reading.mean, others = (double)OLK_TRUSTED_READINGS - 1.0;
    const double above = (double)c->v.high.pending - mean, below = (double)c->v.low.pending + mean;
    const double far = above > below ? above : below;
    const double near_most =
        1.0 + (others + 1.0) / (olk_wild_deviations * olk_wild_deviations);
    return c->v.reading.variance > (olk_input)0.0 &&
           far * far * near_most >= others * (double)c->v.reading.variance &&
           (double)c->v.log_run.mean <= olk_flat_log_run;
}

/* A channel as it began, but for its runs, whose rows are those of the stream. */
static inline void olk_begin_channel_again(const olk_sorf_state *s, ptrdiff_t j)
{
    olk_channel *channel = (olk_channel *)s->channels + j;
    const olk_moments log_run = channel->log_run;
    memset(channel, 0, sizeof *channel);
    memset(s->channel_bytes + OLK_CHANNEL_BYTES * j, 0, OLK_CHANNEL_BYTES);
    s->readings[j] = 0;
    if (olk_has_clock(s)) {
        memset((olk_clock *)s->clock + j, 0, sizeof(olk_clock));
        memset(s->clock_bytes + OLK_CLOCK_BYTES * j, 0, OLK_CLOCK_BYTES);
    }
    olk_begin_channel(s, j, sizeof(olk_input) == sizeof(double));
    channel->log_run = log_run;
}
