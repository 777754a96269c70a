/* Ends what type_f64.h and type_f32.h say of one type computed in. */
#undef OLK_T
#undef OLK_TYPE
#undef OLK_LANES
#undef OLK_MADD
#undef OLK_VMADD
#undef OLK_VMAX
#undef OLK_ABS
#undef OLK_NEAR
#undef OLK_GREATEST
#undef OLK_MAGIC
#undef OLK_MANTISSA
#undef OLK_LOG2_E
#undef OLK_LN2_HIGH
#undef OLK_LN2_LOW
#undef OLK_LEAST_EXPONENT
#undef OLK_EXP_DEGREE
#undef OLK_EXP_POLYNOMIAL
