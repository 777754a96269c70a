/* From the features of blocks to the scores of rows: pass 1 (docs/sorf.md, section 5, step 1).

   Included after sorf_features.h. */
#pragma once

#if OLK_BYTES
/* -- Lines side by side --
   Lane l of a vector belongs to the l-th of several blocks, or of several rows (sorf_abreast.h):
   transforms move no number between lanes. Sums are those of olk_sketch and olk_hadamard, in the
   same order. */

/* One line of each. */
typedef olk_entry olk_line_of_each[OLK_BYTES / sizeof(olk_entry)];

/* Loads eight lines. */
static OLK_INLINE void olk_get_eight(olk_real_vec *r, olk_line_of_each *line)
{
    for (int k = 0; k < 8; k++)
        r[k] = *(const olk_real_vec *)line[k];
}

/* Three stages of a transform across them, then stores them back. */
static OLK_INLINE void olk_put_across(olk_real_vec *r, olk_line_of_each *line)
{
    olk_hadamard_across(8, r);
    for (int k = 0; k < 8; k++)
        *(olk_real_vec *)line[k] = r[k];
}

/* Three stages across eight lines, eight lines between two, all but the first `used` of which are
   0, never -0. */
static OLK_INLINE void olk_across_first(const int used, olk_line_of_each *line)
{
    olk_real_vec r[8];
    for (int k = 0; k < used; k++)
        r[k] = *(const olk_real_vec *)line[8 * k];
    olk_hadamard_across(used, r);
    for (int k = 0; k < 8; k++)
        *(olk_real_vec *)line[8 * k] = r[k % used];
}

/* The first transform; lines from number `used_lines` on are 0. */
static OLK_INLINE void olk_first_transform(ptrdiff_t used_lines, olk_line_of_each *line)
{
    for (int i = 0; i < 64 && i < used_lines; i += 8) {
        olk_real_vec r[8];
        olk_get_eight(r, line + i);
        olk_put_across(r, line + i);
    }
    for (int i = 0; i < 8; i++)
        if (used_lines <= 8)
            olk_across_first(1, line + i);
        else if (used_lines <= 16)
            olk_across_first(2, line + i);
        else if (used_lines <= 32)
            olk_across_first(4, line + i);
        else
            olk_across_first(8, line + i);
}

/* The last three stages of another transform. */
static OLK_INLINE void olk_across_far(olk_line_of_each *line)
{
    for (int i = 0; i < 8; i++)
        olk_across_first(8, line + i);
}
#endif

#ifdef OLK_INTERLEAVED

/* -- Interleaved blocks --
   Blocks of one row side by side (docs/sorf.md, section 3), where vectors are long enough to
   gain by it: each number of the row is read once for all blocks. */

/* The next word of each block's generator; the states of all lanes fill one or two vectors. */
static OLK_INLINE olk_words olk_next_words(olk_u64s *state)
{
    enum { PARTS = 8 / (int)sizeof(olk_real) };
    olk_u64s word[PARTS];
    for (int g = 0; g < PARTS; g++) {
        const olk_u64s bits = (((state[g] >> 18) ^ state[g]) >> 27) & UINT32_MAX;
        word[g] = ((bits | bits << 32) >> (state[g] >> 59)) & UINT32_MAX;
        state[g] = state[g] * OLK_PCG_FACTOR + OLK_PCG_SIGNS;
    }
    const olk_words low = (olk_words)word[0], high = (olk_words)word[PARTS - 1];
    return PARTS == 1 ? low : __builtin_shuffle(low, high, 2 * olk_lane_numbers());
}

/* Eight lines negated where bits of the words are set, from bit `from` on. */
static OLK_INLINE void olk_flip_eight(olk_real_vec *r, olk_words words, int from)
{
    olk_words high = words << (8 * (int)sizeof(olk_entry) - 8 - from);
    for (int k = 7; k >= 0; k--, high += high)
#ifdef OLK_MASKED
        r[k] = olk_negate_lanes(r[k], high);
#else
        r[k] = (olk_real_vec)((olk_words)r[k] ^ (high & olk_sign));
#endif
}

/* Sketches a row for all blocks. */
static OLK_INLINE void olk_sketch_interleaved(const olk_input *x, ptrdiff_t d, olk_u64s *state,
                                              olk_line_of_each *line)
{
    for (ptrdiff_t start = 0; start < d; start += 32) {
        const olk_words words = olk_next_words(state);
        for (int i = 0; i < 32 && start + i < d; i += 8) {
            const ptrdiff_t remaining = d - start - i;
            const olk_input *from = x + start + i;
            olk_line_of_each *to = line + (start + i) % 64;
            olk_input tail[8] = {0};
            olk_real_vec r[8];
            if (remaining < 8)
                from = memcpy(tail, from, (size_t)remaining * sizeof *tail);
            for (int k = 0; k < 8; k++)
                r[k] = (olk_entry)from[k] - (olk_real_vec){0};
            olk_flip_eight(r, words, i);
            for (int k = 0; k < 8; k++) {
                const olk_real_vec partial =
                    start < 64 ? (olk_real_vec){0} : *(olk_real_vec *)to[k];
                *(olk_real_vec *)to[k] = partial + r[k];
            }
        }
    }
    for (ptrdiff_t i = (d + 7) / 8 * 8; i < 64; i++)
        memset(line[i], 0, sizeof line[i]);
}

/* Exchanges, between registers l and l + h, the lanes with bit h of their number. */
static OLK_INLINE void olk_exchange(olk_real_vec *r, const int h)
{
    enum { MANY = OLK_BYTES / (int)sizeof(olk_real) };
    const olk_words at = olk_lane_numbers();
    const olk_words low = at + ((olk_words)((at & (olk_word)h) != 0) & (olk_word)(MANY - h));
#pragma GCC unroll 16
    for (int l = 0; l < MANY; l++)
        if (!(l & h)) {
            const olk_real_vec a = r[l], b = r[l + h];
            r[l] = __builtin_shuffle(a, b, low);
            r[l + h] = __builtin_shuffle(a, b, low + (olk_word)h);
        }
}

/* to[l][i] = line[i][l], as many lines as lanes: one exchange per bit of their number. */
static OLK_INLINE void olk_transpose_lines(olk_line_of_each *line, olk_entry (*to)[64])
{
    enum { MANY = OLK_BYTES / (int)sizeof(olk_real) };
    olk_real_vec r[MANY];
    for (int l = 0; l < MANY; l++)
        r[l] = *(const olk_real_vec *)line[l];
    olk_exchange(r, 1);
    olk_exchange(r, 2);
    if (MANY > 4)
        olk_exchange(r, 4);
    if (MANY > 8)
        olk_exchange(r, 8);
    for (int l = 0; l < MANY; l++)
        *(olk_real_vec *)to[l] = r[l];
}

/* v[block] <- the next blocks of a row, sketched and transformed. */
static OLK_NOCLONE void olk_interleave(const olk_sorf *p, uint64_t *generator, const olk_input *x,
                                       ptrdiff_t blocks, olk_entry (*v)[64])
{
    enum { MANY = OLK_BYTES / (int)sizeof(olk_real) };
    OLK_ALIGNED(64) olk_line_of_each line[64];
    OLK_ALIGNED(64) uint64_t first[MANY];
    olk_u64s state[8 / sizeof(olk_real)];
    /* Advancing by one block is one multiplication and one addition. */
    const uint64_t each = (uint64_t)((p->d + 31) / 32 + 4);
    uint64_t factor = 1, sum = 0;
    olk_pcg_skip(&factor, 0, each);
    olk_pcg_skip(&sum, OLK_PCG_SIGNS, each);
    for (int l = 0; l < MANY; l++) {
        first[l] = *generator;
        if (l < blocks)
            *generator = *generator * factor + sum;
    }
    memcpy(state, first, sizeof state);
    olk_sketch_interleaved(x, p->d, state, line);
    olk_first_transform(p->d, line);
    for (int round = 1; round < 3; round++) {
        for (int half = 0; half < 64; half += 32) {
            const olk_words words = olk_next_words(state);
            for (int i = 0; i < 32; i += 8) {
                olk_real_vec r[8];
                olk_get_eight(r, line + half + i);
                olk_flip_eight(r, words, i);
                olk_put_across(r, line + half + i);
            }
        }
        olk_across_far(line);
    }
    for (int i = 0; i < 64; i += MANY)
        olk_transpose_lines(line + i, (olk_entry(*)[64])(v[0] + i));
}

#endif

/* -- Dot products --
   Stored weights times a block's features (docs/sorf.md, section 5, step 1). A block of one column
   is 128 consecutive numbers, cosine and sine in turn; K columns are K times as many, frequency by
   frequency. */

#ifdef OLK_SORF_FIXED
/* Adds the sum of n <= 128 products, in two words: lane[0] 2^16 + lane[1]. */
static OLK_NOCLONE void olk_add_products(const int16_t *feature, const int8_t *stored, ptrdiff_t n,
                                         int32_t *lane)
{
    int32_t sum = 1 << 30;
    for (ptrdiff_t i = 0; i < n; i++)
        sum += feature[i] * stored[i];
    lane[0] += (sum >> 16) - (1 << 14);
    lane[1] += sum & 0xffff;
}

static inline float olk_sum_of(int32_t *lane)
{
    return (float)lane[0] * 65536.0f + (float)lane[1];
}
#else
/* lane[l] += the products of numbers l, l + WIDE, .. of n <= 128. */
static OLK_NOCLONE void olk_add_products(const olk_entry *restrict feature,
                                         const olk_stored *restrict stored, ptrdiff_t n,
                                         olk_entry *restrict lane)
{
    enum { WIDE = 64 / (int)sizeof(olk_entry) };
#if OLK_BYTES
    OLK_ALIGNED(64) olk_stored padded[128];
    if (n < 128) {
        memset(padded, 0, sizeof padded);
        memcpy(padded, stored, (size_t)n * sizeof *padded);
        stored = padded;
    }
    enum { L = OLK_BYTES / (int)sizeof(olk_entry), VECTORS = WIDE / L };
    olk_real_vec sum[VECTORS];
#if OLK_BYTES == 16
    olk_entry converted[128];
    const olk_entry *wide = (const olk_entry *)stored;
    if (OLK_QUANTIZED) {
        for (int i = 0; i < 128; i++)
            converted[i] = (olk_entry)stored[i];
        wide = converted;
    }
#endif
    for (int g = 0; g < VECTORS; g++)
        sum[g] = *(const olk_real_vec *)(lane + g * L);
    for (int i = 0; i < 128; i += WIDE)
        for (int g = 0; g < VECTORS; g++) {
            const olk_real_vec features = *(const olk_real_vec *)(feature + i + g * L);
#if OLK_BYTES == 16
            sum[g] = olk_fma_lanes(features, *(const olk_real_vec *)(wide + i + g * L), sum[g]);
#else
            sum[g] = olk_fma_lanes(features, olk_weights_at(stored + i + g * L), sum[g]);
#endif
        }
    for (int g = 0; g < VECTORS; g++)
        *(olk_real_vec *)(lane + g * L) = sum[g];
#else
    for (int l = 0; l < WIDE; l++)
        for (ptrdiff_t i = l; i < n; i += WIDE)
            lane[l] += feature[i] * (olk_entry)stored[i];
#endif
}

/* In double one after the other; in single precision the halves are added until one is left, which
   vectors do in a few instructions. */
static inline olk_real olk_sum_of(olk_entry *lane)
{
#ifdef OLK_SORF_FLOAT64
    double total = 0.0;
    for (int l = 0; l < 8; l++)
        total += lane[l];
    return total;
#else
    for (int half = 8; half; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
#endif
}
#endif

/* total[2i], total[2i + 1]: sums of cosines and of sines with their weights for i < n columns of K,
   n <= `max_columns` <= 8, line by line. */
static OLK_INLINE void olk_add_some_columns(const olk_sorf_feature *feature,
                                            const olk_stored *stored, ptrdiff_t lines, ptrdiff_t K,
                                            int n, const int max_columns, olk_sum *total)
{
#if OLK_BYTES > 16
    enum { L = OLK_BYTES / (int)sizeof(olk_entry) };
    const int lanes = 2 * max_columns < L ? L : 2 * max_columns;
    olk_real_vec sum[16 / L];
    olk_stored last[16] = {0};
    for (int g = 0; g < lanes / L; g++)
        sum[g] = (olk_real_vec){0};
    for (ptrdiff_t k = 0; k < lines; k++) {
        const olk_stored *from = stored + 2 * k * K;
        if (2 * (lines - k) * K < lanes + 2 * (K - n)) /* weights end before vectors do */
            from = memcpy(last, from, 2 * (size_t)n * sizeof *last);
        const olk_real_vec pair = olk_pairs_of(feature + 2 * k);
        for (int g = 0; g < lanes / L; g++)
            sum[g] += pair * olk_weights_at(from + g * L);
    }
    for (int g = 0; g < lanes / L; g++)
        *(olk_real_vec *)(total + g * L) = sum[g];
#else
    (void)max_columns;
    for (int i = 0; i < 2 * n; i++)
        total[i] = 0;
    for (ptrdiff_t k = 0; k < lines; k++) {
        const olk_stored *from = stored + 2 * k * K;
        for (int i = 0; i < n; i++) {
            total[2 * i] += feature[2 * k] * (olk_sum)from[2 * i];
            total[2 * i + 1] += feature[2 * k + 1] * (olk_sum)from[2 * i + 1];
        }
    }
#endif
}

/* K columns: sum[c] += scale (features . column c), over `lines` frequencies. */
static OLK_NOCLONE void olk_add_columns(const olk_sorf_feature *feature, const olk_stored *stored,
                                        ptrdiff_t lines, ptrdiff_t K, olk_real scale, olk_real *sum)
{
    for (ptrdiff_t c = 0; c < K; c += 8) {
        const int n = (int)(K - c < 8 ? K - c : 8);
        olk_sum total[16];
        if (OLK_BYTES > 16 && n <= 4)
            olk_add_some_columns(feature, stored + 2 * c, lines, K, n, 4, total);
        else
            olk_add_some_columns(feature, stored + 2 * c, lines, K, n, 8, total);
        for (int i = 0; i < n; i++)
            sum[c + i] += scale * ((olk_real)total[2 * i] + (olk_real)total[2 * i + 1]);
    }
}

/* -- Pass 1 --
   The scores of rows (docs/sorf.md, section 5, step 1). */

/* A block: its lines, then its features, which overlay the lines where the stack is small and both
   have the same type. */
typedef struct {
#if defined(OLK_SORF_PLAIN) && !defined(OLK_SORF_FIXED)
    olk_sorf_feature feature[128];
#else
    OLK_ALIGNED(64) olk_entry line[64];
    OLK_ALIGNED(64) olk_sorf_feature feature[128];
#endif
} olk_block;

static inline olk_entry *olk_lines_of(olk_block *block)
{
#if defined(OLK_SORF_PLAIN) && !defined(OLK_SORF_FIXED)
    return block->feature + 64;
#else
    return block->line;
#endif
}

/* Cached parts of a row: features [..][2] of its first `blocks`, transforms of its first `lines`
   blocks. */
typedef struct {
    olk_sorf_feature *feature;
    ptrdiff_t blocks;
    olk_entry *line;
    ptrdiff_t lines;
} olk_row_cache;

/* The next block of m rows: the sketch, and the signs between its transforms. */
static OLK_NOCLONE void olk_sketched(const olk_sorf *p, const olk_sorf_state *s,
                                     uint64_t *generator, const olk_input *rows, ptrdiff_t m,
                                     const olk_tail *tail, olk_entry (*v)[64], olk_signs *first,
                                     olk_signs *second)
{
    olk_sketch(p, s, generator, rows, m, tail, v);
    olk_draw_signs(generator, first);
    olk_draw_signs(generator, second);
}

/* The same for one row, transformed. */
static inline void olk_transform_block(const olk_sorf *p, const olk_sorf_state *s,
                                       uint64_t *generator, const olk_input *row,
                                       const olk_tail *tail, olk_block *block, olk_signs *first,
                                       olk_signs *second)
{
    olk_entry *v = olk_lines_of(block);
    olk_sketched(p, s, generator, row, 1, tail, (olk_entry(*)[64])v, first, second);
    olk_hadamard(v, p->d, first, second);
}

/* Transforms the next of `left` blocks: of one row as many as are interleaved, or two; of m rows
   one. Returns how many. */
static inline ptrdiff_t olk_transform_blocks(const olk_sorf *p, const olk_sorf_state *s,
                                             uint64_t *generator, const olk_input *rows,
                                             ptrdiff_t m, ptrdiff_t left, const olk_tail *tail,
                                             olk_entry (*v)[64])
{
    olk_signs first[OLK_SORF_BLOCKS], second[OLK_SORF_BLOCKS];
    const ptrdiff_t blocks = m == 1 && left >= OLK_SORF_BLOCKS ? OLK_SORF_BLOCKS : 1;
    ptrdiff_t r = 0;
#ifdef OLK_INTERLEAVED
    enum { MANY = OLK_BYTES / (int)sizeof(olk_entry) };
    /* One lane in eight may stay empty: that is still faster. */
    if (m == 1 && left >= MANY - MANY / 8) {
        const ptrdiff_t some = left < MANY ? left : MANY;
        olk_interleave(p, generator, rows, some, v);
        return some;
    }
#endif
    for (ptrdiff_t i = 0; i < blocks; i++)
        olk_sketched(p, s, generator, rows, m, tail, v + i, first + i, second + i);
    for (; r + 2 <= m * blocks; r += 2)
        olk_hadamard_two(v[r], p->d, first, second, m == 1);
    if (r < m * blocks)
        olk_hadamard(v[r], p->d, first, second);
    return blocks;
}

/* The features of block `at`, `block` in its group, in the cache or in `own_feature`. */
static OLK_INLINE const olk_sorf_feature *
olk_cached_features(const olk_entry *v, const olk_frequency_scales *scales, ptrdiff_t block,
                    int small_angles, const olk_row_cache *cache, ptrdiff_t at, ptrdiff_t lines,
                    olk_sorf_feature *own_feature)
{
    const int cached = cache && at < OLK_CACHED(cache, blocks);
    olk_sorf_feature *feature = cached && lines == 64 ? cache->feature + 128 * at : own_feature;
    if (cache && at < OLK_CACHED(cache, lines))
        memcpy(cache->line + 64 * at, v, 64 * sizeof *v);
    olk_features(v, scales, block, small_angles, feature);
    if (cached && lines < 64)
        memcpy(cache->feature + 128 * at, own_feature, 2 * (size_t)lines * sizeof *own_feature);
    return feature;
}

#ifndef OLK_STREAMED /* else sorf_streamed.h */
/* fw and fa [rows][groups][columns] of m rows, m <= OLK_SORF_ROWS. `cache`, if not NULL, receives
   parts of one row. With one column fw or fa may be NULL. */
static OLK_NOCLONE void olk_pass(const olk_sorf *p, const olk_sorf_state *s,
                                 const olk_input *rows, ptrdiff_t m, const olk_row_cache *cache,
                                 olk_real *fw, olk_real *fa)
{
    /* Maximum of blocks transformed before their features are computed, of one row or of
       several. */
    enum { LANES = OLK_BYTES / (int)sizeof(olk_entry), ROWS = OLK_SORF_ROWS };
    enum { AT_ONCE = LANES > ROWS ? LANES : ROWS + OLK_SORF_BLOCKS - 1 };
#ifdef OLK_SORF_PLAIN
    OLK_WORK(olk_block, block, s, OLK_AT_BLOCK);
    olk_entry(*const v)[64] = (olk_entry(*)[64])olk_lines_of(block);
    olk_sorf_feature *const own_feature = block->feature;
#else
    OLK_ALIGNED(64) olk_entry v[AT_ONCE][64];
    OLK_ALIGNED(64) olk_sorf_feature own_feature[128];
#endif
    olk_tail tail[OLK_SORF_ROWS];
    olk_frequency_scales scales;
    OLK_ALIGNED(64) olk_sum lane[OLK_SORF_ROWS][2][64 / sizeof(olk_sum)];
    const int small_angles = olk_angles_are_small(p, s, rows, m);
    const ptrdiff_t K = p->classes;
    uint64_t generator = p->signs;
    olk_tails(p, s, rows, m, tail);
    for (int32_t g = 0; g < p->groups; g++) {
        if (olk_is_linear_group(p, g)) /* linear_group.h */
            continue;
        const olk_real size = olk_inverse_size(p, g) / OLK_FEATURE_OF_ONE;
        olk_begin_scales(p, s, g, &scales);
        for (ptrdiff_t r = 0; r < m; r++)
            memset(lane[r], 0, sizeof lane[r]);
        if (K > 1)
            for (ptrdiff_t r = 0; r < m; r++) {
                memset(fa + (r * p->groups + g) * K, 0, (size_t)K * sizeof *fa);
                memset(fw + (r * p->groups + g) * K, 0, (size_t)K * sizeof *fw);
            }
        const ptrdiff_t end = p->first[g + 1];
        for (ptrdiff_t b = p->first[g], n_blocks; b < end; b += n_blocks) {
            n_blocks = olk_transform_blocks(p, s, &generator, rows, m, end - b, tail, v);
            if (b == p->first[g])
                olk_repeat_scales(&scales);
            for (ptrdiff_t i = 0; i < m * n_blocks; i++) {
                const ptrdiff_t at = m == 1 ? b + i : b, r = m == 1 ? 0 : i;
                const ptrdiff_t lines = olk_lines(p, at), from = 128 * at * K;
                const olk_stored *w = (const olk_stored *)s->w + from;
                const olk_stored *a = (const olk_stored *)s->a + from;
                const olk_sorf_feature *feature = olk_cached_features(
                    v[i], &scales, at - p->first[g], small_angles, cache, at, lines, own_feature);
                if (K > 1) {
                    const ptrdiff_t to = (r * p->groups + g) * K;
                    olk_add_columns(feature, w, lines, K, size, fw + to);
                    olk_add_columns(feature, a, lines, K, size, fa + to);
                } else {
                    if (fw)
                        olk_add_products(feature, w, 2 * lines, lane[r][0]);
                    if (fa)
                        olk_add_products(feature, a, 2 * lines, lane[r][1]);
                }
            }
        }
        for (ptrdiff_t r = 0; K == 1 && r < m; r++) {
            if (fw)
                fw[r * p->groups + g] = size * olk_sum_of(lane[r][0]);
            if (fa)
                fa[r * p->groups + g] = size * olk_sum_of(lane[r][1]);
        }
    }
}
#endif
