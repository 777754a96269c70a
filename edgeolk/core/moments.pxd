"""Mean and spread, or least and largest, of each feature so far: plain functions on the block.

Design. Welford's recurrence (1962), never sums of x and x^2, which cancel. Two things are added:

- The mean is a pair, mean + low. A pressure of 1e9 with noise of 1 rounds a single mean by 6e-8 at
  every step: the spread loses half its digits, and a long stream no longer moves the mean at all.
  Shifting by the first reading would do as well, unless that reading is the glitch it often is.
- Each feature is counted in its own unit, the least of 2^-600, 1 and 2^600 that holds its largest
  reading, because the square of 1e200 overflows and that of 1e-200 vanishes. A unit is a power of
  two: changing it rounds nothing that matters beside the reading that asked for it.

Rejected: refusing large readings (one glitch would stop a device), hypot (differs between C
libraries), long double (differs between processors).

CONVENTION, true between any two examples; moments_hold checks it:
- mean, low and m2 are finite, in units of unit(level), unit(level) and unit(level)^2;
- low is at most one last bit of mean, m2 >= 0 and never decreases;
- least <= most, both finite;
- everything is 0 before the first example; nothing changes once frozen.
"""

from libc.float cimport DBL_EPSILON, DBL_MAX, DBL_MIN, FLT_MAX
from libc.math cimport HUGE_VAL, fabs, ldexp, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t

from edgeolk.core.finite cimport real

ctypedef fused scaled:
    float
    double

cdef enum:
    # Part of the file format: never renumbered.
    METHOD_STANDARD = 1       # Welford, Technometrics 4(3), 1962
    METHOD_MINMAX = 2
    # Room above: (2 * 2^450)^2 summed 2^63 times stays below 2^1024. Room below: the last bit of a
    # number of 2^-150, the least that has left the smallest unit, has a square above 2^-500.
    UNIT_BITS = 600
    TOP_BITS = 450
    BATCH = 64                # features whose roots are taken once for all rows, on the C stack


cdef struct Head:
    # The first bytes of the block, the same layout on 32 and 64 bits. A file holds exactly this.
    char magic[8]
    uint32_t format_version
    uint32_t crc              # where the learner's is
    int64_t nbytes            # of the block, header included
    int64_t n_features
    int64_t freeze_after      # 0: never
    int64_t n_seen            # examples in the statistics
    int32_t method
    int32_t frozen
    int64_t reserved


cdef struct Moments:
    Head* head
    double* mean              # (n_features,) each; NULL where the method has none
    double* low
    double* m2                # sum of (x - mean)^2
    double* least
    double* most
    int8_t* level


cdef struct Lines:
    # z = (x/2 - centre - rest) / half, of some features in a row. Halves, because a difference of
    # two float64 overflows. half is infinite for a constant feature: z = 0 without a branch.
    double centre[BATCH]
    double rest[BATCH]
    double half[BATCH]


cdef inline double unit(int level) noexcept nogil:
    if level == 0:
        return ldexp(1.0, -UNIT_BITS)
    return 1.0 if level == 1 else ldexp(1.0, UNIT_BITS)


cdef inline double top(int level) noexcept nogil:
    """What |x| stays below in this unit."""
    if level == 0:
        return ldexp(1.0, TOP_BITS - UNIT_BITS)
    return ldexp(1.0, TOP_BITS) if level == 1 else HUGE_VAL


cdef inline void raise_level(Moments* s, int64_t j) noexcept nogil:
    cdef double down = unit(0)
    s.level[j] += 1
    s.mean[j] *= down
    s.low[j] *= down
    s.m2[j] = s.m2[j] * down * down


cdef inline void add_standard(Moments* s, int64_t j, double x) noexcept nogil:
    cdef double u, delta, step, total, part, growth
    cdef double n = <double>s.head.n_seen
    while fabs(x) >= top(s.level[j]):
        raise_level(s, j)
    u = x * unit(2 - s.level[j])
    # delta = x - mean_{n-1};  mean_n = mean_{n-1} + delta / n
    delta = (u - s.mean[j]) - s.low[j]
    step = s.low[j] + delta / n
    # mean + step without error, as total + low (Knuth's two-sum)
    total = s.mean[j] + step
    part = total - s.mean[j]
    s.low[j] = (s.mean[j] - (total - part)) + (step - part)
    s.mean[j] = total
    # m2_n = m2_{n-1} + (x - mean_{n-1}) (x - mean_n)
    growth = delta * ((u - s.mean[j]) - s.low[j])
    s.m2[j] += growth if growth > 0.0 else 0.0


cdef inline void learn(Moments* s, const real* x) noexcept nogil:
    """One checked row into the statistics, unless they are frozen."""
    cdef int64_t j
    cdef Head* h = s.head
    if h.frozen:
        return
    h.n_seen += 1
    if h.method == METHOD_STANDARD:
        for j in range(h.n_features):
            add_standard(s, j, x[j])
    else:
        for j in range(h.n_features):
            if x[j] < s.least[j] or h.n_seen == 1:
                s.least[j] = x[j]
            if x[j] > s.most[j] or h.n_seen == 1:
                s.most[j] = x[j]
    if h.n_seen == h.freeze_after:
        h.frozen = 1


cdef inline void learn_rows(Moments* s, const real* x, int64_t n) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        learn(s, x + i * s.head.n_features)


cdef inline void lines(const Moments* s, int64_t first, int64_t m, Lines* f) noexcept nogil:
    """How features first .. first + m - 1 are scaled now.

    A spread within 64 units in the last place of the numbers themselves, 2^-46 of them, counts as
    none: it is the rounding of whatever made them. So does one below the normal numbers,
    by which nothing divides accurately.
    """
    cdef int64_t j, k
    cdef double n = <double>max(s.head.n_seen, 1)
    cdef double size, back
    for k in range(m):
        j = first + k
        if s.head.method == METHOD_STANDARD:
            back = unit(s.level[j])
            f.centre[k] = 0.5 * s.mean[j] * back
            f.rest[k] = 0.5 * s.low[j] * back
            # sd = sqrt(m2 / n), in the order in which nothing overflows
            f.half[k] = 0.5 * sqrt(s.m2[j] / n) * back
            size = fabs(f.centre[k])
        else:
            f.centre[k] = 0.5 * s.least[j]
            f.rest[k] = 0.0
            f.half[k] = 0.5 * s.most[j] - f.centre[k]
            size = max(fabs(f.centre[k]), fabs(0.5 * s.most[j]))
        if f.half[k] <= 64.0 * DBL_EPSILON * size or f.half[k] < DBL_MIN:
            f.half[k] = HUGE_VAL


cdef inline double scaled_number(const Lines* f, int64_t k, double x) noexcept nogil:
    return ((0.5 * x - f.centre[k]) - f.rest[k]) / f.half[k] + 0.0  # -0 becomes 0


cdef inline bint fits_row(const Lines* f, const real* x, double limit, int64_t m) noexcept nogil:
    cdef int64_t k
    cdef int64_t misses = 0
    for k in range(m):
        misses += not fabs(scaled_number(f, k, x[k])) <= limit
    return misses == 0


cdef inline void write_row(const Lines* f, const real* x, scaled* z, int64_t m) noexcept nogil:
    cdef int64_t k
    for k in range(m):
        z[k] = <scaled>scaled_number(f, k, x[k])


cdef inline int64_t transform_rows(
    const Moments* s, const real* x, scaled* z, int64_t n
) noexcept nogil:
    """Rows scaled into z, which may be x; or the index of one that does not fit, and none written.

    Returns -1 when done.
    """
    cdef Lines f
    cdef int64_t i, batch, first, m
    cdef int64_t d = s.head.n_features
    cdef double limit = DBL_MAX
    cdef int write
    if scaled is float:
        limit = FLT_MAX
    for write in range(2):
        for batch in range((d + BATCH - 1) // BATCH):
            first = batch * BATCH
            m = min(<int64_t>BATCH, d - first)
            if not write or d > BATCH:
                lines(s, first, m, &f)
            for i in range(n):
                if write:
                    write_row(&f, x + i * d + first, z + i * d + first, m)
                elif not fits_row(&f, x + i * d + first, limit, m):
                    return i
    return -1


cdef inline bint moments_hold(const Moments* s) noexcept nogil:
    """Whether the CONVENTION holds; of a block from outside nothing is taken for granted."""
    cdef int64_t j
    cdef double n = <double>s.head.n_seen
    cdef double most
    for j in range(s.head.n_features):
        if s.head.method == METHOD_MINMAX:
            if not (-DBL_MAX <= s.least[j] <= s.most[j] <= DBL_MAX):
                return False
            if s.head.n_seen == 0 and (s.least[j] != 0.0 or s.most[j] != 0.0):
                return False
            continue
        if not 0 <= s.level[j] <= 2:
            return False
        most = ldexp(1.0, TOP_BITS) if s.level[j] < 2 else DBL_MAX * unit(0)
        if not (
            fabs(s.mean[j]) <= most
            and fabs(s.low[j]) <= ldexp(fabs(s.mean[j]), -52)
            # sd <= max |x|, but for rounding
            and 0.0 <= s.m2[j] <= 1.001 * n * most * most
        ):
            return False
        if s.head.n_seen == 0 and (s.mean[j] != 0.0 or s.level[j] != 0):
            return False
    return True
