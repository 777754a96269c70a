"""A scaler in a block: learn a row, scale a row. Free of Python, for the class.

The caller zeroes the memory, fills a Scaler with its options and pointers to regions that are
multiples of 8 bytes from an aligned start, and calls learn_rows and transform_rows. Rows must be
finite; this is not checked here. The regions are those of scaling/block.py.

With clip > 0 statistics and scaling are those of the scaler in a learner: c/scaler.h.
With clip = 0 all readings have equal weight for ever, by another recurrence: Welford's, without
forgetting (Moments, below).
"""

from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport HUGE_VAL, fabs, fmax, isfinite, ldexp, sqrt
from libc.stdint cimport INT64_MAX, int64_t, int8_t

from edgeolk.core.numbers cimport floating
from edgeolk.core.state cimport MAX_COUNT
from edgeolk.core.c cimport (
    olk_affine, olk_affine_of, olk_feature_statistics, olk_finish_affine, olk_load_statistics,
    olk_scale_reading, olk_scaled_number, olk_scaler, olk_update_reading,
)


# Mean and spread of one feature, all readings weighted equally: functions on numbers in the block.
#
# Design. Welford's recurrence (1962), not sums of x and x^2, which cancel. Two additions:
#
# - The mean is a pair, mean + low. A pressure of 1e9 with noise of 1 rounds a single mean by 6e-8
#   at every step: the spread loses half its digits, and a long stream no longer moves the mean at
#   all. Shifting by the first reading would also help, unless that is a glitch, as it often is.
# - Each feature has its own unit, the smallest of 2^-600, 1 and 2^600 that fits its largest
#   reading, because the square of 1e200 overflows and that of 1e-200 vanishes. A unit is a power
#   of two: changing it rounds nothing that matters relative to the reading that required it.
#
# A glitch affects these statistics for ever; c/winsor.h is for sensors that have glitches.
#
# Rejected: refusing large readings (one glitch would stop a device), hypot (differs between C
# libraries), long double (differs between processors).
#
# Invariants, true between any two examples; c/scaler_holds.h checks them: - mean, low and m2 are
# finite, in units of unit(level), unit(level) and unit(level)^2; - low is at most one last bit of
# mean, m2 >= 0 and never decreases; m2 is 0 after one example; - everything is 0 before the first
# example.

cdef extern from "scaler_holds.h":
    enum:
        UNIT_BITS "OLK_UNIT_BITS"
        TOP_BITS "OLK_TOP_BITS"


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


# The scaler.

ctypedef fused scaled:
    float
    double

cdef enum:
    # Part of the file format: never renumbered.
    METHOD_STANDARD = 1       # Moments, or c/scaler.h with clip > 0
    METHOD_MINMAX = 2
    METHOD_COMPACT = 9        # as METHOD_STANDARD with clip > 0: c/scaler_compact.h
    BATCH = 64                # features whose roots are computed once for all rows, on the C stack


cdef struct Scaler:
    int64_t n_features
    int64_t method
    double clip               # deviations; 0: readings are not clipped
    int64_t window            # 0 if and only if clip is 0
    int64_t freeze_after      # 0: never
    int64_t* n_seen           # examples in the statistics; stops at MAX_COUNT
    int64_t* frozen           # 0 or 1
    olk_scaler kept           # with clip > 0 as in a learner; least and most of any minmax
    Moments moments           # METHOD_STANDARD with clip = 0, not available in learners


cdef struct Lines:
    # Linear scaling of a run of features, each as in c/scaler.h.
    double centre[BATCH]
    double rest[BATCH]
    double half[BATCH]
    double low[BATCH]
    double high[BATCH]


cdef inline void widen(Scaler* s, int64_t j, double x) noexcept nogil:
    if x < s.kept.minimum[j] or s.n_seen[0] == 0:
        s.kept.minimum[j] = x
    if x > s.kept.maximum[j] or s.n_seen[0] == 0:
        s.kept.maximum[j] = x


cdef inline void learn(Scaler* s, const floating* x) noexcept nogil:
    """Add a finite row to the statistics. Once frozen, only count clipped readings."""
    cdef int64_t j
    if s.clip > 0.0:
        for j in range(s.n_features):
            olk_update_reading(&s.kept, j, x[j], INT64_MAX if s.frozen[0] else s.n_seen[0])
    if s.frozen[0]:
        return
    if s.clip == 0.0 and s.method == METHOD_STANDARD:
        for j in range(s.n_features):
            add_reading(&s.moments, j, x[j], <double>(s.n_seen[0] + 1))
    elif s.clip == 0.0:
        for j in range(s.n_features):
            widen(s, j, x[j])
    s.n_seen[0] += s.n_seen[0] < MAX_COUNT
    s.frozen[0] = s.n_seen[0] == s.freeze_after


cdef inline void learn_rows(Scaler* s, const floating* x, int64_t n) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        learn(s, x + i * s.n_features)


cdef inline olk_affine plain_line(const Scaler* s, int64_t j) noexcept nogil:
    """Linear scaling of a feature with clip = 0."""
    cdef olk_affine f
    cdef double n, back
    f.low = -HUGE_VAL
    f.high = HUGE_VAL
    if s.method == METHOD_STANDARD:
        n = <double>max(s.n_seen[0], 1)
        back = unit(s.moments.level[j])
        f.centre = 0.5 * s.moments.mean[j] * back
        f.rest = 0.5 * s.moments.low[j] * back
        # sd = sqrt(m2 / n), in an order that does not overflow
        f.half = 0.5 * sqrt(s.moments.m2[j] / n) * back
        return olk_finish_affine(f, fabs(f.centre))
    f.centre = 0.5 * s.kept.minimum[j]
    f.rest = 0.0
    f.half = 0.5 * s.kept.maximum[j] - f.centre
    return olk_finish_affine(f, fmax(fabs(f.centre), fabs(f.centre + f.half)))


cdef inline void lines(const Scaler* s, int64_t first, int64_t m, Lines* to) noexcept nogil:
    """Current scaling of features first .. first + m - 1."""
    cdef int64_t k
    cdef olk_affine f
    cdef olk_feature_statistics known
    for k in range(m):
        if s.clip == 0.0:
            f = plain_line(s, first + k)
        else:
            known = olk_load_statistics(&s.kept, first + k)
            f = olk_affine_of(&s.kept, &known)
        to.centre[k] = f.centre
        to.rest[k] = f.rest
        to.half[k] = f.half
        to.low[k] = f.low
        to.high[k] = f.high


cdef inline double scaled_number(const Lines* f, int64_t k, double x) noexcept nogil:
    return olk_scaled_number(f.centre[k], f.rest[k], f.half[k], f.low[k], f.high[k], x)


cdef inline bint fits_row(const Lines* f, const floating* x, double limit,
                          int64_t m) noexcept nogil:
    cdef int64_t k
    cdef int64_t misses = 0
    for k in range(m):
        misses += not fabs(scaled_number(f, k, x[k])) <= limit
    return misses == 0


cdef inline void write_row(const Lines* f, const floating* x, scaled* z, int64_t m) noexcept nogil:
    cdef int64_t k
    for k in range(m):
        z[k] = <scaled>scaled_number(f, k, x[k])


cdef inline int64_t transform_rows(
    const Scaler* s, const floating* x, scaled* z, int64_t n
) noexcept nogil:
    """Scale rows into z, which may be x. Returns -1 when done, as always for clip > 0.

    Otherwise returns the index of a row that does not fit the type of z, and writes nothing.
    """
    cdef Lines f
    cdef int64_t i, j, batch, first, m
    cdef int64_t d = s.n_features
    cdef double limit = DBL_MAX
    cdef int write
    if scaled is float:
        limit = FLT_MAX
    if s.method == METHOD_COMPACT:
        for i in range(n):
            for j in range(d):
                z[i * d + j] = <scaled>olk_scale_reading(&s.kept, j, x[i * d + j], 0, False)
        return -1
    for write in range(1 if s.clip > 0.0 else 0, 2):
        for batch in range((d + BATCH - 1) // BATCH):
            first = batch * BATCH
            m = min(<int64_t>BATCH, d - first)
            if not write or d > BATCH or s.clip > 0.0:
                lines(s, first, m, &f)
            for i in range(n):
                if write:
                    write_row(&f, x + i * d + first, z + i * d + first, m)
                elif not fits_row(&f, x + i * d + first, limit, m):
                    return i
    return -1
