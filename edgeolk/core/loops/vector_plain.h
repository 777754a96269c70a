/* "Vectors" of one number, in plain C: the same loops for compilers without vector types, and the
   reference for the others. Nothing is fused; sums have the same order as with wider vectors. */
#pragma once

typedef float olk_f32s;
typedef double olk_f64s;
typedef int32_t olk_i32s;
typedef int64_t olk_i64s;
typedef uint32_t olk_u32s;
typedef uint64_t olk_u64s;

/* A lane of a vector, to read or set; all bits set in lanes where a comparison is true. */
#define OLK_LANE(v, k) (*((void)(k), &(v)))
#define OLK_MASK_F64S(comparison) ((int64_t)0 - (int64_t)(comparison))

static OLK_INLINE olk_f64s olk_select_f64s(olk_i64s mask, olk_f64s yes, olk_f64s no)
{
    return mask ? yes : no;
}

static OLK_INLINE olk_f32s olk_madd_f32s(olk_f32s a, olk_f32s b, olk_f32s c)
{
    return a * b + c;
}

static OLK_INLINE olk_f64s olk_madd_f64s(olk_f64s a, olk_f64s b, olk_f64s c)
{
    return a * b + c;
}

static OLK_INLINE olk_f32s olk_max_f32s(olk_f32s a, olk_f32s b)
{
    return a > b ? a : b;
}

static OLK_INLINE olk_f64s olk_max_f64s(olk_f64s a, olk_f64s b)
{
    return a > b ? a : b;
}

static OLK_INLINE olk_f32s olk_load_i8s(const int8_t *p)
{
    return (float)*p;
}

static OLK_INLINE olk_f32s olk_load_f16s(const uint16_t *p)
{
    return olk_half_to_float(*p);
}

static OLK_INLINE olk_f64s olk_widen_f32(const float *p)
{
    return (double)*p;
}

static OLK_INLINE void olk_narrow_f32(float *p, olk_f64s v)
{
    *p = (float)v;
}
