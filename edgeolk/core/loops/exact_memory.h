/* Kernels of the row memory (docs/sorf.md, section 7f) in double, or in single precision where a
   core has only that. Included by row_memory.h. */

/* A kernel of 1; exponents are clipped here, where kernels are negligible. */
enum { OLK_MEMORY_ONE = 1 };
#ifdef OLK_SORF_SINGLE
typedef float olk_memory_value;
static const float olk_memory_min_exponent = -28.0f;
#else
typedef double olk_memory_value;
static const double olk_memory_min_exponent = -230.0;
#endif
/* Inputs and their weights, sums of squares, and the factor of a sum. */
typedef olk_memory_value olk_memory_input, olk_memory_sum, olk_memory_scale;

static inline olk_memory_input olk_memory_as_input(double u)
{
    return (olk_memory_input)u;
}

static inline olk_memory_input olk_memory_as_weight(double by)
{
    return (olk_memory_input)by;
}

/* The squared difference of an input and a code. */
static OLK_INLINE olk_memory_sum olk_memory_square(olk_memory_input input, int code,
                                                   olk_memory_input weight, const int weighted)
{
    const olk_memory_input gap = input - (olk_memory_input)code;
    return weighted ? gap * gap * weight : gap * gap;
}

static inline olk_memory_scale olk_memory_scale_of(ptrdiff_t d)
{
    return (olk_memory_scale)(-olk_memory_narrow / (olk_memory_unit * (double)d));
}

/* (p + p^3) / 2 of p = exp(scale sum); the sum becomes p^3, the narrower kernel. */
static OLK_INLINE olk_memory_value olk_memory_kernel(olk_memory_sum *sum, olk_memory_scale scale)
{
    olk_memory_value x = *sum * scale;
    x = x < olk_memory_min_exponent ? olk_memory_min_exponent : x;
#ifdef OLK_SORF_SINGLE
    enum { DEGREE = 6 };
    const float *c = olk_exp_polynomial_f32;
    const float shifted = x * OLK_LOG2_E_F32 + OLK_MAGIC_F32, n = shifted - OLK_MAGIC_F32;
    const float r = (x - n * OLK_LN2_HIGH_F32) - n * OLK_LN2_LOW_F32;
    union {
        float f;
        uint32_t bits;
    } power;
    power.f = shifted;
    power.bits = (power.bits << 23) + ((uint32_t)(127 - 64) << 23); /* the polynomial is lifted */
#else
    enum { DEGREE = 10 };
    const double *c = olk_exp_polynomial_f64;
    const double shifted = x * OLK_LOG2_E_F64 + OLK_MAGIC_F64, n = shifted - OLK_MAGIC_F64;
    const double r = (x - n * OLK_LN2_HIGH_F64) - n * OLK_LN2_LOW_F64;
    union {
        double f;
        uint64_t bits;
    } power;
    power.f = shifted;
    power.bits = (power.bits << 52) + ((uint64_t)(1023 - 64) << 52); /* the polynomial is lifted */
#endif
    olk_memory_value total = c[DEGREE];
    for (int k = DEGREE - 1; k >= 0; k--)
        total = total * r + c[k];
    const olk_memory_value p = total * power.f, cube = p * p * p;
    *sum = cube;
    return (olk_memory_value)0.5 * (p + cube);
}

/* A kernel times a coefficient. */
static inline double olk_memory_part(olk_memory_value kernel, int size)
{
    return (double)(kernel * (olk_memory_value)size);
}
