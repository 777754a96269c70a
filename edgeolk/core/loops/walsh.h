/* Blocks of 64 lines: signs and Walsh-Hadamard transforms, for one type computed in and one
   instruction set; included by structured_isa.h.

   Plain loops of 64 the compiler makes vectors of; only the transform says what goes where, as its
   short stages stay inside a register. Every sum is of the same two numbers in the same order
   whatever the width, so transforms agree to the bit between instruction sets. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))

/* flip[j] is the sign bit (of whole numbers: every bit) where bit j of a word is set. */
static inline void OLK_FN(olk_flips)(uint32_t word, OLK_U *restrict flip)
{
    static const OLK_U bit[32] = {
        1u,       1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
        1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
        1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
        1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
    };
    for (int j = 0; j < 32; j++)
        flip[j] = (word & bit[j]) ? OLK_SIGN : 0;
}

static inline OLK_T OLK_FN(olk_flipped)(OLK_T v, OLK_U flip)
{
#if OLK_WHOLE /* flip is -1 or 0 */
    return (v ^ flip) - flip;
#else
    OLK_U bits;
    memcpy(&bits, &v, sizeof v);
    bits ^= flip;
    memcpy(&v, &bits, sizeof v);
    return v;
#endif
}

/* The signs of 64 lines: by words where a register takes some bits of them for its lanes. */
#ifdef OLK_FLIP
typedef uint64_t OLK_FN(olk_signs);
#else
typedef struct {
    OLK_ALIGNED(64) OLK_U flip[64];
} OLK_FN(olk_signs);
#endif

static inline void OLK_FN(olk_draw_signs)(uint64_t *generator, OLK_FN(olk_signs) *signs)
{
    const uint32_t low = olk_pcg_next(generator, OLK_PCG_SIGNS);
    const uint32_t high = olk_pcg_next(generator, OLK_PCG_SIGNS);
#ifdef OLK_FLIP
    *signs = low | (uint64_t)high << 32;
#else
    OLK_FN(olk_flips)(low, signs->flip);
    OLK_FN(olk_flips)(high, signs->flip + 32);
#endif
}

#if OLK_BYTES
#define OLK_LINES OLK_FN(olk_lines_of)
#define OLK_SIGNS OLK_FN(olk_signs_of)
typedef OLK_T OLK_LINES __attribute__((vector_size(OLK_BYTES), aligned(sizeof(OLK_T)), may_alias));
typedef OLK_U OLK_SIGNS __attribute__((vector_size(OLK_BYTES), aligned(sizeof(OLK_T)), may_alias));

/* The stages of a transform inside each of n registers: the partner's lane beside each, and the later
   of the two negated; by a multiply-add, exact here, where there is one: it leaves the adders to the
   rest. */
static OLK_ALWAYS void OLK_FN(olk_inside)(const int n, OLK_LINES *r)
{
    enum { L = OLK_BYTES / (int)sizeof(OLK_T) };
    const OLK_SIGNS at = OLK_COUNTED;
#ifdef __clang__ /* which takes constants only */
#define OLK_PARTNERS(v, h) OLK_SWAPPED(v, h)
#else
#define OLK_PARTNERS(v, h) __builtin_shuffle(v, at ^ (h))
#endif
#if OLK_FUSED
    typedef OLK_LINES vector;
#define OLK_STAGE(h)                                                                               \
    do {                                                                                           \
        const OLK_LINES sign = __builtin_convertvector((at & (h)) != 0, OLK_LINES) * 2 + 1;        \
        for (int i = 0; i < n; i++)                                                                \
            r[i] = OLK_VMADD(r[i], sign, OLK_PARTNERS(r[i], h));                                   \
    } while (0)
#else
#define OLK_STAGE(h)                                                                               \
    for (int i = 0; i < n; i++)                                                                    \
        r[i] = OLK_PARTNERS(r[i], h) +                                                             \
               (OLK_LINES)((OLK_SIGNS)r[i] ^ ((OLK_SIGNS)((at & (h)) != 0) & OLK_SIGN))
#endif
    OLK_STAGE(1);
    if (L > 2)
        OLK_STAGE(2);
    if (L > 4)
        OLK_STAGE(4);
    if (L > 8)
        OLK_STAGE(8);
#undef OLK_STAGE
#undef OLK_PARTNERS
}

/* The stages across n registers. */
static OLK_ALWAYS void OLK_FN(olk_across)(const int n, OLK_LINES *r)
{
    for (int h = 1; h < n; h *= 2)
        for (int i = 0; i < n; i++)
            if (!(i & h)) {
                const OLK_LINES a = r[i], b = r[i + h];
                r[i] = a + b;
                r[i + h] = a - b;
            }
}

/* olk_mix of n times 64 lines in a row; the signs of each are `apart` after those of the last. */
static OLK_ALWAYS void OLK_FN(olk_mix_some)(const int n, OLK_T *restrict v,
                                            const OLK_FN(olk_signs) *restrict first,
                                            const OLK_FN(olk_signs) *restrict second, int apart)
{
    /* What does not fit the registers goes through them in two ways: neighbours, then those far
       apart. */
    enum { L = OLK_BYTES / (int)sizeof(OLK_T), VECTORS = 64 / L };
    enum { FAR = VECTORS > 8 ? 4 : 1, NEAR = VECTORS / FAR };
    OLK_LINES r[2 * VECTORS];
    for (int i = 0; i < n * VECTORS; i++)
        r[i] = *(const OLK_LINES *)(v + i * L);
    for (int round = 0; round < 3; round++) {
        if (FAR == 1)
            OLK_FN(olk_inside)(n * NEAR, r);
        for (int i = 0; i < n * VECTORS; i += NEAR) {
            if (FAR > 1)
                OLK_FN(olk_inside)(NEAR, r + i);
            OLK_FN(olk_across)(NEAR, r + i);
        }
        for (int i = 0; FAR > 1 && i < NEAR; i++) {
            OLK_LINES far[FAR];
            for (int k = 0; k < FAR; k++)
                far[k] = r[i + k * NEAR];
            OLK_FN(olk_across)(FAR, far);
            for (int k = 0; k < FAR; k++)
                r[i + k * NEAR] = far[k];
        }
        if (round == 2)
            break;
        for (int i = 0; i < n * VECTORS; i++) {
            const OLK_FN(olk_signs) *signs = (round ? second : first) + i / VECTORS * apart;
#ifdef OLK_FLIP
            r[i] = (OLK_LINES)OLK_FLIP(r[i], *signs >> i % VECTORS * L);
#else
            r[i] = (OLK_LINES)((OLK_SIGNS)r[i] ^ *(const OLK_SIGNS *)(signs->flip + i % VECTORS * L));
#endif
        }
    }
    for (int i = 0; i < n * VECTORS; i++)
        *(OLK_LINES *)(v + i * L) = r[i];
}
#undef OLK_LINES
#undef OLK_SIGNS
#endif

/* v <- H (second o H (first o H v)), natural order, not normalised. */
static OLK_APART void OLK_FN(olk_mix)(OLK_T *restrict v, const OLK_FN(olk_signs) *restrict first,
                                      const OLK_FN(olk_signs) *restrict second)
{
#if OLK_BYTES
    OLK_FN(olk_mix_some)(1, v, first, second, 0);
#else
    for (int round = 0; round < 3; round++) {
        for (int h = 1; h < 64; h *= 2)
            for (int i = 0; i < 64; i += 2 * h)
                for (int j = i; j < i + h; j++) {
                    const OLK_T a = v[j], b = v[j + h];
                    v[j] = a + b;
                    v[j + h] = a - b;
                }
        if (round < 2)
            for (int j = 0; j < 64; j++)
                v[j] = OLK_FN(olk_flipped)(v[j], (round ? second : first)->flip[j]);
    }
#endif
}

/* The same of two times 64 lines in a row, the signs of the second `apart` after the first's. Four
   registers would wait for each other, eight do not. */
static OLK_APART void OLK_FN(olk_mix_two)(OLK_T *v, const OLK_FN(olk_signs) *first,
                                          const OLK_FN(olk_signs) *second, int apart)
{
#if OLK_BYTES
    if (64 * sizeof(OLK_T) <= 4 * OLK_BYTES) {
        OLK_FN(olk_mix_some)(2, v, first, second, apart);
        return;
    }
#endif
    OLK_FN(olk_mix)(v, first, second);
    OLK_FN(olk_mix)(v + 64, first + apart, second + apart);
}

#undef OLK_FN
