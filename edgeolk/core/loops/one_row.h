/* The kernel row alone, number by number, in plain C99: what a program that only scores takes of the
   loops over the ring. OLK_ROW_STORES says how its vectors are stored, OLK_ROW_REAL the type of its
   coefficients. */
#ifndef EDGEOLK_ONE_ROW_H
#define EDGEOLK_ONE_ROW_H

#include "simd.h"
#include "tiles.h"

#define OLK_BYTES 0
#define OLK_NAME(name) name
#define OLK_LANES_OF(type) ((ptrdiff_t)1)
#include "one_lane.h"
#include "totals.h"

#include "type_f64.h"
#include "kernel.h"

#define OLK_V OLK_NAME(olk_v_f64)
#define OLK_L OLK_LANES_OF(double)
#define OLK_SUMS (8 / OLK_L)
#if OLK_ROW_REAL == 1
#define OLK_R float
#define OLK_REAL f32
#else
#define OLK_R double
#define OLK_REAL f64
#endif
#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_REAL))
#define OLK_AT(array, i) OLK_FN(olk_widen)((array) + (i))
#include "vectors.h"
#undef OLK_FN
#undef OLK_AT
#undef OLK_R
#undef OLK_REAL
#undef OLK_SUMS
#undef OLK_L
#undef OLK_V

#define OLK_LOOPS "row_alone.h"
#define OLK_ONLY OLK_ROW_STORES
#include "by_storage.h"
#include "type_end.h"
#include "type_f32.h"
#include "kernel.h"
#include "by_storage.h"
#undef OLK_ONLY
#undef OLK_LOOPS
#include "type_end.h"

#endif
