/* Anomalies of a stream: of rows that are ordered in time, for one type of weights
   (docs/novelty.md). Statistics of each channel (watch_statistics.h); five parts of a row, each
   judged by the two largest peaks it has shown (watch_parts.h); a level that says how long an
   abnormal stretch lasts and stops the learning in it, and a score that orders all other rows
   (watch_verdict.h). */
#pragma once

#include "novelty.h"
#include "watch_verdict.h"

/* Rows before there is a model. */
enum { OLK_WARMUP_ROWS = 100 };
/* The floor of similarity. */
static const double olk_min_similarity = 0.02;

/* -- A row -- */

/* A: all readings of a row; the features' inputs go to `inputs`, whose last third may be the
   row. */
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
        olk_reading_stats seen = {{0.0, 0.0, 0.0}, 0.0, olk_gate(&channel.v), 0.0, 0.0, 0.0};
        if (olk_fabs((double)reading) <= olk_max_valid_reading) { /* false for NaN */
            if (readings == 0)
                channel.v.origin = reading;
            const olk_input relative = (olk_input)((double)reading - (double)channel.v.origin);
            olk_measure_reading(&channel, relative, options, &seen);
            olk_judge_reading(s, &channel, relative, seen.deviation, options, j, &row->votes);
            olk_update_channel(&channel, relative, options, &seen);
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
        if (options->learning) {
            olk_store_channel(s, j, &channel);
            if (readings + 1 == OLK_TRUSTED_READINGS && channel.learned == OLK_TRUSTED_READINGS &&
                options->window >= OLK_TRUSTED_READINGS && olk_begins_wildly(&channel))
                olk_begin_channel_again(s, j);
        }
    }
    row->energy /= (double)d;
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

/* Reads a row: learns it, or only scores it. Returns 0.5 minus its score, and 0 for a row before
   the first verdict that is not novel. */
static OLK_NOCLONE double olk_watch_row(const olk_sorf *p, const olk_sorf_state *s,
                                       const olk_input *row, double seconds, int learning)
{
    OLK_ALIGNED(64) olk_sorf_feature feature[OLK_WATCH_CACHED ? 128 * OLK_WATCH_CACHED : 1];
    const olk_row_cache cache = {feature, OLK_WATCH_CACHED, NULL, 0};
    const uint64_t t = olk_counted_rows(s);
    const double rows = (double)t, rows_with_model = rows - (double)OLK_WARMUP_ROWS; /* r */
    olk_input *const inputs = s->inputs;
    olk_watch_scores scores = *(const olk_watch_scores *)s->watch_scores;
    olk_watch_counts counts = olk_load_watch_counts(s->watch);
    olk_row_verdict verdict = {0.0, 0.0, OLK_PART_PATTERN, 0.0, 0.0, 0};
    olk_row_stats seen;
    olk_real f = 0;
    int rare = 0;
    const olk_row_options options = {rows,
                                     (double)scores.unit,
                                     (double)p->window,
                                     olk_has_clock(s) ? olk_hour_of(seconds) : -1,
                                     counts.on && counts.lasted <= OLK_FROZEN_ROWS,
                                     counts.restarted,
                                     learning};
    if (learning)
        olk_begin_step(s->flags);
    olk_read_row(p, s, row, &options, inputs, &seen);
    if (t == OLK_WARMUP_ROWS - 1)
        scores.unit =
            (olk_input)(1.0 / olk_sqrt(seen.spread > 1e-6 ? seen.spread : 1e-6));
    if (t >= OLK_WARMUP_ROWS) {
        if (seen.present) {
            olk_pass(p, s, inputs, 1, learning ? &cache : NULL, NULL, &f);
            verdict.rarity = -olk_log((f > 0 ? (double)f : 0.0) + olk_min_similarity);
            olk_judge_pattern(&scores, &counts, verdict.rarity, rows_with_model,
                              (double)p->window, &seen);
        }
        if (rows_with_model >= (double)OLK_SILENT_ROWS) {
            olk_order_row(&scores, &seen, &verdict);
            rare = verdict.order > (double)scores.threshold;
            olk_move_threshold(&scores, rare, rows_with_model, (double)p->nu);
        }
    }
    olk_conclude(&counts, &seen, p->d / 3, rows, rare, &verdict);
    const int novel = (verdict.bits & OLK_IS_NOVEL) != 0;
    if (learning) {
        if (t >= OLK_WARMUP_ROWS && seen.present) {
            if (!options.frozen || rows_with_model < (double)OLK_TRUSTED_ROWS)
                olk_learn_scores(&scores, &verdict, &seen, rows_with_model, (double)p->window);
            olk_update_embedding(p, s, inputs, t - OLK_WARMUP_ROWS, feature, OLK_WATCH_CACHED);
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

/* Learns one row; negative means novel. `seconds`: its time, NaN if unknown. No row is rejected:
   NaN is a missing reading. */
static OLK_NOCLONE double olk_sorf_learn_in_time(const olk_sorf *p, const olk_sorf_state *s,
                                                 const void *row, double seconds)
{
    return olk_watch_row(p, s, row, seconds, 1);
}

/* What learning the row without a time would return; writes only to scratch. */
static OLK_NOCLONE double olk_sorf_score_in_time(const olk_sorf *p, const olk_sorf_state *s,
                                                 const olk_input *row)
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
