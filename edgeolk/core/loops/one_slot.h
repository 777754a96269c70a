/* Kernel values of several rows with one slot of the ring, for one storage type and one instruction
   set; included by isa.h after rows.h. What a step of learning has changed is made again so for the
   rows that wait.

   The rows lie side by side: their products are sums of their own, each in the order of rows.h, and
   one vector takes their exponentials. */

/* A number of the slot, as the loops over the ring read it. */
#if OLK_SHIFTED
#define OLK_ONE_LOAD(p, j) (OLK_CAT(olk_widened, OLK_STORED)(*(p)) * quantum->scale[j])
#define OLK_ONE_FULL(p, j) (OLK_ONE_LOAD(p, j) + quantum->offset[j])
#else
#define OLK_ONE_LOAD(p, j) OLK_CAT(olk_widened, OLK_STORED)(*(p))
#define OLK_ONE_FULL OLK_ONE_LOAD
#endif

/* sum[r] <- the product of row r with a slot, and own[r] <- |row r|^2 with OLK_NORMED; `product` is a
   constant. */
static OLK_ALWAYS void
OLK_FN(olk_slot_products)(const int product, const OLK_S *restrict slot,
                          const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t d,
                          const OLK_T *const *at, OLK_T *restrict sum, OLK_T *restrict own)
{
    OLK_T total[OLK_MOST_TOGETHER] = {0}, square[OLK_MOST_TOGETHER] = {0};
    (void)quantum;
    for (ptrdiff_t j = 0; j < d; j++, slot += stride) {
        const OLK_T s = OLK_IS_INNER(product) ? OLK_ONE_FULL(slot, j) : OLK_ONE_LOAD(slot, j);
        for (int r = 0; r < OLK_MOST_TOGETHER; r++) {
            const OLK_T *restrict x = at[r];
            const OLK_T less = OLK_IS_INNER(product) ? x[j] : OLK_LESS(j) - s;
            if (product == OLK_NORMED)
                square[r] = OLK_MADD(less, less, square[r]);
            if (OLK_IS_INNER(product))
                total[r] = OLK_MADD(less, s, total[r]);
            else if (product == OLK_SQUARE)
                total[r] = OLK_MADD(less, less, total[r]);
            else
                total[r] += OLK_ABS(less);
        }
    }
    for (int r = 0; r < OLK_MOST_TOGETHER; r++) {
        sum[r] = total[r];
        if (product == OLK_NORMED)
            own[r] = square[r];
    }
}

/* The same for any number of rows; the last is taken once more for those that lack. */
static OLK_ALWAYS void
OLK_FN(olk_slot_rows)(const int product, const OLK_S *slot, const olk_quantum *quantum,
                      ptrdiff_t stride, ptrdiff_t d, const OLK_T *x, ptrdiff_t pitch,
                      ptrdiff_t count, OLK_T *restrict sum, OLK_T *restrict own)
{
    for (ptrdiff_t i = 0; i < count; i += OLK_MOST_TOGETHER) {
        const OLK_T *at[OLK_MOST_TOGETHER];
        for (int r = 0; r < OLK_MOST_TOGETHER; r++)
            at[r] = x + (i + r < count ? i + r : count - 1) * pitch;
        OLK_FN(olk_slot_products)(product, slot, quantum, stride, d, at, sum + i, own + i);
    }
}

/* Products of `count` rows, at most OLK_BLOCK, with a slot of norm `norm`. */
static OLK_ALWAYS void
OLK_FN(olk_slot_tile)(const olk_kernel *kernel, const OLK_S *slot, const OLK_T *norm,
                      const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t d, const OLK_T *x,
                      ptrdiff_t pitch, ptrdiff_t count, OLK_T *restrict tile)
{
    OLK_T own[OLK_BLOCK + OLK_MOST_TOGETHER], inner[OLK_BLOCK + OLK_MOST_TOGETHER];
    int near = 0, far = 1;
    if (kernel->kind == OLK_LAPLACIAN) {
        OLK_FN(olk_slot_rows)(OLK_ABSOLUTE, slot, quantum, stride, d, x, pitch, count, tile, own);
        return;
    }
    if (!OLK_IS_SQUARED(kernel)) {
        OLK_FN(olk_slot_rows)(OLK_INNER, slot, quantum, stride, d, x, pitch, count, tile, own);
        return;
    }
    if (OLK_KEEPS_NORMS && norm) {
        OLK_FN(olk_slot_rows)(OLK_NORMED, slot, quantum, stride, d, x, pitch, count, inner, own);
        for (ptrdiff_t r = 0; r < count; r++)
            near += OLK_BY_TYPE(olk_near)(kernel, own[r]);
        far = near < count;
    }
    if (far)
        OLK_FN(olk_slot_rows)(OLK_SQUARE, slot, quantum, stride, d, x, pitch, count, tile, own);
    for (ptrdiff_t r = 0; near && r < count; r++)
        if (OLK_BY_TYPE(olk_near)(kernel, own[r])) {
            const OLK_T less = (own[r] + *norm) - (inner[r] + inner[r]);
            tile[r] = less < 0 ? 0 : less;
        }
}

/* wanted->values of `count` rows with one slot, bit for bit those of olk_row. */
static OLK_APART void OLK_FN(olk_slot)(const olk_kernel *kernel, const void *slot, const void *norm,
                                       const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t d,
                                       const OLK_T *x, ptrdiff_t pitch, ptrdiff_t count,
                                       const olk_wanted *wanted)
{
    OLK_ALIGNED(64) OLK_T tile[OLK_BLOCK + 16] = {0};
    double values[OLK_BLOCK];
    for (ptrdiff_t i = 0; i < count; i += OLK_BLOCK) {
        const ptrdiff_t m = count - i < OLK_BLOCK ? count - i : OLK_BLOCK;
        OLK_FN(olk_slot_tile)(kernel, slot, norm, quantum, stride, d, x + i * pitch, pitch, m,
                              tile);
        OLK_BY_TYPE(olk_finish)(kernel, tile, (int)((m + OLK_LANES - 1) / OLK_LANES), m,
                                wanted->real, NULL, values, 0, NULL);
        for (ptrdiff_t r = 0; r < m; r++)
            olk_put(wanted->real, wanted->values, (i + r) * wanted->apart,
                    olk_get(wanted->real, values, r));
    }
}

#undef OLK_ONE_LOAD
#undef OLK_ONE_FULL
