/* Where a row is not zero: a bit a number, 64 at a time, then only the bits that are set. Going from
   set bit to set bit mispredicts once a word, not once a number. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The place of the lowest set bit; there is one. */
static inline int olk_lowest_bit(uint64_t bits)
{
#ifdef __GNUC__
    return __builtin_ctzll(bits);
#else
    int at = 0;
    for (; !(bits & 1); bits >>= 1)
        at++;
    return at;
#endif
}

/* Bit i is set where x[i] != 0, for i < n <= 64. */
static inline uint64_t olk_set_bits_f32(const float *x, ptrdiff_t n)
{
    uint64_t bits = 0;
    ptrdiff_t i = 0;
#ifdef __SSE2__
    for (; i + 4 <= n; i += 4)
        bits |= (uint64_t)_mm_movemask_ps(_mm_cmpneq_ps(_mm_loadu_ps(x + i), _mm_setzero_ps())) << i;
#endif
    for (; i < n; i++)
        bits |= (uint64_t)(x[i] != 0) << i;
    return bits;
}

static inline uint64_t olk_set_bits_f64(const double *x, ptrdiff_t n)
{
    uint64_t bits = 0;
    ptrdiff_t i = 0;
#ifdef __SSE2__
    for (; i + 2 <= n; i += 2)
        bits |= (uint64_t)_mm_movemask_pd(_mm_cmpneq_pd(_mm_loadu_pd(x + i), _mm_setzero_pd())) << i;
#endif
    for (; i < n; i++)
        bits |= (uint64_t)(x[i] != 0) << i;
    return bits;
}

/* How many numbers of x are not zero; which these are, with their values, and how many. */
#define OLK_NONZEROS(count_them, list_them, set_bits, type)                                        \
    static inline ptrdiff_t count_them(const type *x, ptrdiff_t d)                                 \
    {                                                                                              \
        int32_t count = 0;                                                                         \
        for (ptrdiff_t j = 0; j < d; j++)                                                          \
            count += x[j] != 0;                                                                    \
        return count;                                                                              \
    }                                                                                              \
    static inline ptrdiff_t list_them(const type *x, ptrdiff_t d, int32_t *index, type *value)     \
    {                                                                                              \
        ptrdiff_t count = 0;                                                                       \
        for (ptrdiff_t start = 0; start < d; start += 64) {                                        \
            const ptrdiff_t n = d - start < 64 ? d - start : 64;                                   \
            for (uint64_t bits = set_bits(x + start, n); bits; bits &= bits - 1) {                 \
                const ptrdiff_t j = start + olk_lowest_bit(bits);                                  \
                index[count] = (int32_t)j;                                                         \
                value[count] = x[j];                                                               \
                count++;                                                                           \
            }                                                                                      \
        }                                                                                          \
        return count;                                                                              \
    }
OLK_NONZEROS(olk_count_nonzeros_f32, olk_nonzeros_f32, olk_set_bits_f32, float)
OLK_NONZEROS(olk_count_nonzeros_f64, olk_nonzeros_f64, olk_set_bits_f64, double)
#undef OLK_NONZEROS

/* A row given by its non-zeros, written into seen[d], which holds zeros; where `at` is not NULL, those
   that stay numbers other than 0 are listed in `at` and `kept`, as olk_nonzeros_f64 would find them.
   Returns how many these are, or -1 if an index does not increase within the row or a number is not
   finite: each is read once, since another thread may write the caller's arrays meanwhile. */
#define OLK_PLACE_NONZEROS(name, type, itype)                                                      \
    static inline ptrdiff_t name(const itype *index, const double *value, ptrdiff_t count,         \
                                 ptrdiff_t d, type *seen, int32_t *at, type *kept)                 \
    {                                                                                              \
        ptrdiff_t found = 0;                                                                       \
        int64_t before = -1;                                                                       \
        for (ptrdiff_t k = 0; k < count; k++) {                                                    \
            const int64_t j = *(const volatile itype *)(index + k);                                \
            const double v = *(const volatile double *)(value + k);                                \
            if (j <= before || j >= d || !(v - v == 0.0))                                          \
                return -1;                                                                         \
            before = j;                                                                            \
            seen[j] = (type)v;                                                                     \
            if (at) {                                                                              \
                at[found] = (int32_t)j;                                                            \
                kept[found] = (type)v;                                                             \
                found += (type)v != 0;                                                             \
            }                                                                                      \
        }                                                                                          \
        return found;                                                                              \
    }
OLK_PLACE_NONZEROS(olk_place_nonzeros_f32_i32, float, int32_t)
OLK_PLACE_NONZEROS(olk_place_nonzeros_f64_i32, double, int32_t)
OLK_PLACE_NONZEROS(olk_place_nonzeros_f32_i64, float, int64_t)
OLK_PLACE_NONZEROS(olk_place_nonzeros_f64_i64, double, int64_t)
