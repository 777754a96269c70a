/* The row memory, with 4 bits per input, next to the features (docs/sorf.md, section 7f): a kernel
   model with the mean of two narrow kernels, whose scores are blended with those of the features by
   recent mistakes. Everything is computed in one order, number by number: the same bits on every
   instruction set. */
#pragma once

#include "mathf.h"
#include "relevance.h"
#include "row_memory_blend.h"

/* The wider kernel is exp(-9 z), the other its cube; z is a mean of squares over 25. */
enum { OLK_MEMORY_NARROW = 9, OLK_MEMORY_UNIT = 25 };
/* The stored value of a coefficient of 1. */
enum { OLK_MAX_MEMORY_LABEL = 127, OLK_MAX_MEMORY_CLASS = 255 };

/* Rows whose distances are summed at once, and inputs prepared at a time. */
#ifdef OLK_SORF_PLAIN
enum { OLK_MEMORY_ROWS = 56, OLK_MEMORY_INPUTS = 16 };
#else
enum { OLK_MEMORY_ROWS = 512, OLK_MEMORY_INPUTS = 64 };
#endif
/* Running sums over rows. */
enum { OLK_MEMORY_SUMS = 8 };
#if OLK_BYTES >= 32
/* Most classes whose sums are in one vector. */
enum { OLK_MEMORY_LANES = OLK_BYTES / (int)sizeof(olk_real) };
#endif

/* A reading in code steps, clamped as for the features but without relevance (step 1). */
static inline olk_real olk_memory_reading(const olk_sorf *p, const olk_sorf_state *s, olk_input x)
{
    const olk_input limit = (olk_input)OLK_HOLD(OLK_OPTIONS_OF(p), s);
    if (limit > 0)
        x = olk_clamped(x, limit);
    return olk_clamped(x * (olk_real)OLK_MEMORY_STEPS(OLK_OPTIONS_OF(p), s), OLK_MAX_CODE);
}

/* The same plus the stored offset, not yet rounded. */
static inline olk_real olk_memory_code(const olk_sorf *p, const olk_sorf_state *s, olk_input x)
{
    return olk_memory_reading(p, s, x) + OLK_ZERO_CODE;
}

#ifdef OLK_SORF_FIXED
/* Kernels in fixed point, for cores without a floating-point unit: readings in 4096ths of a code,
   kernels in 2^-23, within some ten-thousandths of the exact ones. */

/* A kernel of 1: 255 times it still fits. */
enum { OLK_MEMORY_ONE = 8388608 };
typedef int32_t olk_memory_value;
/* Readings in 4096ths, their weights in 16,384ths; sums of squares in 65,536ths. */
typedef int32_t olk_memory_input;
typedef uint64_t olk_memory_sum;

static inline olk_memory_input olk_memory_as_input(float u)
{
    return (olk_memory_input)(4096 * u + 0.5f); /* at least 4096 */
}

static inline olk_memory_input olk_memory_as_weight(float by)
{
    return (olk_memory_input)(16384 * by + 0.5f);
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
    return (olk_memory_scale)((float)(1.44269504088896 * OLK_MEMORY_NARROW / OLK_MEMORY_UNIT *
                                      268435456.0) /
                              (float)d);
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
static inline float olk_memory_part(olk_memory_value kernel, int size)
{
    return (float)(kernel * size);
}
#else
/* A kernel of 1; exponents are clipped here, where kernels are negligible. */
enum { OLK_MEMORY_ONE = 1 };
#ifdef OLK_SORF_FLOAT64
enum { OLK_MEMORY_MIN_EXPONENT = -230 };
#else
enum { OLK_MEMORY_MIN_EXPONENT = -28 };
#endif
typedef olk_real olk_memory_value;
/* Inputs and their weights, sums of squares, and the factor of a sum. */
typedef olk_memory_value olk_memory_input, olk_memory_sum, olk_memory_scale;

static inline olk_memory_input olk_memory_as_input(olk_real u)
{
    return u;
}

static inline olk_memory_input olk_memory_as_weight(olk_real by)
{
    return by;
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
    return -OLK_MEMORY_NARROW / (OLK_MEMORY_UNIT * (olk_real)d);
}

/* (p + p^3) / 2 of p = exp(scale sum); the sum becomes p^3, the narrower kernel. */
static OLK_INLINE olk_memory_value olk_memory_kernel(olk_memory_sum *sum, olk_memory_scale scale)
{
    olk_memory_value x = *sum * scale;
    x = x < OLK_MEMORY_MIN_EXPONENT ? OLK_MEMORY_MIN_EXPONENT : x;
#ifdef OLK_SORF_FLOAT64
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
#else
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
#endif
    olk_memory_value total = c[DEGREE];
    for (int k = DEGREE - 1; k >= 0; k--)
        total = total * r + c[k];
    const olk_memory_value p = total * power.f, cube = p * p * p;
    *sum = cube;
    return (olk_memory_value)0.5 * (p + cube);
}

/* A kernel times a coefficient. */
static inline olk_real olk_memory_part(olk_memory_value kernel, int size)
{
    return kernel * (olk_memory_value)size;
}
#endif

/* sum[j] += the weighted squared differences of two inputs from the codes of n rows. Inputs have
   the same offset as stored codes. */
static OLK_INLINE void olk_add_code_distances(const uint8_t *restrict codes, ptrdiff_t n,
                                              const olk_memory_input *input,
                                              const olk_memory_input *weight, const int weighted,
                                              olk_memory_sum *restrict sum)
{
    const olk_memory_input even = input[0], odd = input[1], of_even = weight[0], of_odd = weight[1];
    for (ptrdiff_t j = 0; j < n; j++) {
        olk_memory_sum total = sum[j];
        total += olk_memory_square(even, codes[j] & 15, of_even, weighted);
        total += olk_memory_square(odd, codes[j] >> 4, of_odd, weighted);
        sum[j] = total;
    }
}

/* kernel[j] of stored rows from .. from + n - 1 with a row; sum[j]: only the narrower kernel. */
static inline void olk_memory_kernels(const olk_sorf *p, const olk_sorf_state *s,
                                      const olk_input *x, ptrdiff_t from, ptrdiff_t n,
                                      olk_memory_value *kernel, olk_memory_sum *sum)
{
    olk_memory_input input[OLK_MEMORY_INPUTS], weight[OLK_MEMORY_INPUTS];
    const int weighted = p->relevance == OLK_RELEVANCE_EACH;
    const olk_input *lambda = s->log_scale;
    for (ptrdiff_t j = 0; j < n; j++)
        sum[j] = 0;
    for (ptrdiff_t i = 0; i < p->d; i += OLK_MEMORY_INPUTS) {
        const ptrdiff_t left = p->d - i,
                        n_inputs = left < OLK_MEMORY_INPUTS ? left : OLK_MEMORY_INPUTS;
        for (ptrdiff_t k = 0; k < n_inputs; k++) {
            const olk_real by = weighted ? olk_exponential(2 * lambda[i + k]) : 1;
            input[k] = olk_memory_as_input(olk_memory_code(p, s, x[i + k]));
            weight[k] = olk_memory_as_weight(by);
        }
        if (n_inputs % 2) { /* the unused half of the last codes is OLK_ZERO_CODE */
            input[n_inputs] = olk_memory_as_input(OLK_ZERO_CODE);
            weight[n_inputs] = 0;
        }
        for (ptrdiff_t k = 0; k < n_inputs; k += 2) {
            const uint8_t *codes = olk_memory_codes(p, s, (i + k) / 2) + from;
            if (weighted)
                olk_add_code_distances(codes, n, input + k, weight + k, 1, sum);
            else
                olk_add_code_distances(codes, n, input + k, weight + k, 0, sum);
        }
    }
    const olk_memory_scale scale = olk_memory_scale_of(p->d);
    for (ptrdiff_t j = 0; j < n; j++)
        kernel[j] = olk_memory_kernel(sum + j, scale);
}

/* Adds the votes of n stored rows to g[K], plus for their class, minus for the runner-up, in the
   order of the rows for each class. */
static inline void olk_add_votes(const olk_memory_value *kernel, const uint8_t *label,
                                 const uint8_t *rival, const uint8_t *size, ptrdiff_t n,
                                 olk_real *g)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const olk_real part = olk_memory_part(kernel[j], size[j]);
        g[label[j]] += part;
        g[rival[j]] -= part;
    }
}

#if OLK_BYTES >= 32
/* The same for both kernels at once, g[2K] of the narrower one, with one lane per class: with few
   classes, sums in memory would wait for each other. Kernels become parts. */
static OLK_INLINE void olk_add_votes_in_lanes(olk_memory_value *kernel, olk_memory_sum *narrow,
                                              const uint8_t *label, const uint8_t *rival,
                                              const uint8_t *size, ptrdiff_t n, ptrdiff_t K,
                                              const int columns, olk_real *g)
{
    olk_real *const part[2] = {kernel, narrow};
    olk_words lanes_of[OLK_MEMORY_LANES];
    OLK_ALIGNED(64) olk_real total[2][OLK_MEMORY_LANES] = {{0}};
    olk_real_vec sum[2];
    for (int c = 0; c < OLK_MEMORY_LANES; c++)
        lanes_of[c] = (olk_words)(olk_lane_numbers() == (olk_word)c);
    for (int v = 0; v < columns; v++) {
        for (ptrdiff_t j = 0; j < n; j++)
            part[v][j] = olk_memory_part(part[v][j], size[j]);
        memcpy(total[v], g + 2 * v * K, (size_t)K * sizeof *g);
        sum[v] = *(const olk_real_vec *)total[v];
    }
    for (ptrdiff_t j = 0; j < n; j++) {
        const olk_words other = lanes_of[rival[j]], both = lanes_of[label[j]] | other;
        for (int v = 0; v < columns; v++) {
            const olk_words parts = (olk_words)(part[v][j] - (olk_real_vec){0});
            sum[v] += (olk_real_vec)((parts & both) ^ (other & olk_sign));
        }
    }
    for (int v = 0; v < columns; v++) {
        *(olk_real_vec *)total[v] = sum[v];
        memcpy(g + 2 * v * K, total[v], (size_t)K * sizeof *g);
    }
}
#endif

/* The same with two classes, to lane[OLK_MEMORY_SUMS]. */
static inline void olk_add_signed_votes(const olk_memory_value *kernel, const int8_t *signed_size,
                                        ptrdiff_t n, olk_real *lane)
{
    ptrdiff_t from = 0;
#if OLK_BYTES >= 32
    /* All sums at once: one after the other, each number would wait for the one before it. */
    olk_real sum[OLK_MEMORY_SUMS];
    memcpy(sum, lane, sizeof sum);
    for (; from + OLK_MEMORY_SUMS <= n; from += OLK_MEMORY_SUMS)
        for (int l = 0; l < OLK_MEMORY_SUMS; l++)
            sum[l] += olk_memory_part(kernel[from + l], signed_size[from + l]);
    memcpy(lane, sum, sizeof sum);
#endif
    for (int l = 0; l < OLK_MEMORY_SUMS; l++)
        for (ptrdiff_t j = from + l; j < n; j += OLK_MEMORY_SUMS)
            lane[l] += olk_memory_part(kernel[j], signed_size[j]);
}

/* n rows, or more that fill vectors of codes: what follows them is read and not used. Labels follow
   the codes, as many bytes as a code has. */
static inline ptrdiff_t olk_memory_padded(const olk_sorf *p, ptrdiff_t n)
{
#if OLK_BYTES
    if (p->memory >= OLK_BYTES)
        return (n + OLK_BYTES - 1) / OLK_BYTES * OLK_BYTES;
#endif
    (void)p;
    return n;
}

/* g[K] of a row before it is clamped or scaled; then space for K numbers, then the narrower
   kernel's g[K]. */
static OLK_NOCLONE void olk_query_memory(const olk_sorf *p, const olk_sorf_state *s,
                                         const olk_input *x, olk_real *g)
{
    OLK_ALIGNED(64) olk_memory_value kernel[OLK_MEMORY_ROWS];
    OLK_ALIGNED(64) olk_memory_sum narrow[OLK_MEMORY_ROWS];
    olk_real lane[2][OLK_MEMORY_SUMS] = {{0}};
    const int columns = p->memory_narrow ? 2 : 1;
    const ptrdiff_t n_rows = olk_memory_n_rows(s);
    const int multiclass = p->task == OLK_SORF_CLASSES;
    const uint8_t *label = olk_memory_labels(p, s), *rival = label + p->memory;
    const uint8_t *size = rival + p->memory;
    for (int v = 0; v < columns; v++)
        for (ptrdiff_t c = 0; c < p->classes; c++)
            g[2 * v * p->classes + c] = 0;
    for (ptrdiff_t from = 0; from < n_rows; from += OLK_MEMORY_ROWS) {
        const ptrdiff_t left = n_rows - from, n = left < OLK_MEMORY_ROWS ? left : OLK_MEMORY_ROWS;
        olk_memory_kernels(p, s, x, from, olk_memory_padded(p, n), kernel, narrow);
#if OLK_BYTES >= 32
        if (multiclass && p->classes <= OLK_MEMORY_LANES) {
            if (columns > 1)
                olk_add_votes_in_lanes(kernel, narrow, label + from, rival + from, size + from, n,
                                       p->classes, 2, g);
            else
                olk_add_votes_in_lanes(kernel, narrow, label + from, rival + from, size + from, n,
                                       p->classes, 1, g);
            continue;
        }
#endif
        for (int v = 0; v < columns; v++) {
            for (ptrdiff_t j = 0; v && j < n; j++)
                kernel[j] = (olk_memory_value)narrow[j];
            if (multiclass)
                olk_add_votes(kernel, label + from, rival + from, size + from, n,
                              g + 2 * v * p->classes);
            else
                olk_add_signed_votes(kernel, (const int8_t *)label + from, n, lane[v]);
        }
    }
    for (int v = 0; v < columns && !multiclass; v++)
        for (int l = 0; l < OLK_MEMORY_SUMS; l++)
            g[2 * v] += lane[v][l];
    const olk_real unit =
        multiclass ? 1 / (olk_real)OLK_MAX_MEMORY_CLASS : 2 / (olk_real)OLK_MAX_MEMORY_LABEL;
    const olk_real by = unit / (OLK_MEMORY_ONE * (2 + (olk_real)p->r));
    for (int v = 0; v < columns; v++)
        for (ptrdiff_t c = 0; c < p->classes; c++)
            g[2 * v * p->classes + c] *= by;
}

/* Absolute value of a stored coefficient. */
static inline int olk_memory_size(const olk_sorf *p, const uint8_t *sizes, ptrdiff_t j)
{
    const int v = p->task == OLK_SORF_CLASSES ? sizes[j] : ((const int8_t *)sizes)[j];
    return v < 0 ? -v : v;
}

/* The slot of a full memory that a row with coefficient `size` replaces: that of the smallest
   coefficient, at a tie the first from `head` on; -1 if `size` is smaller than all. */
static inline ptrdiff_t olk_memory_slot(const olk_sorf *p, const uint8_t *sizes, ptrdiff_t head,
                                        int size)
{
    int min_size = OLK_MAX_MEMORY_CLASS;
    for (ptrdiff_t j = 0; j < p->memory; j++) {
        const int v = olk_memory_size(p, sizes, j);
        min_size = v < min_size ? v : min_size;
    }
    if (size < min_size)
        return -1;
    for (ptrdiff_t j = head; j < p->memory; j++)
        if (olk_memory_size(p, sizes, j) == min_size)
            return j;
    for (ptrdiff_t j = 0; j < head; j++)
        if (olk_memory_size(p, sizes, j) == min_size)
            return j;
    return -1;
}

/* Stores a row whose margin by the memory's own scores g is too small. */
static inline void olk_memory_store(const olk_sorf *p, const olk_sorf_state *s,
                                    const olk_input *x, const olk_real *g, olk_real y,
                                    olk_real weight)
{
    const int multiclass = p->task == OLK_SORF_CLASSES;
    const ptrdiff_t M = p->memory, mine = multiclass ? (ptrdiff_t)y : 0;
    const ptrdiff_t rival = multiclass ? olk_best_rival(g, p->classes, mine) : 0;
    const olk_real margin = multiclass ? g[mine] - g[rival] : y * g[0];
    const olk_real loss = (weight == 1 ? 1 : olk_root(weight)) - margin;
    uint8_t *labels = olk_memory_labels(p, s), *sizes = multiclass ? labels + 2 * M : labels;
    if (!(loss > 0))
        return;
    const int top = multiclass ? OLK_MAX_MEMORY_CLASS : OLK_MAX_MEMORY_LABEL;
    const int rounded = (int)((olk_real)top * (loss < 1 ? loss : 1) + (olk_real)0.5);
    const int size = rounded > 1 ? rounded : 1;
    const ptrdiff_t n_rows = olk_memory_n_rows(s);
    const ptrdiff_t j = n_rows < M ? n_rows : olk_memory_slot(p, sizes, olk_memory_head(s), size);
    if (j < 0)
        return;
    for (ptrdiff_t i = 0; i < p->d; i += 2) {
        /* Codes are positive with their offset, so that truncation is floor. */
        const int low = (int)(olk_memory_code(p, s, x[i]) + (olk_real)0.5);
        const int high =
            i + 1 < p->d ? (int)(olk_memory_code(p, s, x[i + 1]) + (olk_real)0.5) : OLK_ZERO_CODE;
        olk_memory_codes(p, s, i / 2)[j] = (uint8_t)(low | high << 4);
    }
    if (multiclass) {
        labels[j] = (uint8_t)mine;
        labels[M + j] = (uint8_t)rival;
        sizes[j] = (uint8_t)size;
    } else {
        labels[j] = (uint8_t)(y < 0 ? -size : size);
    }
    if (n_rows < M)
        olk_memory_set_rows(s, n_rows + 1, olk_memory_head(s));
    else
        olk_memory_set_rows(s, n_rows, (j + 1) % M);
}

/* Scores a row by the memory, then stores it if needed, which does not depend on the features. */
static inline void olk_learn_memory(const olk_sorf *p, const olk_sorf_state *s,
                                    const olk_input *x, olk_real y, olk_real weight,
                                    olk_real *g)
{
    olk_query_memory(p, s, x, g);
    olk_memory_store(p, s, x, g, y, weight);
}
