/* Kernel rows of several examples in one reading of the ring, for one storage type and one instruction
   set; included by isa.h after rows.h, and ends what that begins.

   OLK_TOGETHER rows against OLK_BESIDE vectors of support vectors fill the registers with sums. A
   block of rows goes over the ring panel by panel; a panel is copied as it is computed with, so that
   it lies together in the nearest cache, and numbers stored narrow are widened once a block. Every
   number is made in the order of rows.h: its bits are the same. */

/* Numbers of a panel's line, a multiple of the eight running sums, and of a tile's. */
#define OLK_WIDTH ((ptrdiff_t)(OLK_PANEL_BYTES / sizeof(OLK_T)))

/* Features `first` to first + depth - 1 of the ring from a slot on, and the panel that they lie in, or
   are put into, as they are computed with. */
typedef struct {
    const OLK_S *sv;
    ptrdiff_t stride;
    const olk_quantum *quantum;
    OLK_T *panel;
    ptrdiff_t first, depth;
} OLK_FN(olk_slice);

/* The products of OLK_TOGETHER rows with vectors v0 to v0 + vectors - 1 of a slice, added to tiles that
   are OLK_WIDTH apart. */
static OLK_ALWAYS void
OLK_FN(olk_tile)(const int product, const int way, const int vectors,
                 const OLK_FN(olk_slice) *slice, int v0, const OLK_T *const *rows,
                 OLK_T *restrict tile)
{
    OLK_V acc[OLK_TOGETHER][OLK_BESIDE];
    const OLK_T *at[OLK_TOGETHER];
    const olk_quantum *const quantum = slice->quantum;
    const ptrdiff_t first = slice->first, depth = slice->depth, stride = slice->stride;
    const OLK_S *restrict line = slice->sv + first * stride + v0 * OLK_LANES;
    OLK_T *restrict copy = way == OLK_RING ? NULL : slice->panel + v0 * OLK_LANES;
    (void)quantum;
    tile += v0 * OLK_LANES;
    for (int r = 0; r < OLK_TOGETHER; r++) {
        at[r] = rows[r];
        for (int v = 0; v < vectors; v++)
            acc[r][v] = first == 0 ? (OLK_V){0}
                                   : *(const OLK_V *)(tile + r * OLK_WIDTH + v * OLK_LANES);
    }
    for (ptrdiff_t j = first; j < first + depth; j++, line += stride) {
        OLK_V s[OLK_BESIDE];
        for (int v = 0; v < vectors; v++) {
            if (way == OLK_PANEL)
                s[v] = *(const OLK_V *)(copy + v * OLK_LANES);
            else if (OLK_IS_INNER(product))
                s[v] = OLK_FULL(line + v * OLK_LANES, j);
            else
                s[v] = OLK_LOAD(line + v * OLK_LANES, j);
            if (way == OLK_COPIED)
                *(OLK_V *)(copy + v * OLK_LANES) = s[v];
        }
        if (way != OLK_RING)
            copy += OLK_WIDTH;
        for (int r = 0; r < OLK_TOGETHER; r++) {
            const OLK_T *restrict x = at[r];
            const OLK_V xj = (OLK_IS_INNER(product) ? x[j] : OLK_LESS(j)) - (OLK_V){0};
            for (int v = 0; v < vectors; v++) {
                if (OLK_IS_INNER(product)) {
                    acc[r][v] = OLK_VMADD(xj, s[v], acc[r][v]);
                } else {
                    const OLK_V less = xj - s[v];
                    if (product == OLK_SQUARE)
                        acc[r][v] = OLK_VMADD(less, less, acc[r][v]);
                    else
                        acc[r][v] += OLK_BY_TYPE(olk_size)(less);
                }
            }
        }
    }
    for (int r = 0; r < OLK_TOGETHER; r++)
        for (int v = 0; v < vectors; v++)
            *(OLK_V *)(tile + r * OLK_WIDTH + v * OLK_LANES) = acc[r][v];
}

/* The same with all the vectors of a slice. */
static OLK_ALWAYS void
OLK_FN(olk_tiles)(const int product, const int way, int vectors, const OLK_FN(olk_slice) *slice,
                  const OLK_T *const *rows, OLK_T *restrict tile)
{
    int v = 0;
    for (; v + OLK_BESIDE <= vectors; v += OLK_BESIDE)
        OLK_FN(olk_tile)(product, way, OLK_BESIDE, slice, v, rows, tile);
    for (; v < vectors; v++)
        OLK_FN(olk_tile)(product, way, 1, slice, v, rows, tile);
}

/* Rows of a block: those near the origin first, either kind filled up to a multiple of OLK_TOGETHER
   with its last row once more. */
typedef struct {
    const OLK_T *row[OLK_BLOCK + OLK_TOGETHER];
    OLK_T own[OLK_BLOCK + OLK_TOGETHER];
    ptrdiff_t to[OLK_BLOCK + OLK_TOGETHER]; /* which row it is, -1 for one that fills up */
    ptrdiff_t near, n;
} OLK_FN(olk_block);

/* own[r] <- |row r|^2 as olk_products makes it, 0 <= r < count. */
static OLK_APART void OLK_FN(olk_lengths)(const OLK_T *restrict rows, ptrdiff_t pitch,
                                          ptrdiff_t count, ptrdiff_t d, OLK_T *restrict own)
{
    for (ptrdiff_t i = 0; i < count; i += OLK_TOGETHER) {
        const OLK_T *at[OLK_TOGETHER];
        OLK_T sum[OLK_TOGETHER] = {0};
        for (int r = 0; r < OLK_TOGETHER; r++)
            at[r] = rows + (i + r < count ? i + r : count - 1) * pitch;
        for (ptrdiff_t j = 0; j < d; j++)
            for (int r = 0; r < OLK_TOGETHER; r++)
                sum[r] = OLK_MADD(at[r][j], at[r][j], sum[r]);
        for (int r = 0; r < OLK_TOGETHER && i + r < count; r++)
            own[i + r] = sum[r];
    }
}

static void OLK_FN(olk_gather)(const olk_kernel *kernel, int normed, const OLK_T *rows,
                               ptrdiff_t pitch, ptrdiff_t count, ptrdiff_t d,
                               OLK_FN(olk_block) *block)
{
    OLK_T own[OLK_BLOCK] = {0};
    block->n = block->near = 0;
    if (normed)
        OLK_FN(olk_lengths)(rows, pitch, count, d, own);
    for (int near = normed; near >= 0; near--) {
        for (ptrdiff_t r = 0; r < count; r++)
            if ((normed && OLK_BY_TYPE(olk_near)(kernel, own[r])) == near) {
                block->row[block->n] = rows + r * pitch;
                block->own[block->n] = own[r];
                block->to[block->n++] = r;
            }
        for (; block->n % OLK_TOGETHER; block->n++) {
            block->row[block->n] = block->row[block->n - 1];
            block->own[block->n] = block->own[block->n - 1];
            block->to[block->n] = -1;
        }
        if (near)
            block->near = block->n;
    }
}

/* The products of a block with a slice. */
static OLK_ALWAYS void
OLK_FN(olk_products_of)(const int product, int vectors, const OLK_FN(olk_slice) *slice,
                        const OLK_FN(olk_block) *block, ptrdiff_t start, ptrdiff_t end,
                        OLK_T *restrict tile)
{
    for (ptrdiff_t r = start; r < end; r += OLK_TOGETHER) {
        const OLK_T *const *rows = block->row + r;
        OLK_T *to = tile + r * OLK_WIDTH;
        if (r > 0)
            OLK_FN(olk_tiles)(product, OLK_PANEL, vectors, slice, rows, to);
        else if (slice->panel)
            OLK_FN(olk_tiles)(product, OLK_COPIED, vectors, slice, rows, to);
        else
            OLK_FN(olk_tiles)(product, OLK_RING, vectors, slice, rows, to);
    }
}

static OLK_ALWAYS void
OLK_FN(olk_part)(const olk_kernel *kernel, int vectors, const OLK_FN(olk_slice) *slice,
                 const OLK_FN(olk_block) *block, OLK_T *restrict tile)
{
    if (kernel->kind == OLK_LAPLACIAN) {
        OLK_FN(olk_products_of)(OLK_ABSOLUTE, vectors, slice, block, 0, block->n, tile);
    } else if (!OLK_IS_SQUARED(kernel)) {
        OLK_FN(olk_products_of)(OLK_INNER, vectors, slice, block, 0, block->n, tile);
    } else {
        OLK_FN(olk_products_of)(OLK_NORMED, vectors, slice, block, 0,
                                OLK_KEEPS_NORMS ? block->near : 0, tile);
        OLK_FN(olk_products_of)(OLK_SQUARE, vectors, slice, block, block->near, block->n, tile);
    }
}

/* Distances of the rows near the origin from their products with a panel. */
static OLK_ALWAYS void
OLK_FN(olk_distances)(const OLK_FN(olk_block) *block, const OLK_T *norms, int vectors,
                      OLK_T *restrict tile)
{
    for (ptrdiff_t r = 0; r < block->near; r++)
        for (int v = 0; v < vectors; v++) {
            OLK_T *const at = tile + r * OLK_WIDTH + v * OLK_LANES;
            *(OLK_V *)at = OLK_BY_TYPE(olk_distance)(
                block->own[r] - (OLK_V){0}, norms + v * OLK_LANES, OLK_BY_TYPE(olk_load)(at));
        }
}

/* Products of a block with a panel -> exponentials, those of several rows side by side. */
static OLK_APART void OLK_FN(olk_exp_block)(const olk_kernel *kernel, const OLK_FN(olk_block) *block,
                                            int vectors, OLK_T *restrict tile)
{
    if (vectors == OLK_WIDTH / OLK_LANES) {
        OLK_BY_TYPE(olk_exp_tile)(kernel, tile, (int)block->n * vectors);
        return;
    }
    for (ptrdiff_t r = 0; r < block->n; r++)
        OLK_BY_TYPE(olk_exp_tile)(kernel, tile + r * OLK_WIDTH, vectors);
}

/* w numbers in the type that they were computed in, most often a whole panel. */
static OLK_ALWAYS void OLK_FN(olk_copy)(const OLK_T *restrict tile, ptrdiff_t w, OLK_T *restrict row)
{
    if (w == OLK_WIDTH)
        memcpy(row, tile, OLK_WIDTH * sizeof *row);
    else
        memcpy(row, tile, (size_t)w * sizeof *row);
}

/* One row's first w products with a panel, or the exponentials of them, put to the use that is
   wanted. */
static OLK_ALWAYS void
OLK_FN(olk_use)(const olk_kernel *kernel, OLK_T *restrict tile, int vectors, ptrdiff_t w,
                const olk_wanted *wanted, ptrdiff_t i, ptrdiff_t start, double (*lane)[8])
{
    double kept[OLK_PANEL_BYTES / sizeof(OLK_T)];
    const ptrdiff_t bytes = olk_real_bytes(wanted->real);
    const char *coef = wanted->coef ? (const char *)wanted->coef + start * bytes : NULL;
    char *row = wanted->values ? (char *)wanted->values + (i * wanted->apart + start) * bytes : NULL;
    const int several = coef && wanted->columns > 1;
    if (several)
        row = (char *)kept;
    if (!OLK_IS_EXPONENTIAL(kernel))
        OLK_BY_TYPE(olk_finish)(kernel, tile, vectors, w, wanted->real, several ? NULL : coef, row,
                                0, lane[0]);
    else if (!coef && wanted->real == OLK_COMPUTES / 32)
        OLK_FN(olk_copy)(tile, w, (OLK_T *)row);
    else
        OLK_BY_TYPE(olk_collect_apart)(tile, w, wanted->real, several ? NULL : coef, row, lane[0]);
    if (!several)
        return;
    switch (wanted->real) {
#define OLK_CASE(number, name, type, ...)                                                          \
    case number:                                                                                   \
        OLK_NAME(olk_weigh_part_##name)(kept, coef, wanted->stride, w, wanted->columns, lane);     \
        break;
        OLK_EACH_REAL(OLK_CASE, )
#undef OLK_CASE
    default:
        break;
    }
}

/* The same for a block where exponentials are only to be weighted, by one column of coefficients. */
static OLK_APART void OLK_FN(olk_weigh_block)(const OLK_FN(olk_block) *block, ptrdiff_t w,
                                              const olk_wanted *wanted, ptrdiff_t start,
                                              const OLK_T *restrict tile, double (*lane)[8])
{
    switch (wanted->real) {
#define OLK_CASE(number, name, type, ...)                                                          \
    case number:                                                                                   \
        for (ptrdiff_t r = 0; r < block->n; r += OLK_WEIGHED)                                      \
            OLK_BY_TYPE(olk_weigh_tiles_##name)(OLK_WEIGHED, tile + r * OLK_WIDTH, OLK_WIDTH, w,   \
                                                (const type *)wanted->coef + start, lane + r);     \
        break;
        OLK_EACH_REAL(OLK_CASE, )
#undef OLK_CASE
    default:
        break;
    }
}

/* A block's rows with the whole ring, i the first of them. */
static void OLK_FN(olk_over_ring)(const olk_kernel *kernel, const OLK_S *sv, const OLK_T *norms,
                                  const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t n,
                                  ptrdiff_t d, const OLK_FN(olk_block) *block, ptrdiff_t i,
                                  const olk_wanted *wanted)
{
    OLK_ALIGNED(64) OLK_T tile[(OLK_BLOCK + OLK_TOGETHER) * OLK_WIDTH];
    OLK_ALIGNED(64) OLK_T panel[OLK_DEPTH * OLK_WIDTH];
    OLK_ALIGNED(64) double lane[OLK_SUMS_OF_BLOCK][8];
    const ptrdiff_t columns = wanted->columns;
    const int weighed =
        OLK_IS_EXPONENTIAL(kernel) && wanted->coef && columns == 1 && !wanted->values;
    memset(lane, 0, (size_t)(block->n * columns) * sizeof lane[0]);
    for (ptrdiff_t start = 0; start < n; start += OLK_WIDTH) {
        const ptrdiff_t w = n - start < OLK_WIDTH ? n - start : OLK_WIDTH;
        const int vectors = (int)((w + OLK_LANES - 1) / OLK_LANES);
        /* With one group of rows nothing would be read from a panel. */
        OLK_FN(olk_slice) slice = {sv + start, stride, quantum, NULL, 0, d};
        if (block->n > OLK_TOGETHER) {
            slice.panel = panel;
            slice.depth = OLK_DEPTH;
        }
        for (; slice.first < d; slice.first += slice.depth) {
            if (slice.depth > d - slice.first)
                slice.depth = d - slice.first;
            OLK_FN(olk_part)(kernel, vectors, &slice, block, tile);
        }
        OLK_FN(olk_distances)(block, norms ? norms + start : NULL, vectors, tile);
        if (OLK_IS_EXPONENTIAL(kernel))
            OLK_FN(olk_exp_block)(kernel, block, vectors, tile);
        if (weighed)
            OLK_FN(olk_weigh_block)(block, w, wanted, start, tile, lane);
        for (ptrdiff_t r = 0; !weighed && r < block->n; r++)
            if (block->to[r] >= 0)
                OLK_FN(olk_use)(kernel, tile + r * OLK_WIDTH, vectors, w, wanted, i + block->to[r],
                                start, lane + r * columns);
    }
    for (ptrdiff_t r = 0; wanted->coef && r < block->n; r++)
        for (ptrdiff_t c = 0; block->to[r] >= 0 && c < columns; c++)
            wanted->f[(i + block->to[r]) * columns + c] =
                OLK_NAME(olk_total)(lane[r * columns + c]);
}

/* So few rows that filling up would cost more. */
static void OLK_FN(olk_one_by_one)(const olk_kernel *kernel, const void *sv, const void *norms,
                                   const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t n,
                                   ptrdiff_t d, const OLK_T *rows, ptrdiff_t pitch, ptrdiff_t i,
                                   ptrdiff_t count, const olk_wanted *wanted)
{
    for (ptrdiff_t r = 0; r < count; r++) {
        char *values = wanted->values;
        if (values)
            values += (i + r) * wanted->apart * olk_real_bytes(wanted->real);
        const double sum = OLK_FN(olk_row)(kernel, sv, norms, quantum, stride, n, d,
                                           rows + r * pitch, wanted->real, wanted->coef, values,
                                           NULL);
        if (wanted->coef)
            wanted->f[i + r] = sum;
    }
}

static void OLK_FN(olk_rows)(const olk_kernel *kernel, const void *sv, const void *norms,
                             const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t d,
                             const void *queries, ptrdiff_t pitch, ptrdiff_t count,
                             const olk_wanted *wanted)
{
    OLK_FN(olk_block) block;
    const int normed = OLK_KEEPS_NORMS && norms && OLK_IS_SQUARED(kernel);
    const ptrdiff_t sums = OLK_SUMS_OF_BLOCK / wanted->columns - OLK_TOGETHER;
    const ptrdiff_t most = sums < OLK_BLOCK ? sums / OLK_TOGETHER * OLK_TOGETHER : OLK_BLOCK;
    const OLK_T *rows = queries;
    if (n == 1 && count > 1 && !wanted->coef) {
        OLK_FN(olk_slot)(kernel, sv, norms, quantum, stride, d, rows, pitch, count, wanted);
        return;
    }
    for (ptrdiff_t i = 0; i < count; i += most) {
        const ptrdiff_t m = count - i < most ? count - i : most;
        if (3 * m <= OLK_TOGETHER && wanted->columns == 1) {
            OLK_FN(olk_one_by_one)(kernel, sv, norms, quantum, stride, n, d, rows + i * pitch,
                                   pitch, i, m, wanted);
            continue;
        }
        OLK_FN(olk_gather)(kernel, normed, rows + i * pitch, pitch, m, d, &block);
        OLK_FN(olk_over_ring)(kernel, sv, norms, quantum, stride, n, d, &block, i, wanted);
    }
}

#undef OLK_WIDTH
