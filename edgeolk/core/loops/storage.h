/* How one number of a support vector is stored, and read back exactly: float32, float64, float16, or
   int8 with a scale and an offset for each feature. Rows of the narrow types compute in float32. A
   line below, what widens, narrows and rounds one number, a block in by_storage.h and a vector's load
   in lanes.h are all that the loops know of a type. */
#ifndef EDGEOLK_STORAGE_H
#define EDGEOLK_STORAGE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "roots.h"

/* X(number, name, type, computes, zero, ...): number of edgeolk/parts/numbers.py, type of a stored
   number, name of the type that rows are computed in; KEPT where a zero of a row is stored as a zero,
   SHIFTED where a number is stored by the scale and offset of its feature. */
#define OLK_EACH_STORAGE(X, ...)                                                                   \
    X(1, f32, float, f32, KEPT, __VA_ARGS__)                                                       \
    X(2, f64, double, f64, KEPT, __VA_ARGS__)                                                      \
    X(3, f16, uint16_t, f32, KEPT, __VA_ARGS__)                                                    \
    X(4, i8, int8_t, f32, SHIFTED, __VA_ARGS__)
#define OLK_ONE_MORE(...) +1
enum { OLK_F32 = 1, OLK_F64 = 2, OLK_STORAGES = 1 OLK_EACH_STORAGE(OLK_ONE_MORE, ) };
#undef OLK_ONE_MORE

/* Scale and offset of shifted numbers: s = scale[j] * q + offset[j]. NULL for the other types. */
typedef struct {
    const float *scale;
    const float *offset;
} olk_quantum;

/* Exact, without branches: the exponent is moved by a product, which also makes subnormals right.
   Stored numbers are finite. */
static inline float olk_half_to_float(uint16_t h)
{
    union { uint32_t u; float f; } v;
    v.u = (uint32_t)(h & 0x7fffu) << 13;
    v.f *= 0x1p112f;
    v.u |= (uint32_t)(h & 0x8000u) << 16;
    return v.f;
}

/* Nearest, ties to even; |f| must be below 65520. */
static inline uint16_t olk_float_to_half(float f)
{
    union { float f; uint32_t u; } v;
    v.f = f;
    const uint32_t sign = (v.u >> 16) & 0x8000u;
    v.u &= 0x7fffffffu;
    if (v.u < 0x38800000u) { /* subnormal as a half: let the float adder round it */
        v.f += 0.5f;
        return (uint16_t)((v.u - 0x3f000000u) | sign);
    }
    v.u += 0xc8000fffu + ((v.u >> 13) & 1u);
    return (uint16_t)((v.u >> 13) | sign);
}

/* A double as the float that rounds on as the double itself would: the last bit is set where
   something was lost. */
static inline float olk_float_to_odd(double value)
{
    union { float f; uint32_t u; } v;
    v.f = (float)value;
    if ((double)v.f != value && !(v.u & 1u)) {
        if (OLK_FABS((double)v.f) > OLK_FABS(value))
            v.u--;
        v.u |= 1u;
    }
    return v.f;
}

/* The nearest whole number, ties to even, of one below 2^21 in size. */
static inline float olk_nearest(float v)
{
    return (v + 12582912.0f) - 12582912.0f;
}

/* Nearest level, clamped to the range: a reading beyond it is stored as the end of the range. */
static inline int8_t olk_float_to_level(float f, float scale, float offset)
{
    const float level = (f - offset) / scale;
    return (int8_t)olk_nearest(level < -128.0f ? -128.0f : (level > 127.0f ? 127.0f : level));
}

/* What reads and writes a number of each type, by the name of the type. widened: before scale and
   offset; narrowed: from a float; rounded: from a double. */
#define OLK_CONVERSIONS(name, type, computes, widened, narrowed, rounded)                          \
    static inline computes olk_widened_##name(type v)                                              \
    {                                                                                              \
        return widened;                                                                            \
    }                                                                                              \
    static inline type olk_narrowed_##name(float v, ptrdiff_t j, const olk_quantum *quantum)       \
    {                                                                                              \
        (void)j, (void)quantum;                                                                    \
        return narrowed;                                                                           \
    }                                                                                              \
    static inline type olk_rounded_##name(double v, ptrdiff_t j, const olk_quantum *quantum)       \
    {                                                                                              \
        (void)j, (void)quantum;                                                                    \
        return rounded;                                                                            \
    }
#define OLK_LEVEL(v) olk_float_to_level(v, quantum->scale[j], quantum->offset[j])
OLK_CONVERSIONS(f32, float, float, v, v, (float)v)
OLK_CONVERSIONS(f64, double, double, v, v, v)
OLK_CONVERSIONS(f16, uint16_t, float, olk_half_to_float(v), olk_float_to_half(v),
                olk_float_to_half(olk_float_to_odd(v)))
OLK_CONVERSIONS(i8, int8_t, float, (float)v, OLK_LEVEL(v), OLK_LEVEL((float)v))
#undef OLK_CONVERSIONS
#undef OLK_LEVEL

#define OLK_READ_KEPT(number) number
#define OLK_READ_SHIFTED(number) quantum->scale[j] * (number) + quantum->offset[j]

/* Number at an index of an array of some storage type; j is its feature. */
static inline double olk_fetch(int storage, const void *base, ptrdiff_t at, ptrdiff_t j,
                               const olk_quantum *quantum)
{
#define OLK_CASE(number, name, type, computes, zero, ...)                                          \
    case number:                                                                                   \
        return OLK_READ_##zero(olk_widened_##name(((const type *)base)[at]));
    switch (storage) {
        OLK_EACH_STORAGE(OLK_CASE, )
    default:
        return 0.0;
    }
#undef OLK_CASE
}

static inline void olk_store(int storage, void *base, ptrdiff_t at, ptrdiff_t j, double value,
                             const olk_quantum *quantum)
{
#define OLK_CASE(number, name, type, ...)                                                          \
    case number:                                                                                   \
        ((type *)base)[at] = olk_rounded_##name(value, j, quantum);                                \
        break;
    switch (storage) {
        OLK_EACH_STORAGE(OLK_CASE, )
    default:
        break;
    }
#undef OLK_CASE
}

/* The float32 that stays of a number once stored: what a learner with narrow storage sees of it. */
static inline float olk_seen(int storage, float value, ptrdiff_t j, const olk_quantum *quantum)
{
/* Not by a switch: conditions are moved out of the loops over this. */
#define OLK_CASE(number, name, type, computes, zero, ...)                                          \
    if (storage == (number))                                                                       \
        return (float)(OLK_READ_##zero(olk_widened_##name(olk_narrowed_##name(value, j, quantum))));
    OLK_EACH_STORAGE(OLK_CASE, )
#undef OLK_CASE
    return value;
}

/* A row as int8 storage would keep it; returns how many of its numbers lie beyond the levels (half a
   level beyond an end still rounds to it). */
#define OLK_SEE_LEVELS(name, type)                                                                 \
    static inline ptrdiff_t name(const type *x, float *seen, ptrdiff_t d,                          \
                                 const olk_quantum *quantum)                                       \
    {                                                                                              \
        ptrdiff_t beyond = 0;                                                                      \
        for (ptrdiff_t j = 0; j < d; j++) {                                                        \
            const float scale = quantum->scale[j], offset = quantum->offset[j];                    \
            const float level = ((float)x[j] - offset) / scale;                                    \
            const float within = level < -128.0f ? -128.0f : (level > 127.0f ? 127.0f : level);    \
            beyond += (level < -128.5f) | (level > 127.5f);                                        \
            seen[j] = scale * olk_nearest(within) + offset;                                        \
        }                                                                                          \
        return beyond;                                                                             \
    }
OLK_SEE_LEVELS(olk_see_levels_f32, float)
OLK_SEE_LEVELS(olk_see_levels_f64, double)

#endif
