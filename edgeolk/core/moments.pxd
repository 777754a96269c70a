"""Mean and spread of one feature, all readings weighted equally: functions on numbers in the block.

Design. Welford's recurrence (1962), not sums of x and x^2, which cancel. Two additions:

- The mean is a pair, mean + low. A pressure of 1e9 with noise of 1 rounds a single mean by 6e-8 at
  every step: the spread loses half its digits, and a long stream no longer moves the mean at all.
  Shifting by the first reading would also help, unless that reading is a glitch, as it often is.
- Each feature has its own unit, the smallest of 2^-600, 1 and 2^600 that fits its largest reading,
  because the square of 1e200 overflows and that of 1e-200 vanishes. A unit is a power of two:
  changing it rounds nothing that matters relative to the reading that required it.

A glitch affects these statistics for ever; c/scaler.h is for sensors that have glitches.

Rejected: refusing large readings (one glitch would stop a device), hypot (differs between C
libraries), long double (differs between processors).

Invariants, true between any two examples; moments_hold checks them:
- mean, low and m2 are finite, in units of unit(level), unit(level) and unit(level)^2;
- low is at most one last bit of mean, m2 >= 0 and never decreases; m2 is 0 after one example;
- everything is 0 before the first example.
"""

from libc.float cimport DBL_MAX
from libc.math cimport HUGE_VAL, fabs, ldexp
from libc.stdint cimport int8_t, int64_t

cdef enum:
    # No overflow: (2 * 2^450)^2 summed 2^63 times stays below 2^1024. No underflow: the last bit of
    # 2^-150, the smallest number beyond the smallest unit, has a square above 2^-500.
    UNIT_BITS = 600
    TOP_BITS = 450


cdef struct Moments:
    # Each an array of n_features numbers, one region each.
    double* mean
    double* low               # its rounding error
    double* m2                # sum of (x - mean)^2
    int8_t* level             # index of the unit of the feature


cdef inline double unit(int level) noexcept nogil:
    if level == 0:
        return ldexp(1.0, -UNIT_BITS)
    return 1.0 if level == 1 else ldexp(1.0, UNIT_BITS)


cdef inline double top(int level) noexcept nogil:
    """Upper limit of |x| in this unit."""
    if level == 0:
        return ldexp(1.0, TOP_BITS - UNIT_BITS)
    return ldexp(1.0, TOP_BITS) if level == 1 else HUGE_VAL


cdef inline void raise_level(const Moments* s, int64_t j) noexcept nogil:
    cdef double down = unit(0)
    s.level[j] += 1
    s.mean[j] *= down
    s.low[j] *= down
    s.m2[j] = s.m2[j] * down * down


cdef inline void add_reading(const Moments* s, int64_t j, double x, double n) noexcept nogil:
    """Add the n-th reading of feature j to its statistics."""
    cdef double u, delta, step, total, rounded, growth
    while fabs(x) >= top(s.level[j]):
        raise_level(s, j)
    u = x * unit(2 - s.level[j])
    # delta = x - mean_{n-1};  mean_n = mean_{n-1} + delta / n
    delta = (u - s.mean[j]) - s.low[j]
    step = s.low[j] + delta / n
    # mean + step without error, as total + low (Knuth's two-sum)
    total = s.mean[j] + step
    rounded = total - s.mean[j]
    s.low[j] = (s.mean[j] - (total - rounded)) + (step - rounded)
    s.mean[j] = total
    # m2_n = m2_{n-1} + (x - mean_{n-1}) (x - mean_n)
    growth = delta * ((u - s.mean[j]) - s.low[j])
    s.m2[j] += growth if growth > 0.0 else 0.0


cdef inline bint moments_hold(const Moments* s, int64_t j, double n) noexcept nogil:
    """Whether the invariants hold after n readings, of arbitrary memory."""
    cdef double max_size
    if not 0 <= s.level[j] <= 2:
        return False
    max_size = ldexp(1.0, TOP_BITS) if s.level[j] < 2 else DBL_MAX * unit(0)
    if not (
        fabs(s.mean[j]) <= max_size
        and fabs(s.low[j]) <= ldexp(fabs(s.mean[j]), -52)
        # sd <= max |x|, except for rounding
        and 0.0 <= s.m2[j] <= 1.001 * n * max_size * max_size
    ):
        return False
    if n <= 1.0 and s.m2[j] != 0.0:
        return False
    return n > 0.0 or (s.mean[j] == 0.0 and s.level[j] == 0)
