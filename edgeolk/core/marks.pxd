"""The mark of a step in progress (loops/marks.h)."""

from libc.stdint cimport uint16_t

cdef extern from "marks.h" nogil:
    enum: OLK_TORN, OLK_SEALED

    void begin_step "olk_begin_step"(uint16_t* flags) noexcept
    void end_step "olk_end_step"(uint16_t* flags, uint16_t before) noexcept
