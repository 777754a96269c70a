"""The functions of the learner on structured features, for this processor."""

from edgeolk.core.c cimport olk_sorf_ops


cdef const olk_sorf_ops* functions_for(int dtype) noexcept
