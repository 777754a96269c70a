/* Frequency scales: the factors that turn the lines of a group's blocks into angles, the group's
   widths repeated (docs/sorf.md, section 3, step 3); included by scoring.h. */

/* Block b of the group begins at scale 64 b mod widths; repeated to 64 in a row where vectors are
   loaded from them. */
typedef struct {
    OLK_ALIGNED(64) olk_entry value[OLK_SCALES_SIZE];
    int widths;
} olk_frequency_scales;

/* The scale of line j of a block whose scales begin at `row`; where they are not repeated, scale
   number `at`. Vectors need a single index. */
static OLK_INLINE olk_entry olk_frequency_scale(const olk_frequency_scales *scales,
                                                const olk_entry *row, ptrdiff_t j, int at)
{
    return OLK_SCALES_SIZE > 64 ? row[j] : scales->value[at];
}

/* Repeats the first `period` of n entries, `period` <= 16, n > 32: first up to 16 + period, then 16
   at a time. */
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
static inline void olk_begin_scales(const olk_sorf *p, int32_t g, olk_frequency_scales *scales)
{
    const int32_t grid = olk_grid(p), widths = p->widths[g];
    scales->widths = widths;
    for (int32_t i = 0; i < widths; i++)
        scales->value[i] = (olk_entry)olk_frequency_on_grid(p->omega[g][i], grid);
    if (OLK_SCALES_SIZE > 64)
        olk_begin_repeat(scales->value, widths);
}

static inline void olk_repeat_scales(olk_frequency_scales *scales)
{
    if (OLK_SCALES_SIZE > 64)
        olk_continue_repeat(scales->value, scales->widths, OLK_SCALES_SIZE);
}

static OLK_NOCLONE void olk_group_scales(const olk_sorf *p, int32_t g, olk_frequency_scales *scales)
{
    olk_begin_scales(p, g, scales);
    olk_repeat_scales(scales);
}
