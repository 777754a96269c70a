/* Pass 1: the scores of rows (docs/sorf.md, section 5, step 1); included by scoring.h. */

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
static OLK_NOCLONE void olk_sketched(const olk_sorf *p, uint64_t *generator,
                                     const olk_sorf_row *row, ptrdiff_t m, const olk_tail *tail,
                                     olk_entry (*v)[64], olk_signs *first, olk_signs *second)
{
    if (row->index)
        olk_sketch_sparse(p, generator, row->values, row->index, row->count, v[0]);
    else
        olk_sketch(p, generator, row->values, m, tail, v);
    olk_draw_signs(generator, first);
    olk_draw_signs(generator, second);
}

/* The same for one row, transformed. */
static inline void olk_transform_block(const olk_sorf *p, uint64_t *generator,
                                       const olk_sorf_row *row, const olk_tail *tail,
                                       olk_block *block, olk_signs *first, olk_signs *second)
{
    olk_entry *v = olk_lines_of(block);
    olk_sketched(p, generator, row, 1, tail, (olk_entry(*)[64])v, first, second);
    olk_hadamard(v, first, second);
}

/* Transforms the next of `left` blocks: of one row as many as are interleaved, or two; of m rows
   one. Returns how many. */
static inline ptrdiff_t olk_transform_blocks(const olk_sorf *p, uint64_t *generator,
                                             const olk_sorf_row *row, ptrdiff_t m, ptrdiff_t left,
                                             const olk_tail *tail, olk_entry (*v)[64])
{
    olk_signs first[OLK_SORF_BLOCKS], second[OLK_SORF_BLOCKS];
    const ptrdiff_t blocks = m == 1 && left >= OLK_SORF_BLOCKS ? OLK_SORF_BLOCKS : 1;
    ptrdiff_t r = 0;
#ifdef OLK_INTERLEAVED
    enum { MANY = OLK_BYTES / (int)sizeof(olk_entry) };
    /* One lane in eight may stay empty: that is still faster. */
    if (m == 1 && !row->index && left >= MANY - MANY / 8) {
        const ptrdiff_t some = left < MANY ? left : MANY;
        olk_interleave(p, generator, row->values, some, v);
        return some;
    }
#endif
    for (ptrdiff_t i = 0; i < blocks; i++)
        olk_sketched(p, generator, row, m, tail, v + i, first + i, second + i);
    for (; r + 2 <= m * blocks; r += 2)
        olk_hadamard_two(v[r], first, second, m == 1);
    if (r < m * blocks)
        olk_hadamard(v[r], first, second);
    return blocks;
}

/* The features of block `at`, `block` in its group, in the cache or in `own_feature`; NULL if an
   angle is too large. */
static OLK_INLINE const olk_sorf_feature *
olk_cached_features(const olk_entry *v, const olk_frequency_scales *scales, ptrdiff_t block,
                    int small_angles, int must, const olk_row_cache *cache, ptrdiff_t at,
                    ptrdiff_t lines, olk_sorf_feature *own_feature)
{
    const int cached = cache && at < cache->blocks;
    olk_sorf_feature *feature = cached && lines == 64 ? cache->feature + 128 * at : own_feature;
    if (cache && at < cache->lines)
        memcpy(cache->line + 64 * at, v, 64 * sizeof *v);
    if (!olk_features(v, scales, block, small_angles, must, feature))
        return NULL;
    if (cached && lines < 64)
        memcpy(cache->feature + 128 * at, own_feature, 2 * (size_t)lines * sizeof *own_feature);
    return feature;
}

/* fw and fa [rows][groups][columns] of m dense rows, m <= OLK_SORF_ROWS, or of one sparse row.
   `cache`, if not NULL, receives parts of one row. With one column fw or fa may be NULL. Returns 0
   if an angle is too large for olk_entry, unless `must`: then olk_cos_sin is used. */
static OLK_NOCLONE int olk_pass(const olk_sorf *p, const olk_sorf_state *s, const olk_sorf_row *row,
                                ptrdiff_t m, int must, const olk_row_cache *cache, double *fw,
                                double *fa)
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
    const int small_angles = olk_angles_are_small(p, row, m);
    const ptrdiff_t K = p->classes;
    uint64_t generator = p->signs;
    if (!row->index)
        olk_tails(p, row->values, m, tail);
    for (int32_t g = 0; g < p->groups; g++) {
        const double size = 1.0 / (p->kappa * p->size[g] * (double)OLK_FEATURE_OF_ONE);
        olk_begin_scales(p, g, &scales);
        for (ptrdiff_t r = 0; r < m; r++)
            memset(lane[r], 0, sizeof lane[r]);
        if (K > 1)
            for (ptrdiff_t r = 0; r < m; r++) {
                memset(fa + (r * p->groups + g) * K, 0, (size_t)K * sizeof *fa);
                memset(fw + (r * p->groups + g) * K, 0, (size_t)K * sizeof *fw);
            }
        const ptrdiff_t end = p->first[g + 1];
        for (ptrdiff_t b = p->first[g], n_blocks; b < end; b += n_blocks) {
            n_blocks = olk_transform_blocks(p, &generator, row, m, end - b, tail, v);
            if (b == p->first[g])
                olk_repeat_scales(&scales);
            for (ptrdiff_t i = 0; i < m * n_blocks; i++) {
                const ptrdiff_t at = m == 1 ? b + i : b, r = m == 1 ? 0 : i;
                const ptrdiff_t lines = olk_lines(p, at), from = 128 * at * K;
                const olk_stored *w = (const olk_stored *)s->w + from;
                const olk_stored *a = (const olk_stored *)s->a + from;
                const olk_sorf_feature *feature =
                    olk_cached_features(v[i], &scales, at - p->first[g], small_angles, must, cache,
                                        at, lines, own_feature);
                if (!feature)
                    return 0;
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
    return 1;
}
