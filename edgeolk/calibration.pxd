from libc.stdint cimport int64_t

cdef enum:
    ROWS_PER_STEP = 32        # rows per step


cdef struct Slopes:
    # Sums for a Newton step: information and gradient by the log slope and the log odds of the
    # floor.
    double slope
    double both
    double floor
    double towards_slope
    double towards_floor
    double weight


cdef object as_scores(object scores)
cdef int check_labels(const int64_t* labels, Py_ssize_t n, Py_ssize_t classes) except -1
cdef Py_ssize_t largest(const double* scores, Py_ssize_t n) noexcept nogil
cdef double fill_probabilities(const double* scores, Py_ssize_t classes, double slope,
                               double* shares) noexcept nogil


cdef class Calibration:
    cdef double log_slope
    cdef double floor_odds    # their logarithm
    cdef double[3] information

    cdef int learn_rows(self, object scores, Py_ssize_t columns, object labels,
                        object weight) except -1
    cdef void learn_row(self, const double* scores, Py_ssize_t columns, int64_t label) noexcept
    cdef void add(self, const double* row, Py_ssize_t columns, int64_t label, double weight,
                  Slopes* sums) noexcept
    cdef void step(self, const Slopes* sums) noexcept
    cdef void fill(self, const double* scores, Py_ssize_t classes, double* shares) noexcept
