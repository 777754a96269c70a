"""PCG32 (O'Neill 2014, XSH-RR 64/32) on stream 54: the same draws on every platform."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef inline uint32_t next_u32(uint64_t* state) noexcept nogil:
    cdef uint64_t old = state[0]
    cdef uint32_t word, turn
    state[0] = old * <uint64_t>6364136223846793005ULL + <uint64_t>109
    word = <uint32_t>(((old >> 18) ^ old) >> 27)
    turn = <uint32_t>(old >> 59)
    return (word >> turn) | (word << ((32 - turn) & 31))


cdef inline void seed_rng(uint64_t* state, uint64_t seed) noexcept nogil:
    state[0] = 0
    next_u32(state)
    state[0] += seed
    next_u32(state)


cdef inline double uniform(uint64_t* state) noexcept nogil:
    """Uniform in [0, 1), one draw."""
    return next_u32(state) * (1.0 / 4294967296.0)


cdef inline int64_t index(uint64_t* state, int64_t n) noexcept nogil:
    """Uniform in 0..n-1 for n < 2^32, one draw, no rejection."""
    return <int64_t>((<uint64_t>next_u32(state) * <uint64_t>n) >> 32)


cdef inline bint bernoulli(uint64_t* state, double p) noexcept nogil:
    """True with probability p; draws only for 0 < p < 1."""
    if p >= 1.0:
        return True
    if not p > 0.0:
        return False
    return uniform(state) < p
