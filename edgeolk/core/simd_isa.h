/* One instruction set's copy of the row functions; included by simd.h with OLK_ISA set. */

#define OLK_NAME(name) OLK_CAT(name, OLK_ISA)

#if OLK_FUSED
#define OLK_MADD_F32(a, b, c) __builtin_fmaf((a), (b), (c))
#define OLK_MADD_F64(a, b, c) __builtin_fma((a), (b), (c))
#else
#define OLK_MADD_F32(a, b, c) ((a) * (b) + (c))
#define OLK_MADD_F64(a, b, c) ((a) * (b) + (c))
#endif

/* exp(x) for x <= 88, relative error below 2e-7; 0 below the smallest subnormal.
   x = n ln 2 + r; 2^n is applied in two halves so that subnormal results stay right. */
static inline float OLK_NAME(olk_exp_f32)(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    union { float f; uint32_t u; } s1, s2;
    float c = x < -105.0f ? -105.0f : (x > 88.0f ? 88.0f : x);
    float n = OLK_MADD_F32(c, 1.44269504088896341f, magic) - magic;
    float r = OLK_MADD_F32(n, -0.693359375f, c);
    r = OLK_MADD_F32(n, 2.12194440e-4f, r);
    float p = 1.9875691500e-4f;
    p = OLK_MADD_F32(p, r, 1.3981999507e-3f);
    p = OLK_MADD_F32(p, r, 8.3334519073e-3f);
    p = OLK_MADD_F32(p, r, 4.1665795894e-2f);
    p = OLK_MADD_F32(p, r, 1.6666665459e-1f);
    p = OLK_MADD_F32(p, r, 5.0000001201e-1f);
    p = OLK_MADD_F32(p, r * r, r) + 1.0f;
    float half = OLK_MADD_F32(n, 0.5f, magic) - magic;
    s1.f = half + magic;
    s2.f = (n - half) + magic;
    s1.u = (s1.u + 127u) << 23;
    s2.u = (s2.u + 127u) << 23;
    return p * s1.f * s2.f;
}

/* As above in double: x <= 709, relative error below 2e-14. */
static inline double OLK_NAME(olk_exp_f64)(double x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52 */
    union { double f; uint64_t u; } s1, s2;
    double c = x < -746.0 ? -746.0 : (x > 709.0 ? 709.0 : x);
    double n = OLK_MADD_F64(c, 1.4426950408889634074, magic) - magic;
    double r = OLK_MADD_F64(n, -6.93145751953125e-1, c);
    r = OLK_MADD_F64(n, -1.42860682030941723212e-6, r);
    double p = 1.0 / 39916800.0;
    p = OLK_MADD_F64(p, r, 1.0 / 3628800.0);
    p = OLK_MADD_F64(p, r, 1.0 / 362880.0);
    p = OLK_MADD_F64(p, r, 1.0 / 40320.0);
    p = OLK_MADD_F64(p, r, 1.0 / 5040.0);
    p = OLK_MADD_F64(p, r, 1.0 / 720.0);
    p = OLK_MADD_F64(p, r, 1.0 / 120.0);
    p = OLK_MADD_F64(p, r, 1.0 / 24.0);
    p = OLK_MADD_F64(p, r, 1.0 / 6.0);
    p = OLK_MADD_F64(p, r, 0.5);
    p = OLK_MADD_F64(p, r, 1.0);
    p = OLK_MADD_F64(p, r, 1.0);
    double half = OLK_MADD_F64(n, 0.5, magic) - magic;
    s1.f = half + magic;
    s2.f = (n - half) + magic;
    s1.u = (s1.u + 1023u) << 52;
    s2.u = (s2.u + 1023u) << 52;
    return p * s1.f * s2.f;
}

/* Eight running sums, added in a fixed order: the same bits whatever the vector width. */
static double OLK_NAME(olk_dot)(const double *a, const double *b, ptrdiff_t n)
{
    double lane[8] = {0.0};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (ptrdiff_t k = 0; k < 8; k++)
            lane[k] = OLK_MADD_F64(a[i + k], b[i + k], lane[k]);
    }
    for (ptrdiff_t k = 0; i < n; i++, k++)
        lane[k] = OLK_MADD_F64(a[i], b[i], lane[k]);
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

/* base^degree for a small whole degree, by squaring; the loop is outside the lanes. */
static inline void OLK_NAME(olk_power)(double *v, ptrdiff_t n, int32_t degree)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double base = v[i], result = 1.0;
        for (int32_t e = degree; e > 0; e >>= 1) {
            if (e & 1)
                result *= base;
            base *= base;
        }
        v[i] = result;
    }
}

/* A tile's kernel values: kept in row, weighted into the eight running sums. */
static inline void OLK_NAME(olk_collect)(const double *values, ptrdiff_t w, ptrdiff_t start,
                                         const double *coef, double *row, double *lane)
{
    if (row)
        memcpy(row + start, values, (size_t)w * sizeof(double));
    if (!coef)
        return;
    ptrdiff_t i = 0;
    for (; i + 8 <= w; i += 8)
        for (ptrdiff_t k = 0; k < 8; k++)
            lane[k] = OLK_MADD_F64(coef[start + i + k], values[i + k], lane[k]);
    for (; i < w; i++)
        lane[i & 7] = OLK_MADD_F64(coef[start + i], values[i], lane[i & 7]);
}

/* Pairs and transforms by the type computed in, rows by the type stored. */
#define OLK_T float
#define OLK_TYPE f32
#define OLK_MADD OLK_MADD_F32
#define OLK_ABS fabsf
#define OLK_TILE OLK_TILE_F32
#define OLK_TAIL 16
#include "simd_pair.h"

#define OLK_S float
#define OLK_STORED f32
#define OLK_SHIFTED 0
#define OLK_LOAD(v, j) (v)
#include "simd_rows.h"
#include "simd_sparse.h"
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED
#undef OLK_LOAD

#define OLK_S uint16_t
#define OLK_STORED f16
#define OLK_SHIFTED 0
#define OLK_LOAD(v, j) olk_half_to_float(v)
#include "simd_rows.h"
#include "simd_sparse.h"
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED
#undef OLK_LOAD

#define OLK_S int8_t
#define OLK_STORED i8
#define OLK_SHIFTED 1
#define OLK_LOAD(v, j) (quantum->scale[j] * (float)(v))
#include "simd_rows.h"
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED
#undef OLK_LOAD

#undef OLK_T
#undef OLK_TYPE
#undef OLK_MADD
#undef OLK_ABS
#undef OLK_TILE
#undef OLK_TAIL

#define OLK_T double
#define OLK_TYPE f64
#define OLK_MADD OLK_MADD_F64
#define OLK_ABS fabs
#define OLK_TILE OLK_TILE_F64
#define OLK_TAIL 8
#include "simd_pair.h"

#define OLK_S double
#define OLK_STORED f64
#define OLK_SHIFTED 0
#define OLK_LOAD(v, j) (v)
#include "simd_rows.h"
#include "simd_sparse.h"
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED
#undef OLK_LOAD

#undef OLK_T
#undef OLK_TYPE
#undef OLK_MADD
#undef OLK_ABS
#undef OLK_TILE
#undef OLK_TAIL

#undef OLK_NAME
#undef OLK_MADD_F32
#undef OLK_MADD_F64
