/* Anomalies of a stream: the five parts of a row (value, change, season, flat line, pattern), each
   judged by the two largest peaks that it has shown (docs/novelty.md, section 4, steps A and C). */
#pragma once

#include "watch_statistics.h"

/* Windows of the fast averages of the season's residual and of the pattern, in rows; rows that a
   tail counts at most; rows with a model before patterns are averaged, and before they are
   judged. */
enum {
    OLK_SEASON_ROWS = 8,
    OLK_TAIL_ROWS = 4096,
    OLK_SILENT_ROWS = 10,
    OLK_FIRST_PATTERNS = 100
};
/* The floor of the deviation of run lengths. */
static const double olk_min_run_deviation = 0.5;
/* Floors of the width of peaks, in deviations and in mean absolute values; a value enters these
   clipped to so many of them, once there were so many. */
static const double olk_floor_deviations = 0.4, olk_floor_means = 0.5;
static const double olk_max_means = 8.0;
enum { OLK_TRUSTED_MEANS = 20 };
/* An hour's difference is shrunk as if it had so many more rows that are 0, and learns readings
   clipped to so many deviations. */
static const double olk_shrinking_rows = 4.0, olk_hour_deviations = 4.0;

/* -- Votes -- */

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

/* -- Values, changes, seasons -- */

/* Moves the mean of absolute values, of which there were `rows`. */
static OLK_INLINE void olk_learn_size(olk_input *size, double value, double rows, double gain)
{
    const double most = olk_max_means * (double)*size;
    olk_step_towards(size,
                     rows > OLK_TRUSTED_MEANS && most > 0.0 && value > most ? most : value, gain);
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
        /* Only a row that is learned has an hour. */
        olk_clock *clock = (olk_clock *)s->clock + j;
        olk_clock_stretches stretches;
        memcpy(&stretches, s->clock_bytes + OLK_CLOCK_BYTES * j, sizeof stretches);
        olk_judge_season(clock, &stretches, c, x, deviation, options->hour, options, j, votes);
        memcpy(s->clock_bytes + OLK_CLOCK_BYTES * j, &stretches, sizeof stretches);
    }
    const uint32_t next = readings + (readings < OLK_MAX_RUN);
    c->stretch.readings_low = (uint8_t)(next & 0xff);
    c->stretch.readings_high = (uint8_t)(next >> 8);
}

/* -- Flat lines, patterns -- */

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
