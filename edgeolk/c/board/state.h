/* Whether a state is one that learning can reach, as edgeolk.load() checks (files/invariants.py,
   files/sorf_state.py and files/scaler_state.py of the library): the loops trust the block. Included
   by sorf.c. */
#ifndef EDGEOLK_STATE_H
#define EDGEOLK_STATE_H

#include <float.h>

#define EK_MOST_COUNT (INT64_C(1) << 62)

/* Files may be unaligned: numbers are copied out. */
static double ek_double_of(const uint8_t *file, size_t offset, size_t i)
{
    double v;
    memcpy(&v, file + offset + i * sizeof v, sizeof v);
    return v;
}

static int64_t ek_word_of(const uint8_t *file, size_t offset, size_t i)
{
    int64_t v;
    memcpy(&v, file + offset + i * sizeof v, sizeof v);
    return v;
}

/* A number in the type of rows. */
static inline double ek_number_of(const uint8_t *file, size_t offset, size_t i)
{
    ek_number v;
    memcpy(&v, file + offset + i * sizeof v, sizeof v);
    return (double)v;
}

/* Whether lower <= v <= upper; false for NaN. */
static int ek_between(double v, double lower, double upper)
{
    return v >= lower && v <= upper;
}

static int ek_counts_to(int64_t count, int64_t upper)
{
    return count >= 0 && count <= upper;
}

/* The same for n numbers in the type of rows, from the i-th of a region on. */
static inline int ek_all_between(const uint8_t *file, size_t offset, size_t i, size_t n,
                                 double lower, double upper)
{
    for (const size_t end = i + n; i < end; i++)
        if (!ek_between(ek_number_of(file, offset, i), lower, upper))
            return 0;
    return 1;
}

/* The stored weights of a region. */
static inline int ek_weights_hold(const uint8_t *file, size_t offset)
{
    const size_t n = 2 * (size_t)ek_config.D * (size_t)ek_config.classes;
#if EK_STORES == 1
    for (size_t i = 0; i < n; i++)
        if (file[offset + i] == 0x80) /* -128 */
            return 0;
    return 1;
#else
    return ek_all_between(file, offset, 0, n, -1e15, 1e15);
#endif
}

/* Cumulative losses of the experts, and averaging windows. */
static inline int ek_blend_holds(const uint8_t *file, size_t offset)
{
    const size_t groups = (size_t)ek_config.groups;
    const size_t n = groups * (size_t)ek_config.n_blends + (size_t)ek_config.linear +
                     (size_t)ek_config.last_label;
    const double upper = EK_MOST_WEIGHT * 4.0 / (1.0 - ek_config.delta) * (1.0 + 1e-9);
    const double longest = ek_config.cmax > 1.0 ? ek_config.cmax : 1.0;
    for (size_t i = 0; i < n + groups; i++)
        if (!ek_between(ek_double_of(file, offset, i), i < n ? 0.0 : 1.0, i < n ? upper : longest))
            return 0;
    return 1;
}

#if EK_AT_last_label
static int ek_last_label_holds(double last)
{
#if EK_TASK == 2
    return ek_between(last, -DBL_MAX, DBL_MAX);
#elif EK_TASK == 1
    return ek_between(last, 0.0, EK_COLUMNS) && last == (double)(int32_t)last;
#else
    return last == -1.0 || last == 0.0 || last == 1.0;
#endif
}
#endif

#if EK_SCALE_METHOD == 9 && EK_FEATURES
static int ek_scaler_holds(const uint8_t *file, int64_t rows)
{
    const int64_t frozen = EK_FREEZE_AFTER, seen = frozen > 0 && frozen < rows ? frozen : rows;
    for (size_t j = 0; j < EK_FEATURES; j++)
        if (!olk_compact_holds(file + EK_AT_statistics + OLK_COMPACT_BYTES * j, seen))
            return 0;
    return 1;
}
#elif EK_SCALE_METHOD && EK_FEATURES && !EK_COMMON
/* The convention of edgeolk/scaler.h, for feature j after `seen` rows. */
static int ek_feature_holds(const uint8_t *file, size_t j, int64_t seen)
{
    const double mean = ek_double_of(file, EK_AT_scaler, 4 * j);
    const double low = ek_double_of(file, EK_AT_scaler, 4 * j + 1);
    const double sd = ek_double_of(file, EK_AT_scaler, 4 * j + 2);
    const double held = ek_double_of(file, EK_AT_scaler, 4 * j + 3);
    uint32_t age;
    memcpy(&age, file + EK_AT_scaler_counts + 8 * j, sizeof age);
    const double bit = olk_fabs(mean) / 4503599627370496.0; /* 2^-52 of it */
    if (!ek_between(mean, -DBL_MAX, DBL_MAX) || !ek_between(low, -bit, bit) ||
        !ek_between(sd, 0.0, DBL_MAX) || !ek_between(held, -DBL_MAX, DBL_MAX))
        return 0;
    if ((int64_t)age > seen || (age < OLK_START_READINGS && (int64_t)age != seen && !EK_FORECASTS))
        return 0;
    if (age == 0)
        return mean == 0.0 && sd == 0.0 && held == 0.0;
    if (age < OLK_START_READINGS)
        return sd == 0.0 && low == 0.0 && (age > 1 || held == mean);
    return sd == 0.0 || (held == 0.0 && !olk_is_negligible_spread(sd, olk_fabs(mean)));
}

#if EK_SCALE_METHOD == 2
static int ek_range_holds(const uint8_t *file, size_t j, int64_t seen)
{
    const double lower = ek_double_of(file, EK_AT_scaler_range, j);
    const double upper = ek_double_of(file, EK_AT_scaler_range, EK_FEATURES + j);
    const double mean = ek_double_of(file, EK_AT_scaler, 4 * j);
    const double sd = ek_double_of(file, EK_AT_scaler, 4 * j + 2);
    if (!ek_between(lower, -DBL_MAX, upper) || !ek_between(upper, lower, DBL_MAX))
        return 0;
    if ((seen <= 1 && lower != upper) || (seen == 0 && lower != 0.0))
        return 0;
    const double half = 0.5 * upper - 0.5 * lower;
    const double size = olk_fmax(olk_fabs(lower), olk_fabs(upper));
    const double margin = 1e-6 * half + 1e-14 * size;
    return ek_between(0.5 * mean, 0.5 * lower - margin, 0.5 * upper + margin) &&
           0.5 * sd <= half + margin;
}
#endif

static int ek_scaler_holds(const uint8_t *file, int64_t rows)
{
    const int64_t frozen = EK_FREEZE_AFTER, seen = frozen > 0 && frozen < rows ? frozen : rows;
    for (size_t j = 0; j < EK_FEATURES; j++) {
        uint32_t clipped;
        memcpy(&clipped, file + EK_AT_scaler_counts + 8 * j + 4, sizeof clipped);
        if (!ek_feature_holds(file, j, seen) || (int64_t)clipped > rows)
            return 0;
#if EK_SCALE_METHOD == 2
        if (!ek_range_holds(file, j, seen))
            return 0;
#endif
    }
    return 1;
}
#endif

#if EK_GAMMA_ROWS || EK_COMMON
/* The largest sum of squared deviations of the readings of so many rows (scaler.h). */
static double ek_max_squares(int64_t rows)
{
    return 4.0 * olk_common_bound * olk_common_bound * EK_FEATURES * (double)rows;
}
#endif

#if EK_GAMMA_ROWS
/* The words of olk_width. */
static int ek_width_holds(const uint8_t *file, int64_t steps)
{
    const double gamma = ek_double_of(file, EK_AT_width, 0);
    const int64_t measured = ek_word_of(file, EK_AT_width, 2);
    const int64_t before = ek_word_of(file, EK_AT_width, 3);
    const int known = measured == EK_GAMMA_ROWS;
    if (!ek_between(gamma, 0.0, DBL_MAX) ||
        !ek_between(ek_double_of(file, EK_AT_width, 1), 0.0, ek_max_squares(measured)))
        return 0;
    if (known != (gamma > 0.0) || measured != (known ? before : steps))
        return 0;
    for (size_t i = 3; i < 7; i++)
        if (!ek_counts_to(ek_word_of(file, EK_AT_width, i), known ? before : 0))
            return 0;
    return ek_all_between(file, EK_AT_width_mean, 0, EK_FEATURES, -olk_common_bound,
                          olk_common_bound);
}
#endif

#if EK_AT_row_memory
/* Rows of the row memory (edgeolk/row_memory_state.h); unused slots are never read. */
static int ek_memory_holds(const uint8_t *file)
{
    const size_t M = (size_t)ek_config.memory;
    const uint64_t word = (uint64_t)ek_word_of(file, EK_AT_memory_state, 0);
    const uint64_t held = word & UINT32_MAX, head = word >> 32;
    const uint8_t *codes = file + EK_AT_row_memory, *marks = codes + (EK_FEATURES + 1) / 2 * M;
    const double upper = EK_MOST_WEIGHT / (1.0 - ek_config.delta) * (1.0 + 1e-9);
    if (held > M || head >= M || (held < M && head))
        return 0;
    for (size_t i = 0; i < 2; i++) /* spare words */
        if (ek_word_of(file, EK_AT_memory_state, 1 + OLK_MEMORY_WEIGHTS + i))
            return 0;
    for (size_t i = 1; i <= OLK_MEMORY_WEIGHTS; i++)
        if (!ek_between(ek_double_of(file, EK_AT_memory_state, i), 0.0, upper))
            return 0;
#if EK_AT_memory_narrow
    for (size_t i = 0; i < OLK_MEMORY_WEIGHTS - 1; i++)
        if (!ek_between(ek_double_of(file, EK_AT_memory_narrow, i), 0.0, upper))
            return 0;
#endif
    for (size_t j = 0; j < (size_t)held; j++) {
        for (size_t c = 0; c < (EK_FEATURES + 1) / 2; c++)
            if (!(codes[c * M + j] & 15) || !(codes[c * M + j] >> 4))
                return 0;
#if EK_TASK == 1
        if ((int)marks[j] >= EK_COLUMNS || (int)marks[M + j] >= EK_COLUMNS || !marks[2 * M + j])
            return 0;
#else
        if (!marks[j] || marks[j] == 0x80)
            return 0;
#endif
    }
    return 1;
}
#endif

#if EK_AT_drift
/* The numbers of edgeolk/drift.h. */
static int ek_drift_holds(const uint8_t *file, int64_t steps)
{
    const double rows = (double)steps + 1.0,
                 upper = rows < olk_max_counted ? rows : olk_max_counted;
    for (size_t i = OLK_DRIFT_SINCE; i <= OLK_DRIFT_ALARMS; i++) {
        const double count = ek_number_of(file, EK_AT_drift, i);
        if (!ek_between(count, 0.0, upper) || count != (double)(int32_t)count)
            return 0;
    }
    return ek_all_between(file, EK_AT_drift, OLK_DRIFT_SPREAD, 1, 0.0, 1e30) &&
           ek_all_between(file, EK_AT_drift, OLK_DRIFT_GAP, 1, -1.0, 1.0) &&
           ek_all_between(file, EK_AT_drift, OLK_DRIFT_FAST, 2, 0.0, 1.0);
}
#endif

#if EK_FOLLOWS
static int ek_width_follows_holds(const uint8_t *file, int64_t rows)
{
    const double lower = olk_min_square * EK_INPUTS * (1.0 - 1e-6);
    if (!ek_between(ek_double_of(file, EK_AT_width_follows, 0), lower, DBL_MAX))
        return 0;
#if EK_PAIRS
    const int64_t frozen = EK_FREEZE_AFTER, seen = frozen > 0 && frozen < rows ? frozen : rows;
    for (size_t i = 1; i < 3; i++)
        if (!ek_between(ek_double_of(file, EK_AT_width_follows, i), -DBL_MAX, DBL_MAX))
            return 0;
    return ek_between(ek_double_of(file, EK_AT_width_follows, 3), -1.0,
                      (double)seen * (double)EK_FEATURES);
#else
    (void)rows;
    return 1;
#endif
}
#endif

#if EK_WATCHES
/* Channels, scores and events of novelty in time. */
static int ek_watch_holds(const uint8_t *file, int64_t steps)
{
    static const size_t of_squares[] = {1, 4, 6, 8, 9, 11};
    /* Squared differences stay finite in single precision (docs/novelty.md, sections 2 and 3). */
    static const double most_of_channel[] = {1e18, 1e36, 1.1e15, 40.0, 150.0, 20.0,
                                             400.0, 7.0, 50.0, 5.0, 12.0, 150.0};
    static const double most_of_scores[] = {1e15, 1001.0, 1e15, 1e30, 1e15, 1e30, 1e18, 1e18};
    const int64_t mistakes = ek_word_of(file, EK_AT_MISTAKES, 0);
    const int64_t verdict = ek_word_of(file, EK_AT_watch, OLK_VERDICT);
    const int64_t held = ek_word_of(file, EK_AT_watch, OLK_EVENT_STATE);
    for (size_t i = 0; i < 12 * EK_FEATURES; i++)
        if (!ek_all_between(file, EK_AT_channels, i, 1, -most_of_channel[i % 12],
                            most_of_channel[i % 12]))
            return 0;
    for (size_t i = 0; i < OLK_SCORE_NUMBERS; i++)
        if (!ek_all_between(file, EK_AT_deviations, i, 1, -most_of_scores[i], most_of_scores[i]))
            return 0;
    for (size_t j = 0; j < EK_FEATURES; j++)
        for (size_t i = 0; i < sizeof of_squares / sizeof of_squares[0]; i++)
            if (!(ek_number_of(file, EK_AT_channels, 12 * j + of_squares[i]) >= 0.0))
                return 0;
    return ek_number_of(file, EK_AT_deviations, 0) >= olk_min_threshold &&
           ek_number_of(file, EK_AT_deviations, 1) >= 0.0 &&
           ek_number_of(file, EK_AT_deviations, 3) >= 0.0 &&
           ek_number_of(file, EK_AT_deviations, 5) >= 0.0 &&
           ek_number_of(file, EK_AT_deviations, 7) >= 0.0 &&
           ek_counts_to(ek_word_of(file, EK_AT_watch, OLK_IDLE_ROWS), steps) &&
           ek_counts_to(ek_word_of(file, EK_AT_watch, OLK_EVENTS), mistakes) &&
           ek_counts_to(ek_word_of(file, EK_AT_watch, OLK_QUIET_ROWS), UINT16_MAX) &&
           verdict >= 0 && verdict >> 8 < EK_FEATURES && !(verdict & 0xe0) &&
           (verdict >> 1 & 3) < 3 && held >= 0 && held >> OLK_EVENT_CHANNEL < EK_FEATURES &&
           !(held & 0xFFF80000) && (held & 0x30000) != 0x30000;
}
#endif

#if EK_FORECASTS
#include "forecast_state.h"
#endif

static int ek_state_holds(const uint8_t *file)
{
    const int64_t steps = ek_word_of(file, EK_AT_STEPS, 0);
    int64_t rows = steps;
    uint32_t vectors;
    memcpy(&vectors, file + EK_AT_VECTORS, sizeof vectors);
    if (vectors != 0 || !ek_counts_to(steps, EK_MOST_COUNT) ||
        !ek_counts_to(ek_word_of(file, EK_AT_MISTAKES, 0), steps) ||
        !ek_counts_to(ek_word_of(file, EK_AT_UPDATES, 0), steps))
        return 0;
#if EK_GAMMA_ROWS
    if (!ek_width_holds(file, steps) ||
        !ek_counts_to(ek_word_of(file, EK_AT_width, 3), EK_MOST_COUNT))
        return 0;
    rows += ek_word_of(file, EK_AT_width, 3);
#endif
#if EK_FOLLOWS
    if (!ek_width_follows_holds(file, rows))
        return 0;
#endif
#if EK_COMMON
    if (!ek_between(ek_double_of(file, EK_AT_common, 0), -olk_common_bound,
                    olk_common_bound) ||
        !ek_between(ek_double_of(file, EK_AT_common, 1), 0.0, ek_max_squares(rows)))
        return 0;
#elif EK_SCALE_METHOD && EK_FEATURES
    if (!ek_scaler_holds(file, rows))
        return 0;
#endif
#if EK_AT_clipped_rows
    if (!ek_counts_to(ek_word_of(file, EK_AT_clipped_rows, 0), rows))
        return 0;
#endif
#if EK_AT_skipped
    if (!ek_counts_to(ek_word_of(file, EK_AT_skipped, 0), EK_MOST_COUNT))
        return 0;
#endif
    (void)rows;
#if EK_AT_errors /* only reported, and may have overflowed */
    if (!(ek_double_of(file, EK_AT_errors, 0) >= 0.0 && ek_double_of(file, EK_AT_errors, 1) >= 0.0))
        return 0;
#endif
#if EK_AT_weights
    if (!ek_weights_hold(file, EK_AT_weights) || !ek_blend_holds(file, EK_AT_blend))
        return 0;
#endif
#if EK_AT_mean_weights
    if (!ek_weights_hold(file, EK_AT_mean_weights))
        return 0;
#endif
#if EK_FORECASTS
    if (!ek_forecast_holds(file, steps))
        return 0;
#endif
#if EK_AT_novelty
    if (!ek_between(ek_double_of(file, EK_AT_novelty, 0), 0.0, DBL_MAX) ||
        !ek_between(ek_double_of(file, EK_AT_novelty, 1), 0.0, DBL_MAX))
        return 0;
#endif
#if EK_WATCHES
    if (!ek_watch_holds(file, steps))
        return 0;
#endif
#if EK_AT_target
    if (!ek_between(ek_double_of(file, EK_AT_target, 0), -1e101, 1e101) ||
        !ek_between(ek_double_of(file, EK_AT_target, 1), 0.0, 1e250))
        return 0;
#endif
#if EK_AT_linear
    if (!ek_all_between(file, EK_AT_linear, 0, EK_INPUTS + 1, -1e30, 1e30) ||
        !ek_all_between(file, EK_AT_linear, EK_INPUTS + 1, EK_INPUTS + 1, 0.0, 1.0))
        return 0;
#endif
#if EK_AT_relevance
    if (!ek_all_between(file, EK_AT_relevance, 0, EK_INPUTS, -2.0, 2.0) ||
        !ek_all_between(file, EK_AT_relevance, EK_INPUTS, EK_INPUTS, 0.0, 1e30) ||
        !ek_counts_to(ek_word_of(file, EK_AT_gradient_steps, 0), steps))
        return 0;
#endif
#if EK_AT_shared_relevance
    if (!ek_all_between(file, EK_AT_shared_relevance, 0, 1, -2.0, 2.0) ||
        !ek_all_between(file, EK_AT_shared_relevance, 1, 1, 0.0, 1e30) ||
        !ek_counts_to(ek_word_of(file, EK_AT_gradient_steps, 0), steps))
        return 0;
#endif
#if EK_AT_row_memory
    if (!ek_memory_holds(file))
        return 0;
#endif
#if EK_AT_drift
    if (!ek_drift_holds(file, steps))
        return 0;
#endif
#if EK_AT_last_label
    if (!ek_last_label_holds(ek_double_of(file, EK_AT_last_label, 0)))
        return 0;
#if EK_LAPSE /* answers since then */
    const double answers = ek_double_of(file, EK_AT_last_label, 1);
    if (!ek_between(answers, 0.0, EK_LAPSE) || answers != (double)(int32_t)answers)
        return 0;
#endif
#endif
    return 1;
}

#endif
