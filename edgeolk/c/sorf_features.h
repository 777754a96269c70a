/* From a row to the features of a block (docs/sorf.md, section 3): its sketch of 64 lines, the
   transforms, frequency scales, cosines and sines.

   Included after sorf_precision.h or fixed_point.h. */
#pragma once

/* -- Transforms --
   Signs and Walsh-Hadamard transforms of blocks of 64 lines (docs/sorf.md, section 3).

   The compiler vectorises plain loops of 64; only the transform places lanes itself, as its short
   stages stay inside a register. Every sum has the same two terms in the same order for every
   width, so transforms agree to the bit between instruction sets. */

/* flip[j] is the sign bit (in fixed point: all bits) where bit j of a word is set. */
static inline void olk_flips(uint32_t word, olk_word *restrict flip)
{
    static const olk_word bit[32] = {
        0x1,       0x2,       0x4,       0x8,        0x10,       0x20,       0x40,       0x80,
        0x100,     0x200,     0x400,     0x800,      0x1000,     0x2000,     0x4000,     0x8000,
        0x10000,   0x20000,   0x40000,   0x80000,    0x100000,   0x200000,   0x400000,   0x800000,
        0x1000000, 0x2000000, 0x4000000, 0x8000000,  0x10000000, 0x20000000, 0x40000000, 0x80000000,
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
static OLK_INLINE olk_real_vec olk_partners(olk_real_vec v, const int h)
{
#ifdef __clang__
    return (olk_real_vec)olk_swapped_f32s((olk_f32s)v,
                                             h * (int)(sizeof(olk_real) / sizeof(float)));
#else
    return __builtin_shuffle(v, olk_lane_numbers() ^ (olk_word)h);
#endif
}

/* One stage of a transform inside each of n registers: of two partners, the earlier lane becomes
   their sum, the later one the earlier minus the later. A multiply-add, exact here, is used where
   there is one: it leaves the adders free. */
static OLK_INLINE void olk_hadamard_stage(const int n, olk_real_vec *r, const int h)
{
    const olk_words at = olk_lane_numbers();
#if OLK_FUSED
    const olk_real_vec sign =
        __builtin_convertvector((at & (olk_word)h) != 0, olk_real_vec) * 2 + 1;
    for (int i = 0; i < n; i++)
        r[i] = olk_add_signed(olk_partners(r[i], h), r[i], sign);
#else
    const olk_words later = (olk_words)((at & (olk_word)h) != 0) & olk_sign;
    for (int i = 0; i < n; i++)
        r[i] = olk_partners(r[i], h) + (olk_real_vec)((olk_words)r[i] ^ later);
#endif
}

/* All stages inside each of n registers. */
static OLK_INLINE void olk_hadamard_within(const int n, olk_real_vec *r)
{
    enum { L = OLK_BYTES / (int)sizeof(olk_real) };
    olk_hadamard_stage(n, r, 1);
    if (L > 2)
        olk_hadamard_stage(n, r, 2);
    if (L > 4)
        olk_hadamard_stage(n, r, 4);
    if (L > 8)
        olk_hadamard_stage(n, r, 8);
}

/* The stages across n registers. */
static OLK_INLINE void olk_hadamard_across(const int n, olk_real_vec *r)
{
    for (int h = 1; h < n; h *= 2)
        for (int i = 0; i < n; i++)
            if (!(i & h)) {
                const olk_real_vec a = r[i], b = r[i + h];
                r[i] = a + b;
                r[i + h] = a - b;
            }
}

/* The first transform of n blocks of VECTORS registers, all but the first `used` of which are 0
   (never -0, so that what is added to 0 stays as it is). */
static OLK_INLINE void olk_hadamard_first(const int n, const int used, olk_real_vec *r)
{
    enum { VECTORS = 64 * (int)sizeof(olk_real) / OLK_BYTES };
    olk_real_vec head[2 * VECTORS];
    for (int i = 0; i < n * used; i++)
        head[i] = r[i / used * VECTORS + i % used];
    olk_hadamard_within(n * used, head);
    for (int i = 0; i < n; i++)
        olk_hadamard_across(used, head + i * used);
    for (int i = 0; i < n * VECTORS; i++)
        r[i] = head[i / VECTORS * used + i % used];
}

/* olk_hadamard of n blocks of 64 consecutive lines; the signs of block i are those at index
   i signs_stride of `first` and of `second`. */
static OLK_INLINE void olk_hadamard_many(const int n, olk_entry *restrict v, ptrdiff_t used_lines,
                                         const olk_signs *restrict first,
                                         const olk_signs *restrict second, int signs_stride)
{
    /* Lines that do not fit the registers are loaded twice a round: for the stages across NEAR
       neighbouring vectors, then for those across FAR vectors, NEAR apart. */
    enum { L = OLK_BYTES / (int)sizeof(olk_real), VECTORS = 64 / L };
    enum { FAR = VECTORS > 8 ? 4 : 1, NEAR = VECTORS / FAR };
    olk_real_vec r[2 * VECTORS];
    for (int i = 0; i < n * VECTORS; i++)
        r[i] = *(const olk_real_vec *)(v + i * L);
    for (int round = 0; round < 3; round++) {
        if (FAR == 1 && round == 0 && used_lines <= L) {
            olk_hadamard_first(n, 1, r);
        } else if (FAR == 1 && round == 0 && used_lines <= 2 * L) {
            olk_hadamard_first(n, 2, r);
        } else if (FAR == 1) {
            olk_hadamard_within(n * NEAR, r);
            for (int i = 0; i < n * VECTORS; i += NEAR)
                olk_hadamard_across(NEAR, r + i);
        }
        for (int i = 0; FAR > 1 && i < n * VECTORS; i += NEAR)
            if (round || i % VECTORS * L < used_lines) { /* else zeros */
                olk_hadamard_within(NEAR, r + i);
                olk_hadamard_across(NEAR, r + i);
            }
        for (int i = 0; FAR > 1 && i < NEAR; i++) {
            olk_real_vec far[FAR];
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
            r[i] = (olk_real_vec)((olk_words)r[i] ^ *(const olk_words *)flip);
#endif
        }
    }
    for (int i = 0; i < n * VECTORS; i++)
        *(olk_real_vec *)(v + i * L) = r[i];
}
#endif

#if !OLK_BYTES
/* The same of one block without vectors: zeros take no less there, and a parameter takes flash. */
static void olk_hadamard_of_lines(olk_entry *restrict v, const olk_signs *restrict first,
                                  const olk_signs *restrict second)
{
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
}
#endif

/* v <- H (second o H (first o H v)), natural order, not normalised; lines from number `used_lines`
   on are 0. */
#if OLK_BYTES
static OLK_NOCLONE void olk_hadamard(olk_entry *restrict v, ptrdiff_t used_lines,
                                     const olk_signs *restrict first,
                                     const olk_signs *restrict second)
{
    olk_hadamard_many(1, v, used_lines, first, second, 0);
}
#else
static inline void olk_hadamard(olk_entry *restrict v, ptrdiff_t used_lines,
                                const olk_signs *restrict first,
                                const olk_signs *restrict second)
{
    (void)used_lines;
    olk_hadamard_of_lines(v, first, second);
}
#endif

/* olk_hadamard of two blocks of 64 consecutive lines; `signs_stride` as above. Where a block takes
   at most four registers, both are transformed together: each stage waits for the previous one,
   and the other block's registers fill the time. */
static OLK_NOCLONE void olk_hadamard_two(olk_entry *v, ptrdiff_t used_lines,
                                         const olk_signs *first, const olk_signs *second,
                                         int signs_stride)
{
#if OLK_BYTES
    if (64 * sizeof(olk_entry) <= 4 * OLK_BYTES) {
        olk_hadamard_many(2, v, used_lines, first, second, signs_stride);
        return;
    }
#endif
    olk_hadamard(v, used_lines, first, second);
    olk_hadamard(v + 64, used_lines, first + signs_stride, second + signs_stride);
}

/* -- Sketches --
   From a row to the 64 lines of a block, a count sketch where d > 64 (docs/sorf.md, section 3, step
   1). The random words of a block are drawn in order: first those of the d signs here, then four
   for the signs between the transforms. */

/* The last 1 to 64 inputs of a row, padded with zeros to 64; plain C does not use it. */
typedef struct {
    OLK_ALIGNED(64) olk_entry line[OLK_TAIL_SIZE];
} olk_tail;

static OLK_NOCLONE void olk_tails(const olk_sorf *p, const olk_sorf_state *s, const olk_input *x,
                                  ptrdiff_t m, olk_tail *tail)
{
#ifdef OLK_SORF_PLAIN
    (void)p, (void)s, (void)x, (void)m, (void)tail;
#else
    const ptrdiff_t from = (p->d - 1) & ~(ptrdiff_t)63;
    const int32_t grid = olk_grid(p, s);
    for (ptrdiff_t r = 0; r < m; r++) {
        memset(tail[r].line, 0, sizeof tail[r].line);
        for (ptrdiff_t i = from; i < p->d; i++)
            tail[r].line[i - from] = (olk_entry)olk_on_grid(x[r * p->d + i], grid);
    }
#endif
}

/* Whether no angle of m rows can be too large for olk_phases: a sketch is at most as long as the sum of
   |x_j|, and each transform makes it 8 times longer. Fixed point wraps around, so any angle will
   do. */
static OLK_NOCLONE int olk_angles_are_small(const olk_sorf *p, const olk_sorf_state *s,
                                            const olk_input *rows, ptrdiff_t m)
{
#ifndef OLK_SORF_FIXED
    if (OLK_SMALL_ANGLES)
        return 1;
    olk_real highest = 0;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++)
            highest = (olk_real)OLK_OMEGA(p, s)[g][i] > highest ? (olk_real)OLK_OMEGA(p, s)[g][i]
                                                                : highest;
    for (ptrdiff_t r = 0; r < m; r++) {
        const olk_input *x = rows + r * p->d;
        olk_entry lane[4] = {0};
        const ptrdiff_t fours = p->d / 4 * 4;
        for (ptrdiff_t k = 0; k < fours; k += 4)
            for (int i = 0; i < 4; i++)
                lane[i] += olk_abs(x[k + i]);
        for (ptrdiff_t k = fours; k < p->d; k++)
            lane[0] += olk_abs(x[k]);
        /* 512, and a tenth more for the rounding of these sums. */
        const olk_entry sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
        if (!(sum * highest * 564 < olk_max_angle))
            return 0;
    }
#else
    (void)p, (void)s, (void)rows, (void)m;
#endif
    return 1;
}

/* For m rows: v_j = sum of s_i x_i over i mod 64 = j, i ascending. */
#ifdef OLK_SORF_PLAIN
static inline void olk_sketch(const olk_sorf *p, const olk_sorf_state *s, uint64_t *generator,
                              const olk_input *x, ptrdiff_t m, const olk_tail *tail,
                              olk_entry (*v)[64])
{
    const int32_t grid = olk_grid(p, s);
    (void)m, (void)tail;
    memset(v[0], 0, sizeof v[0]);
    for (ptrdiff_t start = 0; start < p->d; start += 32) {
        const ptrdiff_t n = p->d - start < 32 ? p->d - start : 32;
        olk_entry *to = v[0] + start % 64;
        uint32_t word = olk_pcg_next(generator, OLK_PCG_SIGNS);
        for (ptrdiff_t i = 0; i < n; i++, word >>= 1)
            to[i] += olk_negated(olk_on_grid(x[start + i], grid), (word & 1) ? olk_sign : 0);
    }
}
#else
static OLK_NOCLONE void olk_sketch(const olk_sorf *p, const olk_sorf_state *s, uint64_t *generator,
                                   const olk_input *x, ptrdiff_t m, const olk_tail *tail,
                                   olk_entry (*v)[64])
{
    OLK_ALIGNED(64) olk_word flip[64];
    const int32_t grid = olk_grid(p, s);
    if (m == 1 && p->d <= 64) {
        /* At most 64 inputs, as most sensors have: the row is its tail. */
        olk_flips(olk_pcg_next(generator, OLK_PCG_SIGNS), flip);
        olk_flips(p->d > 32 ? olk_pcg_next(generator, OLK_PCG_SIGNS) : 0, flip + 32);
        for (int i = 0; i < 64; i++)
            v[0][i] = (olk_entry)0 + olk_negated(tail[0].line[i], flip[i]);
        return;
    }
    for (ptrdiff_t start = 0; start < p->d; start += 64) {
        const int full = start + 64 <= p->d;
        olk_flips(olk_pcg_next(generator, OLK_PCG_SIGNS), flip);
        olk_flips(start + 32 < p->d ? olk_pcg_next(generator, OLK_PCG_SIGNS) : 0, flip + 32);
        for (ptrdiff_t r = 0; r < m; r++) {
            const olk_input *restrict in = x + r * p->d + start;
            const olk_entry *restrict end = tail[r].line;
            olk_entry *restrict to = v[r];
            /* 0 + x, not x: -0 becomes 0, as in a sum. */
            if (start == 0 && full)
                for (int i = 0; i < 64; i++)
                    to[i] = (olk_entry)0 + olk_negated(olk_on_grid(in[i], grid), flip[i]);
            else if (start == 0)
                for (int i = 0; i < 64; i++)
                    to[i] = (olk_entry)0 + olk_negated(end[i], flip[i]);
            else if (full)
                for (int i = 0; i < 64; i++)
                    to[i] += olk_negated(olk_on_grid(in[i], grid), flip[i]);
            else
                for (int i = 0; i < 64; i++)
                    to[i] += olk_negated(end[i], flip[i]);
        }
    }
}
#endif

/* -- Frequency scales --
   Factors that turn the lines of a group's blocks into angles, the group's widths repeated
   (docs/sorf.md, section 3, step 3). */

/* Line j of the group's block b has scale (64 b + j) mod widths. Where vectors are loaded, the
   scales are repeated in memory, so that 64 consecutive ones begin at each scale. */
typedef struct {
    OLK_ALIGNED(64) olk_entry value[OLK_SCALES_SIZE];
    int widths;
} olk_frequency_scales;

/* The scale of line j of a block. Repeated scales: number j from `row` on, the block's first, since
   vectors need the loop's index alone; else number `at`, which olk_next_index advances. */
static OLK_INLINE olk_entry olk_frequency_scale(const olk_frequency_scales *scales,
                                                const olk_entry *row, ptrdiff_t j, int at)
{
    return OLK_SCALES_SIZE > 64 ? row[j] : scales->value[at];
}

/* olk_repeat repeats the first `period` of n entries over the rest, `period` <= 16, n > 32, in two
   parts: up to 16 + period one by one, then 16 at a time. */
static inline void olk_begin_repeat(olk_entry *entry, int period)
{
    for (int j = period; j < 16 + period; j++)
        entry[j] = entry[j - period];
}

static inline void olk_continue_repeat(olk_entry *entry, int period, int n)
{
    for (int j = 16 + period; j < n; j += 16) {
        const int at = j < n - 16 ? j : n - 16;
        memcpy(entry + at, entry + at % period, 16 * sizeof *entry);
    }
}

static inline void olk_repeat(olk_entry *entry, int period, int n)
{
    olk_begin_repeat(entry, period);
    olk_continue_repeat(entry, period, n);
}

/* Scales of a group, to be repeated before use: vector loads would wait for numbers just stored one
   by one, so other work is done in between. */
static inline void olk_begin_scales(const olk_sorf *p, const olk_sorf_state *s, int32_t g,
                                    olk_frequency_scales *scales)
{
    const int32_t grid = olk_grid(p, s), widths = p->widths[g];
    scales->widths = widths;
    for (int32_t i = 0; i < widths; i++)
        scales->value[i] = (olk_entry)olk_frequency_on_grid(OLK_OMEGA(p, s)[g][i], grid);
    if (OLK_SCALES_SIZE > 64)
        olk_begin_repeat(scales->value, widths);
}

static inline void olk_repeat_scales(olk_frequency_scales *scales)
{
    if (OLK_SCALES_SIZE > 64)
        olk_continue_repeat(scales->value, scales->widths, OLK_SCALES_SIZE);
}

static OLK_NOCLONE void olk_group_scales(const olk_sorf *p, const olk_sorf_state *s, int32_t g,
                                         olk_frequency_scales *scales)
{
    olk_begin_scales(p, s, g, scales);
    olk_repeat_scales(scales);
}

#ifdef OLK_SORF_FIXED
/* -- Cosines and sines of a block, in fixed point -- */
/* 32767 sin(i pi / 512) */
OLK_TABLE int16_t olk_rising_sine[257] = {
    0, 201, 402, 603, 804, 1005, 1206, 1407, 1608, 1809, 2009, 2210, 2410, 2611, 2811, 3012,
    3212, 3412, 3612, 3811, 4011, 4210, 4410, 4609, 4808, 5007, 5205, 5404, 5602, 5800,
    5998, 6195, 6393, 6590, 6786, 6983, 7179, 7375, 7571, 7767, 7962, 8157, 8351, 8545,
    8739, 8933, 9126, 9319, 9512, 9704, 9896, 10087, 10278, 10469, 10659, 10849, 11039,
    11228, 11417, 11605, 11793, 11980, 12167, 12353, 12539, 12725, 12910, 13094, 13279,
    13462, 13645, 13828, 14010, 14191, 14372, 14553, 14732, 14912, 15090, 15269, 15446,
    15623, 15800, 15976, 16151, 16325, 16499, 16673, 16846, 17018, 17189, 17360, 17530,
    17700, 17869, 18037, 18204, 18371, 18537, 18703, 18868, 19032, 19195, 19357, 19519,
    19680, 19841, 20000, 20159, 20317, 20475, 20631, 20787, 20942, 21096, 21250, 21403,
    21554, 21705, 21856, 22005, 22154, 22301, 22448, 22594, 22739, 22884, 23027, 23170,
    23311, 23452, 23592, 23731, 23870, 24007, 24143, 24279, 24413, 24547, 24680, 24811,
    24942, 25072, 25201, 25329, 25456, 25582, 25708, 25832, 25955, 26077, 26198, 26319,
    26438, 26556, 26674, 26790, 26905, 27019, 27133, 27245, 27356, 27466, 27575, 27683,
    27790, 27896, 28001, 28105, 28208, 28310, 28411, 28510, 28609, 28706, 28803, 28898,
    28992, 29085, 29177, 29268, 29358, 29447, 29534, 29621, 29706, 29791, 29874, 29956,
    30037, 30117, 30195, 30273, 30349, 30424, 30498, 30571, 30643, 30714, 30783, 30852,
    30919, 30985, 31050, 31113, 31176, 31237, 31297, 31356, 31414, 31470, 31526, 31580,
    31633, 31685, 31736, 31785, 31833, 31880, 31926, 31971, 32014, 32057, 32098, 32137,
    32176, 32213, 32250, 32285, 32318, 32351, 32382, 32412, 32441, 32469, 32495, 32521,
    32545, 32567, 32589, 32609, 32628, 32646, 32663, 32678, 32692, 32705, 32717, 32728,
    32737, 32745, 32752, 32757, 32761, 32765, 32766, 32767,
};

/* feature[2j], feature[2j + 1] <- cosine and sine of v[j] times its scale, for a group's block. */
static OLK_NOCLONE void olk_features(const uint32_t *v, const olk_frequency_scales *scales,
                                     ptrdiff_t block, int small_angles, int16_t *feature)
{
    int at = olk_first_scale(scales->widths, block);
    (void)small_angles;
    for (int j = 0; j < 64; j++, at = olk_next_index(scales->widths, at)) {
        const uint32_t angle = v[j] * scales->value[at] + (UINT32_C(1) << 21),
                       table_index = angle >> 22 & 255;
        const int16_t rising = olk_rising_sine[table_index],
                      falling = olk_rising_sine[256 - table_index];
        const int odd = angle >> 30 & 1;
        const int32_t cosine = odd ? rising : falling, sine = odd ? falling : rising;
        feature[2 * j] = (int16_t)((angle ^ angle << 1) >> 31 ? -cosine : cosine);
        feature[2 * j + 1] = (int16_t)(angle >> 31 ? -sine : sine);
    }
}
#else

/* -- Cosines and sines of a block --
   docs/sorf.md, section 3, steps 3 and 4. */

/* Cosine and sine of an angle below olk_max_angle. */
static OLK_INLINE void olk_phase(olk_entry angle, olk_sorf_feature *cosine, olk_sorf_feature *sine)
{
    enum { TOP = 8 * sizeof(olk_word) - 2 };
    olk_real s, c;
    olk_word a, b;
    const olk_word quarter = olk_reduced_cos_sin(angle, &c, &s);
    /* An odd number of quarter turns swaps the two; bit 1 of `quarter` is the sine's sign, bit 1 of
       `quarter` + 1 the cosine's. */
    memcpy(&a, &c, sizeof a);
    memcpy(&b, &s, sizeof b);
    const olk_word swap = (a ^ b) & ((olk_word)0 - (quarter & 1));
    a ^= swap;
    b ^= swap;
    a ^= ((quarter + 1) & 2) << TOP;
    b ^= (quarter & 2) << TOP;
    memcpy(cosine, &a, sizeof a);
    memcpy(sine, &b, sizeof b);
}

#ifdef OLK_MASKED
/* The same of a vector of angles. */
static OLK_INLINE void olk_phases_of_lanes(olk_real_vec angle, olk_real_vec *cosine,
                                           olk_real_vec *sine)
{
    enum { L = OLK_BYTES / (int)sizeof(olk_real) };
    olk_real_vec c, s;
    olk_words quarter;
    OLK_ALIGNED(64) olk_real at[L], of_c[L], of_s[L];
    OLK_ALIGNED(64) olk_word quarters[L];
    memcpy(at, &angle, sizeof at);
    for (int l = 0; l < L; l++)
        quarters[l] = olk_reduced_cos_sin(at[l], of_c + l, of_s + l);
    memcpy(&c, of_c, sizeof c);
    memcpy(&s, of_s, sizeof s);
    memcpy(&quarter, quarters, sizeof quarter);
    olk_turn_lanes(quarter, c, s, cosine, sine);
}
#endif

/* feature[2j], feature[2j + 1] <- cosine and sine of v[j] times its scale; angles below
   olk_max_angle. */
static OLK_NOCLONE void olk_phases(const olk_entry *OLK_RESTRICT v,
                                   const olk_frequency_scales *OLK_RESTRICT scales, int at,
                                   olk_sorf_feature *OLK_RESTRICT feature)
{
    const olk_entry *const row = scales->value + at;
#ifdef OLK_MASKED
    enum { L = OLK_BYTES / (int)sizeof(olk_real) };
    const olk_words lane = olk_lane_numbers();
    const olk_words low = lane / 2 + (lane & 1) * L, high = low + L / 2;
    for (int j = 0; j < OLK_LINES; j += L) {
        olk_real_vec cosine, sine;
        olk_phases_of_lanes(*(const olk_real_vec *)(v + j) * *(const olk_real_vec *)(row + j),
                            &cosine, &sine);
        *(olk_real_vec *)(feature + 2 * j) = __builtin_shuffle(cosine, sine, low);
        *(olk_real_vec *)(feature + 2 * j + L) = __builtin_shuffle(cosine, sine, high);
    }
#else
    for (int j = 0; j < OLK_LINES; j++, at = olk_next_index(scales->widths, at))
        olk_phase(v[j] * olk_frequency_scale(scales, row, j, at), feature + 2 * j,
                  feature + 2 * j + 1);
#endif
}

/* Whether some angle is too large for olk_phases, or NaN. */
static OLK_NOCLONE int olk_has_large_angle(const olk_entry *v, const olk_frequency_scales *scales,
                                           int at)
{
    const olk_entry *const row = scales->value + at;
    olk_word found = 0;
    for (int j = 0; j < OLK_LINES; j++, at = olk_next_index(scales->widths, at))
        found |= (olk_word) !(olk_abs(v[j] * olk_frequency_scale(scales, row, j, at)) <
                              olk_max_angle);
    return found != 0;
}

/* Cosines and sines of angles of any size; angles that are not finite count as 0. */
static OLK_COLD void olk_phases_slowly(const olk_entry *v, const olk_frequency_scales *scales,
                                       int at, olk_sorf_feature *feature)
{
    for (int j = 0; j < OLK_LINES; j++, at = olk_next_index(scales->widths, at)) {
        const olk_entry angle = v[j] * scales->value[at];
        olk_any_cos_sin(angle, feature + 2 * j, feature + 2 * j + 1);
    }
}

/* Features of OLK_LINES lines, the first of which has scale number `at`; `small_angles` is that of
   olk_angles_are_small. In plain C `v` may be the second half of `feature`: a line is read before its
   place is overwritten. */
static inline void olk_some_features(const olk_entry *v, const olk_frequency_scales *scales, int at,
                                     int small_angles, olk_sorf_feature *feature)
{
    if (OLK_SMALL_ANGLES || small_angles || !olk_has_large_angle(v, scales, at))
        olk_phases(v, scales, at, feature);
    else
        olk_phases_slowly(v, scales, at, feature);
}

/* Features of the lines of a group's block. */
static inline void olk_features(const olk_entry *v, const olk_frequency_scales *scales,
                                ptrdiff_t block, int small_angles, olk_sorf_feature *feature)
{
    olk_some_features(v, scales, olk_first_scale(scales->widths, block), small_angles, feature);
}

#endif
