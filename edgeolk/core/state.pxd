"""One model as C sees it: numbers in the block, and pointers that are made anew at each attach.

CONVENTION, true between any two steps:
- slots 0..n-1 are in use, alpha_i = scale * coef[i]; coef[i] = 0 for n <= i < stride;
- norm2 = alpha' K alpha where the norm is tracked;
- diagonal[i] = k(s_i, s_i) where the region exists (kernels with k(x, x) != 1);
- the coefficients of f_1 + ... + f_t are mean_sum[i] + coef[i] (mean_weight - mean_start[i]).
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from edgeolk.core.parts cimport Choices, Params
from edgeolk.core.simd cimport (
    olk_kernel, olk_pair_fn, olk_quantum, olk_row_fn, olk_simd, olk_sparse_fn,
)


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
    int64_t removals          # since norm2, or the kept inverse, was last computed afresh
    int64_t labels_asked      # calls of wants_label that said yes
    int64_t rank              # eigenfunctions in use (Nystrom), 0 before the change of basis
    int64_t halvings          # of the ring, by HALVE and ANCHOR
    int64_t seen              # examples put in the window (POMDR)
    int64_t anchored          # whether the projecting phase is over (POMDR)
    double scale
    double norm2
    double mean_weight        # sum of the scales of f_1..f_t since the last fold
    double squared_error      # sum of (y - f)^2
    double forgetron_q        # Q of the self-tuned Forgetron
    double hint_error         # S, the squared error of the hints since the last halving (POMDR)


cdef struct State:
    Model* m
    void* sv                  # (d, stride) in the storage type
    int64_t item              # bytes of one stored number
    olk_quantum quantum       # (d,) scale and offset of int8 storage, or NULLs
    double* coef              # (stride,)
    double* diagonal          # (B,) or NULL
    int64_t* arrival          # (slots,) step of arrival, or NULL
    double* inverse           # packed inverse of the Gram matrix, or NULL
    double* factor            # packed: L^-1 of the Gram matrix K = L L', or K itself, or NULL
    double* scores            # (B,) f(s_i) / scale, kept, or NULL
    int64_t* nearest          # (B,) slot of the nearest other support vector, or NULL
    double* nearest_d2        # (B,) its squared distance
    double* nearest_k         # (B,) kernel with it
    double* weights           # (rank,) weights of the Nystrom features, or NULL
    double* map               # (B, B): V, then (rank, B): kernel row -> features, or NULL
    void* window              # (d, window_stride) last examples (POMDR), or NULL
    double* window_y          # (window_stride,) their labels
    int64_t window_stride
    double* mean_start        # (B,) or NULL
    double* mean_sum          # (B,) or NULL
    void* norms               # (stride,) |s_i|^2, or |s_i|_1 for the Laplacian kernel, or NULL
    # scratch: nothing below outlives a call
    void* query               # (d,) the example, in the type rows are computed in
    int32_t* nonzero_index    # (d,) where the example is not zero, or NULL
    void* nonzero_value       # (d,) its numbers there
    const void* sparse_x      # the example the non-zeros are those of, or NULL for none
    int64_t nonzeros
    void* column              # (d,) one support vector gathered, or NULL
    double* row               # (stride,) k(s_i, x), or features of x, or NULL
    double* distance          # (stride,) ||s_i - x||^2, or NULL
    double* products          # distance, where the kernel row yields it on the way, or NULL
    double* mean_coef         # (stride,) or NULL
    double* gram              # packed lower triangle, or NULL
    double* work              # (slots,) or NULL
    double* work2             # (slots,) or NULL
    int32_t* order            # (B,) or NULL
    olk_row_fn row_fn         # for the storage type, chosen once
    olk_sparse_fn sparse_fn
    olk_pair_fn pair_fn
    const olk_simd* simd      # the variant in use: linear algebra, searches


cdef struct Example:
    const void* x             # (d,) in the type rows are computed in
    double y
    double f                  # score of f as it is now; kept true where the norm is tracked
    double self_kernel        # k(x, x)
    double hint               # what an optimistic prediction adds, else 0


cdef enum Outcome:
    DONE = 0
    REFUSED_FULL = 1          # policy RAISE and no slot left
    REFUSED_OVERFLOW = 2      # the score or k(x, x) is not finite
    REFUSED_ROW = 3           # a sparse row that is none: indices, or a number that is not finite
