/* Anomalies of a stream: the score that orders rows, the threshold of rare ones, the level state,
   and the verdict on a row (docs/novelty.md, section 4, steps C to E). */
#pragma once

#include "watch_parts.h"

/* The surprise of an alarm; the level at which an abnormal stretch begins, and how much lower it
   ends. */
static const double olk_alarm_surprise = 3.8, olk_abnormal_level = 2.8, olk_normal_again = 0.7;
/* Rows with a model before their scores are winsorised. */
enum { OLK_TRUSTED_ROWS = 100 };
/* Deviations that are normal for the worst channel. */
static const double olk_usual_deviations = 2.0;
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
