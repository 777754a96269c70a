/* Anomalies of a stream: of rows that are ordered in time, for one type of weights
   (docs/novelty.md). Statistics of each channel; five parts of a row (value, change, season, flat
   line, pattern), each judged by the two largest peaks it has shown; a level that says how long an
   abnormal stretch lasts and stops the learning in it; a score that orders all other rows.

   Arithmetic is in double, and rounded to the type of rows where it is stored. */
#pragma once

#include "novelty.h"
#include "peaks.h"
#include "watch_state.h"

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

/* -- A row -- */

/* Correlation of successive readings at which the gate begins to open, and how much more opens it
   fully. */
static const double olk_gate_from = 0.1, olk_gate_width = 0.2;
/* Windows of the fast averages in rows: of roughness, mean and energy; of the level; of the season's
   residual and of the pattern. Readings after which a channel's scale is trusted; rows that a tail
   counts at most. */
enum {
    OLK_FAST_ROWS = 64,
    OLK_LEVEL_ROWS = 16,
    OLK_SEASON_ROWS = 8,
    OLK_TRUSTED_READINGS = 10,
    OLK_TAIL_ROWS = 4096
};
/* Larger readings count as missing. */
static const double olk_max_valid_reading = 1e15;
/* Floors of the mean squared difference and of the deviation of run lengths. */
static const double olk_min_roughness = 1e-6, olk_min_run_deviation = 0.5;
/* Floors of the width of peaks, in deviations and in mean absolute values; a value enters these
   clipped to so many of them, once there were so many. */
static const double olk_floor_deviations = 0.4, olk_floor_means = 0.5;
static const double olk_max_means = 8.0;
enum { OLK_TRUSTED_MEANS = 20 };
/* An hour's difference is shrunk as if it had so many more rows that are 0, and learns readings
   clipped to so many deviations. */
static const double olk_shrinking_rows = 4.0, olk_hour_deviations = 4.0;
/* The surprise of an alarm; the level at which an abnormal stretch begins, and how much lower it
   ends. */
static const double olk_alarm_surprise = 3.8, olk_abnormal_level = 2.8, olk_normal_again = 0.7;
/* Rows before there is a model; rows with a model before it orders rows, before scores are
   winsorised, and before patterns are judged. */
enum {
    OLK_WARMUP_ROWS = 100,
    OLK_SILENT_ROWS = 10,
    OLK_TRUSTED_ROWS = 100,
    OLK_FIRST_PATTERNS = 100
};
/* The floor of similarity; deviations that are normal for the worst channel. */
static const double olk_min_similarity = 0.02, olk_usual_deviations = 2.0;

/* The largest surprise of each part, and its channel. */
typedef struct {
    double surprise[OLK_PARTS_WITH_PEAKS];
    ptrdiff_t channel[OLK_PARTS_WITH_PEAKS];
} olk_votes;

static OLK_INLINE void olk_vote(olk_votes *votes, int part, ptrdiff_t channel, double surprise)
{
    if (surprise > votes->surprise[part]) {
        votes->surprise[part] = surprise;
        votes->channel[part] = channel;
    }
}

/* A row measured by the statistics of all channels. */
typedef struct {
    olk_votes votes;
    double max_oddness;     /* the largest oddness of any reading, in deviations */
    ptrdiff_t odd_channel;  /* its channel */
    int odd_part;           /* and what it is odd in */
    double energy, trust;   /* Y, T */
    double level;           /* L, and its channel */
    ptrdiff_t level_channel;
    double spread;          /* expected square of all inputs, after the row */
    int present, moved;     /* some reading is valid; some channel has moved */
} olk_row_stats;

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
    double input[3]; /* value, roughness and mean, in deviations */
    double energy;   /* y */
    double gate;     /* G */
    double level;
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

/* Moves the mean of absolute values, of which there were `rows`. */
static OLK_INLINE void olk_learn_size(olk_input *size, double value, double rows, double gain)
{
    const double most = olk_max_means * (double)*size;
    olk_step_towards(size,
                     rows > OLK_TRUSTED_MEANS && most > 0.0 && value > most ? most : value, gain);
}

/* The readings of a channel so far, before this one. */
static OLK_INLINE uint32_t olk_readings_of(const olk_watched *c)
{
    return (uint32_t)c->stretch.readings_low | (uint32_t)c->stretch.readings_high << 8;
}

/* A pair of tails, of a value and of its negative. Returns the surprise if there was a verdict. */
static inline double olk_judge_both(olk_peaks *high, olk_peaks *low, uint8_t *stretch_high,
                                    uint8_t *stretch_low, olk_input x, uint32_t readings,
                                    double floor)
{
    const int judged = readings >= OLK_FIRST_VERDICT;
    const double n = readings < OLK_TAIL_ROWS ? (double)readings : (double)OLK_TAIL_ROWS;
    const double of_high = judged ? olk_surprise(high, x, n, floor) : 0.0;
    const double of_low = judged ? olk_surprise(low, -x, n, floor) : 0.0;
    olk_learn_peak(high, stretch_high, x, judged, floor);
    olk_learn_peak(low, stretch_low, -x, judged, floor);
    if (readings + 1 == OLK_FIRST_VERDICT) {
        olk_tame_peaks(high, floor);
        olk_tame_peaks(low, floor);
    }
    return of_high > of_low ? of_high : of_low;
}

/* A.5 of the season: a reading at an hour of the day, by the mean before it. */
static inline void olk_judge_season(olk_clock *clock, olk_clock_stretches *stretch,
                                    const olk_watched *c, olk_input x, double deviation, int hour,
                                    const olk_row_options *options, ptrdiff_t j, olk_votes *votes)
{
    const uint32_t readings = olk_readings_of(c);
    const double rows = (double)stretch->rows[hour], next = (double)readings + 1.0;
    const double above = (double)x - (double)c->v.reading.mean;
    const double usual = (double)clock->hour[hour] * rows / (rows + olk_shrinking_rows);
    olk_step_towards(&clock->residual, c->learned > 0 ? above - usual : 0.0,
                     olk_average_gain(next, OLK_SEASON_ROWS));
    olk_vote(votes, OLK_PART_SEASON, j,
             olk_judge_both(&clock->high, &clock->low, &stretch->high, &stretch->low,
                            clock->residual, readings, olk_floor_means * (double)clock->size));
    olk_learn_size(&clock->size, olk_fabs((double)clock->residual), (double)readings,
                   olk_average_gain(next, options->window));
    if (c->learned == 0)
        return;
    stretch->rows[hour] =
        (uint8_t)(stretch->rows[hour] + (stretch->rows[hour] < OLK_MAX_HOUR_ROWS));
    const double most = olk_hour_deviations * deviation;
    olk_step_towards(&clock->hour[hour],
                     most > 0.0 ? olk_clamp_between(above, -most, most) : above,
                     1.0 / (double)stretch->rows[hour]);
}

/* A.5: value, change and season. */
static inline void olk_judge_reading(const olk_sorf_state *s, olk_watched *c, olk_input x,
                                     double deviation, const olk_row_options *options, ptrdiff_t j,
                                     olk_votes *votes)
{
    const uint32_t readings = olk_readings_of(c);
    const int judged = readings >= OLK_FIRST_VERDICT;
    const double n = readings < OLK_TAIL_ROWS ? (double)readings : (double)OLK_TAIL_ROWS;
    olk_vote(votes, OLK_PART_VALUE, j,
             olk_judge_both(&c->v.high, &c->v.low, &c->stretch.high, &c->stretch.low, x, readings,
                            olk_floor_deviations * deviation));
    if (c->learned > 0 && !options->restarted) {
        const olk_input change = (olk_input)olk_fabs((double)x - (double)c->v.last);
        const double floor = olk_floor_means * (double)c->v.change;
        if (judged)
            olk_vote(votes, OLK_PART_CHANGE, j, olk_surprise(&c->v.changes, change, n, floor));
        olk_learn_peak(&c->v.changes, &c->stretch.changes, change, judged, floor);
        if (readings + 1 == OLK_FIRST_VERDICT)
            olk_tame_peaks(&c->v.changes, floor);
        olk_learn_size(&c->v.change, (double)change, (double)readings,
                       olk_average_gain(readings > 1 ? (double)readings : 1.0, options->window));
    }
    if (olk_has_clock(s) && options->hour >= 0) {
        olk_clock copy, *clock = (olk_clock *)s->clock + j;
        olk_clock_stretches stretches;
        memcpy(&stretches, s->clock_bytes + OLK_CLOCK_BYTES * j, sizeof stretches);
        if (!options->learning) {
            copy = *clock;
            clock = &copy;
        }
        olk_judge_season(clock, &stretches, c, x, deviation, options->hour, options, j, votes);
        if (options->learning)
            memcpy(s->clock_bytes + OLK_CLOCK_BYTES * j, &stretches, sizeof stretches);
    }
    const uint32_t next = readings + (readings < OLK_MAX_RUN);
    c->stretch.readings_low = (uint8_t)(next & 0xff);
    c->stretch.readings_high = (uint8_t)(next >> 8);
}

/* A.2 to A.7: a valid reading, relative to the channel's origin. */
static inline void olk_read_number(const olk_sorf_state *s, olk_watched *c, olk_input reading,
                                   const olk_row_options *options, ptrdiff_t j, olk_votes *votes,
                                   olk_reading_stats *seen)
{
    olk_channel *v = &c->v;
    const double rows = (double)c->learned + 1.0, x = (double)reading,
                 mean = (double)v->reading.mean;
    const double gain = olk_average_gain(rows, options->window);
    const double fast = olk_average_gain(rows, OLK_FAST_ROWS);
    const double deviation = olk_sqrt((double)v->reading.variance), gate = seen->gate;
    double z, previous = 0.0;
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
    olk_step_towards(&v->correlation, z * previous, gain);
    olk_step_towards(&v->roughness, (z - previous) * (z - previous), fast);
    const double log_rough = olk_log((double)v->roughness + olk_min_roughness);
    olk_step_towards(&v->drift, z, fast);
    olk_step_towards(&v->level, z, olk_average_gain(rows, OLK_LEVEL_ROWS));
    const double drift = (double)v->drift, level = (double)v->level;
    if (v->level_square > (olk_input)0.0)
        seen->level = gate * olk_fabs(level) / olk_sqrt((double)v->level_square);
    const double energy = olk_log(1.0 + z * z);
    olk_step_towards(&v->energy, energy, fast);
    seen->energy = energy + gate * ((double)v->energy - energy);
    seen->input[0] = z;
    seen->input[1] = gate * olk_clip_deviations(olk_deviations(&v->log_rough, log_rough));
    seen->input[2] = v->square > (olk_input)0.0
                         ? gate * olk_clip_deviations(drift / olk_sqrt((double)v->square))
                         : 0.0;
    olk_judge_reading(s, c, reading, deviation, options, j, votes);
    c->run = c->learned > 0 && reading == v->last && !options->restarted
                 ? c->run + (c->run < OLK_MAX_RUN)
                 : 0;
    if (!options->frozen) {
        const double kept = c->learned >= OLK_TRUSTED_READINGS
                                ? olk_winsorised(&v->reading, x, deviation)
                                : x;
        olk_update_moments(&v->reading, kept, gain);
        olk_update_moments(&v->log_rough, log_rough, gain);
        olk_step_towards(&v->square, drift * drift, gain);
        olk_step_towards(&v->level_square, level * level, gain);
        c->learned += c->learned < OLK_MAX_RUN;
    }
    v->last = reading;
}

/* A.8: a flat line, which a missing reading continues. `readings`: before this row. Returns its
   length in deviations. */
static inline double olk_judge_flat(olk_watched *c, uint32_t readings,
                                    const olk_row_options *options, ptrdiff_t j, olk_votes *votes)
{
    olk_moments *moments = &c->v.log_run;
    const olk_input log_run =
        (olk_input)(c->run ? olk_log(1.0 + (double)c->run) : 0.0);
    const double deviation = olk_sqrt((double)moments->variance);
    const double length =
        ((double)log_run - (double)moments->mean) /
        (deviation > olk_min_run_deviation ? deviation : olk_min_run_deviation);
    if (c->v.reading.variance > (olk_input)0.0) {
        const double floor = olk_floor_deviations * deviation;
        const double n = readings < OLK_TAIL_ROWS ? (double)readings : (double)OLK_TAIL_ROWS;
        const int judged = olk_readings_of(c) >= OLK_FIRST_VERDICT;
        if (judged)
            olk_vote(votes, OLK_PART_FLAT, j, olk_surprise(&c->v.flat, log_run, n, floor));
        olk_learn_peak(&c->v.flat, &c->stretch.flat, log_run, judged, floor);
    }
    olk_update_moments(moments, (double)log_run,
                       olk_average_gain(options->rows + 1.0, options->window));
    return length;
}

/* A: all readings of a row; the features' inputs go to `inputs`, whose last third may be the row. */
static OLK_NOCLONE void olk_read_row(const olk_sorf *p, const olk_sorf_state *s, const olk_input *x,
                                     const olk_row_options *options, olk_input *inputs,
                                     olk_row_stats *row)
{
    static const int parts[4] = {OLK_PART_VALUE, OLK_PART_ROUGHNESS, OLK_PART_MEAN, OLK_PART_FLAT};
    const ptrdiff_t d = p->d / 3;
    memset(row, 0, sizeof *row);
    for (ptrdiff_t j = 0; j < d; j++) {
        olk_watched channel = olk_load_channel(s, j);
        const uint32_t readings = olk_readings_of(&channel);
        const olk_input reading = x[j];
        olk_reading_stats seen = {{0.0, 0.0, 0.0}, 0.0, olk_gate(&channel.v), 0.0};
        if (olk_fabs((double)reading) <= olk_max_valid_reading) { /* false for NaN */
            if (readings == 0)
                channel.v.origin = reading;
            olk_read_number(s, &channel, (olk_input)((double)reading - (double)channel.v.origin),
                            options, j, &row->votes, &seen);
            row->present = 1;
        } else {
            channel.run += channel.run < OLK_MAX_RUN;
            seen.energy = (double)channel.v.energy;
        }
        const double oddness[4] = {olk_fabs(seen.input[0]), olk_fabs(seen.input[1]),
                                   olk_fabs(seen.input[2]),
                                   olk_judge_flat(&channel, readings, options, j, &row->votes)};
        for (int i = 0; i < 3; i++)
            inputs[3 * j + i] = (olk_input)(options->unit * seen.input[i]);
        for (int i = 0; i < 4; i++)
            if (oddness[i] > row->max_oddness) {
                row->max_oddness = oddness[i];
                row->odd_channel = j;
                row->odd_part = parts[i];
            }
        if (seen.level > row->level) {
            row->level = seen.level;
            row->level_channel = j;
        }
        row->energy += seen.energy;
        row->trust = seen.gate > row->trust ? seen.gate : row->trust;
        if (channel.v.reading.variance > (olk_input)0.0) {
            const double gate = olk_gate(&channel.v);
            row->spread += 1.0 + 2.0 * gate * gate;
            row->moved = 1;
        }
        if (options->learning)
            olk_store_channel(s, j, &channel);
    }
    row->energy /= (double)d;
}

/* -- Scores --
   How rare the pattern of a row is, how high the energy of its recent deviations, how far off its
   worst channel (docs/novelty.md, steps C and D). */

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

/* The smallest step of the threshold of rare rows, and its first steps times the rows so far. */
static const double olk_min_threshold_step = 0.002, olk_first_steps = 10.0;

/* A row's scores, and the verdict on it. */
typedef struct {
    double rarity; /* F */
    double order;  /* u: the score that orders rows */
    int part;      /* which dominates it */
    double surprise, score;
    uint64_t bits; /* the verdict as a word */
} olk_row_verdict;

/* C, the pattern: judged by the mean of its last scores. */
static inline void olk_judge_pattern(olk_watch_scores *scores, olk_watch_counts *counts,
                                     double rarity, double rows, double window,
                                     olk_row_stats *seen)
{
    if (rows >= (double)OLK_SILENT_ROWS) {
        olk_step_towards(&scores->pattern, rarity, 1.0 / (double)OLK_SEASON_ROWS);
        const double floor = olk_floor_means * (double)scores->pattern_size;
        const double scored = (double)counts->patterns + (double)OLK_FIRST_PATTERNS;
        const double n = scored < OLK_TAIL_ROWS ? scored : (double)OLK_TAIL_ROWS;
        const int judged = counts->patterns >= OLK_FIRST_PATTERNS;
        if (judged)
            olk_vote(&seen->votes, OLK_PART_PATTERN, seen->odd_channel,
                     olk_surprise(&scores->patterns, scores->pattern, n, floor));
        olk_learn_peak(&scores->patterns, &counts->stretch, scores->pattern, judged, floor);
    }
    counts->patterns += counts->patterns < OLK_MAX_RUN;
    const double gain = olk_average_gain((double)counts->patterns, window);
    const double mean = (double)scores->pattern_mean;
    const double most = olk_max_means * (double)scores->pattern_size;
    const double pattern =
        counts->patterns > OLK_TRUSTED_MEANS && most > 0.0
            ? olk_clamp_between((double)scores->pattern, mean - most, mean + most)
            : (double)scores->pattern;
    olk_step_towards(&scores->pattern_mean, pattern, gain);
    olk_step_towards(&scores->pattern_size, olk_fabs(pattern - (double)scores->pattern_mean), gain);
}

/* C: u, and which part dominates it. */
static inline void olk_order_row(const olk_watch_scores *scores, const olk_row_stats *seen,
                                 olk_row_verdict *row)
{
    double u[3] = {0.0, 0.0, seen->max_oddness - olk_usual_deviations};
    if (seen->present) {
        u[0] = olk_deviations(&scores->rarity, row->rarity);
        u[1] = olk_deviations(&scores->energy, seen->energy);
    }
    const double worse = (u[2] > u[1] ? u[2] : u[1]) - u[0];
    row->order = u[0] + (worse > 0.0 ? seen->trust * worse : 0.0);
    if (!(seen->trust > 0.0) || (u[0] >= u[1] && u[0] >= u[2]))
        row->part = OLK_PART_PATTERN;
    else
        row->part = u[1] >= u[2] ? OLK_PART_LEVEL : seen->odd_part;
}

/* The threshold of rare rows: quantile tracking by stochastic gradient. */
static inline void olk_move_threshold(olk_watch_scores *scores, int rare, double rows, double nu)
{
    const double early = olk_first_steps / (rows + 1.0);
    const double step = early > olk_min_threshold_step ? early : olk_min_threshold_step;
    const double threshold = (double)scores->threshold + (rare ? step * (1.0 - nu) : -step * nu);
    scores->threshold =
        (olk_input)(threshold > olk_min_threshold ? threshold : olk_min_threshold);
}

/* D: updates the moments of the scores, after `rows` rows with a model. */
static inline void olk_learn_scores(olk_watch_scores *scores, const olk_row_verdict *row,
                                    const olk_row_stats *seen, double rows, double window)
{
    const double gain = olk_average_gain(rows + 1.0, window);
    double rarity = row->rarity, energy = seen->energy;
    if (rows >= (double)OLK_TRUSTED_ROWS) {
        rarity = olk_winsorised(&scores->rarity, rarity,
                                olk_sqrt((double)scores->rarity.variance));
        energy = olk_winsorised(&scores->energy, energy,
                                olk_sqrt((double)scores->energy.variance));
    }
    olk_update_moments(&scores->rarity, rarity, gain);
    olk_update_moments(&scores->energy, energy, gain);
}

/* E: the verdict on a row, after `rows` of the stream. */
static inline void olk_conclude(olk_watch_counts *counts, const olk_row_stats *seen, ptrdiff_t d,
                                double rows, int rare, olk_row_verdict *row)
{
    const olk_votes *votes = &seen->votes;
    ptrdiff_t channel = seen->odd_channel;
    int part = row->part, largest = 0;
    double sum = 0.0;
    for (int i = 0; i < OLK_PARTS_WITH_PEAKS; i++) {
        const double square = votes->surprise[i] * votes->surprise[i];
        sum += square * square;
        largest = votes->surprise[i] > votes->surprise[largest] ? i : largest;
    }
    /* Bonferroni: there are d tails of each part. */
    const double surprise =
        olk_sqrt(olk_sqrt(sum)) - (d > 1 ? olk_log10_e * olk_log((double)d) : 0.0);
    row->surprise = surprise > 0.0 ? surprise : 0.0;
    const int novel = row->surprise >= olk_alarm_surprise;
    if (rows >= (double)OLK_FIRST_VERDICT) {
        counts->on = seen->level > olk_abnormal_level * (counts->on ? olk_normal_again : 1.0);
        if (counts->on)
            counts->lasted += counts->lasted <= OLK_FROZEN_ROWS;
        else
            counts->lasted -= counts->lasted > 0;
    }
    const int alarm = novel && counts->quiet > OLK_EVENT_ROWS;
    counts->quiet = novel ? 0 : counts->quiet + (counts->quiet < UINT16_MAX);
    const int event = counts->on || counts->quiet <= OLK_EVENT_ROWS;
    if (novel) {
        part = largest;
        channel = votes->channel[largest];
        row->score = row->surprise / (row->surprise + olk_alarm_surprise);
    } else {
        if (counts->on) {
            part = OLK_PART_LEVEL;
            channel = seen->level_channel;
        }
        const double quarter = olk_clamp_between(0.25 * row->order, -16.0, 16.0);
        row->score = 0.5 / (1.0 + olk_sorf_exp(-quarter));
    }
    row->bits = (uint64_t)(novel ? OLK_IS_NOVEL : 0) | (uint64_t)(alarm ? OLK_IS_ALARM : 0) |
                (uint64_t)(event ? OLK_IS_EVENT : 0) | (uint64_t)(rare ? OLK_IS_RARE : 0) |
                (uint64_t)part << OLK_VERDICT_PART | (uint64_t)channel << OLK_VERDICT_CHANNEL;
}

/* -- Learning and scoring -- */

/* Blocks of features that a step caches on the stack. */
#ifdef OLK_SORF_PLAIN
enum { OLK_WATCH_CACHED = 0 };
#else
enum { OLK_WATCH_CACHED = 4 };
#endif

/* Whether rows are ordered in time; a constant in a program for one learner, which omits the other
   code. */
static inline int olk_is_in_time(const olk_sorf *p)
{
#ifdef OLK_SORF_WATCHES
    (void)p;
    return OLK_SORF_WATCHES;
#else
    return p->task == OLK_SORF_NOVELTY && p->history;
#endif
}

/* Rows that count: those before any channel moved do not. */
static inline uint64_t olk_counted_rows(const olk_sorf_state *s)
{
    return *s->t - s->watch[OLK_IDLE_ROWS];
}

/* Reads a row: learns it, or only scores it. Returns 0.5 minus its score, and 0 for a row before the
   first verdict that is not novel. */
static OLK_NOCLONE double olk_watch_row(const olk_sorf *p, const olk_sorf_state *s,
                                       const olk_sorf_row *row, double seconds, int learning)
{
    OLK_ALIGNED(64) olk_sorf_feature feature[OLK_WATCH_CACHED ? 128 * OLK_WATCH_CACHED : 1];
    const olk_row_cache cache = {feature, OLK_WATCH_CACHED, NULL, 0};
    const uint64_t t = olk_counted_rows(s);
    const double rows = (double)t, rows_with_model = rows - (double)OLK_WARMUP_ROWS; /* r */
    const olk_sorf_row inputs = {s->inputs, NULL, 0};
    olk_watch_scores scores = *(const olk_watch_scores *)s->watch_scores;
    olk_watch_counts counts = olk_load_watch_counts(s->watch);
    olk_row_verdict verdict = {0.0, 0.0, OLK_PART_PATTERN, 0.0, 0.0, 0};
    olk_row_stats seen;
    olk_real f = 0;
    int rare = 0;
    const olk_row_options options = {rows,
                                     (double)scores.unit,
                                     p->window,
                                     olk_has_clock(s) ? olk_hour_of(seconds) : -1,
                                     counts.on && counts.lasted <= OLK_FROZEN_ROWS,
                                     counts.restarted,
                                     learning};
    if (learning)
        olk_begin_step(s->flags);
    olk_read_row(p, s, (const olk_input *)row->values, &options, (olk_input *)s->inputs, &seen);
    if (t == OLK_WARMUP_ROWS - 1)
        scores.unit =
            (olk_input)(1.0 / olk_sqrt(seen.spread > 1e-6 ? seen.spread : 1e-6));
    if (t >= OLK_WARMUP_ROWS) {
        if (seen.present) {
            olk_pass(p, s, &inputs, 1, learning ? &cache : NULL, NULL, &f);
            verdict.rarity = -olk_log((f > 0 ? (double)f : 0.0) + olk_min_similarity);
            olk_judge_pattern(&scores, &counts, verdict.rarity, rows_with_model, p->window, &seen);
        }
        if (rows_with_model >= (double)OLK_SILENT_ROWS) {
            olk_order_row(&scores, &seen, &verdict);
            rare = verdict.order > (double)scores.threshold;
            olk_move_threshold(&scores, rare, rows_with_model, p->nu);
        }
    }
    olk_conclude(&counts, &seen, p->d / 3, rows, rare, &verdict);
    const int novel = (verdict.bits & OLK_IS_NOVEL) != 0;
    if (learning) {
        if (t >= OLK_WARMUP_ROWS && seen.present) {
            if (!options.frozen || rows_with_model < (double)OLK_TRUSTED_ROWS)
                olk_learn_scores(&scores, &verdict, &seen, rows_with_model, p->window);
            olk_update_embedding(p, s, &inputs, t - OLK_WARMUP_ROWS, feature, OLK_WATCH_CACHED);
        }
        scores.score = (olk_input)verdict.score;
        counts.restarted = 0;
        *(olk_watch_scores *)s->watch_scores = scores;
        olk_store_watch_counts(s->watch, &counts);
        s->watch[OLK_VERDICT] = verdict.bits;
        s->watch[OLK_ALARMS] += (verdict.bits & OLK_IS_ALARM) != 0;
        s->watch[OLK_IDLE_ROWS] += t == 1 && !seen.moved;
        *s->mistakes += (uint64_t)novel;
        *s->t += 1;
    }
    return novel || t >= OLK_FIRST_VERDICT ? 0.5 - verdict.score : 0.0;
}

/* Learns one row; negative means novel. `seconds`: its time, NaN if unknown. No row is rejected: NaN
   is a missing reading. */
static OLK_NOCLONE double olk_sorf_learn_in_time(const olk_sorf *p, const olk_sorf_state *s,
                                                 const olk_sorf_row *row, double seconds)
{
    return olk_watch_row(p, s, row, seconds, 1);
}

/* What learning the row without a time would return; writes only to scratch. */
static OLK_NOCLONE double olk_sorf_score_in_time(const olk_sorf *p, const olk_sorf_state *s,
                                                 const olk_sorf_row *row)
{
    return olk_watch_row(p, s, row, (double)NAN, 0);
}

/* -- What users report -- */

static inline void olk_end_event(const olk_sorf_state *s, int restarted)
{
    olk_watch_counts counts = olk_load_watch_counts(s->watch);
    counts.quiet = OLK_EVENT_ROWS + 1;
    counts.on = 0;
    counts.lasted = 0;
    counts.restarted |= restarted;
    olk_store_watch_counts(s->watch, &counts);
    s->watch[OLK_VERDICT] &= ~(uint64_t)OLK_IS_EVENT;
}

/* Ends the event and takes what was unusual as normal from now on: the last stretches of the parts,
   the mean of the last rows, their roughness and energy, and the length of flat lines. */
static OLK_NOCLONE void olk_accept_rows(const olk_sorf *p, const olk_sorf_state *s)
{
    olk_watch_scores *scores = s->watch_scores;
    olk_watch_counts counts = olk_load_watch_counts(s->watch);
    for (ptrdiff_t j = 0; j < p->d / 3; j++) {
        olk_watched c = olk_load_channel(s, j);
        olk_channel *v = &c.v;
        v->reading.mean = (olk_input)((double)v->reading.mean +
                                      (double)v->level * olk_sqrt((double)v->reading.variance));
        v->level = v->drift = v->energy = (olk_input)0.0;
        if (c.run > 0)
            v->roughness = (olk_input)0.0; /* its limit for a flat line */
        v->log_rough.mean = (olk_input)olk_log((double)v->roughness + olk_min_roughness);
        v->log_run.mean = (olk_input)(c.run ? olk_log(1.0 + (double)c.run) : 0.0);
        olk_accept_peak(&v->high, &c.stretch.high);
        olk_accept_peak(&v->low, &c.stretch.low);
        olk_accept_peak(&v->changes, &c.stretch.changes);
        olk_accept_peak(&v->flat, &c.stretch.flat);
        olk_store_channel(s, j, &c);
        if (olk_has_clock(s)) {
            olk_clock *clock = (olk_clock *)s->clock + j;
            uint8_t *stretch = s->clock_bytes + OLK_CLOCK_BYTES * j;
            olk_accept_peak(&clock->high, stretch);
            olk_accept_peak(&clock->low, stretch + 1);
            clock->residual = (olk_input)0.0;
        }
    }
    olk_accept_peak(&scores->patterns, &counts.stretch);
    olk_store_watch_counts(s->watch, &counts);
    olk_end_event(s, 0);
}

/* Restarts after a long stop: the next reading has no predecessor; flat lines and events end. */
static OLK_NOCLONE void olk_restart_rows(const olk_sorf *p, const olk_sorf_state *s)
{
    for (ptrdiff_t j = 0; j < p->d / 3; j++)
        s->readings[j] &= OLK_MAX_RUN;
    olk_end_event(s, 1);
}
