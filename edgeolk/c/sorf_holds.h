/* What a block of the sorf family may hold (holds.h): weights, experts, what options add and the
   forecaster (docs/forecast.md); watch_holds.h has anomalies of a stream. */
#pragma once

#include "holds.h"
#ifdef OLK_HAS_PROCESS
#include "krls_auto_holds.h"
#endif
#include "late_labels.h"
#include "sorf_row.h"
#include "watch_holds.h"

/* Numbers of the linear expert, of length scales and of the drift alarm are far below this; in
   double precision also where a scalar is a float, so that a board takes what the library takes. */
static const double olk_max_number = 1e30;
/* The largest weight, in units of the label or of the targets' deviation; mean of the targets; sum
   of their squared deviations. */
static const double olk_max_weight = 1e15, olk_max_target_mean = 1e101, olk_max_targets = 1e250;
/* A margin for rounding of sums that never exceed a limit. */
static const double olk_rounded_up = 1.0 + 1e-9;

/* -- Weights, experts, options -- */

/* The n stored weights of a region. */
static inline int olk_check_weights(const olk_setup *m, const uint8_t *block, size_t offset,
                                    size_t n, int32_t sentence, olk_problem *problem)
{
    if (OLK_MEMBER(m, stored) > 1)
        return olk_check_all(block, m->stored == 8, offset, 0, n, -olk_max_weight, olk_max_weight,
                             sentence, problem);
    for (size_t i = 0; i < n; i++)
        OLK_REQUIRE(block[offset + i] != 0x80, sentence, i, -128);
    return OLK_HOLDS;
}

/* The largest discounted sum of mistakes, each of which costs at most `cost` times the weight of the
   row, with a margin for the rounding of the sum and of its discount. A row may stand for several,
   which then are discounted together. */
static inline double olk_most_mistakes(const olk_setup *m, double cost)
{
    double decay = (double)m->sorf.delta;
    for (int32_t i = 1; i < m->sorf.spacing; i++)
        decay *= (double)m->sorf.delta;
    const double rest = (1.0 - decay) / (m->sorf.spacing > 1 ? (double)m->sorf.spacing : 1.0);
    const double unit = m->wide ? DBL_EPSILON : (double)FLT_EPSILON;
    return cost * (double)m->max_weight / rest * (1.0 + 4.0 * unit / rest) * olk_rounded_up;
}

/* Cumulative losses of the experts, and averaging windows. A squared error counts up to 4. */
static inline int olk_check_experts(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    const olk_sorf *p = &m->sorf;
    const size_t groups = (size_t)p->groups;
    const size_t n = (size_t)olk_n_losses(p);
    const double longest = p->cmax > 1 ? (double)p->cmax : 1.0;
    const double most = olk_most_mistakes(m, 4.0);
    OLK_CHECK(
        olk_check_all(block, m->wide, m->at.blend, 0, n, 0.0, most, OLK_BAD_EXPERT, problem));
    return olk_check_all(block, m->wide, m->at.blend, n, groups, 1.0, longest, OLK_BAD_AVERAGING,
                         problem);
}

/* Weights and variances of the linear expert. */
static inline int olk_check_linear(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    const size_t n = (size_t)m->sorf.d + 1;
    OLK_CHECK(olk_check_all(block, m->wide, m->at.linear, 0, n, -olk_max_number, olk_max_number,
                            OLK_BAD_LINEAR, problem));
    return olk_check_all(block, m->wide, m->at.linear, n, n, 0.0, 1.0, OLK_BAD_LINEAR_VARIANCE,
                         problem);
}

/* n log length scales, then n squared gradients. */
static inline int olk_check_relevance(const olk_setup *m, const uint8_t *block, size_t offset,
                                      size_t n, olk_problem *problem)
{
    const int64_t steps = olk_word_at(block, m->at.gradient_steps, 0);
    OLK_CHECK(olk_check_all(block, m->wide, offset, 0, n, -2.0, 2.0, OLK_BAD_LENGTH_SCALE,
                            problem));
    OLK_CHECK(olk_check_all(block, m->wide, offset, n, n, 0.0, olk_max_number,
                            OLK_BAD_SQUARED_GRADIENT, problem));
    OLK_REQUIRE(olk_counts_to(steps, olk_word_at(block, OLK_AT_STEPS, 0)), OLK_BAD_GRADIENT_STEPS,
                0, steps);
    return OLK_HOLDS;
}

/* The numbers of drift.h; a step that was cut short may have counted one more row. */
static inline int olk_check_drift_numbers(const olk_setup *m, const uint8_t *block,
                                          olk_problem *problem)
{
    const size_t at = m->at.drift;
    const double rows = (double)olk_word_at(block, OLK_AT_STEPS, 0) + 1.0;
    const double counted = (double)olk_max_counted, most = rows < counted ? rows : counted;
    OLK_CHECK(olk_check_all(block, m->wide, at, OLK_DRIFT_SPREAD, 1, 0.0, olk_max_number,
                            OLK_BAD_DRIFT_AVERAGE, problem));
    OLK_CHECK(olk_check_all(block, m->wide, at, OLK_DRIFT_GAP, 1, -1.0, 1.0, OLK_BAD_DRIFT_AVERAGE,
                            problem));
    OLK_CHECK(olk_check_all(block, m->wide, at, OLK_DRIFT_FAST, 2, 0.0, 1.0, OLK_BAD_DRIFT_AVERAGE,
                            problem));
    for (size_t i = OLK_DRIFT_SINCE; i <= OLK_DRIFT_ALARMS; i++) {
        const double count = olk_number_at(block, m->wide, at, i);
        OLK_REQUIRE(olk_between(count, 0.0, most) && olk_is_integer(count), OLK_BAD_DRIFT_COUNTER,
                    i, count);
    }
    return OLK_HOLDS;
}

/* The last label, a class being stored plus one, and answers since it came. */
static inline int olk_check_last_label(const olk_setup *m, const uint8_t *block,
                                       olk_problem *problem)
{
    const double last = olk_number_at(block, m->wide, m->at.last_label, 0);
    if (OLK_MEMBER(m, lapse) > 0) {
        const double answers = olk_number_at(block, m->wide, m->at.last_label, 1);
        OLK_REQUIRE(olk_between(answers, 0.0, (double)m->lapse) && olk_is_integer(answers),
                    OLK_BAD_ANSWERS, m->lapse, answers);
    }
    if (OLK_MEMBER(m, sorf.task) == OLK_SORF_REGRESSION)
        OLK_REQUIRE(olk_is_finite(last), OLK_BAD_LAST_LABEL, 0, last);
    else if (OLK_MEMBER(m, sorf.task) == OLK_SORF_CLASSES)
        OLK_REQUIRE(olk_between(last, 0.0, (double)m->columns) && olk_is_integer(last),
                    OLK_BAD_LAST_LABEL, 0, last);
    else
        OLK_REQUIRE(last == -1.0 || last == 0.0 || last == 1.0, OLK_BAD_LAST_LABEL, 0, last);
    return OLK_HOLDS;
}

/* How many labels each class had, at most olk_most_labels together (hedge.h). */
static inline int olk_check_label_counts(const olk_setup *m, const uint8_t *block,
                                         olk_problem *problem)
{
    const size_t n = m->columns > 1 ? (size_t)m->columns : 2;
    return olk_check_all(block, 0, m->at.label_counts, 0, n, 0.0, 4096.0 * (1.0 + 1e-3),
                         OLK_BAD_LABEL_COUNT, problem);
}

/* Rows that wait for their labels (late_labels.h). Answers that are numbers may be infinite. */
static inline int olk_check_late(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    const olk_sorf *p = &m->sorf;
    const size_t each = olk_entry_bytes(p), n = (size_t)p->kept_answers;
    const uint32_t next = olk_count_at(block, m->at.late_counts, OLK_LATE_NEXT);
    const uint32_t pending = olk_count_at(block, m->at.late_counts, OLK_LATE_PENDING);
    const int32_t experts = olk_n_experts_kept(p);
    OLK_REQUIRE(next < olk_late_period(p), OLK_BAD_LATE_ROW, olk_late_period(p), next);
    OLK_REQUIRE(pending <= (uint32_t)p->delay + 1, OLK_BAD_LATE_PENDING, p->delay, pending);
    OLK_CHECK(olk_check_all(block, m->wide, m->at.late_losses, 0, 2 * (size_t)p->groups, 0.0,
                            olk_most_mistakes(m, 4.0), OLK_BAD_LATE_LOSS, problem));
    if (p->task == OLK_SORF_REGRESSION)
        return olk_check_all(block, 0, m->at.late_scores, 0, n * each / 4, -HUGE_VAL, HUGE_VAL,
                             OLK_BAD_LATE_ANSWER, problem);
    for (size_t i = 0; i < n * each; i++) {
        const uint8_t answer = block[m->at.late_answers + i];
        const int32_t rest = experts - 8 * (int32_t)(i % each);
        const int of_class = answer < m->columns || answer == OLK_NO_CLASS;
        const int of_bits = rest >= 8 || !(answer >> (rest > 0 ? rest : 0));
        OLK_REQUIRE(p->task == OLK_SORF_CLASSES ? of_class : of_bits, OLK_BAD_LATE_ANSWER, i,
                    answer);
    }
    return OLK_HOLDS;
}

/* The row memory (row_memory_state.h): slots that have no row are never read. */
static inline int olk_check_memory(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    const size_t capacity = (size_t)m->sorf.memory, n_codes = ((size_t)m->sorf.d + 1) / 2;
    const uint64_t word = (uint64_t)olk_word_at(block, m->at.memory_state, 0);
    const uint64_t held = word & UINT32_MAX, head = word >> 32;
    const uint8_t *codes = block + m->at.row_memory, *marks = codes + n_codes * capacity;
    const double most = olk_most_mistakes(m, 1.0);
    OLK_REQUIRE(held <= capacity, OLK_BAD_MEMORY_ROWS, capacity, held);
    OLK_REQUIRE(head < capacity && (held == capacity || !head), OLK_BAD_MEMORY_HEAD, 0, head);
    OLK_CHECK(olk_check_all(block, m->wide, m->at.memory_mistakes, 0, OLK_MEMORY_WEIGHTS, 0.0,
                            most, OLK_BAD_MEMORY_EXPERT, problem));
    if (OLK_MEMBER(m, at.memory_narrow))
        OLK_CHECK(olk_check_all(block, m->wide, m->at.memory_narrow, 0, OLK_MEMORY_WEIGHTS - 1, 0.0,
                                most, OLK_BAD_MEMORY_EXPERT, problem));
    for (size_t j = 0; j < (size_t)held; j++) {
        for (size_t c = 0; c < n_codes; c++)
            OLK_REQUIRE((codes[c * capacity + j] & 15) && codes[c * capacity + j] >> 4,
                        OLK_BAD_MEMORY_CODE, j, codes[c * capacity + j]);
        if (OLK_MEMBER(m, columns) == 1) { /* a signed coefficient */
            OLK_REQUIRE(marks[j] && marks[j] != 0x80, OLK_BAD_MEMORY_COEFFICIENT, j, marks[j]);
            continue;
        }
        /* a label, a rival, a coefficient */
        OLK_REQUIRE(marks[j] < m->columns, OLK_BAD_MEMORY_CLASS, j, marks[j]);
        OLK_REQUIRE(marks[capacity + j] < m->columns, OLK_BAD_MEMORY_CLASS, j,
                    marks[capacity + j]);
        OLK_REQUIRE(marks[2 * capacity + j], OLK_BAD_MEMORY_COEFFICIENT, j, 0);
    }
    return OLK_HOLDS;
}

/* -- A Gaussian process beside the features -- */

#ifdef OLK_HAS_PROCESS
/* The words of the mixture (mixture.h); the margin is for rounding. */
static inline int olk_check_mixture(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    const double steps = (double)olk_word_at(block, OLK_AT_STEPS, 0);
    const double regret = olk_regret_clip * olk_regret_clip / (1.0 - olk_regret_discount) * 1.01;
    const double square = regret * olk_regret_clip * olk_regret_clip;
    const double most = steps < olk_error_window ? steps : olk_error_window;
    const double range[OLK_MIXTURE_WORDS][2] = {
        {-regret, regret}, {-regret, regret}, {0.0, square}, {0.0, square},
        {0.0, DBL_MAX},    {0.0, 1e301},      {0.0, most},
    };
    for (size_t i = 0; i < OLK_MIXTURE_WORDS; i++) {
        const double word = olk_double_at(block, m->at.mixture, i);
        OLK_REQUIRE(olk_between(word, range[i][0], range[i][1]) &&
                        (i != OLK_MIXTURE_ROWS || olk_is_integer(word)),
                    OLK_BAD_MIXTURE, i, word);
    }
    return OLK_HOLDS;
}

/* The process, by its own rules, and the mixture. */
static inline int olk_check_process(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    const size_t d = (size_t)m->features, budget = (size_t)m->sorf.gaussian_process;
    const int64_t held = olk_n_vectors(block);
    const double largest = olk_auto_largest_number(m->wide);
    const double most = 10.0 * olk_auto_largest_input(m->wide);
    const olk_tracker_setup process = {
        m->features, 0, 1, m->sorf.gaussian_process, m->wide, m->wide ? 1e150 : 1e36,
        m->at.process_words, m->at.process_origin, m->at.process_inputs, m->at.process_whitening,
        m->at.process_factor, m->at.process_mean, 0, 0, 0,
    };
    OLK_REQUIRE(held <= (int64_t)budget, OLK_MANY_VECTORS, budget, held);
    for (size_t j = 0; j < d; j++)
        OLK_CHECK(olk_check_all(block, m->wide, m->at.process_vectors, j * budget, (size_t)held,
                                -most, most, OLK_BAD_VECTOR, problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.process_coefficients, 0, (size_t)held, -largest,
                            largest, OLK_LARGE_COEFFICIENT, problem));
    OLK_CHECK(olk_check_tracker(&process, block, problem));
    return olk_check_mixture(m, block, problem);
}
#endif

/* -- The forecaster -- */

/* The largest target, and a margin for rounding. Means of targets do not exceed it, a change is at
   most twice as large, an answer far below the largest number that the type of rows holds. */
static inline double olk_max_known_target(const olk_setup *m)
{
    return (m->wide ? OLK_MAX_DOUBLE_TARGET : OLK_MAX_SINGLE_TARGET) * (1.0 + 1e-3);
}

/* A bound of answers in largest targets, and of the weights of the linear learners in units. */
static const double olk_max_answer = 1e10;

/* Range of a quantile and of variances, with a margin for rounding; the sum of all clipped regrets.
 */
static const double olk_quantiles_from = 0.000999, olk_quantiles_to = 1000.01;
static const double olk_variance_margin = 1e-5, olk_max_regret = 16.0 / 0.00099;

/* The largest absolute value of a number of the history, where it is of or from targets. */
static inline double olk_max_of_history(const olk_setup *m, size_t i)
{
    const double target = olk_max_known_target(m);
    switch (i) {
    case OLK_HISTORY_FIRST:
    case OLK_HISTORY_FIRST + 1:
    case OLK_HISTORY_LAST:
    case OLK_HISTORY_MEAN:
    case OLK_HISTORY_NEAR:
    case OLK_HISTORY_FAR:
        return target;
    case OLK_HISTORY_CHANGE:
    case OLK_HISTORY_CHANGE + 1:
    case OLK_HISTORY_CHANGE + 2:
    case OLK_HISTORY_UNIT:
        return 2.0 * target;
    case OLK_HISTORY_VARIANCE:
    case OLK_HISTORY_SQUARE:
        return 4.0 * target * target;
    case OLK_HISTORY_KERNEL:
        return olk_max_answer * target;
    default:
        return m->wide ? DBL_MAX : (double)FLT_MAX;
    }
}

static inline int olk_check_history(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    static const uint8_t not_below_0[] = {OLK_HISTORY_ERROR, OLK_HISTORY_VARIANCE,
                                          OLK_HISTORY_SQUARE, OLK_HISTORY_UNIT};
    const size_t at = m->at.history, levels = (size_t)m->forecast.n_levels;
    const double marks = olk_number_at(block, m->wide, at, OLK_HISTORY_MARKS);
    const double unit = olk_number_at(block, m->wide, at, OLK_HISTORY_UNIT);
    const double clip = (double)m->preprocessing.clip * (1.0 + 1e-6);
    for (size_t i = 0; i < OLK_HISTORY_NUMBERS; i++) {
        const double most = olk_max_of_history(m, i);
        OLK_CHECK(olk_check_all(block, m->wide, at, i, 1, -most, most, OLK_BAD_HISTORY, problem));
    }
    OLK_CHECK(olk_check_all(block, m->wide, at, OLK_HISTORY_NUMBERS + levels, (size_t)m->features,
                            -clip, clip, OLK_BAD_HISTORY, problem));
    for (size_t i = 0; i < OLK_HISTORY_MARKS; i++) {
        const double count = olk_number_at(block, m->wide, at, i);
        OLK_REQUIRE(olk_is_integer(count), OLK_BAD_HISTORY_COUNT, i, count);
    }
    OLK_REQUIRE(marks == 0.0 || marks == OLK_KNOWN ||
                    (marks == (OLK_KNOWN | OLK_KERNEL_KNOWN) && m->forecast.kernel),
                OLK_BAD_MARKS, 0, marks);
    for (size_t i = 0; i < sizeof not_below_0; i++)
        OLK_CHECK(olk_check_all(block, m->wide, at, not_below_0[i], 1, 0.0, DBL_MAX,
                                OLK_NEGATIVE_HISTORY, problem));
    OLK_REQUIRE(unit == 0.0 || olk_number_at(block, m->wide, at, OLK_HISTORY_CHANGES) >= 1.0,
                OLK_UNIT_WITHOUT_CHANGE, 0, unit);
    return olk_check_all(block, m->wide, at, OLK_HISTORY_NUMBERS, levels, olk_quantiles_from,
                         olk_quantiles_to, OLK_BAD_QUANTILE, problem);
}

/* Whether a symmetric matrix, given by its lower triangle row by row from number `first` of a region
   on, has a Cholesky factor, up to rounding. */
static inline int olk_is_definite(const uint8_t *block, int wide, size_t offset, size_t first,
                                  size_t n)
{
    double factor[OLK_HEAD_INPUTS * (OLK_HEAD_INPUTS + 1) / 2];
    for (size_t j = 0; j < n; j++) {
        double *row = factor + j * (j + 1) / 2;
        for (size_t i = 0; i <= j; i++) {
            const double *previous = factor + i * (i + 1) / 2;
            double sum = olk_number_at(block, wide, offset, first + j * (j + 1) / 2 + i);
            sum += i == j ? 1e-3 : 0.0;
            for (size_t k = 0; k < i; k++)
                sum -= row[k] * previous[k];
            if (i == j && !(sum > 0.0))
                return 0;
            row[i] = i < j ? sum / previous[i] : olk_sqrt(sum);
        }
    }
    return 1;
}

/* The two linear learners: weights, variances or covariances, mean error. */
static inline int olk_check_forecasters(const olk_setup *m, const uint8_t *block,
                                        olk_problem *problem)
{
    const size_t m1 = (size_t)olk_diagonal_inputs(&m->forecast);
    const size_t m2 = (size_t)olk_head_inputs(&m->forecast), end = m2 + m2 * (m2 + 1) / 2;
    const double largest = m->wide ? DBL_MAX : (double)FLT_MAX;
    const double lower = -olk_variance_margin, upper = 1.0 + olk_variance_margin;
    OLK_CHECK(olk_check_all(block, m->wide, m->at.forecaster, 0, m1, -olk_max_answer,
                            olk_max_answer, OLK_BAD_FORECASTER, problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.head, 0, m2, -olk_max_answer, olk_max_answer,
                            OLK_BAD_HEAD, problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.forecaster, m1, m1, lower, upper,
                            OLK_BAD_FORECAST_VARIANCE, problem));
    for (size_t j = 0; j < m2; j++)
        OLK_CHECK(olk_check_all(block, m->wide, m->at.head, m2 + (j + 1) * (j + 2) / 2 - 1, 1,
                                lower, upper, OLK_BAD_FORECAST_VARIANCE, problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.head, m2, end - m2, -largest, largest,
                            OLK_BAD_COVARIANCE, problem));
    OLK_REQUIRE(olk_is_definite(block, m->wide, m->at.head, m2, m2), OLK_BAD_COVARIANCE, 0, 0);
    OLK_CHECK(olk_check_all(block, m->wide, m->at.forecaster, 2 * m1, 1, 0.0, largest,
                            OLK_BAD_MEAN_ERROR, problem));
    return olk_check_all(block, m->wide, m->at.head, end, 1, 0.0, largest, OLK_BAD_MEAN_ERROR,
                         problem);
}

/* Rows whose targets have not come: olk_pending, the head's inputs, scaled inputs, their changes.
   Empty slots are never read, but for their mark. */
static inline int olk_check_pending(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    const size_t at = m->at.pending, inputs = (size_t)olk_head_inputs(&m->forecast);
    const size_t each = OLK_PENDING_NUMBERS + inputs + 2 * (size_t)m->features;
    const double enough = m->forecast.horizon > 1 ? OLK_FIRST_CHANGES : 1.0;
    const double target = olk_max_known_target(m), largest = m->wide ? DBL_MAX : (double)FLT_MAX;
    const int is_known =
        olk_number_at(block, m->wide, m->at.history, OLK_HISTORY_CHANGES) >= enough;
    for (size_t k = 0; k < (size_t)m->forecast.horizon; k++) {
        const size_t row = k * each;
        const double mark = olk_number_at(block, m->wide, at, row);
        const double unit = olk_number_at(block, m->wide, at, row + 1);
        OLK_CHECK(olk_check_all(block, m->wide, at, row, each, -largest, largest, OLK_BAD_PENDING,
                                problem));
        OLK_REQUIRE(mark >= 0.0 || mark == OLK_ROW_WITHOUT_ERROR || mark == OLK_ROW_UNKNOWN,
                    OLK_BAD_PENDING_MARK, k, mark);
        OLK_REQUIRE(olk_between(unit, 0.0, 2.0 * target) && (is_known || unit == 0.0),
                    OLK_BAD_PENDING_UNIT, k, unit);
        OLK_CHECK(olk_check_all(block, m->wide, at, row + 2, 1, -target, target, OLK_BAD_PENDING,
                                problem));
        /* the kernel's, the head's and the final answer, and the kernel's offset */
        OLK_CHECK(olk_check_all(block, m->wide, at, row + 3, 4, -olk_max_answer * target,
                                olk_max_answer * target, OLK_BAD_PENDING, problem));
    }
    return OLK_HOLDS;
}

static inline int olk_check_forecast(const olk_setup *m, const uint8_t *block,
                                     olk_problem *problem)
{
    const size_t n = (size_t)olk_n_experts(&m->forecast);
    const double largest = m->wide ? DBL_MAX : (double)FLT_MAX;
    OLK_CHECK(olk_check_history(m, block, problem));
    OLK_CHECK(olk_check_forecasters(m, block, problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.ml_poly, 0, n, -olk_max_regret, olk_max_regret,
                            OLK_BAD_REGRET, problem));
    OLK_CHECK(olk_check_all(block, m->wide, m->at.ml_poly, n, n, 0.0, largest,
                            OLK_BAD_SQUARED_REGRET, problem));
    OLK_CHECK(olk_check_pending(m, block, problem));
    if (OLK_MEMBER(m, at.season)) {
        const size_t capacity = (size_t)m->forecast.season + 1;
        const double count = olk_number_at(block, m->wide, m->at.season, 0);
        const double target = olk_max_known_target(m);
        OLK_CHECK(olk_check_all(block, m->wide, m->at.season, 1, capacity, -target, target,
                                OLK_BAD_SEASON, problem));
        OLK_REQUIRE(olk_is_integer(count) && count < 2.0 * (double)capacity, OLK_BAD_SEASON_COUNT,
                    0, count);
    }
    if (OLK_MEMBER(m, at.kernel_rows)) {
        const int64_t rows = olk_word_at(block, m->at.kernel_rows, 0);
        OLK_REQUIRE(olk_counts_to(rows, olk_word_at(block, OLK_AT_STEPS, 0)), OLK_BAD_KERNEL_ROWS,
                    0, rows);
    }
    return OLK_HOLDS;
}

/* -- All of it -- */

/* Whether learning can reach the state in a block: 0, or the number of the sentence that says why
   not, then with the numbers of the sentence in `problem`. */
static inline int olk_check_sorf(const olk_setup *m, const uint8_t *block, olk_problem *problem)
{
    OLK_CHECK(olk_check_counters(m, block, problem));
    OLK_CHECK(olk_check_preprocessing(m, block, problem));
#ifdef OLK_HAS_PROCESS
    if (OLK_MEMBER(m, at.mixture))
        OLK_CHECK(olk_check_process(m, block, problem));
    else
#endif
        OLK_REQUIRE(olk_count_at(block, OLK_AT_VECTORS, 0) == 0, OLK_HAS_VECTORS, 0, 0);
    if (OLK_MEMBER(m, forecasts))
        OLK_CHECK(olk_check_forecast(m, block, problem));
    const size_t columns = (size_t)m->columns, of_features = 2 * (size_t)m->sorf.D * columns;
    const size_t of_inputs = ((size_t)m->sorf.d + 1) * columns;
    if (OLK_MEMBER(m, at.weights))
        OLK_CHECK(
            olk_check_weights(m, block, m->at.weights, of_features, OLK_BAD_WEIGHTS, problem));
    if (OLK_MEMBER(m, at.mean_weights))
        OLK_CHECK(olk_check_weights(m, block, m->at.mean_weights, of_features,
                                    OLK_BAD_MEAN_WEIGHTS, problem));
    if (OLK_MEMBER(m, at.linear_weights))
        OLK_CHECK(olk_check_weights(m, block, m->at.linear_weights, of_inputs, OLK_BAD_WEIGHTS,
                                    problem));
    if (OLK_MEMBER(m, at.linear_mean))
        OLK_CHECK(olk_check_weights(m, block, m->at.linear_mean, of_inputs, OLK_BAD_MEAN_WEIGHTS,
                                    problem));
    if (OLK_MEMBER(m, at.blend))
        OLK_CHECK(olk_check_experts(m, block, problem));
    if (OLK_MEMBER(m, at.watch))
        OLK_CHECK(olk_check_watch(m, block, problem));
    if (OLK_MEMBER(m, at.novelty))
        OLK_CHECK(olk_check_all(block, m->wide, m->at.novelty, 0, 2, 0.0,
                                m->wide ? DBL_MAX : (double)FLT_MAX, OLK_BAD_NOVELTY, problem));
    if (OLK_MEMBER(m, at.target)) {
        OLK_CHECK(olk_check_all(block, 1, m->at.target, 0, 1, -olk_max_target_mean,
                                olk_max_target_mean, OLK_BAD_TARGET, problem));
        OLK_CHECK(olk_check_all(block, 1, m->at.target, 1, 1, 0.0, olk_max_targets,
                                OLK_BAD_TARGET, problem));
    }
    if (OLK_MEMBER(m, at.linear))
        OLK_CHECK(olk_check_linear(m, block, problem));
    if (OLK_MEMBER(m, at.relevance))
        OLK_CHECK(olk_check_relevance(m, block, m->at.relevance, (size_t)m->sorf.d, problem));
    if (OLK_MEMBER(m, at.shared_relevance))
        OLK_CHECK(olk_check_relevance(m, block, m->at.shared_relevance, 1, problem));
    if (OLK_MEMBER(m, at.drift))
        OLK_CHECK(olk_check_drift_numbers(m, block, problem));
    if (OLK_MEMBER(m, at.row_memory))
        OLK_CHECK(olk_check_memory(m, block, problem));
#ifndef OLK_SORF_NO_LATE
    if (OLK_MEMBER(m, at.late_counts))
        OLK_CHECK(olk_check_late(m, block, problem));
#endif
    if (OLK_MEMBER(m, at.last_label))
        OLK_CHECK(olk_check_last_label(m, block, problem));
    if (OLK_MEMBER(m, at.label_counts))
        OLK_CHECK(olk_check_label_counts(m, block, problem));
    return OLK_HOLDS;
}
