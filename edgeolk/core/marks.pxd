"""The mark of a step in progress (loops/dirty_flag.h)."""

from libc.stdint cimport uint16_t

cdef extern from "dirty_flag.h" nogil:
    enum: OLK_TORN, OLK_SEALED

    void begin_step "olk_begin_step"(uint16_t* flags) noexcept
    void end_step "olk_end_step"(uint16_t* flags, uint16_t before) noexcept
