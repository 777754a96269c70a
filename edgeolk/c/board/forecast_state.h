/* Whether the state of a forecaster is one that learning can reach (files/sorf_state.py of the
   library). Included by state.h. */
#ifndef EDGEOLK_FORECAST_STATE_H
#define EDGEOLK_FORECAST_STATE_H

static int ek_is_count(double v)
{
    return v >= 0.0 && (v >= 9e15 || v == (double)(int64_t)v);
}

static int ek_history_holds(const uint8_t *file)
{
    static const int not_below_0[] = {8, 14, 15, 16}; /* error, variance, square, unit */
    const size_t at = EK_AT_history;
    const double marks = ek_number_of(file, at, 5);
    for (size_t i = 0; i < 5; i++)
        if (!ek_is_count(ek_number_of(file, at, i)))
            return 0;
    for (size_t i = 0; i < 4; i++)
        if (!(ek_number_of(file, at, (size_t)not_below_0[i]) >= 0.0))
            return 0;
    if (ek_number_of(file, at, 16) > 0.0 && !(ek_number_of(file, at, 1) >= 1.0))
        return 0; /* a unit without a change */
    if (!(marks == 0.0 || marks == 1.0 || (marks == 3.0 && ek_forecaster.kernel)))
        return 0;
    return ek_all_between(file, at, OLK_HISTORY_NUMBERS, EK_INTERVALS, 0.000999, 1000.01);
}

/* Whether a symmetric matrix, given by its lower triangle row by row from number `first` of a
   region, has a Cholesky factor, up to rounding. */
static int ek_is_definite(const uint8_t *file, size_t region, size_t first, size_t n)
{
    double factor[OLK_HEAD_INPUTS * (OLK_HEAD_INPUTS + 1) / 2];
    for (size_t j = 0; j < n; j++) {
        double *row = factor + j * (j + 1) / 2;
        for (size_t i = 0; i <= j; i++) {
            const double *before = factor + i * (i + 1) / 2;
            double sum = ek_number_of(file, region, first + j * (j + 1) / 2 + i);
            sum += i == j ? 1e-3 : 0.0;
            for (size_t k = 0; k < i; k++)
                sum -= row[k] * before[k];
            if (i == j && !(sum > 0.0))
                return 0;
            row[i] = i < j ? sum / before[i] : olk_sqrt(sum);
        }
    }
    return 1;
}

static int ek_linear_holds(const uint8_t *file)
{
    const size_t m1 = (size_t)olk_diagonal_inputs(&ek_forecaster);
    const size_t m2 = (size_t)olk_head_inputs(&ek_forecaster), end = m2 + m2 * (m2 + 1) / 2;
    if (!ek_all_between(file, EK_AT_forecaster, m1, m1, -1e-5, 1.0 + 1e-5))
        return 0;
    for (size_t j = 0; j < m2; j++)
        if (!ek_all_between(file, EK_AT_head, m2 + (j + 1) * (j + 2) / 2 - 1, 1, -1e-5,
                            1.0 + 1e-5))
            return 0;
    if (!ek_is_definite(file, EK_AT_head, m2, m2))
        return 0;
    return ek_number_of(file, EK_AT_forecaster, 2 * m1) >= 0.0 &&
           ek_number_of(file, EK_AT_head, end) >= 0.0;
}

static int ek_pending_holds(const uint8_t *file)
{
    const size_t each =
        (size_t)(OLK_PENDING_NUMBERS + olk_head_inputs(&ek_forecaster)) + 2 * (size_t)EK_FEATURES;
    const double enough = EK_HORIZON > 1 ? (double)olk_first_changes : 1.0;
    const int is_known = ek_number_of(file, EK_AT_history, 1) >= enough;
    for (size_t k = 0; k < EK_HORIZON; k++) {
        const double mark = ek_number_of(file, EK_AT_pending, k * each);
        const double unit = ek_number_of(file, EK_AT_pending, k * each + 1);
        if (!(mark >= 0.0 || mark == -1.0 || mark == -2.0) || !(unit >= 0.0) ||
            (unit > 0.0 && !is_known))
            return 0;
    }
    return 1;
}

static int ek_forecast_holds(const uint8_t *file, int64_t steps)
{
    static const size_t regions[][2] = EK_FORECAST_REGIONS; /* offset, numbers */
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++)
        if (!ek_all_between(file, regions[i][0], 0, regions[i][1], -(double)EK_MOST_NUMBER,
                            (double)EK_MOST_NUMBER))
            return 0;
    const size_t n = (size_t)olk_n_experts(&ek_forecaster);
    if (!ek_history_holds(file) || !ek_linear_holds(file) || !ek_pending_holds(file) ||
        !ek_all_between(file, EK_AT_ml_poly, 0, n, -16.0 / 0.00099, 16.0 / 0.00099) ||
        !ek_all_between(file, EK_AT_ml_poly, n, n, 0.0, (double)EK_MOST_NUMBER))
        return 0;
#if EK_AT_season
    const double came = ek_number_of(file, EK_AT_season, 0);
    if (!ek_is_count(came) || !(came < 2.0 * (ek_forecaster.season + 1)))
        return 0;
#endif
#if EK_AT_kernel_rows
    return ek_counts_to(ek_word_of(file, EK_AT_kernel_rows, 0), steps);
#else
    (void)steps;
    return 1;
#endif
}

#endif
