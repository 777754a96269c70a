/* Running means and variances that forget, as novelty in time keeps them: stored numbers, changed in
   double (docs/novelty.md, section 3, "to" and "stat"). */
#pragma once

/* Deviations beyond which nothing counts for more. */
static const double olk_most_deviations = 6.0;

typedef struct {
    double mean, variance;
} olk_moments;

/* As it is read again once it is stored. */
static OLK_ALWAYS double olk_as_stored(double v)
{
    return (double)(olk_input)v;
}

static inline double olk_held_between(double v, double low, double high)
{
    return v < low ? low : (v > high ? high : v);
}

/* Towards a value by a share of the way. */
static OLK_ALWAYS double olk_towards(double current, double value, double share)
{
    return olk_as_stored(current + (value - current) * share);
}

static OLK_ALWAYS void olk_take_in(olk_moments *moments, double value, double share)
{
    const double gap = value - moments->mean;
    moments->mean = olk_as_stored(moments->mean + gap * share);
    const double square = gap * (value - moments->mean); /* below 0 where the stored mean is past it */
    const double variance = olk_as_stored(moments->variance + (square - moments->variance) * share);
    moments->variance = variance > 0.0 ? variance : 0.0;
}

/* The value in deviations from the mean, 0 while there are none. */
static inline double olk_deviations(const olk_moments *moments, double value)
{
    return moments->variance > 0.0 ? (value - moments->mean) / olk_sqrt(moments->variance) : 0.0;
}

/* The same, held to the most that counts. */
static inline double olk_held_deviations(const olk_moments *moments, double value)
{
    return olk_held_between(olk_deviations(moments, value), -olk_most_deviations, olk_most_deviations);
}

/* A value, winsorised: moved to the end of what counts as usual, so many deviations off. */
static inline double olk_winsorised(const olk_moments *moments, double value, double high)
{
    const double far = high * olk_sqrt(moments->variance);
    return moments->variance > 0.0 ? olk_held_between(value, moments->mean - far, moments->mean + far) : value;
}
