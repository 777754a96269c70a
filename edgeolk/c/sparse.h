/* The non-zeros of a row: one bit per number, 64 at a time, then only the set bits. Jumping from
   set bit to set bit mispredicts once per word, not once per number. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "storage.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The index of the lowest set bit; bits is not 0. */
static inline int olk_lowest_bit(uint64_t bits)
{
#ifdef __GNUC__
    return __builtin_ctzll(bits);
#else
    int positions = 0;
    for (; !(bits & 1); bits >>= 1)
        positions++;
    return positions;
#endif
}

/* Bit i is set where x[i] != 0, for i < n <= 64; x is of type `dtype`, a constant. */
static OLK_INLINE uint64_t olk_set_bits(const int dtype, const void *x, ptrdiff_t n)
{
    uint64_t bits = 0;
    ptrdiff_t i = 0;
#ifdef __SSE2__
    if (dtype == OLK_F64)
        for (const double *wide = x; i + 2 <= n; i += 2)
            bits |= (uint64_t)_mm_movemask_pd(
                        _mm_cmpneq_pd(_mm_loadu_pd(wide + i), _mm_setzero_pd())) << i;
    else
        for (const float *narrow = x; i + 4 <= n; i += 4)
            bits |= (uint64_t)_mm_movemask_ps(
                        _mm_cmpneq_ps(_mm_loadu_ps(narrow + i), _mm_setzero_ps())) << i;
#endif
    for (; i < n; i++)
        bits |= (uint64_t)(olk_get(dtype, x, i) != 0.0) << i;
    return bits;
}

/* Indices and values of the non-zeros of x; returns their number. */
static OLK_INLINE ptrdiff_t olk_nonzeros_as(const int dtype, const void *x, ptrdiff_t d,
                                            int32_t *index, void *value)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t start = 0; start < d; start += 64) {
        const ptrdiff_t n = d - start < 64 ? d - start : 64;
        const void *from = (const char *)x + start * olk_dtype_bytes(dtype);
        for (uint64_t bits = olk_set_bits(dtype, from, n); bits; bits &= bits - 1) {
            const ptrdiff_t j = start + olk_lowest_bit(bits);
            index[count] = (int32_t)j;
            olk_put(dtype, value, count, olk_get(dtype, x, j));
            count++;
        }
    }
    return count;
}

static inline ptrdiff_t olk_nonzeros(int dtype, const void *x, ptrdiff_t d, int32_t *index,
                                     void *value)
{
    return dtype == OLK_F64 ? olk_nonzeros_as(OLK_F64, x, d, index, value)
                            : olk_nonzeros_as(OLK_F32, x, d, index, value);
}

/* The number of non-zeros. */
static inline ptrdiff_t olk_count_nonzeros(int dtype, const void *x, ptrdiff_t d)
{
    int32_t count = 0;
    if (dtype == OLK_F64)
        for (ptrdiff_t j = 0; j < d; j++)
            count += ((const double *)x)[j] != 0;
    else
        for (ptrdiff_t j = 0; j < d; j++)
            count += ((const float *)x)[j] != 0;
    return count;
}

/* Writes a row given by its non-zeros, with indices of one of two types, into dense[d], which is
   all zero; where `positions` is not NULL, those still non-zero after conversion are listed in
   `positions` and `values`, as olk_nonzeros would find them. dense and values are of type `dtype`.
   Returns their number, or -1 if indices do not increase or a number is not finite, unless `gaps`
   says that those are missing readings. Everything is read once, since another thread may write to
   the caller's arrays meanwhile. */
static inline ptrdiff_t olk_place_nonzeros(int dtype, const int32_t *narrow, const int64_t *wide,
                                           const double *value, ptrdiff_t count, ptrdiff_t d,
                                           int gaps, void *dense, int32_t *positions,
                                           void *values)
{
    ptrdiff_t found = 0;
    int64_t previous = -1;
    for (ptrdiff_t k = 0; k < count; k++) {
        const int64_t j = wide ? *(const volatile int64_t *)(wide + k)
                               : *(const volatile int32_t *)(narrow + k);
        const double v = *(const volatile double *)(value + k);
        if (j <= previous || j >= d || !(gaps || v - v == 0.0))
            return -1;
        previous = j;
        olk_put(dtype, dense, j, v);
        if (positions) {
            positions[found] = (int32_t)j;
            olk_put(dtype, values, found, v);
            found += olk_get(dtype, values, found) != 0.0;
        }
    }
    return found;
}
