/* Paces: what turns the lines of a group's blocks into angles, the group's widths over and over
   (docs/sorf.md, section 3, step 3); included by scoring.h. */

/* Block b of the group begins at pace 64 b mod widths; laid out to 64 in a row where vectors are
   loaded from them. */
typedef struct {
    OLK_ALIGNED(64) olk_entry of[OLK_PACES];
    int widths;
} olk_paces;

static inline int olk_first_pace(const olk_paces *paces, ptrdiff_t block)
{
    return (int)(64u * (uint32_t)block % (uint32_t)paces->widths);
}

static OLK_ALWAYS int olk_next_pace(const olk_paces *paces, int at)
{
#ifdef OLK_SORF_PLAIN
    return at + 1 < paces->widths ? at + 1 : 0;
#else
    (void)paces;
    return at + 1;
#endif
}

/* The first `period` of n entries over and over, `period` at most 16; n is above 32. */
static inline void olk_repeat(olk_entry *entry, int period, int n)
{
    if (period == 1) {
        const olk_entry only = entry[0];
        for (int j = 0; j < n; j++)
            entry[j] = only;
        return;
    }
    for (int j = period; j < 16 + period; j++)
        entry[j] = entry[j - period];
    for (int j = 16 + period; j < n; j += 16) {
        const int at = j < n - 16 ? j : n - 16;
        memcpy(entry + at, entry + at % period, 16 * sizeof *entry);
    }
}

static OLK_ALONE void olk_find_paces(const olk_sorf *p, int32_t g, olk_paces *paces)
{
    const int32_t grid = olk_grid(p), widths = p->widths[g];
    paces->widths = widths;
    for (int32_t i = 0; i < widths; i++)
        paces->of[i] = olk_pace(p->omega[g][i], grid);
    if (OLK_PACES > 64)
        olk_repeat(paces->of, widths, OLK_PACES);
}
