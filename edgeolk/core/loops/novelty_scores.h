/* Three scores of a row, each in running deviations: how rare its pattern is, how high the level of
   its recent deviations, how far off its worst channel (docs/novelty.md, steps C and D). */
#pragma once

#include "running_moments.h"

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
