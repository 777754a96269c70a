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

/* Eight running sums added in a fixed order: the same bits whatever the vector width. */
static inline double OLK_NAME(olk_total)(const double *lane)
{
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

/* base^degree for a small whole degree, by squaring; the loop is outside the lanes. */
static inline void OLK_NAME(olk_power)(double *v, ptrdiff_t n, int32_t degree)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double base = v[i], result = 1.0;
        for (int32_t e = degree; e > 0; e >>= 1) {
            if (e & 1)
                result *= base;
            base *= base;
        }
        v[i] = result;
    }
}

/* Kernels and pairs by the type computed in, rows by the type stored. Double comes first: its sums
   serve the other kernels of float. */
#define OLK_T double
#define OLK_TYPE f64
#define OLK_LANES OLK_LANES_OF(double)
#define OLK_MADD OLK_MADD_F64
#define OLK_VMADD OLK_VMADD_F64
#define OLK_VMAX OLK_VMAX_F64
#define OLK_ABS fabs
#define OLK_GREATEST DBL_MAX
#define OLK_MAGIC 6755399441055744.0 /* 1.5 * 2^52: adding it rounds to a whole number */
#define OLK_MANTISSA 52
#define OLK_LOG2_E 1.4426950408889634074
#define OLK_LN2_HIGH 6.93145751953125e-1
#define OLK_LN2_LOW 1.42860682030941723212e-6
#define OLK_LEAST_EXPONENT (-745.2)
#define OLK_EXP_DEGREE 10
#define OLK_EXP_POLYNOMIAL olk_exp_polynomial_f64
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
#undef OLK_V
#undef OLK_BITS
#undef OLK_WORDS
#undef OLK_L
#undef OLK_SUMS
#undef OLK_ALL
#undef OLK_PICK

#define OLK_S double
#define OLK_STORED f64
#define OLK_SHIFTED 0
#include "rows.h"
#include "sparse.h"
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED

#include "type_end.h"

#define OLK_T float
#define OLK_TYPE f32
#define OLK_LANES OLK_LANES_OF(float)
#define OLK_MADD OLK_MADD_F32
#define OLK_VMADD OLK_VMADD_F32
#define OLK_VMAX OLK_VMAX_F32
#define OLK_ABS fabsf
#define OLK_GREATEST FLT_MAX
#define OLK_MAGIC 12582912.0f /* 1.5 * 2^23 */
#define OLK_MANTISSA 23
#define OLK_LOG2_E 1.44269504088896341f
#define OLK_LN2_HIGH 0.693359375f
#define OLK_LN2_LOW -2.12194440e-4f
#define OLK_LEAST_EXPONENT (-104.0f)
#define OLK_EXP_DEGREE 6
#define OLK_EXP_POLYNOMIAL olk_exp_polynomial_f32
#include "kernel.h"

#define OLK_S float
#define OLK_STORED f32
#define OLK_SHIFTED 0
#include "rows.h"
#include "sparse.h"
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED

#define OLK_S uint16_t
#define OLK_STORED f16
#define OLK_SHIFTED 0
#include "rows.h"
#include "sparse.h"
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED

#define OLK_S int8_t
#define OLK_STORED i8
#define OLK_SHIFTED 1
#include "rows.h"
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED

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
