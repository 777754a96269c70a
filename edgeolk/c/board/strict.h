/* Requirements on the compiler: each operation is rounded once, to its own type. */
#ifndef EDGEOLK_STRICT_H
#define EDGEOLK_STRICT_H

#include <float.h>

#ifdef __cplusplus
#error "compile this file as C; C++ can include edgeolk.h"
#endif
#ifdef __FAST_MATH__
#error "edgeolk needs -fno-fast-math"
#endif
/* 0 or 16: float and double in their own types; 16 says so of _Float16 too. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "edgeolk needs float and double computed in their own types (-mfpmath=sse on x86)"
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "edgeolk's exported models are little-endian"
#endif

/* No contraction, whatever the flags: in a * b + c the product is rounded, then the sum. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

/* Where double is float, bounds of doubles are infinite, as they should be: no row exceeds them. */
#if defined(__SIZEOF_DOUBLE__) && __SIZEOF_DOUBLE__ == 4 && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Woverflow"
#endif

#define OLK_NO_LIBM 1
#define OLK_BOARD 1
/* Several models in one program share tables (edgeolk/port.h). */
#define OLK_SHARED_TABLES 1

#endif
