/* "Vectors" of one number, in plain C11: the same loops for compilers without vector types, and the
   reference for the others. Nothing is fused, sums go in the same order as in wider vectors. Included
   by isa.h in place of lanes.h. */

typedef float OLK_NAME(olk_v_f32);
typedef double OLK_NAME(olk_v_f64);
typedef int32_t OLK_NAME(olk_bits_f32);
typedef int64_t OLK_NAME(olk_bits_f64);
typedef uint32_t OLK_NAME(olk_words_f32);
typedef uint64_t OLK_NAME(olk_words_f64);

#define OLK_LANE(v, k) (*((void)(k), &(v)))
#define OLK_LANE_OF(v, k) (v)
#define OLK_MASK(type, condition) ((type)0 - (type)(condition))
#define OLK_CHOOSE(v, bits, mask, yes, no) ((mask) ? (yes) : (no))

#define OLK_MADD_F32(a, b, c) ((a) * (b) + (c))
#define OLK_MADD_F64(a, b, c) ((a) * (b) + (c))
#define OLK_VMADD_F32 OLK_MADD_F32
#define OLK_VMADD_F64 OLK_MADD_F64

#define OLK_VMAX_F32(a, b) ((a) > (b) ? (a) : (b))
#define OLK_VMAX_F64 OLK_VMAX_F32

#define OLK_REINTERPRETED(name, to, from)                                                          \
    static inline to OLK_NAME(name)(from v)                                                        \
    {                                                                                              \
        to same;                                                                                   \
        memcpy(&same, &v, sizeof same);                                                            \
        return same;                                                                               \
    }
OLK_REINTERPRETED(olk_words_of_f32, uint32_t, float)
OLK_REINTERPRETED(olk_words_of_f64, uint64_t, double)
OLK_REINTERPRETED(olk_of_words_f32, float, uint32_t)
OLK_REINTERPRETED(olk_of_words_f64, double, uint64_t)
#undef OLK_REINTERPRETED

#define OLK_LOAD_ONE(number, name, type, computes, ...)                                            \
    static inline OLK_NAME(olk_v_##computes) OLK_NAME(olk_load_##name)(const type *p)              \
    {                                                                                              \
        return olk_widened_##name(*p);                                                             \
    }
OLK_EACH_STORAGE(OLK_LOAD_ONE, )
#undef OLK_LOAD_ONE

static inline double OLK_NAME(olk_widen_f32)(const float *p)
{
    return (double)*p;
}

static inline double OLK_NAME(olk_widen_f64)(const double *p)
{
    return *p;
}

static inline void OLK_NAME(olk_put_f32)(float *p, double v)
{
    *p = (float)v;
}

static inline void OLK_NAME(olk_put_f64)(double *p, double v)
{
    *p = v;
}
