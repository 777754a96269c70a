"""Normal draws as numpy's default generator makes them; see loops/normals.h."""

from libc.stdint cimport uint64_t


cdef extern from "normals.h" nogil:
    ctypedef struct olk_pcg64:
        pass

    void seed_normals "olk_pcg64_seed"(olk_pcg64* generator, uint64_t seed) noexcept
    double standard_normal "olk_standard_normal"(olk_pcg64* generator) noexcept
