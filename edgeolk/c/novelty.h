/* Novelty in time: of rows that are ordered in time, for one type of weights (docs/novelty.md).
   Statistics of each channel, three scores of a row, events, and the running mean of features that
   is the model of what is normal. */
#pragma once

#include "sorf_row.h"
#include "sorf_weights.h"

/* -- Running moments --
   Running means and variances with forgetting, for novelty in time: computed in double, stored in
   the type of rows (docs/novelty.md, section 3, "to" and "stat"). */

/* Deviations are clipped here. */
static const double olk_max_deviations = 6.0;

typedef struct {
    double mean, variance;
} olk_moments;

/* The value rounded to the stored type. */
static OLK_INLINE double olk_as_stored(double v)
{
    return (double)(olk_input)v;
}

static inline double olk_clamp_between(double v, double low, double high)
{
    return v < low ? low : (v > high ? high : v);
}

/* Moves a running value towards `value` by a share of the difference. */
static OLK_INLINE double olk_step_towards(double current, double value, double gain)
{
    return olk_as_stored(current + (value - current) * gain);
}

static OLK_INLINE void olk_update_moments(olk_moments *moments, double value, double gain)
{
    const double gap = value - moments->mean;
    moments->mean = olk_as_stored(moments->mean + gap * gain);
    const double square =
        gap * (value - moments->mean); /* negative if rounding moved the mean past value */
    const double variance = olk_as_stored(moments->variance + (square - moments->variance) * gain);
    moments->variance = variance > 0.0 ? variance : 0.0;
}

/* The value in deviations from the mean; 0 while the variance is 0. */
static inline double olk_deviations(const olk_moments *moments, double value)
{
    return moments->variance > 0.0 ? (value - moments->mean) / olk_sqrt(moments->variance) : 0.0;
}

/* The same, clipped. */
static inline double olk_clipped_deviations(const olk_moments *moments, double value)
{
    return olk_clamp_between(olk_deviations(moments, value), -olk_max_deviations,
                             olk_max_deviations);
}

/* A winsorised value: clipped to `high` deviations from the mean. */
static inline double olk_winsorised(const olk_moments *moments, double value, double high)
{
    const double far = high * olk_sqrt(moments->variance);
    return moments->variance > 0.0
               ? olk_clamp_between(value, moments->mean - far, moments->mean + far)
               : value;
}

/* -- The gate of a channel --
   How much a channel's recent history counts (docs/novelty.md, steps A.1 and A.7). */

/* Correlation of successive readings at which the gate begins to open, and how much more opens it
   fully. */
static const double olk_gate_from = 0.1, olk_gate_width = 0.2;
/* `robust`: standard errors by which a correlation of unrelated readings may be off by chance;
   deviations at which readings are clipped where the gate is closed, and where it is open. */
static const double olk_chance_errors = 2.0;
static const double olk_closed_deviations = 3.0, olk_open_deviations = 6.0;

/* 0 where successive readings are uncorrelated, 1 where they are strongly correlated; `rows` is the
   number of rows behind the correlation. */
static inline double olk_gate(double correlation, double rows, int robust)
{
    double open = correlation - olk_gate_from;
    if (robust && open > 0.0) /* there are rows */
        open -= olk_chance_errors / olk_sqrt(rows);
    open /= olk_gate_width;
    return open > 0.0 ? (open < 1.0 ? open : 1.0) : 0.0;
}

/* Deviations at which a reading is clipped before it enters its channel's scale. */
static inline double olk_max_for_scale(double gate, int robust)
{
    const double more = olk_open_deviations - olk_closed_deviations;
    return robust ? olk_closed_deviations + more * gate : olk_open_deviations;
}

/* -- Channels --
   Running statistics of each channel of a stream, and how odd one reading is by them: step A of
   novelty in time (docs/novelty.md). */

/* Window of the fast averages in rows; readings after which a channel's scale is trusted; the
   largest count in 16 bits. */
enum { OLK_FAST_ROWS = 64, OLK_TRUSTED_READINGS = 10, OLK_MAX_RUN = 65535 };
/* Larger readings count as missing. */
static const double olk_max_valid_reading = 1e15;
/* Floors of the mean squared difference and of the deviation of run lengths. */
static const double olk_min_roughness = 1e-6, olk_min_run_deviation = 0.5;

/* What a channel's reading is odd in, in the order that breaks ties. */
enum { OLK_CAUSE_VALUE = 0, OLK_CAUSE_ROUGHNESS = 1, OLK_CAUSE_MEAN = 2, OLK_CAUSE_FLAT = 3 };

/* One channel as the block stores it, twelve numbers and two counts; in the comments, the
   specification's names. */
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

/* A reading measured by its channel's statistics. */
typedef struct {
    double input[3];   /* value, roughness and mean, in deviations */
    double oddness[4]; /* absolute values of these, and of the run without a change */
    double level;    /* y */
    double gate;     /* G */
    int present;     /* the reading is a number of valid size */
} olk_reading_stats;

/* A row measured by the statistics of all channels. */
typedef struct {
    double max_oddness; /* B: the largest oddness of any reading */
    ptrdiff_t channel;  /* its channel */
    int cause;
    olk_moments baseline; /* that channel's mean and variance before this reading */
    double level, trust; /* Y, T */
    double spread;       /* expected square of all inputs, after the row */
    int present, moved;  /* some reading is valid; some channel has moved */
    double reading;      /* of the channel that was asked for: its reading, if present, and rows */
    int reading_present; /*   without a change */
    uint32_t run;
} olk_row_stats;

/* How to process a row. */
typedef struct {
    double rows, unit; /* previous rows of the stream; the factor of the inputs */
    int learning;      /* channels are updated */
    int restarted;     /* the previous row is unknown */
    ptrdiff_t channel; /* whose reading is returned */
} olk_row_options;

/* A channel's window in rows, and whether outliers count less. */
typedef struct {
    double window;
    int robust;
} olk_channel_options;

static inline olk_channel olk_load_channel(const olk_sorf_state *s, ptrdiff_t j)
{
    const olk_input *v = (const olk_input *)s->channels + 12 * j;
    const olk_channel stored = {{(double)v[0], (double)v[1]},
                                (double)v[2],
                                (double)v[3],
                                (double)v[4],
                                {(double)v[5], (double)v[6]},
                                (double)v[7],
                                (double)v[8],
                                (double)v[9],
                                {(double)v[10], (double)v[11]},
                                s->readings[j] & OLK_MAX_RUN,
                                s->readings[j] >> 16};
    return stored;
}

static inline void olk_store_channel(const olk_sorf_state *s, ptrdiff_t j,
                                     const olk_channel *channel)
{
    olk_input *v = (olk_input *)s->channels + 12 * j;
    const double numbers[12] = {channel->reading.mean,
                                channel->reading.variance,
                                channel->last,
                                channel->correlation,
                                channel->roughness,
                                channel->log_rough.mean,
                                channel->log_rough.variance,
                                channel->drift,
                                channel->square,
                                channel->energy,
                                channel->log_run.mean,
                                channel->log_run.variance};
    for (int i = 0; i < 12; i++)
        v[i] = (olk_input)numbers[i];
    s->readings[j] = channel->readings | channel->run << 16;
}

/* The step of a running average: 1 / min(rows, max_rows). */
static inline double olk_average_gain(double rows, double max_rows)
{
    return 1.0 / (rows < max_rows ? rows : max_rows);
}

/* A.1: the gate G, from the channel's statistics. */
static inline double olk_gate_of(const olk_channel *channel, const olk_channel_options *settings)
{
    const double rows = (double)channel->readings;
    return olk_gate(channel->correlation, rows < settings->window ? rows : settings->window,
                    settings->robust);
}

/* A.3 to A.7: updates a channel with a number. */
static inline void olk_update_channel(olk_channel *channel, double x,
                                      const olk_channel_options *settings, olk_reading_stats *seen)
{
    const double window = settings->window;
    const double rows = (double)channel->readings + 1.0, fast_rows = OLK_FAST_ROWS;
    const double gain = olk_average_gain(rows, window), fast = olk_average_gain(rows, fast_rows);
    const double gate = seen->gate, limit = olk_max_deviations;
    double z, previous = 0.0;
    if (channel->reading.variance > 0.0) {
        z = olk_clipped_deviations(&channel->reading, x);
        previous = olk_clipped_deviations(&channel->reading, channel->last);
    } else if (channel->readings == 0 || x == channel->reading.mean) {
        z = 0.0;
    } else {
        z = x > channel->reading.mean ? limit : -limit;
    }
    channel->correlation = olk_step_towards(channel->correlation, z * previous, gain);
    channel->roughness =
        olk_step_towards(channel->roughness, (z - previous) * (z - previous), fast);
    const double log_rough = olk_log(channel->roughness + olk_min_roughness);
    channel->drift = olk_step_towards(channel->drift, z, fast);
    const double energy = olk_log(1.0 + z * z);
    channel->energy = olk_step_towards(channel->energy, energy, fast);
    seen->level = energy + gate * (channel->energy - energy);
    seen->input[0] = z;
    seen->input[1] = gate * olk_clipped_deviations(&channel->log_rough, log_rough);
    seen->input[2] =
        channel->square > 0.0
            ? gate * olk_clamp_between(channel->drift / olk_sqrt(channel->square), -limit, limit)
            : 0.0;
    channel->run = channel->readings > 0 && x == channel->last
                       ? channel->run + (channel->run < OLK_MAX_RUN)
                       : 0;
    const double max_deviations = olk_max_for_scale(gate, settings->robust);
    const double clipped = channel->readings >= OLK_TRUSTED_READINGS
                               ? olk_winsorised(&channel->reading, x, max_deviations)
                               : x;
    olk_update_moments(&channel->reading, clipped, gain);
    olk_update_moments(&channel->log_rough, log_rough, gain);
    channel->square = olk_step_towards(channel->square, channel->drift * channel->drift, gain);
    channel->last = x;
    channel->readings += channel->readings < OLK_MAX_RUN;
}

/* A.1 to A.8: a reading, after `rows` of the stream. */
static inline void olk_score_reading(olk_channel *channel, olk_input x, double rows,
                                     const olk_channel_options *settings, int restarted,
                                     olk_reading_stats *seen)
{
    seen->gate = olk_gate_of(channel, settings);
    seen->present = olk_fabs((double)x) <= olk_max_valid_reading; /* false for NaN */
    if (seen->present) {
        if (restarted)
            channel->last = (double)x;
        olk_update_channel(channel, (double)x, settings, seen);
        channel->run = restarted ? 0 : channel->run;
    } else {
        channel->run += channel->run < OLK_MAX_RUN;
        seen->input[0] = seen->input[1] = seen->input[2] = 0.0;
        seen->level = channel->energy;
    }
    for (int i = 0; i < 3; i++)
        seen->oddness[i] = olk_fabs(seen->input[i]);
    const double log_run = channel->run ? olk_log(1.0 + (double)channel->run) : 0.0;
    const double deviation = olk_sqrt(channel->log_run.variance),
                 min_deviation = olk_min_run_deviation;
    seen->oddness[OLK_CAUSE_FLAT] =
        (log_run - channel->log_run.mean) / (deviation > min_deviation ? deviation : min_deviation);
    olk_update_moments(&channel->log_run, log_run, olk_average_gain(rows + 1.0, settings->window));
}

/* All readings of a row; the features' inputs go to `inputs`, whose last third may be the row. */
static OLK_NOCLONE void olk_score_channels(const olk_sorf *p, const olk_sorf_state *s,
                                           const olk_input *x, const olk_row_options *options,
                                           olk_input *inputs, olk_row_stats *row)
{
    const ptrdiff_t d = p->d / 3;
    const olk_channel_options settings = {p->window, p->robust};
    const olk_row_stats empty = {0.0, 0, OLK_CAUSE_VALUE, {0.0, 0.0}, 0.0, 0.0, 0.0, 0, 0, 0.0,
                                 0,   0};
    *row = empty;
    for (ptrdiff_t j = 0; j < d; j++) {
        olk_channel channel = olk_load_channel(s, j);
        const olk_moments baseline = channel.reading;
        const double reading = (double)x[j];
        olk_reading_stats reading_stats;
        olk_score_reading(&channel, x[j], options->rows, &settings, options->restarted,
                          &reading_stats);
        for (int i = 0; i < 3; i++)
            inputs[3 * j + i] = (olk_input)(options->unit * reading_stats.input[i]);
        for (int i = 0; i < 4; i++)
            if (reading_stats.oddness[i] > row->max_oddness) {
                row->max_oddness = reading_stats.oddness[i];
                row->channel = j;
                row->cause = i;
                row->baseline = baseline;
            }
        if (j == options->channel) {
            row->reading = reading;
            row->reading_present = reading_stats.present;
            row->run = channel.run;
        }
        row->level += reading_stats.level;
        row->trust = reading_stats.gate > row->trust ? reading_stats.gate : row->trust;
        row->present |= reading_stats.present;
        if (channel.reading.variance > 0.0) {
            const double gate = olk_gate_of(&channel, &settings);
            row->spread += 1.0 + 2.0 * gate * gate;
            row->moved = 1;
        }
        if (options->learning)
            olk_store_channel(s, j, &channel);
    }
    row->level /= (double)d;
}

/* -- Events --
   Groups novel rows into events, and keeps an event open while its fault lasts (docs/novelty.md,
   step E). */

/* A reading this many earlier deviations off keeps its event open, for at most this share of the
   window. */
static const double olk_still_off = 3.0, olk_event_window_share = 0.25;

static inline ptrdiff_t olk_event_channel(const uint64_t *watch)
{
    return (ptrdiff_t)(watch[OLK_EVENT_STATE] >> OLK_EVENT_CHANNEL);
}

/* Whether the fault that began the event lasts: the reading is still far from its earlier mean, or
   still flat. */
static inline int olk_event_lasts(const olk_sorf_state *s, const olk_row_stats *seen, double window)
{
    const uint64_t event_state = s->watch[OLK_EVENT_STATE];
    const olk_input *baseline = (const olk_input *)s->deviations + OLK_BEFORE_EVENT;
    if ((double)(event_state & OLK_MAX_EVENT_ROWS) >= olk_event_window_share * window)
        return 0;
    if (event_state & OLK_EVENT_IS_FLAT)
        return seen->run > 0;
    return (event_state & OLK_EVENT_IS_VALUE) && seen->reading_present &&
           olk_fabs(seen->reading - (double)baseline[0]) > olk_still_off * (double)baseline[1];
}

/* The state of a new event: the cause that must end before the event does. */
static inline uint64_t olk_new_event_state(const olk_sorf_state *s, const olk_row_stats *seen)
{
    olk_input *baseline = (olk_input *)s->deviations + OLK_BEFORE_EVENT;
    const uint64_t channel = (uint64_t)seen->channel << OLK_EVENT_CHANNEL;
    baseline[0] = baseline[1] = (olk_input)0.0;
    if (seen->cause == OLK_CAUSE_FLAT)
        return channel | OLK_EVENT_IS_FLAT;
    if (seen->cause == OLK_CAUSE_ROUGHNESS || seen->max_oddness == 0.0)
        return 0;
    baseline[0] = (olk_input)seen->baseline.mean;
    baseline[1] = (olk_input)olk_sqrt(seen->baseline.variance);
    return channel | OLK_EVENT_IS_VALUE;
}

/* Step E. */
static inline void olk_update_event(const olk_sorf_state *s, const olk_row_stats *seen, int novel,
                                    int part, double window)
{
    uint64_t *watch = s->watch;
    olk_input *baseline = (olk_input *)s->deviations + OLK_BEFORE_EVENT;
    const uint64_t quiet = watch[OLK_QUIET_ROWS],
                   lasted = watch[OLK_EVENT_STATE] & OLK_MAX_EVENT_ROWS;
    const int still_lasts = olk_event_lasts(s, seen, window),
              starts = novel && quiet > OLK_EVENT_ROWS;
    uint64_t event = watch[OLK_EVENT_STATE] & ~(uint64_t)(OLK_MAX_EVENT_ROWS | OLK_RESTARTED);
    watch[OLK_EVENTS] += (uint64_t)starts;
    watch[OLK_QUIET_ROWS] = novel || still_lasts ? 0 : quiet + (quiet < UINT16_MAX);
    if (novel && !still_lasts)
        event = olk_new_event_state(s, seen);
    if (watch[OLK_QUIET_ROWS] > OLK_EVENT_ROWS) {
        baseline[0] = baseline[1] = (olk_input)0.0;
        watch[OLK_EVENT_STATE] = 0;
    } else {
        watch[OLK_EVENT_STATE] = event | (starts ? 0 : lasted + (lasted < OLK_MAX_EVENT_ROWS));
    }
    watch[OLK_VERDICT] = (uint64_t)novel | (uint64_t)part << 1 | (uint64_t)seen->cause << 3 |
                         (uint64_t)seen->channel << 8;
}

/* Ends the event and takes its readings as normal from now on: their mean, roughness and energy,
   and the length of flat lines. */
static OLK_NOCLONE void olk_accept_rows(const olk_sorf *p, const olk_sorf_state *s)
{
    olk_input *baseline = (olk_input *)s->deviations + OLK_BEFORE_EVENT;
    for (ptrdiff_t j = 0; j < p->d / 3; j++) {
        olk_channel channel = olk_load_channel(s, j);
        channel.reading.mean =
            channel.reading.mean + channel.drift * olk_sqrt(channel.reading.variance);
        channel.drift = channel.energy = 0.0;
        if (channel.run > 0)
            channel.roughness = 0.0; /* its limit for a flat line */
        channel.log_rough.mean = olk_log(channel.roughness + olk_min_roughness);
        channel.log_run.mean = channel.run ? olk_log(1.0 + (double)channel.run) : 0.0;
        olk_store_channel(s, j, &channel);
    }
    baseline[0] = baseline[1] = (olk_input)0.0;
    s->watch[OLK_EVENT_STATE] &= OLK_RESTARTED;
    s->watch[OLK_QUIET_ROWS] = OLK_EVENT_ROWS + 1;
}

/* Restarts after a long stop: the next reading has no predecessor; flat lines and events end. */
static OLK_NOCLONE void olk_restart_rows(const olk_sorf *p, const olk_sorf_state *s)
{
    olk_input *baseline = (olk_input *)s->deviations + OLK_BEFORE_EVENT;
    for (ptrdiff_t j = 0; j < p->d / 3; j++)
        s->readings[j] &= OLK_MAX_RUN;
    baseline[0] = baseline[1] = (olk_input)0.0;
    s->watch[OLK_EVENT_STATE] = OLK_RESTARTED;
    s->watch[OLK_QUIET_ROWS] = OLK_EVENT_ROWS + 1;
}

/* -- Scores --
   Three scores of a row, each in running deviations: how rare its pattern is, how high the level of
   its recent deviations, how far off its worst channel (docs/novelty.md, steps C and D). */

/* Rows before there is a model; rows with a model before the first verdict, and before scores are
   winsorised. */
enum { OLK_WARMUP_ROWS = 100, OLK_SILENT_ROWS = 10, OLK_TRUSTED_ROWS = 100 };
/* The floor of similarity; deviations that are normal for the worst channel. */
static const double olk_min_similarity = 0.02, olk_usual_deviations = 2.0;

enum { OLK_PATTERN = 0, OLK_LEVEL = 1, OLK_CHANNEL = 2 };

/* The stored state of the scores, with the threshold and the unit of inputs. */
typedef struct {
    double threshold, unit; /* tau, g */
    olk_moments rarity, level;
} olk_score_state;

/* Scores of a row: rarity of its pattern, its level, and the combined score in deviations. */
typedef struct {
    double rarity, level;
    double score; /* u */
    int part;     /* which of the three is the largest */
} olk_row_scores;

static inline olk_score_state olk_load_scores(const olk_sorf_state *s)
{
    const olk_input *v = (const olk_input *)s->deviations;
    const olk_score_state stored = {
        (double)v[0], (double)v[1], {(double)v[2], (double)v[3]}, {(double)v[4], (double)v[5]}};
    return stored;
}

static inline void olk_store_scores(const olk_sorf_state *s, const olk_score_state *scores)
{
    olk_input *v = (olk_input *)s->deviations;
    v[0] = (olk_input)scores->threshold;
    v[1] = (olk_input)scores->unit;
    v[2] = (olk_input)scores->rarity.mean;
    v[3] = (olk_input)scores->rarity.variance;
    v[4] = (olk_input)scores->level.mean;
    v[5] = (olk_input)scores->level.variance;
}

/* C.1: u, and which part dominates. `f` is the similarity to previous rows. */
static inline olk_row_scores olk_score_row(const olk_score_state *scores, const olk_row_stats *seen,
                                           double f)
{
    olk_row_scores row = {0.0, seen->level, 0.0, OLK_PATTERN};
    double u[3] = {0.0, 0.0, seen->max_oddness - olk_usual_deviations};
    if (seen->present) {
        row.rarity = -olk_log((f > 0.0 ? f : 0.0) + olk_min_similarity);
        u[0] = olk_deviations(&scores->rarity, row.rarity);
        u[1] = olk_deviations(&scores->level, row.level);
    }
    const double worse = (u[2] > u[1] ? u[2] : u[1]) - u[0];
    row.score = u[0] + (worse > 0.0 ? seen->trust * worse : 0.0);
    for (int part = 1; part < 3 && seen->trust > 0.0; part++)
        row.part = u[part] > u[row.part] ? part : row.part;
    return row;
}

/* D: updates the moments of the scores, after `rows` rows with a model. */
static inline void olk_learn_scores(olk_score_state *scores, const olk_row_scores *row, double rows,
                                    double window)
{
    const double gain = olk_average_gain(rows + 1.0, window);
    const int trusted = rows >= (double)OLK_TRUSTED_ROWS;
    const double limit = olk_max_deviations;
    const double rarity =
        trusted ? olk_winsorised(&scores->rarity, row->rarity, limit) : row->rarity;
    const double level = trusted ? olk_winsorised(&scores->level, row->level, limit) : row->level;
    olk_update_moments(&scores->rarity, rarity, gain);
    olk_update_moments(&scores->level, level, gain);
}

/* -- The mean embedding --
   The running mean of the rows' features: the kernel mean embedding of what is normal (Smola,
   Gretton, Song & Scholkopf 2007; docs/sorf.md, section 6b, step 3). */

/* a_k += (kappa feature_k - a_k) / n over one block in eight, after `rows` rows; n counts eights of
   rows, limited by the window. `cached` has the features [..][2] of the first `blocks` blocks; the
   others are computed again. */
static OLK_NOCLONE void olk_update_embedding(const olk_sorf *p, const olk_sorf_state *s,
                                             const olk_sorf_row *row, uint64_t rows,
                                             const olk_sorf_feature *cached, ptrdiff_t blocks)
{
    OLK_WORK(olk_block, block, s, OLK_AT_BLOCK);
    olk_tail tail;
    olk_frequency_scales scales;
    olk_signs first, second;
    const olk_real octets = (olk_real)(rows / OLK_OCTET + 1);
    const olk_real window = (olk_real)p->window / OLK_OCTET;
    const olk_real inverse = 1 / (octets < window ? octets : window);
    const ptrdiff_t words = (p->d + 31) / 32 + 4;
    uint64_t generator = p->signs;
    ptrdiff_t from = 0;
    int small_angles = -1; /* unknown until a block is computed again */
    for (ptrdiff_t b = (ptrdiff_t)(rows % OLK_OCTET); b < p->first[1]; b += OLK_OCTET) {
        const ptrdiff_t lines = olk_lines(p, b);
        if (b < blocks && lines == 64) {
            olk_average_block((olk_stored *)s->a + 128 * b, cached + 128 * b,
                              (olk_real)p->kappa, 128, inverse, s->rounding);
            continue;
        }
        if (small_angles < 0) {
            small_angles = olk_angles_are_small(p, s, row, 1);
            if (!OLK_INDEX(row))
                olk_tails(p, s, row->values, 1, &tail);
            olk_group_scales(p, s, 0, &scales);
        }
        olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(words * (b - from)));
        from = b + 1;
        olk_transform_block(p, s, &generator, row, &tail, block, &first, &second);
        olk_features(olk_lines_of(block), &scales, b, small_angles, block->feature);
        olk_average_block((olk_stored *)s->a + 128 * b, block->feature, (olk_real)p->kappa,
                          2 * lines, inverse, s->rounding);
    }
}

/* -- A row --
   Novelty in time: of rows that are ordered in time, for one type of weights (docs/novelty.md). */

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

static inline olk_row_options olk_row_options_of(const olk_sorf_state *s, double rows, double unit,
                                                 int learning)
{
    const olk_row_options options = {rows, unit, learning,
                                     (s->watch[OLK_EVENT_STATE] & OLK_RESTARTED) != 0,
                                     olk_event_channel(s->watch)};
    return options;
}

/* Learns one row; returns tau - u before this step: negative means novel. No row is rejected: NaN
   is a missing reading. */
static OLK_NOCLONE olk_scalar olk_sorf_learn_in_time(const olk_sorf *p, const olk_sorf_state *s,
                                                     const olk_sorf_row *row)
{
    OLK_ALIGNED(64) olk_sorf_feature feature[OLK_WATCH_CACHED ? 128 * OLK_WATCH_CACHED : 1];
    const olk_row_cache cache = {feature, OLK_WATCH_CACHED, NULL, 0};
    const uint64_t t = olk_counted_rows(s);
    const double rows_with_model = (double)t - (double)OLK_WARMUP_ROWS; /* r */
    const olk_sorf_row inputs = {s->inputs, NULL, 0};
    olk_score_state scores = olk_load_scores(s);
    olk_row_scores row_scores = {0.0, 0.0, 0.0, OLK_PATTERN};
    olk_row_stats seen;
    olk_real f = 0;
    double returned = 0.0;
    int novel = 0;
    const olk_row_options options = olk_row_options_of(s, (double)t, scores.unit, 1);
    olk_begin_step(s->flags);
    olk_score_channels(p, s, (const olk_input *)row->values, &options, (olk_input *)s->inputs,
                       &seen);
    if (t < OLK_WARMUP_ROWS) {
        if (t == OLK_WARMUP_ROWS - 1)
            scores.unit = 1.0 / olk_sqrt(seen.spread > 1e-6 ? seen.spread : 1e-6);
        s->watch[OLK_IDLE_ROWS] += t == 1 && !seen.moved;
    } else {
        if (seen.present)
            olk_pass(p, s, &inputs, 1, &cache, NULL, &f);
        row_scores = olk_score_row(&scores, &seen, (double)f);
        if (rows_with_model >= (double)OLK_SILENT_ROWS) {
            novel = row_scores.score > scores.threshold;
            returned = scores.threshold - row_scores.score;
            scores.threshold = olk_next_threshold(scores.threshold, novel, rows_with_model, p->nu);
        } else {
            row_scores.part = OLK_PATTERN;
        }
        if (seen.present) {
            olk_learn_scores(&scores, &row_scores, rows_with_model, p->window);
            olk_update_embedding(p, s, &inputs, t - OLK_WARMUP_ROWS, feature, OLK_WATCH_CACHED);
        }
    }
    olk_store_scores(s, &scores);
    *s->mistakes += (uint64_t)novel;
    olk_update_event(s, &seen, novel, row_scores.part, p->window);
    *s->t += 1;
    return (olk_scalar)returned;
}

/* What learning the row would return; writes only to scratch. */
static OLK_NOCLONE olk_scalar olk_sorf_score_in_time(const olk_sorf *p, const olk_sorf_state *s,
                                                     const olk_sorf_row *row)
{
    const uint64_t t = olk_counted_rows(s);
    const olk_sorf_row inputs = {s->inputs, NULL, 0};
    const olk_score_state scores = olk_load_scores(s);
    olk_row_stats seen;
    olk_real f = 0;
    if (t < OLK_WARMUP_ROWS + OLK_SILENT_ROWS)
        return 0;
    const olk_row_options options = olk_row_options_of(s, (double)t, scores.unit, 0);
    olk_score_channels(p, s, (const olk_input *)row->values, &options, (olk_input *)s->inputs,
                       &seen);
    if (seen.present)
        olk_pass(p, s, &inputs, 1, NULL, NULL, &f);
    return (olk_scalar)(scores.threshold - olk_score_row(&scores, &seen, (double)f).score);
}
