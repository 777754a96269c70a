/* What is not C11 but a word of the compiler to the optimiser. */
#ifndef EDGEOLK_COMPILER_H
#define EDGEOLK_COMPILER_H

#if defined(__GNUC__)
#define OLK_ALWAYS inline __attribute__((always_inline))
#define OLK_APART __attribute__((noinline, unused))
#define OLK_COLD __attribute__((noinline, cold))
#elif defined(_MSC_VER)
#define OLK_ALWAYS __forceinline
#define OLK_APART __declspec(noinline)
#define OLK_COLD __declspec(noinline)
#else
#define OLK_ALWAYS inline
#define OLK_APART
#define OLK_COLD
#endif

/* Arrays that vectors are loaded from; C99 has no word for it, and no vectors. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define OLK_ALIGNED(bytes) _Alignas(bytes)
#else
#define OLK_ALIGNED(bytes)
#endif

/* Vector types are GCC's and Clang's. */
#if defined(__GNUC__) && !defined(OLK_SCALAR_ONLY)
#define OLK_VECTORS 1
#endif

/* Lanes i ^ h of a vector of 2 to 16 lanes beside its lanes i, h being a power of two below that. */
#define OLK_SWAPPED_2(v, h) __builtin_shufflevector(v, v, (h) & 1, 1 ^ ((h) & 1))
#define OLK_SWAPPED_4(v, h)                                                                        \
    __builtin_shufflevector(v, v, (h) & 3, 1 ^ ((h) & 3), 2 ^ ((h) & 3), 3 ^ ((h) & 3))
#define OLK_SWAPPED_8(v, h)                                                                        \
    __builtin_shufflevector(v, v, (h) & 7, 1 ^ ((h) & 7), 2 ^ ((h) & 7), 3 ^ ((h) & 7),            \
                            4 ^ ((h) & 7), 5 ^ ((h) & 7), 6 ^ ((h) & 7), 7 ^ ((h) & 7))
#define OLK_SWAPPED_16(v, h)                                                                       \
    __builtin_shufflevector(v, v, (h), 1 ^ (h), 2 ^ (h), 3 ^ (h), 4 ^ (h), 5 ^ (h), 6 ^ (h),       \
                            7 ^ (h), 8 ^ (h), 9 ^ (h), 10 ^ (h), 11 ^ (h), 12 ^ (h), 13 ^ (h),     \
                            14 ^ (h), 15 ^ (h))

/* Small code, for functions between a begin and the end that are seldom run: the plain variant, where
   there is another. */
#if defined(OLK_VECTORS) && defined(__clang__)
#define OLK_BEGIN_SMALL                                                                            \
    _Pragma("clang attribute push(__attribute__((minsize)), apply_to=function)")
#define OLK_END_SMALL _Pragma("clang attribute pop")
#elif defined(OLK_VECTORS)
#define OLK_BEGIN_SMALL _Pragma("GCC push_options") _Pragma("GCC optimize(\"Os\")")
#define OLK_END_SMALL _Pragma("GCC pop_options")
#else
#define OLK_BEGIN_SMALL
#define OLK_END_SMALL
#endif

/* Instruction sets that not every processor of a kind has, for the functions between a begin and the
   end: wider ones of x86-64, and NEON of 32-bit ARM. That takes numbers below 1.2e-38 for zero, for
   which reason GCC makes no such instruction from vector types; Clang does. */
#if defined(OLK_VECTORS) && defined(__x86_64__)
#if defined(__clang__) && __clang_major__ >= 18
#define OLK_X86_VARIANTS 1
/* By features: a driver that names a processor takes back what "arch=" adds. */
#define OLK_BEGIN_V3                                                                               \
    _Pragma("clang attribute push(__attribute__((target(\
\"avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe\"))), apply_to=function)")
#define OLK_BEGIN_V4                                                                               \
    _Pragma("clang attribute push(__attribute__((target(\
\"avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,avx512f,avx512bw,avx512cd,avx512dq,avx512vl\"))),\
apply_to=function)")
#define OLK_END _Pragma("clang attribute pop")
#elif !defined(__clang__) && __GNUC__ >= 12
#define OLK_X86_VARIANTS 1
#define OLK_BEGIN_V3 _Pragma("GCC push_options") _Pragma("GCC target(\"arch=x86-64-v3\")")
#define OLK_BEGIN_V4                                                                               \
    _Pragma("GCC push_options")                                                                    \
    _Pragma("GCC target(\"arch=x86-64-v4,prefer-vector-width=512\")")
#define OLK_END _Pragma("GCC pop_options")
#endif
#elif defined(OLK_VECTORS) && defined(__arm__) && defined(__linux__) && defined(__clang__)
#define OLK_NEON_VARIANT 1
#define OLK_BEGIN_NEON                                                                             \
    _Pragma("clang attribute push(__attribute__((target(\"neon,d32\"))), apply_to=function)")
#define OLK_END _Pragma("clang attribute pop")
#endif

#endif
