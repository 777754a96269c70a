/* What a block or a file may hold: every state that learning can reach, and few others. The loops
   trust their block: counts are used as indices, divisors are not checked. So every state from
   outside (a file, a buffer, a pickle, flash) is checked here first.

   Each check returns 0, or the number of a sentence, which files/sentences.py has in English. Bytes
   may be unaligned, and are in the byte order of the machine. sorf_holds.h and ring_holds.h have the
   rules of the two families; here are those that both share: counters and preprocessing. */
#pragma once

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "common_scale.h"
#include "scaler.h"
#include "setup.h"
#include "width.h"

/* -- Sentences -- */

/* In the order of files/sentences.py. */
enum {
    OLK_HOLDS = 0,
    /* counters */
    OLK_BAD_N_SUPPORT, OLK_BAD_STEPS, OLK_BAD_MISTAKES, OLK_BAD_UPDATES, OLK_BAD_CAPACITY_HITS,
    OLK_BAD_CURSOR, OLK_BAD_REMOVALS, OLK_BAD_LABELS_ASKED, OLK_BAD_CLIPPED, OLK_BAD_RANK,
    OLK_BAD_HALVINGS, OLK_BAD_SEEN, OLK_BAD_ANCHORED, OLK_BAD_STEPS_BEFORE, OLK_BAD_CLIPPED_ROWS,
    OLK_BAD_N_SKIPPED, OLK_MANY_UPDATES, OLK_MANY_MISTAKES, OLK_MANY_CAPACITY_HITS,
    OLK_MANY_HALVINGS, OLK_MANY_REMOVALS, OLK_BAD_SQUARED_ERROR, OLK_BAD_ABSOLUTE_ERROR,
    /* preprocessing */
    OLK_BAD_GAMMA, OLK_BAD_WIDTH_SPREAD, OLK_BAD_WIDTH_ROWS, OLK_BAD_COUNTER_BEFORE,
    OLK_BAD_WIDTH_MEAN, OLK_BAD_FOLLOWING, OLK_BAD_PAIRS, OLK_MANY_CLIPPED_ROWS, OLK_BAD_COMMON,
    OLK_BAD_FEATURE,
    /* a scaler of its own */
    OLK_BAD_FROZEN,
    /* sorf */
    OLK_HAS_VECTORS, OLK_BAD_WEIGHTS, OLK_BAD_MEAN_WEIGHTS, OLK_BAD_EXPERT, OLK_BAD_AVERAGING,
    OLK_BAD_NOVELTY, OLK_BAD_TARGET, OLK_BAD_LINEAR, OLK_BAD_LINEAR_VARIANCE, OLK_BAD_LENGTH_SCALE,
    OLK_BAD_SQUARED_GRADIENT, OLK_BAD_GRADIENT_STEPS, OLK_BAD_DRIFT_AVERAGE,
    OLK_BAD_DRIFT_COUNTER, OLK_BAD_LAST_LABEL, OLK_BAD_LABEL_COUNT, OLK_BAD_ANSWERS,
    OLK_BAD_LATE_ROW, OLK_BAD_LATE_PENDING, OLK_BAD_LATE_ANSWER, OLK_BAD_LATE_LOSS,
    OLK_BAD_MEMORY_ROWS, OLK_BAD_MEMORY_HEAD, OLK_BAD_MEMORY_EXPERT,
    OLK_BAD_MEMORY_CODE, OLK_BAD_MEMORY_COEFFICIENT, OLK_BAD_MEMORY_CLASS,
    /* anomalies of a stream */
    OLK_BAD_CHANNEL, OLK_BAD_CHANNEL_VARIANCE, OLK_BAD_PEAKS, OLK_BAD_STRETCH, OLK_BAD_READINGS,
    OLK_BAD_HOUR, OLK_BAD_HOUR_ROWS, OLK_BAD_SCORES_IN_TIME, OLK_BAD_IDLE_ROWS, OLK_BAD_ALARMS,
    OLK_BAD_WATCH_COUNTS, OLK_BAD_VERDICT,
    /* the forecaster */
    OLK_BAD_HISTORY, OLK_BAD_HISTORY_COUNT, OLK_BAD_MARKS, OLK_NEGATIVE_HISTORY,
    OLK_UNIT_WITHOUT_CHANGE, OLK_BAD_QUANTILE, OLK_BAD_FORECASTER, OLK_BAD_HEAD,
    OLK_BAD_FORECAST_VARIANCE, OLK_BAD_COVARIANCE, OLK_BAD_MEAN_ERROR, OLK_BAD_REGRET,
    OLK_BAD_SQUARED_REGRET, OLK_BAD_PENDING, OLK_BAD_PENDING_MARK, OLK_BAD_PENDING_UNIT,
    OLK_BAD_SEASON, OLK_BAD_SEASON_COUNT, OLK_BAD_KERNEL_ROWS,
    /* ring */
    OLK_MANY_VECTORS, OLK_FEW_FREQUENCIES, OLK_FEW_UPDATES, OLK_BAD_FULL_RANK, OLK_RING_IS_FULL,
    OLK_STILL_PROJECTING, OLK_BAD_SCALE, OLK_BAD_NORM, OLK_BAD_HINT_ERROR, OLK_BAD_MEAN_WEIGHT,
    OLK_BAD_FORGETRON, OLK_BAD_VECTOR, OLK_BAD_WINDOW, OLK_BAD_PER_UPDATE,
    OLK_LONG_VECTOR, OLK_LONG_ROW, OLK_LARGE_COEFFICIENT,
    OLK_COEFFICIENT_BEYOND, OLK_BAD_WINDOW_LABEL, OLK_LABEL_BEYOND, OLK_BAD_MEAN_START,
    OLK_BAD_MEAN_SUM, OLK_BAD_THRESHOLD, OLK_BAD_ARRIVAL, OLK_BAD_NEIGHBOUR, OLK_BAD_DISTANCE,
    OLK_BAD_NEAR_KERNEL, OLK_NEGATIVE_NORM, OLK_BAD_DIAGONAL, OLK_NEGATIVE_DIAGONAL, OLK_BAD_SCORES,
    OLK_BAD_LEVELS, OLK_BAD_FACTOR, OLK_BAD_FACTOR_PIVOT, OLK_BAD_INVERSE, OLK_BAD_INVERSE_PIVOT,
    OLK_BAD_FEATURE_MAP, OLK_BAD_POSTERIOR, OLK_BAD_POSTERIOR_PIVOT, OLK_BAD_EVIDENCE,
    OLK_BAD_WHITENING, OLK_BAD_COORDINATE, OLK_BAD_TRACKING, OLK_BAD_ORIGIN, OLK_BAD_INPUT_SCALE,
    OLK_BAD_POSTERIOR_FACTOR, OLK_BAD_LAGGING, OLK_BAD_RECENT_TARGET, OLK_BAD_PENDING_ROW,
    /* a Gaussian process beside features */
    OLK_BAD_MIXTURE,
    OLK_SENTENCES
};

/* What is wrong: the number of a sentence, and the numbers it names. */
typedef struct {
    int32_t sentence;
    ptrdiff_t where; /* the feature, slot or position, or the other number of a comparison */
    double got;
} olk_problem;

static inline int olk_refuse(olk_problem *problem, int32_t sentence, ptrdiff_t where, double got)
{
    problem->sentence = sentence;
    problem->where = where;
    problem->got = got;
    return (int)sentence;
}

/* In a function with a `problem`: returns the number of the sentence unless the condition is true.
   A board has no sentences: there it returns 1, and the compiler removes the rest. */
#ifdef OLK_SORF_PLAIN
#define OLK_REQUIRE(condition, number, where, got)                                                 \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return 1;                                                                              \
        (void)(number), (void)(where), (void)(got), (void)problem;                                 \
    } while (0)
#else
#define OLK_REQUIRE(condition, number, where, got)                                                 \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return olk_refuse(problem, number, (ptrdiff_t)(where), (double)(got));                 \
    } while (0)
#endif
/* Returns what another check returns, unless that is 0. */
#define OLK_CHECK(call)                                                                            \
    do {                                                                                           \
        const int bad = (call);                                                                    \
        if (bad)                                                                                   \
            return bad;                                                                            \
    } while (0)

/* A member of the setup that says whether a part is there. A board names its constant (OLK_SETUP), so
   that the compiler sees early what is not, and leaves out the checks of it. */
#ifdef OLK_SETUP
#define OLK_MEMBER(m, part) (OLK_SETUP.part)
#else
#define OLK_MEMBER(m, part) ((m)->part)
#endif

/* -- Numbers of a block -- */

/* A double of 64 bits. Where a double is a float (AVR): the next float towards 0, and infinity beyond
   all floats. */
static inline double olk_double_at(const uint8_t *block, size_t offset, size_t i)
{
    double v;
#if defined(__SIZEOF_DOUBLE__) && __SIZEOF_DOUBLE__ == 4
    uint32_t low, high;
    memcpy(&low, block + offset + 8 * i, 4);
    memcpy(&high, block + offset + 8 * i + 4, 4);
    const uint32_t sign = high & UINT32_C(0x80000000), fraction = high & UINT32_C(0xfffff);
    const int32_t exponent = (int32_t)(high >> 20 & 0x7ff) - 1023 + 127;
    uint32_t bits = sign | fraction << 3 | low >> 29 | (uint32_t)exponent << 23;
    if (exponent >= 255) /* NaN if the number is */
        bits = sign | UINT32_C(0x7f800000) |
               (exponent == 2047 - 1023 + 127 && (fraction | low) ? UINT32_C(1) << 22 : 0);
    else if (exponent <= 0)
        bits = sign;
    memcpy(&v, &bits, 4);
#else
    memcpy(&v, block + offset + i * sizeof v, sizeof v);
#endif
    return v;
}

static inline int64_t olk_word_at(const uint8_t *block, size_t offset, size_t i)
{
    int64_t v;
    memcpy(&v, block + offset + i * sizeof v, sizeof v);
    return v;
}

static inline uint32_t olk_count_at(const uint8_t *block, size_t offset, size_t i)
{
    uint32_t v;
    memcpy(&v, block + offset + i * sizeof v, sizeof v);
    return v;
}

/* A number in the type of rows. `wide`: double, else float. */
static inline double olk_number_at(const uint8_t *block, int wide, size_t offset, size_t i)
{
    float v;
    if (wide)
        return olk_double_at(block, offset, i);
    memcpy(&v, block + offset + i * sizeof v, sizeof v);
    return (double)v;
}

/* Whether lower <= v <= upper; false for NaN. */
static inline int olk_between(double v, double lower, double upper)
{
    return v >= lower && v <= upper;
}

static inline int olk_is_finite(double v)
{
    return v - v == 0.0;
}

static inline int olk_counts_to(int64_t count, int64_t upper)
{
    return count >= 0 && count <= upper;
}

/* Whether a number that is not negative is whole. */
static inline int olk_is_integer(double v)
{
    return v >= 0.0 && (v >= 9e15 || v == (double)(int64_t)v);
}

/* The first of n numbers in the type of rows, from number i of a region on, that is not from lower
   to upper; i + n if there is none. */
static inline size_t olk_first_outside(const uint8_t *block, int wide, size_t offset, size_t i,
                                       size_t n, double lower, double upper)
{
    const size_t end = i + n;
    while (i < end && olk_between(olk_number_at(block, wide, offset, i), lower, upper))
        i++;
    return i;
}

/* Returns the number of a sentence if one of n numbers is not from lower to upper. */
static inline int olk_check_all(const uint8_t *block, int wide, size_t offset, size_t i, size_t n,
                                double lower, double upper, int32_t sentence, olk_problem *problem)
{
    const size_t first = olk_first_outside(block, wide, offset, i, n, lower, upper);
    OLK_REQUIRE(first == i + n, sentence, first, olk_number_at(block, wide, offset, first));
    return OLK_HOLDS;
}

/* -- Counters -- */

/* Words of olk_width by position. */
enum { OLK_WIDTH_SPREAD = 1, OLK_WIDTH_MEASURED = 2, OLK_WIDTH_STEPS = 3, OLK_WIDTH_WORDS = 7 };

/* Rows learned before the width was known. */
static inline int64_t olk_steps_before(const olk_setup *m, const uint8_t *block)
{
    return OLK_MEMBER(m, at.width) ? olk_word_at(block, m->at.width, OLK_WIDTH_STEPS) : 0;
}

/* The counters that every learner has, and those that options add. */
static inline int olk_check_counters(const olk_setup *m, const uint8_t *block,
                                     olk_problem *problem)
{
    const int32_t vectors = (int32_t)olk_count_at(block, OLK_AT_VECTORS, 0);
    const int64_t steps = olk_word_at(block, OLK_AT_STEPS, 0);
    const int64_t mistakes = olk_word_at(block, OLK_AT_MISTAKES, 0);
    const int64_t updates = olk_word_at(block, OLK_AT_UPDATES, 0);
    const int64_t before = olk_steps_before(m, block);
    OLK_REQUIRE(vectors >= 0, OLK_BAD_N_SUPPORT, 0, vectors);
    OLK_REQUIRE(olk_counts_to(steps, OLK_MAX_COUNT), OLK_BAD_STEPS, 0, steps);
    OLK_REQUIRE(olk_counts_to(mistakes, OLK_MAX_COUNT), OLK_BAD_MISTAKES, 0, mistakes);
    OLK_REQUIRE(olk_counts_to(updates, OLK_MAX_COUNT), OLK_BAD_UPDATES, 0, updates);
    OLK_REQUIRE(olk_counts_to(before, OLK_MAX_COUNT), OLK_BAD_STEPS_BEFORE, 0, before);
    if (OLK_MEMBER(m, at.clipped_rows)) {
        const int64_t rows = olk_word_at(block, m->at.clipped_rows, 0);
        OLK_REQUIRE(olk_counts_to(rows, OLK_MAX_COUNT), OLK_BAD_CLIPPED_ROWS, 0, rows);
    }
    if (OLK_MEMBER(m, at.skipped)) {
        const int64_t rows = olk_word_at(block, m->at.skipped, 0);
        OLK_REQUIRE(olk_counts_to(rows, OLK_MAX_COUNT), OLK_BAD_N_SKIPPED, 0, rows);
    }
    OLK_REQUIRE(updates <= steps, OLK_MANY_UPDATES, steps, updates);
    OLK_REQUIRE(mistakes <= steps, OLK_MANY_MISTAKES, steps, mistakes);
    if (OLK_MEMBER(m, at.errors)) { /* only reported, and may have overflowed */
        const double squared = olk_double_at(block, m->at.errors, 0);
        const double absolute = olk_double_at(block, m->at.errors, 1);
        OLK_REQUIRE(squared >= 0.0, OLK_BAD_SQUARED_ERROR, 0, squared);
        OLK_REQUIRE(absolute >= 0.0, OLK_BAD_ABSOLUTE_ERROR, 0, absolute);
    }
    return OLK_HOLDS;
}

/* -- Preprocessing -- */

/* The largest sum of squared deviations of d readings, bounded, in each of so many rows. */
static inline double olk_max_squares(ptrdiff_t d, int64_t rows)
{
    return 4.0 * olk_common_bound * olk_common_bound * (double)d * (double)rows;
}

/* The width that is estimated from the first rows, and counters of the model before it. */
static inline int olk_check_width(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    const int64_t steps = olk_word_at(block, OLK_AT_STEPS, 0), before = olk_steps_before(m, block);
    const int64_t measured = olk_word_at(block, m->at.width, OLK_WIDTH_MEASURED);
    const double gamma = olk_double_at(block, m->at.width, 0);
    const double spread = olk_double_at(block, m->at.width, OLK_WIDTH_SPREAD);
    const int known = measured == m->preprocessing.gamma_rows;
    OLK_REQUIRE(olk_between(gamma, 0.0, DBL_MAX), OLK_BAD_GAMMA, 0, gamma);
    OLK_REQUIRE(olk_between(spread, 0.0, olk_max_squares(m->features, measured)),
                OLK_BAD_WIDTH_SPREAD, measured, spread);
    OLK_REQUIRE(known == (gamma > 0.0) && measured == (known ? before : steps),
                OLK_BAD_WIDTH_ROWS, 0, measured);
    for (size_t i = OLK_WIDTH_STEPS; i < OLK_WIDTH_WORDS; i++) {
        const int64_t count = olk_word_at(block, m->at.width, i);
        OLK_REQUIRE(olk_counts_to(count, known ? before : 0), OLK_BAD_COUNTER_BEFORE, i, count);
    }
    return olk_check_all(block, m->wide, m->at.width_mean, 0, (size_t)m->features,
                         -olk_common_bound, olk_common_bound, OLK_BAD_WIDTH_MEAN, problem);
}

/* Rows in statistics that are frozen after some. */
static inline int64_t olk_rows_seen(const olk_setup *m, int64_t rows)
{
    const int64_t last = m->preprocessing.freeze_after;
    return last > 0 && last < rows ? last : rows;
}

/* The width that follows the rows, and the two values of the readings. */
static inline int olk_check_following(const olk_setup *m, const uint8_t *block, int64_t rows,
                                      olk_problem *problem)
{
    const size_t at = m->at.width_follows;
    const double q = olk_double_at(block, at, 0);
    const double lower = (double)olk_min_square * (double)m->sorf.d * (1.0 - 1e-6);
    OLK_REQUIRE(olk_between(q, lower, DBL_MAX), OLK_BAD_FOLLOWING, 0, q);
    if (!OLK_MEMBER(m, preprocessing.pairs))
        return OLK_HOLDS;
    const double readings = (double)olk_rows_seen(m, rows) * (double)m->features;
    const double others = olk_double_at(block, at, 3);
    OLK_REQUIRE(olk_is_finite(olk_double_at(block, at, 1)) &&
                    olk_is_finite(olk_double_at(block, at, 2)) &&
                    olk_between(others, -1.0, readings),
                OLK_BAD_PAIRS, 0, others);
    return OLK_HOLDS;
}

/* Whether the statistics of a feature hold by the convention of winsor.h after `seen` rows; `gaps`:
   readings may be missing. */
static inline int olk_feature_holds(double mean, double low, double sd, double pending,
                                    uint32_t age, int64_t seen, int gaps)
{
    const double bit = olk_fabs(mean) * DBL_EPSILON;
    if (!olk_is_finite(mean) || !olk_between(low, -bit, bit) || !olk_between(sd, 0.0, DBL_MAX) ||
        !olk_is_finite(pending))
        return 0;
    if ((int64_t)age > seen || (age < OLK_START_READINGS && (int64_t)age != seen && !gaps))
        return 0;
    if (age == 0)
        return mean == 0.0 && sd == 0.0 && pending == 0.0;
    if (age < OLK_START_READINGS)
        return sd == 0.0 && low == 0.0 && (age > 1 || pending == mean);
    return sd == 0.0 || (pending == 0.0 && !olk_is_negligible_spread(sd, olk_fabs(mean)));
}

/* Whether a minimum and a maximum are possible after `seen` rows. */
static inline int olk_ends_hold(double lower, double upper, int64_t seen)
{
    return olk_is_finite(lower) && olk_is_finite(upper) && lower <= upper &&
           (seen > 1 || lower == upper) && (seen > 0 || lower == 0.0);
}

/* Whether mean and deviation are possible for readings between them. */
static inline int olk_fits_between(double lower, double upper, double mean, double sd)
{
    const double half = 0.5 * upper - 0.5 * lower;
    const double size = olk_fmax(olk_fabs(lower), olk_fabs(upper));
    const double margin = 1e-6 * half + 1e-14 * size;
    return olk_between(0.5 * mean, 0.5 * lower - margin, 0.5 * upper + margin) &&
           0.5 * sd <= half + margin;
}

/* The statistics of each feature after `seen` rows; at most `clipped` readings of each were clipped.
 */
static inline int olk_check_features(const olk_setup *m, const uint8_t *block, int64_t seen,
                                     int64_t clipped, int gaps, olk_problem *problem)
{
    const size_t d = (size_t)m->features, at = m->at.scaler, span = m->at.scaler_range;
    for (size_t j = 0; j < d; j++) {
        const double mean = olk_double_at(block, at, 4 * j);
        const double sd = olk_double_at(block, at, 4 * j + 2);
        OLK_REQUIRE(olk_feature_holds(mean, olk_double_at(block, at, 4 * j + 1), sd,
                                      olk_double_at(block, at, 4 * j + 3),
                                      olk_count_at(block, m->at.scaler_counts, 2 * j), seen, gaps),
                    OLK_BAD_FEATURE, j, mean);
        OLK_REQUIRE((int64_t)olk_count_at(block, m->at.scaler_counts, 2 * j + 1) <= clipped,
                    OLK_BAD_FEATURE, j, mean);
        if (OLK_MEMBER(m, at.scaler_range)) {
            const double lower = olk_double_at(block, span, j);
            const double upper = olk_double_at(block, span, d + j);
            OLK_REQUIRE(olk_ends_hold(lower, upper, seen) &&
                            olk_fits_between(lower, upper, mean, sd),
                        OLK_BAD_FEATURE, j, mean);
        }
    }
    return OLK_HOLDS;
}

/* The same for records of 9 bytes. */
static inline int olk_check_records(const olk_setup *m, const uint8_t *block, int64_t seen,
                                    olk_problem *problem)
{
    for (size_t j = 0; j < (size_t)m->features; j++)
        OLK_REQUIRE(olk_compact_holds(block + m->at.statistics + OLK_COMPACT_BYTES * j, seen),
                    OLK_BAD_FEATURE, j, 0);
    return OLK_HOLDS;
}

/* How rows are scaled and shortened, and the width of the kernel. */
static inline int olk_check_preprocessing(const olk_setup *m, const uint8_t *block,
                                          olk_problem *problem)
{
    const int64_t rows = olk_word_at(block, OLK_AT_STEPS, 0) + olk_steps_before(m, block);
    const int64_t seen = olk_rows_seen(m, rows);
    if (OLK_MEMBER(m, at.width))
        OLK_CHECK(olk_check_width(m, block, problem));
    if (OLK_MEMBER(m, at.width_follows))
        OLK_CHECK(olk_check_following(m, block, rows, problem));
    if (OLK_MEMBER(m, at.clipped_rows)) {
        const int64_t shortened = olk_word_at(block, m->at.clipped_rows, 0);
        OLK_REQUIRE(shortened <= rows, OLK_MANY_CLIPPED_ROWS, rows, shortened);
    }
    if (OLK_MEMBER(m, at.common)) {
        const double mean = olk_double_at(block, m->at.common, 0);
        const double squares = olk_double_at(block, m->at.common, 1);
        OLK_REQUIRE(olk_between(mean, -olk_common_bound, olk_common_bound), OLK_BAD_COMMON, 0,
                    mean);
        OLK_REQUIRE(olk_between(squares, 0.0, olk_max_squares(m->features, rows)), OLK_BAD_COMMON,
                    1, squares);
    }
    if (OLK_MEMBER(m, at.statistics))
        OLK_CHECK(olk_check_records(m, block, seen, problem));
    if (OLK_MEMBER(m, at.scaler))
        OLK_CHECK(olk_check_features(m, block, seen, rows, m->forecasts, problem));
    return OLK_HOLDS;
}
