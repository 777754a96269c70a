/* How one number of a support vector is stored, and read back exactly: float32, float64, float16, or
   int8 with a scale and an offset for each feature. Rows of the narrow types compute in float32. And
   the types of coefficients, kernel rows and products: the first two. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "approximations.h"
#include "roots.h"

/* The numbers of edgeolk/parts/numbers.py. */
enum { OLK_F32 = 1, OLK_F64 = 2, OLK_F16 = 3, OLK_I8 = 4 };
enum { OLK_STORAGES = 5, OLK_REALS = 3 };

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
        if (olk_fabs((double)v.f) > olk_fabs(value))
            v.u--;
        v.u |= 1u;
    }
    return v.f;
}

/* The nearest whole number, ties to even, of one below 2^21 in size. */
static inline float olk_nearest(float v)
{
    return (v + OLK_MAGIC_F32) - OLK_MAGIC_F32;
}

/* Nearest level, clamped to the range: a reading beyond it is stored as the end of the range. */
static inline int8_t olk_float_to_level(float f, float scale, float offset)
{
    const float level = (f - offset) / scale;
    return (int8_t)olk_nearest(level < -128.0f ? -128.0f : (level > 127.0f ? 127.0f : level));
}

/* Bytes of a stored number. */
static inline ptrdiff_t olk_stored_bytes(int storage)
{
    return storage == OLK_F64 ? 8 : storage == OLK_F32 ? 4 : storage == OLK_F16 ? 2 : 1;
}

/* Whether a number is stored by the scale and offset of its feature: its zero is then no zero. */
static inline int olk_is_shifted(int storage)
{
    return storage == OLK_I8;
}

/* Number at an index of an array of some storage type; j is its feature. */
static inline double olk_fetch(int storage, const void *base, ptrdiff_t at, ptrdiff_t j,
                               const olk_quantum *quantum)
{
    switch (storage) {
    case OLK_F32: return (double)((const float *)base)[at];
    case OLK_F64: return ((const double *)base)[at];
    case OLK_F16: return (double)olk_half_to_float(((const uint16_t *)base)[at]);
    case OLK_I8:
        return (double)(quantum->scale[j] * (float)((const int8_t *)base)[at] + quantum->offset[j]);
    default: return 0.0;
    }
}

static inline void olk_store(int storage, void *base, ptrdiff_t at, ptrdiff_t j, double value,
                             const olk_quantum *quantum)
{
    switch (storage) {
    case OLK_F32: ((float *)base)[at] = (float)value; break;
    case OLK_F64: ((double *)base)[at] = value; break;
    case OLK_F16: ((uint16_t *)base)[at] = olk_float_to_half(olk_float_to_odd(value)); break;
    case OLK_I8:
        ((int8_t *)base)[at] =
            olk_float_to_level((float)value, quantum->scale[j], quantum->offset[j]);
        break;
    default: break;
    }
}

/* The float32 that stays of a number once stored: what a learner with narrow storage sees of it. Not by
   a switch: conditions are moved out of the loops over this. */
static inline float olk_seen(int storage, float value, ptrdiff_t j, const olk_quantum *quantum)
{
    if (storage == OLK_F16)
        return olk_half_to_float(olk_float_to_half(value));
    if (storage == OLK_I8) {
        const float scale = quantum->scale[j], offset = quantum->offset[j];
        return scale * (float)olk_float_to_level(value, scale, offset) + offset;
    }
    return value;
}

/* Of one number of a real type. */
static inline ptrdiff_t olk_real_bytes(int dtype)
{
    return dtype == OLK_F64 ? (ptrdiff_t)sizeof(double) : (ptrdiff_t)sizeof(float);
}

/* One number of an array of the type `real`, widened; and put there. Not by a switch: conditions are
   moved out of the loops over these. */
static inline double olk_get(int dtype, const void *array, ptrdiff_t i)
{
    if (dtype == OLK_F64)
        return ((const double *)array)[i];
    return (double)((const float *)array)[i];
}

static inline void olk_put(int dtype, void *array, ptrdiff_t i, double value)
{
    if (dtype == OLK_F64)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

/* A row of the type `real` as int8 storage would keep it; returns how many of its numbers lie beyond
   the levels (half a level beyond an end still rounds to it). */
static inline ptrdiff_t olk_see_levels(int dtype, const void *x, float *quantized, ptrdiff_t d,
                                       const olk_quantum *quantum)
{
    ptrdiff_t beyond = 0;
    for (ptrdiff_t j = 0; j < d; j++) {
        const float scale = quantum->scale[j], offset = quantum->offset[j];
        const float level = ((float)olk_get(dtype, x, j) - offset) / scale;
        const float clipped = level < -128.0f ? -128.0f : (level > 127.0f ? 127.0f : level);
        beyond += (level < -128.5f) | (level > 127.5f);
        quantized[j] = scale * olk_nearest(clipped) + offset;
    }
    return beyond;
}
