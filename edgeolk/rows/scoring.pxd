"""The parts of scoring that learning uses: checking and placing rows."""

from edgeolk.rows.batches cimport Batch
from edgeolk.engine.engine cimport Engine


cdef class Scorer:
    cdef Engine engine
    cdef bint mean
    cdef bint counts          # whether rows scored are answers that ``lapse`` counts

    cdef object check_row(self, object x)
    cdef const void* place_row(self, object x, bint learning) except NULL
    cdef const void* place_numbers(self, const double* row, bint learning) except NULL
    cdef const void* place_any(self, object x, const double* row, bint is_short) except NULL
    cdef int check_rows(self, object arrays, Batch* rows) except -1
    cdef object row_error(self, object arrays, const Batch* rows, Py_ssize_t bad)
    cdef object result_array(self, object out, Py_ssize_t n, tuple read)
    cdef int in_order(self, const Batch* rows, Py_ssize_t first, Py_ssize_t end,
                      const double* label, const double* weight, double* f,
                      double* before=*, double* after=*, object progress=*,
                      double* parts=*, const double* counted=*) except -1
    cdef double* parts_of(self, object parts, Py_ssize_t n) except? NULL
    cdef const void* check_sparse(
        self, object indices, object values, bint learning
    ) except NULL
    cdef int one_score(self) except -1
    cdef int decide_placed(self, const void* x, double* f) except -1
    cdef double score_placed(self, const void* x) except? -1.0
    cdef object label_of(self, double f)
    cdef object one_row_matrix(self, object indices, object values)
    cdef double score_sparse(self, object indices, object values) except? -1.0
    cdef double score_row(self, object x) except? -1.0
