/* Tile sizes of the loops, by instruction set. */
#pragma once

#include "set.h"
#include "simd.h"

/* Rows of a matrix taken at once against one vector: eight accumulators, eight sums a row. */
enum { OLK_ROWS = (OLK_BYTES ? OLK_BYTES / 8 : 2) };
/* Columns of coefficients taken at once against a kernel row: more where there are more
   registers. */
enum { OLK_COLUMNS = (OLK_BYTES == 64 ? 12 : OLK_ROWS) };

/* What a tile computes; constants in the loops. */
enum { OLK_SQUARE, OLK_ABSOLUTE, OLK_INNER, OLK_NORMED };
static OLK_INLINE int olk_is_inner(const int product)
{
    return product == OLK_INNER || product == OLK_NORMED;
}

static OLK_INLINE int olk_is_squared(const olk_kernel *kernel)
{
    return kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE;
}

static OLK_INLINE int olk_is_exponential(const olk_kernel *kernel)
{
    return kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_LAPLACIAN;
}

/* Whether norms are stored, for squared distances; not with a quantized storage type. */
static inline int olk_has_norms(int storage)
{
    return !olk_is_quantized(storage);
}

/* A squared distance from norms and an inner product of d numbers has an error of up to (d + 3)
   2^-24 (|x| + |s|)^2, in double 2^-53: more than a sum of d squared differences if the vectors are
   long and close to each other. gamma |x|^2 up to these limits keeps the Gaussian's absolute error
   below 260 (d + 3) 2^-24, and 5e-10 (d + 3) in double, in the worst case, where no roundings
   cancel; rows farther from the origin use differences. */
static const double OLK_NEAR_F32 = 64.0, OLK_NEAR_F64 = 0x1p20;

/* Maximum vectors of a tile: 8 sums, the operands and temporaries fill the 16 registers of the
   simpler instruction sets. */
enum { OLK_MAX_VECTORS = 8 };

/* Rows of a batch tile, and its vectors of support vectors: their sums, the vectors and temporaries
   fill the registers, 32 with AVX-512 and NEON, 16 elsewhere. Below: rows of a block and their
   running sums, at most, and a panel of the ring, all on the stack. */
#ifdef __aarch64__
enum { OLK_32_REGISTERS = 1 };
#else
enum { OLK_32_REGISTERS = OLK_BYTES == 64 };
#endif
enum { OLK_MAX_BATCH_ROWS = 6 };
enum { OLK_BATCH_ROWS = (OLK_32_REGISTERS || OLK_BYTES == 32 ? OLK_MAX_BATCH_ROWS : 3) };
enum { OLK_TILE_VECTORS = (OLK_32_REGISTERS ? 4 : 2) };
/* Rows whose kernel values are weighted at once. */
enum { OLK_WEIGHTED_ROWS = (OLK_BYTES ? OLK_BATCH_ROWS : 1) };
/* Vectors of exponentials computed at once. */
enum { OLK_EXP_VECTORS = (OLK_32_REGISTERS ? 8 : 4) };
/* Source of a tile's numbers: the ring, the ring with a copy into the panel, the panel. */
enum { OLK_RING, OLK_COPIED, OLK_PANEL };
enum { OLK_BLOCK = 24, OLK_SUMS_OF_BLOCK = 320, OLK_PANEL_BYTES = 256, OLK_DEPTH = 64 };

/* f(product, vectors, ...) with `vectors` a constant in each case. Without vectors, always
   OLK_MAX_VECTORS numbers at a time: rows are padded to as many. */
#define OLK_EACH_COUNT(vectors, f, product, ...)                                                   \
    do {                                                                                           \
        switch (OLK_BYTES ? (vectors) : OLK_MAX_VECTORS) {                                         \
        case 1:                                                                                    \
            f(product, 1, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 2:                                                                                    \
            f(product, 2, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 3:                                                                                    \
            f(product, 3, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 4:                                                                                    \
            f(product, 4, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 5:                                                                                    \
            f(product, 5, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 6:                                                                                    \
            f(product, 6, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 7:                                                                                    \
            f(product, 7, __VA_ARGS__);                                                            \
            break;                                                                                 \
        default:                                                                                   \
            f(product, OLK_MAX_VECTORS, __VA_ARGS__);                                              \
            break;                                                                                 \
        }                                                                                          \
    } while (0)
