"""Selects the compiled instruction-set variant."""

from edgeolk.core.c cimport olk_simd


cdef const olk_simd* chosen_simd() noexcept
