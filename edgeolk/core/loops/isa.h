/* One instruction set's copy of every loop; included by variants.h with OLK_ISA, OLK_BYTES and
   OLK_FUSED set; OLK_BYTES 0: numbers one by one. */

#define OLK_NAME(name) OLK_CAT(name, OLK_ISA)
#if OLK_BYTES
#define OLK_LANES_OF(type) ((ptrdiff_t)(OLK_BYTES / sizeof(type)))
#include "lanes.h"
#else
#define OLK_LANES_OF(type) ((ptrdiff_t)1)
#include "one_lane.h"
#endif

#include "totals.h"

/* Kernels and pairs by the type computed in, rings by the type stored. Double comes first: its sums
   serve the other kernels of float. */
#include "type_f64.h"
#include "kernel.h"

/* What policies and features need is computed in double, from coefficients and kernel rows of either
   type. */
#define OLK_V OLK_NAME(olk_v_f64)
#define OLK_BITS OLK_NAME(olk_bits_f64)
#define OLK_WORDS OLK_NAME(olk_words_f64)
#define OLK_L OLK_LANES_OF(double)
#define OLK_SUMS (8 / OLK_L)
#define OLK_ALL(number) ((number) - (OLK_V){0})
#define OLK_PICK(mask, yes, no) OLK_CHOOSE(OLK_V, OLK_BITS, mask, yes, no)
#include "probabilities.h"
#include "tracker.h"
#define OLK_BY "by_real.h"
#include "reals.h"
#include "linalg.h"
#include "matrices.h"
#undef OLK_V
#undef OLK_BITS
#undef OLK_WORDS
#undef OLK_L
#undef OLK_SUMS
#undef OLK_ALL
#undef OLK_PICK

#define OLK_LOOPS "ring_loops.h"
#include "by_storage.h"
#include "type_end.h"

#include "type_f32.h"
#include "kernel.h"

#include "by_storage.h"
#undef OLK_LOOPS
#include "type_end.h"

#undef OLK_NAME
#undef OLK_LANES_OF
#undef OLK_LANE
#undef OLK_LANE_OF
#undef OLK_MASK
#undef OLK_CHOOSE
#undef OLK_MADD_F32
#undef OLK_MADD_F64
#undef OLK_VMADD_F32
#undef OLK_VMADD_F64
#undef OLK_VMAX_F32
#undef OLK_VMAX_F64
