"""Selects the compiled instruction-set variant."""

import os

from edgeolk.core.c cimport olk_simd


cdef extern from "ring_variants.h" nogil:
    enum: OLK_N_VARIANTS
    ctypedef struct olk_variant:
        const char* name

    const olk_variant olk_variants[]
    void olk_load_variant(int i, olk_simd* to) noexcept
    int olk_variant_runs(int i) noexcept


def available_simd():
    """Names of the instruction-set variants this processor runs, plainest first.

    Page: docs/platforms.md.
    """
    return [olk_variants[i].name.decode() for i in range(OLK_N_VARIANTS) if olk_variant_runs(i)]


cdef olk_simd TABLE


cdef const olk_simd* choose() except NULL:
    cdef int i
    wanted = os.environ.get("EDGEOLK_SIMD", "")
    cdef list names = available_simd()
    if not wanted:
        wanted = names[len(names) - 1]
    for i in range(OLK_N_VARIANTS):
        if olk_variants[i].name.decode() == wanted and wanted in names:
            olk_load_variant(i, &TABLE)
            return &TABLE
    raise ImportError(f"EDGEOLK_SIMD must be one of {', '.join(names)} here, got {wanted!r}")


cdef const olk_simd* IN_USE = choose()


cdef const olk_simd* chosen_simd() noexcept:
    """The variant in use: the one named by EDGEOLK_SIMD, else the widest of this processor."""
    return IN_USE


def simd():
    """Name of the instruction-set variant in use; ``EDGEOLK_SIMD`` forces one at import.

    Page: docs/platforms.md.
    """
    return IN_USE.name.decode()
