/* Includes OLK_LOOPS for each storage type whose rows are computed in OLK_TYPE: OLK_STORED is its name,
   OLK_S the type of a stored number, OLK_SHIFTED whether numbers have a scale and an offset (storage.h).
   With OLK_ONLY set to the number of a type, that one alone. */
#ifdef OLK_ONLY
#define OLK_HAS(number) (OLK_ONLY == number)
#else
#define OLK_HAS(number) 1
#endif

#if OLK_COMPUTES == 32 && OLK_HAS(1)
#define OLK_S float
#define OLK_STORED f32
#define OLK_SHIFTED 0
#include OLK_LOOPS
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED
#endif

#if OLK_COMPUTES == 64 && OLK_HAS(2)
#define OLK_S double
#define OLK_STORED f64
#define OLK_SHIFTED 0
#include OLK_LOOPS
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED
#endif

#if OLK_COMPUTES == 32 && OLK_HAS(3)
#define OLK_S uint16_t
#define OLK_STORED f16
#define OLK_SHIFTED 0
#include OLK_LOOPS
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED
#endif

#if OLK_COMPUTES == 32 && OLK_HAS(4)
#define OLK_S int8_t
#define OLK_STORED i8
#define OLK_SHIFTED 1
#include OLK_LOOPS
#undef OLK_S
#undef OLK_STORED
#undef OLK_SHIFTED
#endif

#undef OLK_HAS
