/* Ends what structured_isa.h says of one type computed in. */
#undef OLK_T
#undef OLK_TYPE
#undef OLK_U
#undef OLK_SIGN
#undef OLK_ABS
#undef OLK_MADD
#undef OLK_VMADD
#undef OLK_TURNS
#undef OLK_MAGIC
#undef OLK_QUARTER_1
#undef OLK_QUARTER_2
#undef OLK_QUARTER_3
#undef OLK_LARGE
#undef OLK_FLOOR
#undef OLK_SINE
#undef OLK_COSINE
#undef OLK_COUNTED
