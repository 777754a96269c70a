/* The state of anomalies of a stream as a block stores it (docs/novelty.md, section 2): sizes and
   positions that do not depend on the type of numbers, its words, and how a new one begins. */
#pragma once

#include <math.h>

#include "sorf_types.h"

/* Readings of a channel, or rows, before its values are judged; rows without an alarm after which an
   event is over; hours of a day; the largest count in 16 bits. */
enum {
    OLK_FIRST_VERDICT = 200,
    OLK_EVENT_ROWS = 64,
    OLK_HOURS = 24,
    OLK_MAX_RUN = 65535
};
/* Rows of an abnormal stretch during which nothing is learned from it; the longest stretch above a
   peak that counts as one peak. */
enum { OLK_FROZEN_ROWS = 300, OLK_LONGEST_STRETCH = 64 };
/* The initial and the smallest threshold of rare rows. */
static const double olk_first_threshold = 4.0, olk_min_threshold = 0.5;

/* Numbers and bytes of a channel, and of its season; of their numbers, those before the peaks, which
   are three each. The bytes: readings (two), lengths of stretches; lengths of stretches, rows of each
   hour. */
enum {
    OLK_PEAKS_NUMBERS = 3,
    OLK_CHANNEL_TAILS = 4,
    OLK_AT_CHANNEL_PEAKS = 16,
    OLK_CHANNEL_NUMBERS = OLK_AT_CHANNEL_PEAKS + OLK_PEAKS_NUMBERS * OLK_CHANNEL_TAILS,
    OLK_CHANNEL_BYTES = 2 + OLK_CHANNEL_TAILS,
    OLK_CLOCK_TAILS = 2,
    OLK_AT_CLOCK_PEAKS = 2,
    OLK_AT_HOURS = OLK_AT_CLOCK_PEAKS + OLK_PEAKS_NUMBERS * OLK_CLOCK_TAILS,
    OLK_CLOCK_NUMBERS = OLK_AT_HOURS + OLK_HOURS,
    OLK_CLOCK_BYTES = OLK_CLOCK_TAILS + OLK_HOURS
};
/* Rows that an hour's mean remembers. */
enum { OLK_MAX_HOUR_ROWS = 200 };

/* Numbers of the model: threshold of rare rows, unit of the inputs, mean and variance of rarity and
   of level; mean of the pattern's score, its long mean and deviation; its peaks; the score of the
   last row. */
enum {
    OLK_WATCH_THRESHOLD = 0,
    OLK_WATCH_UNIT = 1,
    OLK_WATCH_PATTERN = 6,
    OLK_AT_PATTERN_PEAKS = 9,
    OLK_WATCH_SCORE = OLK_AT_PATTERN_PEAKS + OLK_PEAKS_NUMBERS,
    OLK_WATCH_NUMBERS = OLK_WATCH_SCORE + 1
};

/* 64-bit words: rows that do not count because no channel had moved yet; alarms; counts; the verdict
   on the last row. */
enum {
    OLK_IDLE_ROWS = 0,
    OLK_ALARMS = 1,
    OLK_WATCH_COUNTS = 2,
    OLK_VERDICT = 3,
    OLK_WATCH_WORDS = 4
};

/* The word of counts, by bits. */
typedef struct {
    uint32_t quiet;    /* 0 to 15: rows since the last novel one */
    uint32_t patterns; /* 16 to 31: rows whose pattern was scored */
    uint32_t lasted;   /* 32 to 40: rows of the abnormal stretch, up to OLK_FROZEN_ROWS + 1 */
    int on;            /* 41: the level is abnormal */
    int restarted;     /* 42: the previous row is unknown */
    uint8_t stretch;   /* 48 to 55: of the pattern's peaks */
} olk_watch_counts;

static inline olk_watch_counts olk_load_watch_counts(const uint64_t *words)
{
    const uint64_t w = words[OLK_WATCH_COUNTS];
    const olk_watch_counts n = {(uint32_t)(w & 0xffff),
                                (uint32_t)(w >> 16 & 0xffff),
                                (uint32_t)(w >> 32 & 0x1ff),
                                (int)(w >> 41 & 1),
                                (int)(w >> 42 & 1),
                                (uint8_t)(w >> 48 & 0xff)};
    return n;
}

static inline void olk_store_watch_counts(uint64_t *words, const olk_watch_counts *n)
{
    words[OLK_WATCH_COUNTS] = (uint64_t)n->quiet | (uint64_t)n->patterns << 16 |
                              (uint64_t)n->lasted << 32 | (uint64_t)(n->on != 0) << 41 |
                              (uint64_t)(n->restarted != 0) << 42 | (uint64_t)n->stretch << 48;
}

/* Parts of a verdict, in the order that breaks ties: five with peaks of their own, the level, and
   what else the readings of a channel may be odd in. */
enum {
    OLK_PART_VALUE = 0,
    OLK_PART_CHANGE = 1,
    OLK_PART_SEASON = 2,
    OLK_PART_FLAT = 3,
    OLK_PART_PATTERN = 4,
    OLK_PARTS_WITH_PEAKS = 5,
    OLK_PART_LEVEL = 5,
    OLK_PART_ROUGHNESS = 6,
    OLK_PART_MEAN = 7
};

/* The word of a verdict, by bits. */
enum {
    OLK_IS_NOVEL = 1,
    OLK_IS_ALARM = 2,
    OLK_IS_EVENT = 4,
    OLK_IS_RARE = 8,
    OLK_VERDICT_PART = 4,   /* from this bit on, three */
    OLK_VERDICT_CHANNEL = 8 /* from this bit on */
};

static inline void olk_put_number(void *numbers, int wide, ptrdiff_t i, double v)
{
    if (wide)
        ((double *)numbers)[i] = v;
    else
        ((float *)numbers)[i] = (float)v;
}

/* Peaks that no value has shown. */
static inline void olk_begin_peaks(void *numbers, int wide, ptrdiff_t at, ptrdiff_t tails)
{
    for (ptrdiff_t k = 0; k < tails; k++) {
        olk_put_number(numbers, wide, at + OLK_PEAKS_NUMBERS * k, -HUGE_VAL);
        olk_put_number(numbers, wide, at + OLK_PEAKS_NUMBERS * k + 1, -HUGE_VAL);
    }
}

/* Initialises a channel and its season, which are all zero. */
static inline void olk_begin_channel(const olk_sorf_state *s, ptrdiff_t j, int wide)
{
    olk_begin_peaks(s->channels, wide, OLK_CHANNEL_NUMBERS * j + OLK_AT_CHANNEL_PEAKS,
                    OLK_CHANNEL_TAILS);
    if (s->clock)
        olk_begin_peaks(s->clock, wide, OLK_CLOCK_NUMBERS * j + OLK_AT_CLOCK_PEAKS,
                        OLK_CLOCK_TAILS);
}

/* Initialises a state, which is all zero, of so many channels. */
static inline void olk_begin_watch(const olk_sorf_state *s, ptrdiff_t channels, int wide)
{
    for (ptrdiff_t j = 0; j < channels; j++)
        olk_begin_channel(s, j, wide);
    olk_begin_peaks(s->watch_scores, wide, OLK_AT_PATTERN_PEAKS, 1);
    olk_put_number(s->watch_scores, wide, OLK_WATCH_THRESHOLD, olk_first_threshold);
    s->watch[OLK_WATCH_COUNTS] = OLK_EVENT_ROWS + 1;
}
