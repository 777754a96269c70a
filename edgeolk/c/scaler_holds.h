/* What the block of a standalone scaler (`RunningScaler`) may hold (holds.h). */
#pragma once

#include "holds.h"

/* What a scaler is: `common` has its features, options and regions that learners have too. */
typedef struct {
    olk_setup common;
    size_t moments, units, frozen; /* regions that learners do not have */
} olk_scaler_setup;

/* Moments without clipping (core/scaler.pxd): the unit of a feature is 2^-600, 1 or 2^600, and its
   readings are below 2^450 units, but for the largest unit. No overflow: (2 * 2^450)^2 summed 2^63
   times stays below 2^1024. No underflow: the last bit of 2^-150, the smallest number beyond the
   smallest unit, has a square above 2^-500. */
enum { OLK_UNIT_BITS = 600, OLK_TOP_BITS = 450 };

/* Mean, its rounding error and the sum of squared distances of each feature after n rows; their
   unit. */
static inline int olk_check_moments(const olk_scaler_setup *m, const uint8_t *block, int64_t n,
                                    olk_problem *problem)
{
    const size_t d = (size_t)m->common.features;
    const double bound = ldexp(1.0, OLK_TOP_BITS), last = ldexp(DBL_MAX, -OLK_UNIT_BITS);
    for (size_t j = 0; j < d; j++) {
        const uint8_t unit = block[m->units + j];
        const double mean = olk_double_at(block, m->moments, j);
        const double low = olk_double_at(block, m->moments, d + j);
        const double squares = olk_double_at(block, m->moments, 2 * d + j);
        const double size = unit < 2 ? bound : last, bit = olk_fabs(mean) * DBL_EPSILON;
        OLK_REQUIRE(unit <= 2 && olk_between(mean, -size, size) && olk_between(low, -bit, bit),
                    OLK_BAD_FEATURE, j, mean);
        /* sd <= max |x|, except for rounding */
        OLK_REQUIRE(olk_between(squares, 0.0, 1.001 * (double)n * size * size) &&
                        (n > 1 || squares == 0.0) && (n > 0 || (mean == 0.0 && unit == 0)),
                    OLK_BAD_FEATURE, j, squares);
    }
    return OLK_HOLDS;
}

/* The range of each feature, where there are no other statistics. */
static inline int olk_check_ends(const olk_setup *m, const uint8_t *block, int64_t seen,
                                 olk_problem *problem)
{
    for (size_t j = 0; j < (size_t)m->features; j++) {
        const double lower = olk_double_at(block, m->at.scaler_range, j);
        const double upper = olk_double_at(block, m->at.scaler_range, (size_t)m->features + j);
        OLK_REQUIRE(olk_ends_hold(lower, upper, seen), OLK_BAD_FEATURE, j, lower);
    }
    return OLK_HOLDS;
}

/* Whether rows can lead to the statistics in a block: 0, or the number of the sentence that says why
   not. A scaler may be the copy of one in a forecaster, where readings may have been missing; once
   frozen it still counts readings that it clips. */
static inline int olk_check_scaler(const olk_scaler_setup *m, const uint8_t *block,
                                   olk_problem *problem)
{
    const int64_t seen = olk_word_at(block, OLK_AT_STEPS, 0);
    const int64_t last = m->common.preprocessing.freeze_after;
    const int64_t frozen = olk_word_at(block, m->frozen, 0);
    OLK_CHECK(olk_check_counters(&m->common, block, problem));
    OLK_REQUIRE(frozen == 0 || frozen == 1, OLK_BAD_FROZEN, seen, frozen);
    OLK_REQUIRE(!last || seen < last || (seen == last && frozen), OLK_BAD_FROZEN, seen, frozen);
    if (m->moments)
        return olk_check_moments(m, block, seen, problem);
    if (m->common.at.statistics)
        return olk_check_records(&m->common, block, seen, problem);
    if (m->common.at.scaler)
        return olk_check_features(&m->common, block, seen, frozen ? UINT32_MAX : seen, 1, problem);
    return olk_check_ends(&m->common, block, seen, problem);
}
