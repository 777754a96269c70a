/* The types of coefficients, kernel rows and products: one line and one block each. Numbers are those
   of edgeolk/parts/numbers.py; lanes.h widens a vector of each to doubles and puts it back.

   With OLK_BY set, that file is included once a type, which it finds as OLK_R, named OLK_REAL;
   OLK_INLINE says whether what is small goes into the loops over tiles: other types than double would
   take their registers. */
#ifndef EDGEOLK_REALS_H
#define EDGEOLK_REALS_H

#include <stddef.h>

#define OLK_EACH_REAL(X, ...)                                                                      \
    X(1, f32, float, __VA_ARGS__)                                                                  \
    X(2, f64, double, __VA_ARGS__)
enum { OLK_REALS = 3 };

#ifdef __GNUC__
#define OLK_UNREACHABLE __builtin_unreachable()
#else
#define OLK_UNREACHABLE (void)0
#endif

/* Of one number of that type. */
static inline ptrdiff_t olk_real_bytes(int real)
{
#define OLK_CASE(number, name, type, ...)                                                          \
    if (real == (number))                                                                          \
        return (ptrdiff_t)sizeof(type);
    OLK_EACH_REAL(OLK_CASE, )
#undef OLK_CASE
    OLK_UNREACHABLE;
    return 0;
}

/* One number of an array of the type `real`, widened; and put there. Not by a switch: conditions are
   moved out of the loops over these. */
static inline double olk_get(int real, const void *array, ptrdiff_t i)
{
#define OLK_CASE(number, name, type, ...)                                                          \
    if (real == (number))                                                                          \
        return (double)((const type *)array)[i];
    OLK_EACH_REAL(OLK_CASE, )
#undef OLK_CASE
    OLK_UNREACHABLE;
    return 0.0;
}

static inline void olk_put(int real, void *array, ptrdiff_t i, double value)
{
#define OLK_CASE(number, name, type, ...)                                                          \
    if (real == (number))                                                                          \
        ((type *)array)[i] = (type)value;
    OLK_EACH_REAL(OLK_CASE, )
#undef OLK_CASE
}

#endif

#ifdef OLK_BY
#define OLK_R double
#define OLK_REAL f64
#define OLK_INLINE OLK_ALWAYS
#include OLK_BY
#undef OLK_R
#undef OLK_REAL
#undef OLK_INLINE
#define OLK_R float
#define OLK_REAL f32
#define OLK_INLINE OLK_APART
#include OLK_BY
#undef OLK_R
#undef OLK_REAL
#undef OLK_INLINE
#undef OLK_BY
#endif
