"""Preprocessing of a row: scaled by the scaler in the block, bounded, rounded to the storage type.

A row that is learned is scaled by statistics that include it (c/scaler.h). They are
written to the block only after the learner has accepted the row (``keep_statistics``), so that a
refused row changes nothing. For records of 9 bytes, those of the first inputs are kept outside the
block until then; the others are computed twice, which costs no memory.

The row passed in is only read. The learner sees the one in ``query``.
"""

from libc.float cimport DBL_MAX
from libc.math cimport isfinite, isnan
from libc.stdint cimport int64_t, uint32_t, uint8_t
from libc.string cimport memcpy

from edgeolk.core.numbers cimport all_finite, floating, row_type
from edgeolk.core.c cimport (
    OLK_COMPACT_BYTES, OLK_HISTORY_NUMBERS, OLK_LAPLACIAN, olk_clip_factor, olk_common_affine,
    olk_gamma_from_square, olk_gamma_of, olk_get, olk_is_frozen, olk_is_within, olk_learn_common,
    olk_learn_pairs, olk_learn_record, olk_length, olk_measure, olk_measure_again, olk_measure_row,
    olk_min_square, olk_model_set_width, olk_pair_affine, olk_scale_common, olk_scale_reading,
    olk_scaler, olk_shared_affine, olk_update_mean_square, olk_update_reading,
)
from edgeolk.core.parts cimport DTYPE_FLOAT64, basis_has_frequencies, dtype_max_gamma
from edgeolk.core.rows cimport olk_read_f64, place, place_sparse, read_index
from edgeolk.core.state cimport GAPS_NAN, Indices, MAX_LEARNED, Raw, State


# The kernel width, if it is not given: c/width.h.

cdef inline void start_following(State* s) noexcept nogil:
    """Initialise a width that adapts to the rows with that of the configuration."""
    cdef double q = max(0.5 / s.c.kernel.gamma, olk_min_square * <double>s.sorf.config.d)
    s.preprocessing.follows[0] = q if s.c.vectors == DTYPE_FLOAT64 else <double><float>q


cdef inline void follow_row(State* s, double square) noexcept nogil:
    """Update the width after a row was learned and counted; ``square``: |x|^2 of its features."""
    cdef double* q = s.preprocessing.follows
    q[0] = olk_update_mean_square(q[0], square, s.sorf.config.d, s.c.vectors == DTYPE_FLOAT64,
                                  s.sorf.state.t[0])
    use_width(s)


cdef inline void use_width(State* s) noexcept nogil:
    """Copy the width in the block, once it is known, to the kernel."""
    if s.preprocessing.follows != NULL:
        if not s.preprocessing.follows[0] > 0.0:
            start_following(s)
        s.c.kernel.gamma = olk_gamma_from_square(s.preprocessing.follows[0])
    elif s.preprocessing.width.gamma > 0.0:
        s.c.kernel.gamma = s.preprocessing.width.gamma
    else:
        return
    olk_model_set_width(&s.sorf, s.c.kernel.gamma)


cdef inline bint width_is_due(State* s, const void* x) noexcept nogil:
    """Add a learned row to the estimate of the width; whether that is now complete."""
    cdef bint laplacian = s.c.kernel.kind == OLK_LAPLACIAN
    if s.preprocessing.width == NULL or s.preprocessing.width.gamma > 0.0:
        return False
    olk_measure_row(s.preprocessing.width, s.preprocessing.mean, x, s.c.n_features,
                    s.c.vectors == DTYPE_FLOAT64, laplacian)
    return s.preprocessing.width.measured == s.preprocessing.gamma_rows


cdef inline void set_width(State* s) noexcept nogil:
    """Compute the width from the measured rows."""
    cdef double max_gamma = DBL_MAX
    if basis_has_frequencies(s.c.choice.basis):
        max_gamma = dtype_max_gamma(s.c.choice.dtype)
    s.preprocessing.width.gamma = olk_gamma_of(
        s.preprocessing.width, s.c.kernel.kind == OLK_LAPLACIAN, max_gamma, s.c.kernel.gamma
    )
    use_width(s)


cdef enum:
    BATCH = MAX_LEARNED       # readings per piece, on the C stack


cdef inline double last_input(const State* s, int64_t j) noexcept nogil:
    """Scaled input j of the row whose target came last: the substitute for a missing reading."""
    return olk_get(row_type(s), s.sorf.forecast.history,
                   OLK_HISTORY_NUMBERS + s.setup.forecast.n_levels + j)


cdef inline int64_t rows_seen(const State* s) noexcept nogil:
    """Rows that the scaler has seen, from the counters of the block."""
    return s.m.steps + (s.preprocessing.width.steps if s.preprocessing.width != NULL else 0)


cdef struct Reader:
    # Reads a row in pieces.
    const Raw* raw
    int64_t first             # the first reading of the current piece
    int64_t m                 # length of the piece
    int64_t at                # the next entry of a sparse row
    bint gaps                 # NaN is a missing reading
    bint good                 # every number so far was finite, every index valid
    double x[BATCH]           # the piece; non-finite numbers are replaced by 0


cdef inline void begin_reading(Reader* r, const Raw* raw, bint gaps=False) noexcept nogil:
    r.raw = raw
    r.first = r.m = r.at = 0
    r.gaps = gaps
    r.good = True


cdef inline bint fetch(Reader* r) noexcept nogil:
    """Read a piece; False if another thread has written to the row since it was checked."""
    cdef const Raw* raw = r.raw
    cdef int64_t k
    cdef int64_t j
    cdef int64_t previous = r.first - 1
    cdef bint good = True
    if raw.wide != NULL:
        for k in range(r.m):
            r.x[k] = olk_read_f64(raw.wide + r.first + k)
    elif raw.narrow != NULL:
        for k in range(r.m):
            r.x[k] = raw.narrow[r.first + k]
    else:
        for k in range(r.m):
            r.x[k] = 0.0
        while r.at < raw.count:
            j = read_index(raw.index, r.at)
            if j >= r.first + r.m:
                break
            if j <= previous:
                return False
            previous = j
            r.x[j - r.first] = olk_read_f64(raw.value + r.at)
            r.at += 1
    if all_finite(r.x, r.m):
        return good
    for k in range(r.m):
        if not isfinite(r.x[k]) and not (r.gaps and isnan(r.x[k])):
            r.x[k] = 0.0
            good = False
    return good


cdef inline bint read_next(const State* s, Reader* r) noexcept nogil:
    """Read the next piece; False at the end of the row: then ``good`` is about the whole row."""
    r.first += r.m
    r.m = min(<int64_t>BATCH, s.c.n_features - r.first)
    if r.m == 0:
        r.good = r.good and (r.raw.value == NULL or r.at == r.raw.count)
        return False
    r.good = fetch(r) and r.good
    return True


cdef inline void write(State* s, int64_t first, const double* z, int64_t m) noexcept nogil:
    """Write numbers first .. first + m - 1 of the row that the learner sees."""
    cdef int64_t k
    if s.c.vectors == DTYPE_FLOAT64:
        memcpy(<double*>s.query + first, z, <size_t>m * sizeof(double))
        return
    for k in range(m):
        (<float*>s.query)[first + k] = <float>z[k]


cdef inline double reading_count(const State* s, int64_t rows) noexcept nogil:
    """Number of readings in the statistics after this many rows."""
    if s.preprocessing.scaler.freeze_after > 0:
        rows = min(rows, s.preprocessing.scaler.freeze_after)
    return <double>rows * <double>s.c.n_features


cdef inline bint have_common_scale(const State* s) noexcept nogil:
    """Whether all inputs have had one common scale so far."""
    return s.preprocessing.common != NULL or (
        s.preprocessing.pair != NULL and s.preprocessing.pair.others >= 0.0)


cdef inline void update_common_statistics(State* s, const Raw* raw, int64_t seen) noexcept nogil:
    """Statistics of all inputs together with a row; ``keep_statistics`` writes them to the block.

    Once frozen, only a third distinct value is recorded.
    """
    cdef Reader r
    cdef int64_t k
    cdef double count = reading_count(s, seen)
    cdef bint frozen = s.preprocessing.scaler.freeze_after > 0 and (
        seen >= s.preprocessing.scaler.freeze_after)
    if s.preprocessing.common != NULL:
        s.preprocessing.common_now = s.preprocessing.common[0]
        if frozen:
            return
    else:
        s.preprocessing.pair_now = s.preprocessing.pair[0]
    begin_reading(&r, raw)
    while read_next(s, &r):
        if s.preprocessing.common == NULL:
            olk_learn_pairs(&s.preprocessing.pair_now, r.x, r.m, count + r.first)
            continue
        for k in range(r.m):
            olk_learn_common(&s.preprocessing.common_now, r.x[k], count + r.first + k)
    if frozen and s.preprocessing.pair_now.others >= 0.0:
        s.preprocessing.pair_now = s.preprocessing.pair[0]


cdef inline bint scale_by_common(State* s, const Raw* raw, bint learning) noexcept nogil:
    """Write the row to ``query``, scaled by the common scale of all inputs."""
    cdef Reader r
    cdef double z[BATCH]
    cdef double count = reading_count(s, rows_seen(s) + learning)
    cdef olk_shared_affine line
    if s.preprocessing.common != NULL:
        line = olk_common_affine(
            &s.preprocessing.common_now if learning else s.preprocessing.common, count)
    else:
        line = olk_pair_affine(
            &s.preprocessing.pair_now if learning else s.preprocessing.pair, count)
    begin_reading(&r, raw)
    while read_next(s, &r):
        olk_scale_common(&line, s.preprocessing.common_clip, r.x, r.m, z)
        write(s, r.first, z, r.m)
    return r.good


cdef inline void learn_readings(const State* s, int64_t first, int64_t m, const double* x,
                                int64_t seen, uint8_t* to, double* z) noexcept nogil:
    """Scale readings by records that include them; the updated records go to ``to``."""
    cdef const olk_scaler* scaler = &s.preprocessing.scaler
    cdef int64_t k
    if not olk_is_frozen(scaler, seen):
        s.simd.learn_readings(to, scaler.records + OLK_COMPACT_BYTES * first, x, m, &scaler.rule,
                              <uint32_t>(seen + 1), <uint32_t>first, z)
        return
    for k in range(m):
        z[k] = olk_learn_record(scaler, first + k, x[k], seen, to + OLK_COMPACT_BYTES * k)


cdef inline bint scale_row(State* s, const Raw* raw, bint learning) noexcept nogil:
    """Write the scaled row to ``query``; the statistics in the block are unchanged."""
    cdef Reader r
    cdef double z[BATCH]
    cdef uint8_t later[BATCH * OLK_COMPACT_BYTES]
    cdef uint8_t* to = s.preprocessing.learned
    cdef int64_t k
    cdef int64_t seen = rows_seen(s)
    cdef bint gaps = s.c.gaps == GAPS_NAN
    s.preprocessing.is_common = have_common_scale(s)
    if s.preprocessing.is_common:
        if learning:
            update_common_statistics(s, raw, seen)
            s.preprocessing.is_common = (s.preprocessing.common != NULL
                                         or s.preprocessing.pair_now.others >= 0.0)
        if s.preprocessing.is_common:
            return scale_by_common(s, raw, learning)
    # A forecaster predicts every row as if it were learned next.
    learning = learning or gaps
    begin_reading(&r, raw, gaps)
    while read_next(s, &r):
        if learning and s.preprocessing.scaler.records != NULL:
            learn_readings(s, r.first, r.m, r.x, seen, to, z)
            to = later
        else:
            for k in range(r.m):
                z[k] = olk_scale_reading(&s.preprocessing.scaler, r.first + k, r.x[k], seen,
                                         learning)
        for k in range(r.m if gaps else 0):
            if isnan(r.x[k]):
                z[k] = last_input(s, r.first + k)
        write(s, r.first, z, r.m)
    return r.good


cdef inline void keep_statistics(State* s) noexcept nogil:
    """Add the row just learned and counted to the statistics."""
    cdef Reader r
    cdef double z[BATCH]
    cdef int64_t k
    cdef int64_t seen = rows_seen(s) - 1
    cdef bint compact = s.preprocessing.scaler.records != NULL
    cdef bint separate = compact and not s.preprocessing.is_common
    if s.preprocessing.scaler.method == 0:
        return
    if s.preprocessing.common != NULL:
        s.preprocessing.common[0] = s.preprocessing.common_now
        return
    if have_common_scale(s):
        s.preprocessing.pair[0] = s.preprocessing.pair_now
    if separate:
        memcpy(s.preprocessing.scaler.records, s.preprocessing.learned,
               <size_t>(OLK_COMPACT_BYTES * min(<int64_t>BATCH, s.c.n_features)))
        if s.c.n_features <= BATCH:
            return
    begin_reading(&r, &s.preprocessing.raw, s.c.gaps == GAPS_NAN)
    while read_next(s, &r):
        if compact:
            if r.first > 0 or not separate:
                learn_readings(s, r.first, r.m, r.x, seen,
                               s.preprocessing.scaler.records + OLK_COMPACT_BYTES * r.first, z)
            continue
        for k in range(r.m):
            if not isnan(r.x[k]):
                olk_update_reading(&s.preprocessing.scaler, r.first + k, r.x[k], seen)


cdef inline void count_clipped(State* s) noexcept nogil:
    """Count the row just learned if it was shortened."""
    if s.preprocessing.clipped != NULL:
        s.preprocessing.clipped[0] += s.preprocessing.bounded


cdef inline double shortening(const State* s, const Raw* raw, bint* good) noexcept nogil:
    """Factor that shortens a row to the maximum norm, 1 if it is within."""
    cdef Reader r
    cdef int64_t k
    cdef olk_length length
    length.total = length.largest = 0.0
    begin_reading(&r, raw)
    while read_next(s, &r):
        for k in range(r.m):
            olk_measure(&length, r.x[k])
    good[0] = good[0] and r.good
    if olk_is_within(&length, s.preprocessing.max_norm):
        return 1.0
    length.total = 0.0
    begin_reading(&r, raw)
    while read_next(s, &r):
        for k in range(r.m):
            olk_measure_again(&length, r.x[k])
    return olk_clip_factor(&length, s.preprocessing.max_norm)


cdef inline void shorten(State* s, const Raw* raw, double factor) noexcept nogil:
    """Write the row times a factor to ``query``."""
    cdef Reader r
    cdef int64_t k
    begin_reading(&r, raw)
    while read_next(s, &r):
        for k in range(r.m):
            r.x[k] *= factor
        write(s, r.first, r.x, r.m)


cdef inline void use_query(State* s, Raw* raw) noexcept nogil:
    raw.wide = NULL
    raw.narrow = NULL
    raw.index = Indices(NULL, NULL)
    raw.value = NULL
    if s.c.vectors == DTYPE_FLOAT64:
        raw.wide = <const double*>s.query
    else:
        raw.narrow = <const float*>s.query


cdef inline const void* preprocess(State* s, const Raw* raw, bint learning) noexcept nogil:
    """The preprocessed row; NULL if it has changed since it was checked."""
    cdef Raw now = raw[0]
    cdef bint good = True
    cdef double factor
    s.preprocessing.raw = raw[0]
    s.preprocessing.bounded = False
    if s.preprocessing.scaler.method != 0:
        good = scale_row(s, raw, learning)
        use_query(s, &now)
    if s.preprocessing.max_norm > 0.0:
        factor = shortening(s, &now, &good)
        if factor < 1.0:
            s.preprocessing.bounded = True
            shorten(s, &now, factor)
            use_query(s, &now)
    if not good:
        return NULL
    if now.wide != NULL:
        return place(s, now.wide)
    if now.narrow != NULL:
        return place(s, now.narrow)
    return place_sparse(s, now.index, now.value, now.count)


cdef inline const void* take_dense(State* s, const floating* x, bint learning) noexcept nogil:
    """The preprocessed row, in place or in scratch; NULL if it has changed since it was checked.

    ``learning``: whether it will be learned, not only scored.
    """
    cdef Raw raw = Raw(NULL, NULL, Indices(NULL, NULL), NULL, 0)
    if not s.preprocessing.reshapes:
        return place(s, x)
    if floating is double:
        raw.wide = x
    else:
        raw.narrow = x
    return preprocess(s, &raw, learning)


cdef inline const void* take_sparse(State* s, Indices index, const double* value,
                                    int64_t count, bint learning) noexcept nogil:
    cdef Raw raw = Raw(NULL, NULL, index, value, count)
    if not s.preprocessing.reshapes:
        return place_sparse(s, index, value, count)
    return preprocess(s, &raw, learning)
