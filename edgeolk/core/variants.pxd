"""Which of the compiled instruction-set variants runs."""

from edgeolk.core.headers cimport olk_simd


cdef const olk_simd* chosen_simd() noexcept
