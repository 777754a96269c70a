/* Groups novel rows into events, and keeps an event open while its fault lasts (docs/novelty.md,
   step E). */
#pragma once

#include "channels.h"
#include "event_words.h"

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
