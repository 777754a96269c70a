/* What a block with a tracker may hold (holds.h): krls_auto, alone or beside features. */
#pragma once

#include "holds.h"
#include "krls_auto_types.h"

/* Sizes of a tracker, and where its regions are in the block, as in olk_ring_setup. */
typedef struct {
    ptrdiff_t inputs, lags, delay, budget;
    int32_t wide; /* numbers are doubles, 0 or 1 */
    double max_alpha;
    size_t tracking, origin, input_scales, whitening, posterior_factor, coordinates;
    size_t lagging, recent_targets, pending_rows;
} olk_tracker_setup;

static inline int64_t olk_n_vectors(const uint8_t *block)
{
    return (int32_t)olk_count_at(block, OLK_AT_VECTORS, 0);
}

static inline size_t olk_packed_numbers(size_t n)
{
    return n * (n + 1) / 2;
}

/* Words of krls_auto by position (olk_tracking in krls_auto_types.h), and their ranges. */
static inline int olk_check_tracking(const olk_tracker_setup *m, const uint8_t *block,
                                     olk_problem *problem)
{
    const double steps = (double)olk_word_at(block, OLK_AT_STEPS, 0);
    const double coordinates = (double)(2 + m->inputs + m->budget);
    const double waited = olk_double_at(block, m->tracking, OLK_TRACK_WAITED);
    const double range[OLK_TRACK_WORDS][2] = {
        {0.0, 1e300}, {0.0, 201.0}, {0.99e-6, 1.01}, {-14.0, 0.0}, {-14.0, 0.0}, {0.0, 200.0},
        {-1.0, 1.0}, {0.0, DBL_MAX}, {0.0, steps}, {0.0, coordinates}, {-1e300, 1e300},
        {0.0, steps < 3.0 ? steps : 3.0}, {-1e300, 1e300}, {-1e300, 1e300}, {-1e300, 1e300},
    };
    for (size_t i = 0; i < OLK_TRACK_WORDS; i++) {
        const double word = olk_double_at(block, m->tracking, i);
        const int counts = i == OLK_TRACK_NOISE_ROWS || i == OLK_TRACK_SEEN ||
                           i == OLK_TRACK_TURN || i == OLK_TRACK_WAITED;
        OLK_REQUIRE(olk_between(word, range[i][0], range[i][1]) &&
                        (!counts || olk_is_integer(word)),
                    OLK_BAD_TRACKING, i, word);
    }
    const double seen = olk_double_at(block, m->tracking, OLK_TRACK_SEEN);
    OLK_REQUIRE(waited >= 3.0 || seen == 0.0, OLK_BAD_TRACKING, OLK_TRACK_SEEN, seen);
    OLK_REQUIRE((double)olk_n_vectors(block) <= seen, OLK_BAD_TRACKING, OLK_TRACK_SEEN, seen);
    return OLK_HOLDS;
}

/* Targets that are inputs of krls_auto, and rows that wait for theirs. */
static inline int olk_check_lags(const olk_tracker_setup *m, const uint8_t *block,
                                 olk_problem *problem)
{
    const double largest = olk_auto_largest_input(m->wide);
    const size_t size = (size_t)m->inputs + OLK_PENDING_MORE;
    const double range[OLK_LAG_WORDS] = {(double)m->lags, (double)m->delay, (double)(m->delay - 1)};
    for (size_t i = 0; i < OLK_LAG_WORDS; i++) {
        const double word = olk_double_at(block, m->lagging, i);
        OLK_REQUIRE(olk_between(word, 0.0, range[i]) && olk_is_integer(word), OLK_BAD_LAGGING, i,
                    word);
    }
    OLK_CHECK(olk_check_all(block, 1, m->recent_targets, 0, (size_t)m->lags, -largest, largest,
                            OLK_BAD_RECENT_TARGET, problem));
    for (size_t row = 0; row < (size_t)m->delay; row++) {
        OLK_CHECK(olk_check_all(block, 1, m->pending_rows, row * size, (size_t)m->inputs,
                                -largest, largest, OLK_BAD_PENDING_ROW, problem));
        const double answer = olk_double_at(block, m->pending_rows, row * size + size - 2);
        const double known = olk_double_at(block, m->pending_rows, row * size + size - 1);
        OLK_REQUIRE(olk_between(answer, -1e121, 1e121), OLK_BAD_PENDING_ROW, row, answer);
        OLK_REQUIRE(known == 0.0 || known == 1.0, OLK_BAD_PENDING_ROW, row, known);
    }
    return OLK_HOLDS;
}

/* Widths and scales of inputs, matrices and mean of krls_auto. */
static inline int olk_check_tracker(const olk_tracker_setup *m, const uint8_t *block,
                                    olk_problem *problem)
{
    const size_t n = (size_t)olk_n_vectors(block), d = (size_t)m->inputs;
    const size_t rows = 2 + d + (size_t)m->budget, used = 1 + d + n;
    const int wide = m->wide;
    const double entry = wide ? 1e60 : 1e18, least = -800.0;
    /* by row: widths, their variances, widths in use, means, variances, levels in use */
    const double range[OLK_AUTO_INPUTS][2] = {
        {-40.0, 10.0}, {0.0, 1.0}, {-40.0, 10.0}, {-DBL_MAX, DBL_MAX}, {0.0, DBL_MAX},
        {least, -least}, {0.0, DBL_MAX}, {0.0, DBL_MAX},
    };
    OLK_CHECK(olk_check_tracking(m, block, problem));
    if (m->lagging)
        OLK_CHECK(olk_check_lags(m, block, problem));
    OLK_CHECK(olk_check_all(block, 1, m->origin, 0, d, -1e151, 1e151, OLK_BAD_ORIGIN, problem));
    for (size_t i = 0; i < OLK_AUTO_INPUTS; i++)
        OLK_CHECK(olk_check_all(block, wide, m->input_scales, i * d, d, range[i][0],
                                range[i][1], OLK_BAD_INPUT_SCALE, problem));
    OLK_CHECK(olk_check_all(block, wide, m->whitening, 0, olk_packed_numbers(n), -entry, entry,
                            OLK_BAD_WHITENING, problem));
    for (size_t i = 1; i <= n; i++) {
        const double pivot =
            olk_number_at(block, wide, m->whitening, olk_packed_numbers(i) - 1);
        OLK_REQUIRE(pivot != 0.0, OLK_BAD_WHITENING, i, pivot);
    }
    for (size_t j = 0; j < used; j++)
        OLK_CHECK(olk_check_all(block, wide, m->posterior_factor,
                                j * rows - j * (j - 1) / 2, used - j, -entry, entry,
                                OLK_BAD_POSTERIOR_FACTOR, problem));
    return olk_check_all(block, wide, m->coordinates, 0, used, -m->max_alpha, m->max_alpha,
                         OLK_BAD_COORDINATE, problem);
}
