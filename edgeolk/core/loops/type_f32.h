/* What the loops computed in floats are made with; type_end.h ends it. */
#define OLK_T float
#define OLK_TYPE f32
#define OLK_COMPUTES 32 /* bits */
#define OLK_LANES OLK_LANES_OF(float)
#define OLK_MADD OLK_MADD_F32
#define OLK_VMADD OLK_VMADD_F32
#define OLK_VMAX OLK_VMAX_F32
#define OLK_ABS OLK_FABSF
#define OLK_NEAR OLK_NEAR_F32
#define OLK_GREATEST FLT_MAX
#define OLK_MAGIC 12582912.0f /* 1.5 * 2^23 */
#define OLK_MANTISSA 23
#define OLK_LOG2_E 1.44269504088896341f
#define OLK_LN2_HIGH 0.693359375f
#define OLK_LN2_LOW -2.12194440e-4f
#define OLK_LEAST_EXPONENT (-104.0f)
#define OLK_EXP_DEGREE 6
#define OLK_EXP_POLYNOMIAL olk_exp_polynomial_f32
