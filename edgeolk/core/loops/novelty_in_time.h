/* Novelty in time: of rows that are ordered in time, for one type of weights (docs/novelty.md). */
#pragma once

#include "channels.h"
#include "mean_embedding.h"
#include "novelty_event.h"
#include "novelty_scores.h"
#include "novelty_threshold.h"

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
static OLK_NOCLONE double olk_sorf_learn_in_time(const olk_sorf *p, const olk_sorf_state *s,
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
    double f = 0.0, returned = 0.0;
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
            olk_pass(p, s, &inputs, 1, 1, &cache, NULL, &f);
        row_scores = olk_score_row(&scores, &seen, f);
        if (rows_with_model >= (double)OLK_SILENT_ROWS) {
            novel = row_scores.score > scores.threshold;
            returned = scores.threshold - row_scores.score;
            scores.threshold = olk_next_threshold(scores.threshold, novel, rows_with_model, p->nu);
        } else {
            row_scores.part = OLK_PATTERN;
        }
        if (seen.present) {
            olk_learn_scores(&scores, &row_scores, rows_with_model, p->forget);
            olk_update_embedding(p, s, &inputs, t - OLK_WARMUP_ROWS, feature, OLK_WATCH_CACHED);
        }
    }
    olk_store_scores(s, &scores);
    *s->mistakes += (uint64_t)novel;
    olk_update_event(s, &seen, novel, row_scores.part, p->forget);
    *s->t += 1;
    return returned;
}

/* What learning the row would return; writes only to scratch. */
static OLK_NOCLONE double olk_sorf_score_in_time(const olk_sorf *p, const olk_sorf_state *s,
                                                 const olk_sorf_row *row)
{
    const uint64_t t = olk_counted_rows(s);
    const olk_sorf_row inputs = {s->inputs, NULL, 0};
    const olk_score_state scores = olk_load_scores(s);
    olk_row_stats seen;
    double f = 0.0;
    if (t < OLK_WARMUP_ROWS + OLK_SILENT_ROWS)
        return 0.0;
    const olk_row_options options = olk_row_options_of(s, (double)t, scores.unit, 0);
    olk_score_channels(p, s, (const olk_input *)row->values, &options, (olk_input *)s->inputs,
                       &seen);
    if (seen.present)
        olk_pass(p, s, &inputs, 1, 1, NULL, NULL, &f);
    return scores.threshold - olk_score_row(&scores, &seen, f).score;
}
