/* What the loops computed in doubles are made with; type_end.h ends it. */
#define OLK_T double
#define OLK_TYPE f64
#define OLK_COMPUTES 64 /* bits */
#define OLK_LANES OLK_LANES_OF(double)
#define OLK_MADD OLK_MADD_F64
#define OLK_VMADD OLK_VMADD_F64
#define OLK_VMAX OLK_VMAX_F64
#define OLK_ABS OLK_FABS
#define OLK_NEAR OLK_NEAR_F64
#define OLK_GREATEST DBL_MAX
#define OLK_MAGIC 6755399441055744.0 /* 1.5 * 2^52: adding it rounds to a whole number */
#define OLK_MANTISSA 52
#define OLK_LOG2_E 1.4426950408889634074
#define OLK_LN2_HIGH 6.93145751953125e-1
#define OLK_LN2_LOW 1.42860682030941723212e-6
#define OLK_LEAST_EXPONENT (-745.2)
#define OLK_EXP_DEGREE 10
#define OLK_EXP_POLYNOMIAL olk_exp_polynomial_f64
