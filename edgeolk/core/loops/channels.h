/* Running statistics of each channel of a stream, and how odd one reading is by them: step A of
   novelty in time (docs/novelty.md). */
#pragma once

#include "channel_gate.h"
#include "logarithm.h"
#include "running_moments.h"

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
    const olk_channel_options settings = {p->forget, p->robust};
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
