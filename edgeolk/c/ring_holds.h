/* What a block of the ring family may hold (holds.h): support vectors, coefficients, what policies,
   updates and bases store. */
#pragma once

#include "holds.h"
#include "krls_auto_holds.h"
#include "ring_table.h"

/* Where regions are in the block, in bytes from its start; 0: the model does not have the region. */
typedef struct {
    size_t function, averaging, forgetron, halving, hints, nystrom, evidence;
    size_t whitening, covariance, coordinates;
    size_t support_vectors, coefficients, levels, diagonal, arrivals, norms;
    size_t mean_start, mean_sum, nearest, nearest_distance, nearest_kernel;
    size_t factor, inverse, posterior, scores, feature_map, window, window_labels, per_update;
    size_t novelty;
    size_t tracking, origin, input_scales, posterior_factor;
    size_t lagging, recent_targets, pending_rows;
    /* scratch, which has no rules */
    size_t kernel_row, column, work, work2, work3, whitened_rows, tracker_rows;
} olk_ring_offsets;

/* What a model of the ring family is, as far as its rules ask. */
typedef struct {
    olk_setup common; /* columns, rows, errors, preprocessing */
    ptrdiff_t inputs; /* of the kernel: columns of rows, and targets before them (lags) */
    ptrdiff_t lags, delay;
    ptrdiff_t budget, stride, window_stride;
    ptrdiff_t weights;    /* coefficients of a column, padding included */
    ptrdiff_t per_member; /* coefficients of a member of the basis */
    ptrdiff_t per_update; /* numbers that the update stores for each coefficient */
    int32_t storage;      /* type of vectors, as in storage.h */
    int32_t item;         /* bytes of a coefficient: 4 or 8 */
    olk_kernel kernel;
    /* 0 or 1: k(x, x) = 1; all members exist from the start; the basis changes when it is full; the
       step that fills the ring empties a part of it; "factor" has positive pivots; the cost of
       removals is bounded; vectors are anchored, rows kept in a window, the scale set by steps */
    int32_t normalised, starts_full, changes_basis, never_full, factor_pivots, bounds_cost;
    int32_t anchors, has_window, scales_by_steps;
    int32_t window_of_targets; /* the window has targets, not the labels -1 and 1 */
    int64_t rank, anchored_from, window_rows; /* options, 0 where unused */
    double lam;                               /* of scales_by_steps */
    double added;                             /* to k(x, x) in the inverse */
    /* of coefficients: the largest k(x, x) of a row, common scale, coefficient with it and without
       (parts/storage.py) */
    double max_kernel, max_factor, max_alpha, max_stored;
    olk_ring_offsets at;
} olk_ring_setup;

/* A margin for rounding over the bound of core/numbers.pxd; the largest |x|^2 for a sigmoid; the
   largest product in single precision. */
static const double olk_longer = 1.01, olk_max_wide = 1e100, olk_max_narrow = 1e36;
static const double olk_max_product = 3.41e38;
/* Lower bound of 1 / (lam t): ring/updates.pxd. */
static const double olk_min_pegasos_scale = 1e-300;
/* A row makes the scale of a posterior at most this much smaller than where it is multiplied into
   the matrix: gaussian_process.h. */
static const double olk_min_posterior_scale = 1e-40;
/* The largest |alpha|, whose square is finite; coefficient without the common scale; norm. */
static const double olk_max_alpha = 1e150, olk_max_coefficient = 1e250, olk_max_norm2 = 1e302;
/* The largest entry of matrices derived from the Gram matrix, for kernels that are at most 1 and for
   others; k(x, x). */
static const double olk_max_if_normalised = 1e60, olk_max_otherwise = 1e302;
static const double olk_max_kernel = 1e101;

/* -- Counters and words -- */

/* Words of the regions by position (core/state.pxd). */
enum { OLK_SCALE = 0, OLK_NORM2 = 1, OLK_CURSOR = 2, OLK_REMOVALS = 3, OLK_CAPACITY_HITS = 4 };
enum { OLK_LABELS_ASKED = 5, OLK_CLIPPED = 6 };

/* A word of a region that not every model has: then 0. */
static inline int64_t olk_word_or_0(const uint8_t *block, size_t offset, size_t i)
{
    return offset ? olk_word_at(block, offset, i) : 0;
}

static inline double olk_double_or_0(const uint8_t *block, size_t offset, size_t i)
{
    return offset ? olk_double_at(block, offset, i) : 0.0;
}

/* The common factor of the coefficients. */
static inline double olk_ring_scale(const olk_ring_setup *m, const uint8_t *block)
{
    return m->at.function ? olk_double_at(block, m->at.function, OLK_SCALE) : 1.0;
}

/* Eigenfunctions in use. */
static inline int64_t olk_ring_rank(const olk_ring_setup *m, const uint8_t *block)
{
    return olk_word_or_0(block, m->at.nystrom, 0);
}

static inline int olk_check_ring_counters(const olk_ring_setup *m, const uint8_t *block,
                                          olk_problem *problem)
{
    const int64_t steps = olk_word_at(block, OLK_AT_STEPS, 0);
    const int64_t updates = olk_word_at(block, OLK_AT_UPDATES, 0);
    const size_t function = m->at.function;
    const int64_t hits = olk_word_or_0(block, function, OLK_CAPACITY_HITS);
    const int64_t cursor = olk_word_or_0(block, function, OLK_CURSOR);
    const int64_t removals = olk_word_or_0(block, function, OLK_REMOVALS);
    const int64_t asked = olk_word_or_0(block, function, OLK_LABELS_ASKED);
    const int64_t clipped = olk_word_or_0(block, function, OLK_CLIPPED);
    const int64_t halvings = olk_word_or_0(block, m->at.halving, 0);
    const int64_t seen = olk_word_or_0(block, m->at.hints, 1);
    OLK_REQUIRE(olk_counts_to(hits, OLK_MAX_COUNT), OLK_BAD_CAPACITY_HITS, 0, hits);
    OLK_REQUIRE(olk_counts_to(cursor, OLK_MAX_COUNT), OLK_BAD_CURSOR, 0, cursor);
    OLK_REQUIRE(olk_counts_to(removals, OLK_MAX_COUNT), OLK_BAD_REMOVALS, 0, removals);
    OLK_REQUIRE(olk_counts_to(asked, OLK_MAX_COUNT), OLK_BAD_LABELS_ASKED, 0, asked);
    OLK_REQUIRE(olk_counts_to(clipped, OLK_MAX_COUNT), OLK_BAD_CLIPPED, 0, clipped);
    OLK_REQUIRE(olk_counts_to(halvings, OLK_MAX_COUNT), OLK_BAD_HALVINGS, 0, halvings);
    OLK_REQUIRE(hits <= steps, OLK_MANY_CAPACITY_HITS, steps, hits);
    OLK_REQUIRE(halvings <= updates, OLK_MANY_HALVINGS, updates, halvings);
    OLK_REQUIRE(removals <= updates, OLK_MANY_REMOVALS, updates, removals);
    OLK_REQUIRE(seen == (m->has_window ? steps : 0), OLK_BAD_SEEN, 0, seen);
    return OLK_HOLDS;
}

/* How many vectors, eigenfunctions and slots are in use. */
static inline int olk_check_sizes(const olk_ring_setup *m, const uint8_t *block,
                                  olk_problem *problem)
{
    const int64_t n = olk_n_vectors(block), rank = olk_ring_rank(m, block);
    const int64_t updates = olk_word_at(block, OLK_AT_UPDATES, 0);
    const int64_t cursor = olk_word_or_0(block, m->at.function, OLK_CURSOR);
    const int64_t anchored = olk_word_or_0(block, m->at.halving, 1);
    OLK_REQUIRE(n <= m->budget, OLK_MANY_VECTORS, m->budget, n);
    if (m->starts_full)
        OLK_REQUIRE(n == m->budget, OLK_FEW_FREQUENCIES, m->budget, n);
    else
        OLK_REQUIRE(n <= updates, OLK_FEW_UPDATES, updates, n);
    OLK_REQUIRE(cursor < m->budget && (cursor == 0 || n == m->budget), OLK_BAD_CURSOR, 0, cursor);
    if (m->changes_basis && n == m->budget) /* in the step that fills the ring */
        OLK_REQUIRE(rank >= 1 && rank <= m->rank, OLK_BAD_FULL_RANK, 0, rank);
    else
        OLK_REQUIRE(rank == 0, OLK_BAD_RANK, 0, rank);
    OLK_REQUIRE(!m->never_full || n < m->budget, OLK_RING_IS_FULL, 0, n);
    OLK_REQUIRE(olk_counts_to(anchored, m->anchors ? 1 : OLK_MAX_COUNT), OLK_BAD_ANCHORED, 0,
                anchored);
    OLK_REQUIRE(!m->anchors || anchored == 1 || n == 0 || n < m->anchored_from,
                OLK_STILL_PROJECTING, 0, n);
    return OLK_HOLDS;
}

/* The common scale: beyond its range it is multiplied into the coefficients. */
static inline int olk_check_scale(const olk_ring_setup *m, const uint8_t *block,
                                  olk_problem *problem)
{
    const double scale = olk_ring_scale(m, block);
    const int64_t steps = olk_word_at(block, OLK_AT_STEPS, 0);
    if (m->scales_by_steps && (steps > 1 || scale != 1.0)) {
        /* Set from the number of steps; a torn step may have missed the scale or the counter. */
        const double before = steps > 2 ? (double)(steps - 1) : 1.0;
        const double first =
            olk_fmax(1.0 / (m->lam * ((double)steps + 1.0)), olk_min_pegasos_scale);
        const double last = olk_fmax(1.0 / (m->lam * before), olk_min_pegasos_scale);
        OLK_REQUIRE(olk_between(scale, 0.999 * first, 1.001 * last), OLK_BAD_SCALE, steps, scale);
        return OLK_HOLDS;
    }
    OLK_REQUIRE(olk_between(scale, 1.0 / m->max_factor, m->max_factor), OLK_BAD_SCALE, steps,
                scale);
    return OLK_HOLDS;
}

static inline int olk_check_words(const olk_ring_setup *m, const uint8_t *block,
                                  olk_problem *problem)
{
    const double norm2 = olk_double_or_0(block, m->at.function, OLK_NORM2);
    const double error = olk_double_or_0(block, m->at.hints, 0);
    const double weight = olk_double_or_0(block, m->at.averaging, 0);
    const double cost = olk_double_or_0(block, m->at.forgetron, 0);
    OLK_CHECK(olk_check_scale(m, block, problem));
    OLK_REQUIRE(olk_between(norm2, 0.0, olk_max_norm2), OLK_BAD_NORM, 0, norm2);
    OLK_REQUIRE(olk_between(error, 0.0, olk_max_norm2), OLK_BAD_HINT_ERROR, 0, error);
    OLK_REQUIRE(olk_between(weight, 0.0, olk_max_alpha), OLK_BAD_MEAN_WEIGHT, 0, weight);
    OLK_REQUIRE(olk_between(cost, -olk_max_norm2, olk_max_norm2), OLK_BAD_FORGETRON, 0, cost);
    if (m->at.evidence) {
        const double errors = olk_double_at(block, m->at.evidence, 0);
        const double rows = olk_double_at(block, m->at.evidence, 1);
        const double factor = olk_double_at(block, m->at.evidence, 2);
        OLK_REQUIRE(olk_between(errors, 0.0, DBL_MAX), OLK_BAD_EVIDENCE, 0, errors);
        OLK_REQUIRE(olk_between(rows, 0.0, (double)OLK_MAX_COUNT), OLK_BAD_EVIDENCE, 1, rows);
        OLK_REQUIRE(olk_between(factor, olk_min_posterior_scale, 1.0), OLK_BAD_EVIDENCE, 2, factor);
    }
    if (m->bounds_cost) {
        /* The shrinking factor is computed from this difference, which must stay positive. */
        const double allowed = 0.46875 * (double)olk_word_at(block, OLK_AT_MISTAKES, 0);
        OLK_REQUIRE(cost <= allowed + 1e-6 * (1.0 + allowed), OLK_BAD_FORGETRON, 0, cost);
    }
    return OLK_HOLDS;
}

/* -- Vectors and coefficients -- */

/* Number i of a region in the storage type of vectors; `j` is its feature. int8 levels are numbers,
   or as large as the scale and offset of the feature make them. */
static inline double olk_vector_number(const olk_ring_setup *m, const uint8_t *block, size_t offset,
                                   size_t i, size_t j)
{
    float scale, zero;
    uint16_t half;
    switch (m->storage) {
    case OLK_F64:
        return olk_double_at(block, offset, i);
    case OLK_F32:
        return olk_number_at(block, 0, offset, i);
    case OLK_F16:
        memcpy(&half, block + offset + 2 * i, sizeof half);
        return (half & 0x7C00) == 0x7C00 ? HUGE_VAL : (double)olk_half_to_float(half);
    default:
        memcpy(&scale, block + m->at.levels + 4 * j, sizeof scale);
        memcpy(&zero, block + m->at.levels + 4 * ((size_t)m->common.features + j), sizeof zero);
        return (double)scale * (double)(int8_t)block[offset + i] + (double)zero;
    }
}

/* Every number of a region of vectors is finite, unused slots too: loops run over full SIMD
   vectors. */
static inline int olk_check_vectors(const olk_ring_setup *m, const uint8_t *block, size_t offset,
                                    size_t stride, int32_t sentence, olk_problem *problem)
{
    if (m->storage == OLK_I8)
        return OLK_HOLDS;
    for (size_t i = 0; i < stride * (size_t)m->inputs; i++) {
        const double v = olk_vector_number(m, block, offset, i, 0);
        OLK_REQUIRE(olk_is_finite(v), sentence, i, v);
    }
    return OLK_HOLDS;
}

/* The root of x >= 1 of a degree, by Newton's method from above: an export needs no libm for it. */
static inline double olk_root(double x, int32_t degree)
{
    double root = x, last;
    do {
        double rest = x;
        last = root;
        for (int32_t i = 1; i < degree; i++)
            rest /= root; /* a power of the root may be no finite number */
        root -= (root - rest) / (double)degree;
    } while (root < last);
    return last;
}

/* The largest |x|^2 in range. */
static inline double olk_longest(const olk_ring_setup *m)
{
    double limit = m->common.wide ? olk_max_wide : olk_max_narrow;
    if (m->kernel.kind == OLK_SIGMOID)
        return olk_longer * limit;
    limit = olk_longer * m->max_kernel;
    if (m->kernel.kind == OLK_POLYNOMIAL)
        limit = (olk_root(limit, m->kernel.degree) + olk_fabs(m->kernel.offset)) /
                m->kernel.scale;
    return m->common.wide ? limit : olk_fmin(limit, olk_max_product);
}

/* The vectors in the first `used` slots are short enough for a step. */
static inline int olk_check_lengths(const olk_ring_setup *m, const uint8_t *block, size_t offset,
                                    size_t stride, int64_t used, int32_t sentence,
                                    olk_problem *problem)
{
    if (m->normalised)
        return OLK_HOLDS;
    const double limit = olk_longest(m);
    for (size_t i = 0; i < (size_t)used; i++) {
        double total = 0.0;
        for (size_t j = 0; j < (size_t)m->common.features; j++) {
            const double v = olk_vector_number(m, block, offset, j * stride + i, j);
            total += v * v;
        }
        OLK_REQUIRE(total <= limit, sentence, i, total);
    }
    return OLK_HOLDS;
}

/* The coefficients in use are in range, the others 0. */
static inline int olk_check_coefficients(const olk_ring_setup *m, const uint8_t *block,
                                         size_t used, olk_problem *problem)
{
    const int wide = m->item == 8;
    /* A running sum is computed from coefficients and the weight of the mean. */
    const double bare = m->at.mean_sum ? m->max_alpha : m->max_stored;
    const double limit = olk_fmin(bare, m->max_alpha / olk_ring_scale(m, block));
    for (size_t c = 0; c < (size_t)m->common.columns; c++) {
        const size_t start = c * (size_t)m->weights, rest = (size_t)m->weights - used;
        OLK_CHECK(olk_check_all(block, wide, m->at.coefficients, start, (size_t)m->weights, -limit,
                                limit, OLK_LARGE_COEFFICIENT, problem));
        OLK_CHECK(olk_check_all(block, wide, m->at.coefficients, start + used, rest, 0.0, 0.0,
                                OLK_COEFFICIENT_BEYOND, problem));
    }
    return OLK_HOLDS;
}

/* Of each column the numbers in use. */
static inline int olk_check_columns(const olk_ring_setup *m, const uint8_t *block, size_t offset,
                                    size_t used, double limit, int32_t sentence,
                                    olk_problem *problem)
{
    for (size_t c = 0; offset && c < (size_t)m->common.columns; c++)
        OLK_CHECK(olk_check_all(block, 1, offset, c * (size_t)m->weights, used, -limit, limit,
                                sentence, problem));
    return OLK_HOLDS;
}

/* The labels of the examples in the window. */
static inline int olk_check_window_labels(const olk_ring_setup *m, const uint8_t *block,
                                          size_t held, olk_problem *problem)
{
    for (size_t i = 0; i < held; i++) {
        const double y = olk_double_at(block, m->at.window_labels, i);
        OLK_REQUIRE(m->window_of_targets ? olk_is_finite(y) : y == -1.0 || y == 1.0,
                    OLK_BAD_WINDOW_LABEL, i, y);
    }
    return olk_check_all(block, 1, m->at.window_labels, held, (size_t)m->window_stride - held, 0.0,
                         0.0, OLK_LABEL_BEYOND, problem);
}

static inline int olk_check_vectors_and_coefficients(const olk_ring_setup *m, const uint8_t *block,
                                                     olk_problem *problem)
{
    const int64_t n = olk_n_vectors(block), rank = olk_ring_rank(m, block);
    const int64_t seen = olk_word_or_0(block, m->at.hints, 1);
    const int64_t held = seen < m->window_rows ? seen : m->window_rows;
    const int64_t used_now = rank ? rank : n * m->per_member;
    const size_t used = (size_t)(used_now < m->weights ? used_now : m->weights);
    if (m->at.support_vectors)
        OLK_CHECK(olk_check_vectors(m, block, m->at.support_vectors, (size_t)m->stride,
                                    OLK_BAD_VECTOR, problem));
    if (m->at.window)
        OLK_CHECK(olk_check_vectors(m, block, m->at.window, (size_t)m->window_stride,
                                    OLK_BAD_WINDOW, problem));
    if (m->at.per_update)
        OLK_CHECK(olk_check_all(block, 1, m->at.per_update, 0,
                                (size_t)(m->per_update * m->weights), -DBL_MAX, DBL_MAX,
                                OLK_BAD_PER_UPDATE, problem));
    if (m->at.support_vectors)
        OLK_CHECK(olk_check_lengths(m, block, m->at.support_vectors, (size_t)m->stride, n,
                                    OLK_LONG_VECTOR, problem));
    if (m->at.window)
        OLK_CHECK(olk_check_lengths(m, block, m->at.window, (size_t)m->window_stride, held,
                                    OLK_LONG_ROW, problem));
    OLK_CHECK(olk_check_coefficients(m, block, used, problem));
    if (m->at.window_labels)
        OLK_CHECK(olk_check_window_labels(m, block, (size_t)held, problem));
    OLK_CHECK(olk_check_columns(m, block, m->at.mean_start, used, olk_max_alpha,
                                OLK_BAD_MEAN_START, problem));
    return olk_check_columns(m, block, m->at.mean_sum, used, olk_max_norm2, OLK_BAD_MEAN_SUM,
                             problem);
}

/* -- Numbers of each support vector -- */

static inline int olk_check_slots(const olk_ring_setup *m, const uint8_t *block,
                                  olk_problem *problem)
{
    const size_t n = (size_t)olk_n_vectors(block), d = (size_t)m->common.features;
    const int64_t steps = olk_word_at(block, OLK_AT_STEPS, 0);
    const int wide = m->common.wide;
    if (m->at.novelty)
        OLK_CHECK(olk_check_all(block, 1, m->at.novelty, 0, 1, -DBL_MAX, DBL_MAX,
                                OLK_BAD_THRESHOLD, problem));
    for (size_t i = 0; m->at.arrivals && i < n; i++) {
        const int64_t arrival = olk_word_at(block, m->at.arrivals, i);
        OLK_REQUIRE(olk_counts_to(arrival, steps), OLK_BAD_ARRIVAL, steps, arrival);
    }
    for (size_t i = 0; m->at.nearest && i < n; i++) {
        const int64_t other = olk_word_at(block, m->at.nearest, i);
        OLK_REQUIRE(other >= -1 && other < (int64_t)n && other != (int64_t)i, OLK_BAD_NEIGHBOUR,
                    n, other);
    }
    if (m->at.nearest_distance)
        OLK_CHECK(olk_check_all(block, m->item == 8, m->at.nearest_distance, 0, n, 0.0, HUGE_VAL,
                                OLK_BAD_DISTANCE, problem));
    if (m->at.nearest_kernel) {
        const double limit = m->normalised ? olk_max_if_normalised : olk_max_kernel;
        OLK_CHECK(olk_check_all(block, 1, m->at.nearest_kernel, 0, n, -limit, limit,
                                OLK_BAD_NEAR_KERNEL, problem));
    }
    if (m->at.norms)
        OLK_CHECK(olk_check_all(block, wide, m->at.norms, 0, n, 0.0, HUGE_VAL, OLK_NEGATIVE_NORM,
                                problem));
    if (m->at.diagonal) {
        OLK_CHECK(olk_check_all(block, 1, m->at.diagonal, 0, n, -olk_max_kernel, olk_max_kernel,
                                OLK_BAD_DIAGONAL, problem));
        if (m->kernel.kind != OLK_SIGMOID)
            OLK_CHECK(olk_check_all(block, 1, m->at.diagonal, 0, n, 0.0, olk_max_kernel,
                                    OLK_NEGATIVE_DIAGONAL, problem));
    }
    if (m->at.scores)
        OLK_CHECK(olk_check_all(block, 1, m->at.scores, 0, n, -olk_max_coefficient,
                                olk_max_coefficient, OLK_BAD_SCORES, problem));
    if (m->at.levels) { /* steps between levels, then numbers at level 0 */
        for (size_t j = 0; j < d; j++) {
            const double step = olk_number_at(block, 0, m->at.levels, j);
            OLK_REQUIRE(step > 0.0, OLK_BAD_LEVELS, j, step);
        }
        OLK_CHECK(olk_check_all(block, 0, m->at.levels, 0, 2 * d, -(double)FLT_MAX,
                                (double)FLT_MAX, OLK_BAD_LEVELS, problem));
    }
    return OLK_HOLDS;
}

/* -- Matrices -- */

/* The diagonal of a packed matrix is above `lower`. */
static inline int olk_check_pivots(const uint8_t *block, size_t offset, size_t n, double lower,
                                   int32_t sentence, olk_problem *problem)
{
    for (size_t i = 1; i <= n; i++) {
        const double pivot = olk_double_at(block, offset, olk_packed_numbers(i) - 1);
        OLK_REQUIRE(pivot > lower, sentence, i - 1, pivot);
    }
    return OLK_HOLDS;
}

/* Factors, inverses and the change of basis. */
static inline int olk_check_matrices(const olk_ring_setup *m, const uint8_t *block,
                                     olk_problem *problem)
{
    const size_t n = (size_t)olk_n_vectors(block);
    const double limit = m->normalised ? olk_max_if_normalised : olk_max_otherwise;
    if (m->at.factor && !olk_word_or_0(block, m->at.halving, 1)) {
        OLK_CHECK(olk_check_all(block, 1, m->at.factor, 0, olk_packed_numbers(n), -limit, limit,
                                OLK_BAD_FACTOR, problem));
        if (m->factor_pivots)
            OLK_CHECK(olk_check_pivots(block, m->at.factor, n, 0.0, OLK_BAD_FACTOR_PIVOT, problem));
    }
    if (m->at.inverse) {
        const double lower = olk_lowest_pivot(m->normalised, m->added);
        OLK_CHECK(olk_check_all(block, 1, m->at.inverse, 0, olk_packed_numbers(n), -limit, limit,
                                OLK_BAD_INVERSE, problem));
        OLK_CHECK(olk_check_pivots(block, m->at.inverse, n, lower, OLK_BAD_INVERSE_PIVOT, problem));
    }
    if (m->at.posterior)
        OLK_CHECK(olk_check_all(block, 1, m->at.posterior, 0, olk_packed_numbers(n), -limit, limit,
                                OLK_BAD_POSTERIOR, problem));
    if (m->at.posterior && m->at.factor) /* the inverse of a sum of squares */
        OLK_CHECK(olk_check_pivots(block, m->at.posterior, n, 0.0, OLK_BAD_POSTERIOR_PIVOT,
                                   problem));
    if (m->at.tracking) {
        const olk_tracker_setup of = {
            m->inputs, m->lags, m->delay, m->budget, m->item == 8, m->max_alpha, m->at.tracking,
            m->at.origin, m->at.input_scales, m->at.whitening, m->at.posterior_factor,
            m->at.coordinates, m->at.lagging, m->at.recent_targets, m->at.pending_rows,
        };
        return olk_check_tracker(&of, block, problem);
    }
    if (m->at.whitening) {
        OLK_CHECK(olk_check_all(block, m->item == 8, m->at.whitening, 0, olk_packed_numbers(n),
                                -limit, limit, OLK_BAD_WHITENING, problem));
        OLK_CHECK(olk_check_all(block, m->item == 8, m->at.covariance, 0, olk_packed_numbers(n),
                                -limit, limit, OLK_BAD_POSTERIOR, problem));
        OLK_CHECK(olk_check_all(block, m->item == 8, m->at.coordinates, 0, n, -m->max_alpha,
                                m->max_alpha, OLK_BAD_COORDINATE, problem));
    }
    if (m->at.feature_map)
        OLK_CHECK(olk_check_all(block, 1, m->at.feature_map, 0,
                                (size_t)olk_ring_rank(m, block) * n, -limit, limit,
                                OLK_BAD_FEATURE_MAP, problem));
    return OLK_HOLDS;
}

/* Whether learning can reach the state in a block: 0, or the number of the sentence that says why
   not, then with the numbers of the sentence in `problem`. */
static inline int olk_check_ring(const olk_ring_setup *m, const uint8_t *block,
                                 olk_problem *problem)
{
    OLK_CHECK(olk_check_counters(&m->common, block, problem));
    OLK_CHECK(olk_check_ring_counters(m, block, problem));
    OLK_CHECK(olk_check_preprocessing(&m->common, block, problem));
    OLK_CHECK(olk_check_sizes(m, block, problem));
    OLK_CHECK(olk_check_words(m, block, problem));
    OLK_CHECK(olk_check_vectors_and_coefficients(m, block, problem));
    OLK_CHECK(olk_check_slots(m, block, problem));
    return olk_check_matrices(m, block, problem);
}
