"""One model as C sees it: numbers in the block, and pointers that are made anew at each attach.

CONVENTION, true between any two steps:
- slots 0..n-1 are in use, alpha_i = scale * coef[i]; coef[i] = 0 for n <= i < stride;
- norm2 = alpha' K alpha where the norm is tracked;
- diagonal[i] = k(s_i, s_i) where the region exists (kernels with k(x, x) != 1);
- the coefficients of f_1 + ... + f_t are mean_sum[i] + coef[i] (mean_weight - mean_start[i]).
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from edgeolk.core.parts cimport Choices, Params
from edgeolk.core.simd cimport olk_dot_f64, olk_kernel, olk_row_f32, olk_row_f64
from edgeolk.core.simd cimport olk_pair_f32, olk_pair_f64


cdef struct Model:
    # The first bytes of the block. Fixed-width fields, eight-byte ones first: the same layout on
    # 32 and 64 bits. A file holds exactly this.
    char magic[8]
    uint32_t format_version
    uint32_t crc
    int64_t nbytes            # of the block, header included
    int64_t n_features        # d
    int64_t budget            # B
    int64_t stride            # B padded to 64 bytes of support-vector storage
    uint64_t seed
    Params p
    olk_kernel kernel
    Choices choice
    int32_t algorithm
    int32_t tracks_norm
    # state
    uint64_t rng
    int64_t n                 # support vectors held
    int64_t steps             # examples seen, t
    int64_t mistakes          # y f <= 0
    int64_t updates           # examples that changed the model
    int64_t capacity_hits     # examples that asked for an update of a full, frozen ring
    int64_t cursor            # slot of the oldest support vector, once full
    int64_t arrivals          # support vectors ever admitted
    int64_t removals          # since norm2 was last computed afresh
    int64_t reserved
    double scale
    double norm2
    double mean_weight        # sum of the scales of f_1..f_t since the last fold
    double squared_error      # sum of (y - f)^2
    double forgetron_q        # Q of the self-tuned Forgetron


cdef struct State:
    Model* m
    void* sv                  # (d, stride), float32 or float64
    double* coef              # (stride,)
    double* diagonal          # (B,) or NULL
    int64_t* arrival          # (B,) or NULL
    double* mean_start        # (B,) or NULL
    double* mean_sum          # (B,) or NULL
    # scratch: nothing below outlives a call
    void* query               # (d,) the example, in the storage type
    void* column              # (d,) one support vector gathered, or NULL
    double* row               # (stride,) k(s_i, x), or NULL
    double* mean_coef         # (stride,) or NULL
    double* gram              # packed lower triangle, or NULL
    double* work              # (B,) or NULL
    int32_t* order            # (B,) or NULL
    olk_row_f32 row_f32
    olk_row_f64 row_f64
    olk_pair_f32 pair_f32
    olk_pair_f64 pair_f64
    olk_dot_f64 dot


cdef struct Example:
    const void* x             # (d,) in the storage type
    double y
    double f                  # score of f as it is now; kept true where the norm is tracked
    double self_kernel        # k(x, x)


cdef enum Outcome:
    DONE = 0
    REFUSED_FULL = 1          # policy RAISE and no slot left
    REFUSED_OVERFLOW = 2      # the score or k(x, x) is not finite
