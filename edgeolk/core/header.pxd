"""The header of a block."""

from edgeolk.core.state cimport Model


cdef int write_header(Model* m, object config, Py_ssize_t length) except -1
