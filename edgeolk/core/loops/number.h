/* The types of a unit of the loops over rings: OLK_NUMBER_BITS for the type that rows are computed
   in, OLK_COEF_BITS for that of coefficients, kernel rows and products. A unit has one of each, so
   that names need not say which (rings.h, one_row.h). */
#pragma once

#include <float.h>

#include "approximations.h"
#include "roots.h"
#include "vector.h"

/* Selects the variant for the type computed in. */
#if OLK_NUMBER_BITS == 64
#define OLK_NUMBER(f32, f64) f64
#else
#define OLK_NUMBER(f32, f64) f32
#endif

typedef OLK_NUMBER(float, double) olk_number;
typedef OLK_NUMBER(olk_f32s, olk_f64s) olk_numbers;
typedef OLK_NUMBER(olk_u32s, olk_u64s) olk_words;
enum { OLK_LANES = sizeof(olk_numbers) / sizeof(olk_number) };
enum { OLK_NUMBER_DTYPE = OLK_NUMBER(OLK_F32, OLK_F64) };

#if OLK_COEF_BITS == 64
typedef double olk_coef_t;
enum { OLK_COEF_DTYPE = OLK_F64 };
#else
typedef float olk_coef_t;
enum { OLK_COEF_DTYPE = OLK_F32 };
#endif

static OLK_INLINE olk_numbers olk_splat(olk_number number)
{
    return OLK_NUMBER(olk_splat_f32, olk_splat_f64)(number);
}

static OLK_INLINE olk_number olk_madd(olk_number a, olk_number b, olk_number c)
{
    return OLK_NUMBER(olk_madd_f32, olk_madd_f64)(a, b, c);
}

static OLK_INLINE olk_numbers olk_madds(olk_numbers a, olk_numbers b, olk_numbers c)
{
    return OLK_NUMBER(olk_madd_f32s, olk_madd_f64s)(a, b, c);
}

static OLK_INLINE olk_numbers olk_max_numbers(olk_numbers a, olk_numbers b)
{
    return OLK_NUMBER(olk_max_f32s, olk_max_f64s)(a, b);
}

static OLK_INLINE olk_number olk_abs_number(olk_number v)
{
    return OLK_NUMBER(olk_fabsf, olk_fabs)(v);
}

static OLK_INLINE olk_numbers olk_abs_numbers(olk_numbers v)
{
    return OLK_NUMBER(olk_abs_f32s, olk_abs_f64s)(v);
}

static OLK_INLINE olk_numbers olk_load_numbers(const olk_number *p)
{
    return *(const olk_numbers *)p;
}

static OLK_INLINE void olk_store_numbers(olk_number *p, olk_numbers v)
{
    *(olk_numbers *)p = v;
}

/* The address of number i of a stored array; `storage` is a constant here and below. */
static OLK_INLINE const void *olk_stored_at(const int storage, const void *base, ptrdiff_t i)
{
    return (const char *)base + i * olk_stored_bytes(storage);
}

/* Stored numbers as they are computed with, before scale and offset. */
static OLK_INLINE olk_numbers olk_load(const int storage, const void *p)
{
#if OLK_NUMBER_BITS == 64
    (void)storage;
    return olk_load_f64s(p);
#else
    if (storage == OLK_I8)
        return olk_load_i8s(p);
    if (storage == OLK_F16)
        return olk_load_f16s(p);
    return olk_load_f32s(p);
#endif
}

static OLK_INLINE olk_number olk_load_one(const int storage, const void *p)
{
#if OLK_NUMBER_BITS == 64
    (void)storage;
    return *(const double *)p;
#else
    if (storage == OLK_I8)
        return (float)*(const int8_t *)p;
    if (storage == OLK_F16)
        return olk_half_to_float(*(const uint16_t *)p);
    return *(const float *)p;
#endif
}

/* Numbers of feature j times its scale, if any, for distances: with int8, offset[j] is subtracted
   from x_j (olk_minus_offset), so that the loop needs only the scaled level. Inner products need
   scale and offset (olk_load_full). */
static OLK_INLINE olk_numbers olk_load_scaled(const int storage, const void *p, ptrdiff_t j,
                                              const olk_quantizer *quantizer)
{
    if (olk_is_quantized(storage))
        return olk_load(storage, p) * (olk_number)quantizer->scale[j];
    return olk_load(storage, p);
}

static OLK_INLINE olk_numbers olk_load_full(const int storage, const void *p, ptrdiff_t j,
                                            const olk_quantizer *quantizer)
{
    if (olk_is_quantized(storage))
        return olk_load_scaled(storage, p, j, quantizer) + (olk_number)quantizer->offset[j];
    return olk_load(storage, p);
}

static OLK_INLINE olk_number olk_minus_offset(const int storage, const olk_number *x, ptrdiff_t j,
                                              const olk_quantizer *quantizer)
{
    return olk_is_quantized(storage) ? x[j] - (olk_number)quantizer->offset[j] : x[j];
}
