/* What the C tests share: checks that are counted, draws, and arrays of exactly their size, so that
   the sanitizer sees a number read or written beyond one. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "random.h"
#include "ring_table.h"

/* The i-th of the variants that this processor runs, NULL beyond the last. */
const olk_simd *variant(int i);

extern long checks_done, checks_failed;

/* `fine`, or a line that says where and what, with the numbers that tell the case. */
#define CHECK(fine, ...)                                                                           \
    do {                                                                                           \
        checks_done++;                                                                             \
        if (!(fine) && ++checks_failed <= 20) {                                                    \
            fprintf(stderr, "%s:%d: not %s: ", __FILE__, __LINE__, #fine);                         \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

/* An array of exactly n numbers; at least a byte, so that none is not a failure. */
static inline void *array(ptrdiff_t n, size_t item)
{
    void *made = malloc(n > 0 ? (size_t)n * item : 1);
    if (!made)
        abort();
    return made;
}

static inline double *doubles(ptrdiff_t n)
{
    return array(n, sizeof(double));
}

static inline double in_range(uint64_t *rng, double low, double high)
{
    return low + (high - low) * olk_uniform(rng);
}

static inline double *draws(uint64_t *rng, ptrdiff_t n, double low, double high)
{
    double *made = doubles(n);
    for (ptrdiff_t i = 0; i < n; i++)
        made[i] = in_range(rng, low, high);
    return made;
}

/* The same numbers as an array of a real type, and one number of such an array. */
static inline size_t size_of_real(int real)
{
    return real == OLK_F32 ? sizeof(float) : sizeof(double);
}

static inline double number(int real, const void *from, ptrdiff_t i)
{
    return real == OLK_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static inline void *as_real(int real, const double *from, ptrdiff_t n)
{
    void *made = array(n, size_of_real(real));
    for (ptrdiff_t i = 0; i < n; i++) {
        if (real == OLK_F32)
            ((float *)made)[i] = (float)from[i];
        else
            ((double *)made)[i] = from[i];
    }
    return made;
}

/* Rounding of one number to a real type. */
static inline double rounded(int real, double value)
{
    return real == OLK_F32 ? (double)(float)value : value;
}

#define EACH_REAL(real) for (int real = OLK_F32; real <= OLK_F64; real++)

void check_linalg(const olk_simd *simd);
void check_eigen(const olk_simd *simd);
void check_searches(const olk_simd *simd);
void check_coefficients(const olk_simd *simd);
void check_merge(const olk_simd *simd);
void check_normals(const olk_simd *simd);
void check_selection(const olk_simd *simd);
void check_together(const olk_simd *simd);

#endif
