/* How many numbers the loops take at once, by the set of instructions. */
#pragma once

#include "set.h"
#include "simd.h"

/* Rows of a matrix taken at once against one vector: eight accumulators, eight sums a row. */
enum { OLK_ROWS = (OLK_BYTES ? OLK_BYTES / 8 : 2) };
/* Columns of coefficients at once against a kernel row, where more than rows fill the registers. */
enum { OLK_COLUMNS = (OLK_BYTES == 64 ? 12 : OLK_ROWS) };

/* What a tile computes; constants in the loops. */
enum { OLK_SQUARE, OLK_ABSOLUTE, OLK_INNER, OLK_NORMED };
static OLK_ALWAYS int olk_is_inner(const int product)
{
    return product == OLK_INNER || product == OLK_NORMED;
}

static OLK_ALWAYS int olk_is_squared(const olk_kernel *kernel)
{
    return kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE;
}

static OLK_ALWAYS int olk_is_exponential(const olk_kernel *kernel)
{
    return kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_LAPLACIAN;
}

/* Whether squared distances may be made of norms, which a shifted storage type has none of. */
static inline int olk_keeps_norms(int storage)
{
    return !olk_is_shifted(storage);
}

/* A squared distance made of norms and a product of d numbers is wrong by up to
   (d + 3) 2^-24 (|x| + |s|)^2, in double 2^-53: more than the sum of d squared differences where the
   vectors are long and near each other. gamma |x|^2 up to these keeps the Gaussian's absolute error
   below 260 (d + 3) 2^-24, and 5e-10 (d + 3) in double, of a worst case that adds up no roundings of
   opposite sign; a row farther from the origin is read by differences. */
static const double OLK_NEAR_F32 = 64.0, OLK_NEAR_F64 = 0x1p20;

/* Vectors of a tile, at most: all 16 registers of the plainer instruction sets hold 8 sums, the
   operands and what is in flight. */
enum { OLK_MOST = 8 };

/* Rows taken together, and vectors of support vectors beside each other then: their sums, the vectors
   and what is in flight fill the registers, 32 of AVX-512 and NEON, 16 elsewhere. Rows of a block, and
   their running sums, at most, and a panel of the ring, all of which lie on the stack. */
#ifdef __aarch64__
enum { OLK_WIDE_FILE = 1 };
#else
enum { OLK_WIDE_FILE = OLK_BYTES == 64 };
#endif
enum { OLK_MOST_TOGETHER = 6 };
enum { OLK_TOGETHER = (OLK_WIDE_FILE || OLK_BYTES == 32 ? OLK_MOST_TOGETHER : 3) };
enum { OLK_BESIDE = (OLK_WIDE_FILE ? 4 : 2) };
/* Rows whose kernel values are weighted together. */
enum { OLK_WEIGHED = (OLK_BYTES ? OLK_TOGETHER : 1) };
/* Vectors of exponentials side by side. */
enum { OLK_ABREAST = (OLK_WIDE_FILE ? 8 : 4) };
/* Where the numbers of a tile come from: the ring, the ring from where they are copied into the panel,
   the panel. */
enum { OLK_RING, OLK_COPIED, OLK_PANEL };
enum { OLK_BLOCK = 24, OLK_SUMS_OF_BLOCK = 320, OLK_PANEL_BYTES = 256, OLK_DEPTH = 64 };

/* f(product, vectors, ...) with `vectors` a constant in each case. Numbers one by one are always
   taken OLK_MOST at a time: rows are padded to as many. */
#define OLK_EACH_COUNT(vectors, f, product, ...)                                                   \
    do {                                                                                           \
        switch (OLK_BYTES ? (vectors) : OLK_MOST) {                                                \
        case 1: f(product, 1, __VA_ARGS__); break;                                                 \
        case 2: f(product, 2, __VA_ARGS__); break;                                                 \
        case 3: f(product, 3, __VA_ARGS__); break;                                                 \
        case 4: f(product, 4, __VA_ARGS__); break;                                                 \
        case 5: f(product, 5, __VA_ARGS__); break;                                                 \
        case 6: f(product, 6, __VA_ARGS__); break;                                                 \
        case 7: f(product, 7, __VA_ARGS__); break;                                                 \
        default: f(product, OLK_MOST, __VA_ARGS__); break;                                         \
        }                                                                                          \
    } while (0)
