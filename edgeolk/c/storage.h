/* Storage types of a support vector's numbers, which are read back exactly: float32, float64,
   float16, or int8 with a scale and an offset for each feature. Rows of the narrow types compute in
   float32. Coefficients, kernel rows and products have one of the first two types. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "mathf.h"

/* The numbers of edgeolk/parts/numbers.py. */
enum { OLK_F32 = 1, OLK_F64 = 2, OLK_F16 = 3, OLK_I8 = 4 };
enum { OLK_STORAGES = 5, OLK_DTYPES = 3 };

/* Scale and offset of quantized numbers: s = scale[j] * q + offset[j]. NULL for the other types. */
typedef struct {
    const float *scale;
    const float *offset;
} olk_quantizer;

/* Exact, without branches: a multiplication adjusts the exponent, which also handles subnormals.
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

/* Rounds to odd: the last bit is set if anything was lost, so that rounding the float further gives
   what rounding the double would. */
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

/* The nearest integer, ties to even, for |v| < 2^21. */
static inline float olk_nearest(float v)
{
    return (v + OLK_MAGIC_F32) - OLK_MAGIC_F32;
}

/* The nearest level, clamped to the range. */
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

/* Whether numbers are stored with the scale and offset of their feature: a stored 0 is then not
   0. */
static inline int olk_is_quantized(int storage)
{
    return storage == OLK_I8;
}

/* Number at an index of an array of some storage type; j is its feature. */
static inline double olk_fetch(int storage, const void *base, ptrdiff_t at, ptrdiff_t j,
                               const olk_quantizer *quantizer)
{
    switch (storage) {
    case OLK_F32: return (double)((const float *)base)[at];
    case OLK_F64: return ((const double *)base)[at];
    case OLK_F16: return (double)olk_half_to_float(((const uint16_t *)base)[at]);
    case OLK_I8:
        return (double)(quantizer->scale[j] * (float)((const int8_t *)base)[at] +
                        quantizer->offset[j]);
    default: return 0.0;
    }
}

static inline void olk_store(int storage, void *base, ptrdiff_t at, ptrdiff_t j, double value,
                             const olk_quantizer *quantizer)
{
    switch (storage) {
    case OLK_F32: ((float *)base)[at] = (float)value; break;
    case OLK_F64: ((double *)base)[at] = value; break;
    case OLK_F16: ((uint16_t *)base)[at] = olk_float_to_half(olk_float_to_odd(value)); break;
    case OLK_I8:
        ((int8_t *)base)[at] =
            olk_float_to_level((float)value, quantizer->scale[j], quantizer->offset[j]);
        break;
    default: break;
    }
}

/* A float32 rounded to a narrow storage type, as the learner sees it. No switch: compilers move
   these conditions out of loops. */
static inline float olk_round_to_storage(int storage, float value, ptrdiff_t j,
                                         const olk_quantizer *quantizer)
{
    if (storage == OLK_F16)
        return olk_half_to_float(olk_float_to_half(value));
    if (storage == OLK_I8) {
        const float scale = quantizer->scale[j], offset = quantizer->offset[j];
        return scale * (float)olk_float_to_level(value, scale, offset) + offset;
    }
    return value;
}

/* Bytes of a number of one of the first two types. */
static inline ptrdiff_t olk_dtype_bytes(int dtype)
{
    return dtype == OLK_F64 ? (ptrdiff_t)sizeof(double) : (ptrdiff_t)sizeof(float);
}

/* Reads one number of an array of type `dtype`, widened; and writes one. No switch: compilers move
   these conditions out of loops. */
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

/* A row of type `dtype` rounded to int8 levels; returns how many of its numbers are out of range
   (up to half a level beyond an end still rounds to it). */
static inline ptrdiff_t olk_quantize_row(int dtype, const void *x, float *quantized, ptrdiff_t d,
                                         const olk_quantizer *quantizer)
{
    ptrdiff_t beyond = 0;
    for (ptrdiff_t j = 0; j < d; j++) {
        const float scale = quantizer->scale[j], offset = quantizer->offset[j];
        const float level = ((float)olk_get(dtype, x, j) - offset) / scale;
        const float clipped = level < -128.0f ? -128.0f : (level > 127.0f ? 127.0f : level);
        beyond += (level < -128.5f) | (level > 127.5f);
        quantized[j] = scale * olk_nearest(clipped) + offset;
    }
    return beyond;
}
