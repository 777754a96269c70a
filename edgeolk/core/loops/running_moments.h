/* Running means and variances with forgetting, for novelty in time: computed in double, stored in
   the type of rows (docs/novelty.md, section 3, "to" and "stat"). */
#pragma once

/* Deviations are clipped here. */
static const double olk_max_deviations = 6.0;

typedef struct {
    double mean, variance;
} olk_moments;

/* The value rounded to the stored type. */
static OLK_INLINE double olk_as_stored(double v)
{
    return (double)(olk_input)v;
}

static inline double olk_clamp_between(double v, double low, double high)
{
    return v < low ? low : (v > high ? high : v);
}

/* Moves a running value towards `value` by a share of the difference. */
static OLK_INLINE double olk_step_towards(double current, double value, double gain)
{
    return olk_as_stored(current + (value - current) * gain);
}

static OLK_INLINE void olk_update_moments(olk_moments *moments, double value, double gain)
{
    const double gap = value - moments->mean;
    moments->mean = olk_as_stored(moments->mean + gap * gain);
    const double square =
        gap * (value - moments->mean); /* negative if rounding moved the mean past value */
    const double variance = olk_as_stored(moments->variance + (square - moments->variance) * gain);
    moments->variance = variance > 0.0 ? variance : 0.0;
}

/* The value in deviations from the mean; 0 while the variance is 0. */
static inline double olk_deviations(const olk_moments *moments, double value)
{
    return moments->variance > 0.0 ? (value - moments->mean) / olk_sqrt(moments->variance) : 0.0;
}

/* The same, clipped. */
static inline double olk_clipped_deviations(const olk_moments *moments, double value)
{
    return olk_clamp_between(olk_deviations(moments, value), -olk_max_deviations,
                             olk_max_deviations);
}

/* A winsorised value: clipped to `high` deviations from the mean. */
static inline double olk_winsorised(const olk_moments *moments, double value, double high)
{
    const double far = high * olk_sqrt(moments->variance);
    return moments->variance > 0.0
               ? olk_clamp_between(value, moments->mean - far, moments->mean + far)
               : value;
}
