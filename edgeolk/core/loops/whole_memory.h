/* Kernels of the row memory in fixed point, for cores without a floating-point unit (docs/sorf.md,
   section 7f): readings in 4096ths of a code, kernels in 2^-23, within some ten-thousandths of the
   exact ones. Included by row_memory.h. */

/* A kernel of 1: 255 times it still fits. */
enum { OLK_MEMORY_ONE = 8388608 };
typedef int32_t olk_memory_value;
/* Readings in 4096ths, their weights in 16,384ths; sums of squares in 65,536ths. */
typedef int32_t olk_memory_input;
typedef uint64_t olk_memory_sum;

static inline olk_memory_input olk_memory_as_input(double u)
{
    return (olk_memory_input)(4096.0 * u + 0.5); /* at least 4096 */
}

static inline olk_memory_input olk_memory_as_weight(double by)
{
    return (olk_memory_input)(16384.0 * by + 0.5);
}

/* The squared difference of an input and a code. */
static OLK_INLINE uint32_t olk_memory_square(olk_memory_input input, int code,
                                             olk_memory_input weight, const int weighted)
{
    const int32_t gap = input - 4096 * code;
    const uint32_t distance = (uint32_t)(gap < 0 ? -gap : gap);
    const uint32_t square = distance * distance;
    return weighted ? (uint32_t)((uint64_t)(square >> 6) * (uint32_t)weight >> 16) : square >> 8;
}

/* The factor of a sum which, shifted by 20 bits, gives the exponent of 2 in 2^-24. */
typedef uint32_t olk_memory_scale;

static inline olk_memory_scale olk_memory_scale_of(ptrdiff_t d)
{
    return (olk_memory_scale)(1.44269504088896 * olk_memory_narrow / olk_memory_unit *
                              268435456.0 / (double)d);
}

/* 2^-f for 0 <= f < 1, highest power first, in 2^-30. */
OLK_TABLE int32_t olk_memory_series[] = {16378,    165394,    1431680,   10327388,
                                         59597083, 257941248, 744261118, 1073741824};

/* (p + p^3) / 2 of p = 2^-y, y in 2^-24; the sum becomes p^3, the narrower kernel. */
static inline olk_memory_value olk_memory_kernel(olk_memory_sum *sum, olk_memory_scale scale)
{
    const uint64_t y = *sum * scale >> 20;
    const int64_t f = (int64_t)(y & 16777215);
    int64_t t = olk_memory_series[0];
    *sum = 0;
    if (y >> 24 > 22)
        return 0;
    for (int k = 1; k < 8; k++)
        t = olk_memory_series[k] - (t * f >> 24);
    const int64_t p = t >> (y >> 24), cube = (p * p >> 30) * p >> 30;
    *sum = (olk_memory_sum)(cube >> 7);
    return (olk_memory_value)((p + cube) >> 8);
}

/* A kernel times a coefficient. */
static inline double olk_memory_part(olk_memory_value kernel, int size)
{
    return (double)(kernel * size);
}
