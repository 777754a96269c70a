/* What a block may hold of anomalies of a stream (holds.h; docs/novelty.md, section 2). */
#pragma once

#include "holds.h"
#include "watch_state.h"

/* Larger numbers of readings do not occur: readings end at 1e15, and what a user accepts exceeds
   that by some deviations. */
static const double olk_max_of_readings = 1e18;

/* Peaks from number `at` of a region on: two and a pending one, the larger first. */
static inline int olk_check_peaks(const olk_setup *m, const uint8_t *block, size_t offset,
                                  size_t at, size_t n, olk_problem *problem)
{
    for (size_t i = at; i < at + n * OLK_PEAKS_NUMBERS; i += OLK_PEAKS_NUMBERS) {
        const double first = olk_number_at(block, m->wide, offset, i);
        const double second = olk_number_at(block, m->wide, offset, i + 1);
        const double most = olk_max_of_readings;
        OLK_REQUIRE(first == -HUGE_VAL || olk_between(first, -most, most), OLK_BAD_PEAKS, i, first);
        OLK_REQUIRE(second == -HUGE_VAL || olk_between(second, -most, first), OLK_BAD_PEAKS, i,
                    second);
        OLK_CHECK(olk_check_all(block, m->wide, offset, i + 2, 1, -most, most, OLK_BAD_PEAKS,
                                problem));
    }
    return OLK_HOLDS;
}

static inline int olk_check_stretches(const uint8_t *bytes, size_t n, olk_problem *problem)
{
    for (size_t i = 0; i < n; i++)
        OLK_REQUIRE(bytes[i] < OLK_LONGEST_STRETCH, OLK_BAD_STRETCH, i, bytes[i]);
    return OLK_HOLDS;
}

static inline int olk_check_channel(const olk_setup *m, const uint8_t *block, size_t j,
                                    olk_problem *problem)
{
    /* Bounds on the absolute values of a channel's numbers before its peaks, deviations end at 6 and
       runs at 65,535; which of them are not negative. */
    static const double bounds[OLK_AT_CHANNEL_PEAKS] = {1e15, 1e18, 1e36,  2.1e15, 40.0, 150.0,
                                                        20.0, 400.0, 7.0,  50.0,   5.0,  12.0,
                                                        150.0, 7.0,  50.0, 1e18};
    static const uint8_t of_squares[] = {2, 5, 7, 9, 10, 12, 14, 15};
    const size_t at = OLK_CHANNEL_NUMBERS * j;
    const uint8_t *bytes = block + m->at.channel_bytes + OLK_CHANNEL_BYTES * j;
    const uint32_t readings = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
    const uint32_t learned = olk_count_at(block, m->at.channel_counts, j) & OLK_MAX_RUN;
    for (size_t i = 0; i < OLK_AT_CHANNEL_PEAKS; i++)
        OLK_CHECK(olk_check_all(block, m->wide, m->at.channels, at + i, 1, -bounds[i], bounds[i],
                                OLK_BAD_CHANNEL, problem));
    for (size_t i = 0; i < sizeof of_squares; i++)
        OLK_CHECK(olk_check_all(block, m->wide, m->at.channels, at + of_squares[i], 1, 0.0, DBL_MAX,
                                OLK_BAD_CHANNEL_VARIANCE, problem));
    OLK_CHECK(olk_check_peaks(m, block, m->at.channels, at + OLK_AT_CHANNEL_PEAKS,
                              OLK_CHANNEL_TAILS, problem));
    OLK_REQUIRE(learned <= readings, OLK_BAD_READINGS, readings, learned);
    return olk_check_stretches(bytes + 2, OLK_CHANNEL_TAILS, problem);
}

static inline int olk_check_clock(const olk_setup *m, const uint8_t *block, size_t j,
                                  olk_problem *problem)
{
    const size_t at = OLK_CLOCK_NUMBERS * j;
    const uint8_t *bytes = block + m->at.clock_bytes + OLK_CLOCK_BYTES * j;
    const double most = olk_max_of_readings;
    OLK_CHECK(
        olk_check_all(block, m->wide, m->at.clock, at, 1, -most, most, OLK_BAD_HOUR, problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.clock, at + 1, 1, 0.0, most, OLK_BAD_HOUR,
                            problem));
    OLK_CHECK(olk_check_peaks(m, block, m->at.clock, at + OLK_AT_CLOCK_PEAKS, OLK_CLOCK_TAILS,
                              problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.clock, at + OLK_AT_HOURS, OLK_HOURS, -most, most,
                            OLK_BAD_HOUR, problem));
    for (size_t i = OLK_CLOCK_TAILS; i < OLK_CLOCK_BYTES; i++)
        OLK_REQUIRE(bytes[i] <= OLK_MAX_HOUR_ROWS, OLK_BAD_HOUR_ROWS, OLK_MAX_HOUR_ROWS, bytes[i]);
    return olk_check_stretches(bytes, OLK_CLOCK_TAILS, problem);
}

/* The numbers of the model. */
static inline int olk_check_watch_scores(const olk_setup *m, const uint8_t *block,
                                         olk_problem *problem)
{
    /* The smallest and the largest of each before the peaks: the threshold has a minimum; a unit,
       variances and a mean absolute value are not negative. */
    static const double lower[OLK_AT_PATTERN_PEAKS] = {0.5, 0.0,   -1e15, 0.0, -1e15,
                                                       0.0, -1e15, -1e15, 0.0};
    static const double upper[OLK_AT_PATTERN_PEAKS] = {1e15, 1001.0, 1e15, 1e30, 1e15,
                                                       1e30, 1e15,   1e15, 1e15};
    for (size_t i = 0; i < OLK_AT_PATTERN_PEAKS; i++)
        OLK_CHECK(olk_check_all(block, m->wide, m->at.watch_scores, i, 1, lower[i], upper[i],
                                OLK_BAD_SCORES_IN_TIME, problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.watch_scores, OLK_WATCH_SCORE, 1, 0.0, 1.0,
                            OLK_BAD_SCORES_IN_TIME, problem));
    return olk_check_peaks(m, block, m->at.watch_scores, OLK_AT_PATTERN_PEAKS, 1, problem);
}

/* Channels, scores, counts and the last verdict. */
static inline int olk_check_watch(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    /* Bits that no count and no verdict uses. */
    const uint64_t unused = UINT64_C(0xff00f80000000000), unused_verdict = 0x80;
    const int64_t steps = olk_word_at(block, OLK_AT_STEPS, 0);
    const int64_t idle = olk_word_at(block, m->at.watch, OLK_IDLE_ROWS);
    const int64_t alarms = olk_word_at(block, m->at.watch, OLK_ALARMS);
    const uint64_t word = (uint64_t)olk_word_at(block, m->at.watch, OLK_WATCH_COUNTS);
    const uint64_t verdict = (uint64_t)olk_word_at(block, m->at.watch, OLK_VERDICT);
    const uint64_t words[] = {0, 0, word};
    const olk_watch_counts counts = olk_load_watch_counts(words);
    for (size_t j = 0; j < (size_t)m->features; j++) {
        OLK_CHECK(olk_check_channel(m, block, j, problem));
        if (OLK_MEMBER(m, at.clock))
            OLK_CHECK(olk_check_clock(m, block, j, problem));
    }
    OLK_CHECK(olk_check_watch_scores(m, block, problem));
    OLK_REQUIRE(olk_counts_to(idle, steps), OLK_BAD_IDLE_ROWS, steps, idle);
    OLK_REQUIRE(olk_counts_to(alarms, olk_word_at(block, OLK_AT_MISTAKES, 0)), OLK_BAD_ALARMS, 0,
                alarms);
    OLK_REQUIRE(!(word & unused) && counts.lasted <= OLK_FROZEN_ROWS + 1, OLK_BAD_WATCH_COUNTS, 0,
                word);
    OLK_CHECK(olk_check_stretches(&counts.stretch, 1, problem));
    OLK_REQUIRE(verdict >> OLK_VERDICT_CHANNEL < (uint64_t)m->features &&
                    !(verdict & unused_verdict) &&
                    ((verdict & OLK_IS_NOVEL) || !(verdict & OLK_IS_ALARM)),
                OLK_BAD_VERDICT, 0, verdict);
    return OLK_HOLDS;
}
