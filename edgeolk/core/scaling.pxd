"""Scalers, and the length of rows: loops/intake.h, loops/lines.h, loops/length.h."""

from libc.stdint cimport int64_t, uint8_t

from edgeolk.core.structs cimport (
    olk_common, olk_compact, olk_compact_rule, olk_length, olk_line, olk_one_line, olk_reading,
    olk_scaler, olk_two_numbers,
)


cdef extern from "compact.h" nogil:
    olk_compact_rule olk_compact_rule_of(double clip, double window) noexcept
    olk_compact olk_compact_of(const uint8_t* at) noexcept
    double olk_compact_mean(const olk_compact* f) noexcept
    double olk_compact_sd(const olk_compact* f) noexcept
    bint olk_compact_holds(const uint8_t* at, int64_t seen) noexcept

cdef extern from "winsor.h" nogil:
    bint olk_no_spread(double sd, double size) noexcept

cdef extern from "lines.h" nogil:
    olk_line olk_settled(olk_line f, double size) noexcept
    double olk_scaled_number(double centre, double rest, double half, double low, double high,
                             double x) noexcept

cdef extern from "intake.h" nogil:
    olk_reading olk_recall(const olk_scaler* s, Py_ssize_t j) noexcept
    olk_line olk_line_of(const olk_scaler* s, const olk_reading* r) noexcept
    double olk_scale_reading(const olk_scaler* s, Py_ssize_t j, double x, int64_t seen,
                             bint learning) noexcept
    bint olk_is_frozen(const olk_scaler* s, int64_t seen) noexcept
    double olk_learn_apart(const olk_scaler* s, Py_ssize_t j, double x, int64_t seen,
                           uint8_t* to) noexcept
    void olk_keep_reading(const olk_scaler* s, Py_ssize_t j, double x, int64_t seen) noexcept

cdef extern from "common.h" nogil:
    void olk_learn_common(olk_common* c, double x, double readings) noexcept
    void olk_learn_pairs(olk_two_numbers* p, const double* x, Py_ssize_t m,
                         double readings) noexcept
    olk_one_line olk_common_line(const olk_common* c, double readings) noexcept
    olk_one_line olk_pair_line(const olk_two_numbers* p, double readings) noexcept
    void olk_scale_alike(const olk_one_line* f, double clip, const double* x, Py_ssize_t m,
                         double* z) noexcept

cdef extern from "length.h" nogil:
    void olk_measure(olk_length* length, double x) noexcept
    bint olk_is_within(const olk_length* length, double longest) noexcept
    void olk_measure_again(olk_length* length, double x) noexcept
    double olk_shortening(const olk_length* length, double longest) noexcept
