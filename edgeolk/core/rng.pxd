"""The generator of all random draws; see loops/rng.h."""

from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef extern from "rng.h" nogil:
    uint32_t next_u32 "olk_pcg32"(uint64_t* state) noexcept
    void seed_rng "olk_pcg32_seed"(uint64_t* state, uint64_t seed) noexcept
    double uniform "olk_uniform"(uint64_t* state) noexcept
    int64_t index "olk_uniform_index"(uint64_t* state, int64_t n) noexcept
    bint bernoulli "olk_bernoulli"(uint64_t* state, double p) noexcept
