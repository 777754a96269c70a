"""The scaler inside a learner: loops/intake.h."""

from libc.stdint cimport int32_t, int64_t


cdef extern from "intake.h" nogil:
    enum: OLK_MINMAX

    ctypedef struct olk_scaler:
        double clip
        double window
        int64_t freeze_after
        int32_t method
        double* numbers
        int32_t* counts
        double* least
        double* most

    double olk_scale_reading(const olk_scaler* s, Py_ssize_t j, double x, int64_t seen,
                             bint learning) noexcept
    void olk_keep_reading(const olk_scaler* s, Py_ssize_t j, double x, int64_t seen) noexcept
