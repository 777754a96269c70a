/* Blocks of 64 lines: signs and Walsh-Hadamard transforms (docs/sorf.md, section 3); included by
   scoring.h.

   The compiler vectorises plain loops of 64; only the transform places lanes itself, as its short
   stages stay inside a register. Every sum has the same two terms in the same order for every
   width, so transforms agree to the bit between instruction sets. */

/* flip[j] is the sign bit (in fixed point: all bits) where bit j of a word is set. */
static inline void olk_flips(uint32_t word, olk_word *restrict flip)
{
    static const olk_word bit[32] = {
        1u,       1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
        1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
        1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
        1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
    };
    for (int j = 0; j < 32; j++)
        flip[j] = (word & bit[j]) ? olk_sign : 0;
}

static OLK_INLINE olk_entry olk_negated(olk_entry v, olk_word flip)
{
#ifdef OLK_SORF_FIXED /* flip is -1 or 0 */
    return (v ^ flip) - flip;
#else
    olk_word bits;
    memcpy(&bits, &v, sizeof v);
    bits ^= flip;
    memcpy(&v, &bits, sizeof v);
    return v;
#endif
}

/* The signs of 64 lines. */
#ifdef OLK_SIGN_BITS
typedef uint64_t olk_signs;
#else
typedef struct {
    OLK_ALIGNED(64) olk_word flip[64];
} olk_signs;
#endif

static inline void olk_draw_signs(uint64_t *generator, olk_signs *signs)
{
    const uint32_t low = olk_pcg_next(generator, OLK_PCG_SIGNS);
    const uint32_t high = olk_pcg_next(generator, OLK_PCG_SIGNS);
#ifdef OLK_SIGN_BITS
    *signs = low | (uint64_t)high << 32;
#else
    olk_flips(low, signs->flip);
    olk_flips(high, signs->flip + 32);
#endif
}

/* v_j <- -v_j where its sign is set. */
static inline void olk_flip_lines(olk_entry *v, const olk_signs *signs)
{
#ifdef OLK_SIGN_BITS
    for (int half = 0; half < 64; half += 32) {
        uint32_t word = (uint32_t)(*signs >> half);
        for (int j = half; j < half + 32; j++, word >>= 1)
            v[j] = olk_negated(v[j], (word & 1) ? olk_sign : 0);
    }
#else
    for (int j = 0; j < 64; j++)
        v[j] = olk_negated(v[j], signs->flip[j]);
#endif
}

#if OLK_BYTES
static OLK_INLINE olk_words olk_lane_numbers(void)
{
    static const olk_word numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return *(const olk_words *)numbers;
}

/* Lane i ^ h in the place of lane i; h is a power of two below the number of lanes. */
static OLK_INLINE olk_compute_vec olk_partners(olk_compute_vec v, const int h)
{
#ifdef __clang__
    return (olk_compute_vec)olk_swapped_f32s((olk_f32s)v,
                                             h * (int)(sizeof(olk_compute_t) / sizeof(float)));
#else
    return __builtin_shuffle(v, olk_lane_numbers() ^ (olk_word)h);
#endif
}

/* One stage of a transform inside each of n registers: each lane plus its partner, the later of the
   two negated; by a multiply-add, exact here, where there is one, which leaves the adders free. */
static OLK_INLINE void olk_hadamard_stage(const int n, olk_compute_vec *r, const int h)
{
    const olk_words at = olk_lane_numbers();
#if OLK_FUSED
    const olk_compute_vec sign =
        __builtin_convertvector((at & (olk_word)h) != 0, olk_compute_vec) * 2 + 1;
    for (int i = 0; i < n; i++)
        r[i] = olk_fma_lanes(r[i], sign, olk_partners(r[i], h));
#else
    const olk_words later = (olk_words)((at & (olk_word)h) != 0) & olk_sign;
    for (int i = 0; i < n; i++)
        r[i] = olk_partners(r[i], h) + (olk_compute_vec)((olk_words)r[i] ^ later);
#endif
}

/* All stages inside each of n registers. */
static OLK_INLINE void olk_hadamard_within(const int n, olk_compute_vec *r)
{
    enum { L = OLK_BYTES / (int)sizeof(olk_compute_t) };
    olk_hadamard_stage(n, r, 1);
    if (L > 2)
        olk_hadamard_stage(n, r, 2);
    if (L > 4)
        olk_hadamard_stage(n, r, 4);
    if (L > 8)
        olk_hadamard_stage(n, r, 8);
}

/* The stages across n registers. */
static OLK_INLINE void olk_hadamard_across(const int n, olk_compute_vec *r)
{
    for (int h = 1; h < n; h *= 2)
        for (int i = 0; i < n; i++)
            if (!(i & h)) {
                const olk_compute_vec a = r[i], b = r[i + h];
                r[i] = a + b;
                r[i + h] = a - b;
            }
}

/* olk_hadamard of n times 64 consecutive lines; the signs of each follow those of the previous one
   at a distance of `signs_stride`. */
static OLK_INLINE void olk_hadamard_many(const int n, olk_entry *restrict v,
                                         const olk_signs *restrict first,
                                         const olk_signs *restrict second, int signs_stride)
{
    /* What does not fit the registers passes through them twice: neighbours, then distant
       vectors. */
    enum { L = OLK_BYTES / (int)sizeof(olk_compute_t), VECTORS = 64 / L };
    enum { FAR = VECTORS > 8 ? 4 : 1, NEAR = VECTORS / FAR };
    olk_compute_vec r[2 * VECTORS];
    for (int i = 0; i < n * VECTORS; i++)
        r[i] = *(const olk_compute_vec *)(v + i * L);
    for (int round = 0; round < 3; round++) {
        if (FAR == 1)
            olk_hadamard_within(n * NEAR, r);
        for (int i = 0; i < n * VECTORS; i += NEAR) {
            if (FAR > 1)
                olk_hadamard_within(NEAR, r + i);
            olk_hadamard_across(NEAR, r + i);
        }
        for (int i = 0; FAR > 1 && i < NEAR; i++) {
            olk_compute_vec far[FAR];
            for (int k = 0; k < FAR; k++)
                far[k] = r[i + k * NEAR];
            olk_hadamard_across(FAR, far);
            for (int k = 0; k < FAR; k++)
                r[i + k * NEAR] = far[k];
        }
        if (round == 2)
            break;
        for (int i = 0; i < n * VECTORS; i++) {
            const olk_signs *signs = (round ? second : first) + i / VECTORS * signs_stride;
#ifdef OLK_MASKED
            r[i] = olk_flip_lanes(r[i], *signs >> i % VECTORS * L);
#else
            const olk_word *flip = signs->flip + i % VECTORS * L;
            r[i] = (olk_compute_vec)((olk_words)r[i] ^ *(const olk_words *)flip);
#endif
        }
    }
    for (int i = 0; i < n * VECTORS; i++)
        *(olk_compute_vec *)(v + i * L) = r[i];
}
#endif

/* v <- H (second o H (first o H v)), natural order, not normalised. */
static OLK_NOCLONE void olk_hadamard(olk_entry *restrict v, const olk_signs *restrict first,
                                     const olk_signs *restrict second)
{
#if OLK_BYTES
    olk_hadamard_many(1, v, first, second, 0);
#else
    for (int round = 0; round < 3; round++) {
        for (int h = 1; h < 64; h *= 2)
            for (int i = 0; i < 64; i += 2 * h)
                for (int j = i; j < i + h; j++) {
                    const olk_entry a = v[j], b = v[j + h];
                    v[j] = a + b;
                    v[j + h] = a - b;
                }
        if (round < 2)
            olk_flip_lines(v, round ? second : first);
    }
#endif
}

/* The same for two times 64 consecutive lines, the signs of the second `signs_stride` after those
   of the first. Four registers would wait for each other, eight do not. */
static OLK_NOCLONE void olk_hadamard_two(olk_entry *v, const olk_signs *first,
                                         const olk_signs *second, int signs_stride)
{
#if OLK_BYTES
    if (64 * sizeof(olk_entry) <= 4 * OLK_BYTES) {
        olk_hadamard_many(2, v, first, second, signs_stride);
        return;
    }
#endif
    olk_hadamard(v, first, second);
    olk_hadamard(v + 64, first + signs_stride, second + signs_stride);
}
