"""A scaler in a block: learn a row, scale a row. Free of Python, for the class and for a learner.

Whoever has the memory zeroes it, fills the Head, sets the pointers of a Scaler to regions that are
multiples of 8 bytes from an aligned start, and calls learn_rows and transform_rows. Rows are
finite; nothing here checks that. The regions, in bytes per feature:

    clip = 0, METHOD_STANDARD: mean 8, low 8, m2 8, level 1
    clip > 0: features 40
    METHOD_MINMAX: least 8, most 8, and those of clip > 0
    METHOD_COMPACT: records 9

How a feature is scaled: loops/lines.h.
"""

from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport HUGE_VAL, fabs, fmax, sqrt
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from edgeolk.core.finite cimport real
from edgeolk.core.lines cimport (
    olk_line, olk_range_line, olk_scaled_number, olk_settled, olk_standard_line,
)
from edgeolk.core.moments cimport Moments, add_reading, moments_hold, unit
from edgeolk.core.scaling cimport (
    olk_compact_holds, olk_compact_rule_of, olk_keep_reading, olk_scale_reading,
)
from edgeolk.core.structs cimport OLK_COMPACT_BYTES, olk_scaler
from edgeolk.core.winsor cimport Feature, beyond, count_clipped, feature_holds, learn_reading

ctypedef fused scaled:
    float
    double

cdef enum:
    # Part of the file format: never renumbered.
    METHOD_STANDARD = 1       # moments.pxd, or loops/winsor.h with clip > 0
    METHOD_MINMAX = 2
    METHOD_COMPACT = 9        # as METHOD_STANDARD with clip > 0: loops/compact.h
    BATCH = 64                # features whose roots are taken once for all rows, on the C stack


cdef struct Head:
    # The first 64 bytes of the block, the same layout on 32 and 64 bits. A file holds exactly this.
    char magic[8]
    uint32_t format_version
    uint32_t crc              # where the learner's is
    int64_t nbytes            # of the block, header included
    int64_t n_features
    int64_t freeze_after      # 0: never
    int64_t n_seen            # examples in the statistics; stops at 2^62
    uint16_t method
    uint16_t frozen
    uint32_t window           # 0 if and only if clip is 0
    double clip               # deviations; 0: every reading counts as it is


cdef struct Scaler:
    Head* head
    Moments moments           # NULL where the configuration has none of it, here and below
    Feature* features
    double* least
    double* most
    olk_scaler compact        # of METHOD_COMPACT, its records in the block


cdef struct Lines:
    # Of some features in a row, as loops/lines.h has one.
    double centre[BATCH]
    double rest[BATCH]
    double half[BATCH]
    double low[BATCH]
    double high[BATCH]


cdef inline void widen(Scaler* s, int64_t j, double x) noexcept nogil:
    if x < s.least[j] or s.head.n_seen == 1:
        s.least[j] = x
    if x > s.most[j] or s.head.n_seen == 1:
        s.most[j] = x


cdef inline void point_to_records(Scaler* s, uint8_t* records) noexcept nogil:
    """What is known of a scaler of METHOD_COMPACT, as a learner's is."""
    s.compact.method = METHOD_COMPACT
    s.compact.records = records
    s.compact.rule = olk_compact_rule_of(s.head.clip, s.head.window)


cdef inline void learn_records(Scaler* s, const real* x) noexcept nogil:
    cdef int64_t j
    if s.head.frozen:
        return
    for j in range(s.head.n_features):
        olk_keep_reading(&s.compact, j, x[j], s.head.n_seen)
    s.head.n_seen += s.head.n_seen < <int64_t>1 << 62
    s.head.frozen = s.head.n_seen == s.head.freeze_after


cdef inline void scale_records(const Scaler* s, const real* x, scaled* z) noexcept nogil:
    cdef int64_t j
    for j in range(s.head.n_features):
        z[j] = <scaled>olk_scale_reading(&s.compact, j, x[j], s.head.n_seen, False)


cdef inline void learn(Scaler* s, const real* x) noexcept nogil:
    """One finite row into the statistics. Once frozen, only readings beyond clip are counted."""
    cdef int64_t j
    cdef Head* h = s.head
    cdef double least_gain
    if h.method == METHOD_COMPACT:
        learn_records(s, x)
        return
    if h.frozen:
        if h.clip > 0.0:
            for j in range(h.n_features):
                if beyond(&s.features[j], x[j], h.clip):
                    count_clipped(&s.features[j])
        return
    if h.n_seen < <int64_t>1 << 62:
        h.n_seen += 1
    if h.clip > 0.0:
        least_gain = 1.0 / h.window
        for j in range(h.n_features):
            learn_reading(&s.features[j], x[j], h.clip, least_gain)
    elif h.method == METHOD_STANDARD:
        for j in range(h.n_features):
            add_reading(&s.moments, j, x[j], <double>h.n_seen)
    if h.method == METHOD_MINMAX:
        for j in range(h.n_features):
            widen(s, j, x[j])
    if h.n_seen == h.freeze_after:
        h.frozen = 1


cdef inline void learn_rows(Scaler* s, const real* x, int64_t n) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        learn(s, x + i * s.head.n_features)


cdef inline olk_line plain_line(const Scaler* s, int64_t j) noexcept nogil:
    """How a feature is scaled by statistics that no reading is clipped in."""
    cdef olk_line f
    cdef double n, back
    f.low = -HUGE_VAL
    f.high = HUGE_VAL
    if s.head.method == METHOD_STANDARD:
        n = <double>max(s.head.n_seen, 1)
        back = unit(s.moments.level[j])
        f.centre = 0.5 * s.moments.mean[j] * back
        f.rest = 0.5 * s.moments.low[j] * back
        # sd = sqrt(m2 / n), in the order in which nothing overflows
        f.half = 0.5 * sqrt(s.moments.m2[j] / n) * back
        return olk_settled(f, fabs(f.centre))
    f.centre = 0.5 * s.least[j]
    f.rest = 0.0
    f.half = 0.5 * s.most[j] - f.centre
    return olk_settled(f, fmax(fabs(f.centre), fabs(f.centre + f.half)))


cdef inline void lines(const Scaler* s, int64_t first, int64_t m, Lines* to) noexcept nogil:
    """How features first .. first + m - 1 are scaled now."""
    cdef int64_t k
    cdef olk_line f
    for k in range(m):
        if s.head.clip == 0.0:
            f = plain_line(s, first + k)
        elif s.head.method == METHOD_STANDARD:
            f = olk_standard_line(&s.features[first + k], s.head.clip)
        else:
            f = olk_range_line(&s.features[first + k], s.head.clip, s.least[first + k],
                               s.most[first + k])
        to.centre[k] = f.centre
        to.rest[k] = f.rest
        to.half[k] = f.half
        to.low[k] = f.low
        to.high[k] = f.high


cdef inline double scaled_number(const Lines* f, int64_t k, double x) noexcept nogil:
    return olk_scaled_number(f.centre[k], f.rest[k], f.half[k], f.low[k], f.high[k], x)


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
    const Scaler* s, const real* x, scaled* z, int64_t n
) noexcept nogil:
    """Rows scaled into z, which may be x; or the index of one that does not fit, and none written.

    Returns -1 when done, which clip > 0 always comes to.
    """
    cdef Lines f
    cdef int64_t i, batch, first, m
    cdef int64_t d = s.head.n_features
    cdef double limit = DBL_MAX
    cdef int write
    if scaled is float:
        limit = FLT_MAX
    if s.head.method == METHOD_COMPACT:
        for i in range(n):
            scale_records(s, x + i * d, z + i * d)
        return -1
    for write in range(1 if s.head.clip > 0.0 else 0, 2):
        for batch in range((d + BATCH - 1) // BATCH):
            first = batch * BATCH
            m = min(<int64_t>BATCH, d - first)
            if not write or d > BATCH or s.head.clip > 0.0:
                lines(s, first, m, &f)
            for i in range(n):
                if write:
                    write_row(&f, x + i * d + first, z + i * d + first, m)
                elif not fits_row(&f, x + i * d + first, limit, m):
                    return i
    return -1


cdef inline bint range_holds(const Scaler* s, int64_t j) noexcept nogil:
    """Whether least <= most, and mean and sd of clip > 0 belong to readings between them."""
    cdef double least = s.least[j]
    cdef double most = s.most[j]
    cdef double margin = 1e-6 * (0.5 * most - 0.5 * least) + 1e-14 * fmax(fabs(least), fabs(most))
    if not (-DBL_MAX <= least <= most <= DBL_MAX):
        return False
    if s.head.n_seen <= 1 and least != most or s.head.n_seen == 0 and least != 0.0:
        return False
    if s.head.clip == 0.0:
        return True
    return (
        0.5 * least - margin <= 0.5 * s.features[j].mean <= 0.5 * most + margin
        and 0.5 * s.features[j].sd <= (0.5 * most - 0.5 * least) + margin
    )


cdef inline bint scaler_holds(const Scaler* s) noexcept nogil:
    """Whether some rows give these statistics; of a block from outside nothing is presumed."""
    cdef int64_t j
    for j in range(s.head.n_features):
        if s.head.method == METHOD_COMPACT:
            if not olk_compact_holds(s.compact.records + OLK_COMPACT_BYTES * j, s.head.n_seen):
                return False
        elif s.head.clip > 0.0:
            if not feature_holds(&s.features[j], s.head.n_seen, s.head.frozen):
                return False
        elif s.head.method == METHOD_STANDARD:
            if not moments_hold(&s.moments, j, <double>s.head.n_seen):
                return False
        if s.head.method == METHOD_MINMAX and not range_holds(s, j):
            return False
    return True
