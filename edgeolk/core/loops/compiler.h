/* Compiler attributes beyond C11. */
#pragma once

#if defined(__GNUC__)
#define OLK_INLINE inline __attribute__((always_inline))
/* No warning where a header's function is unused; each compiler has its own way to say so. */
#ifdef __clang__
#define OLK_NOINLINE inline __attribute__((noinline))
#else
#define OLK_NOINLINE __attribute__((noinline, unused))
#define OLK_NOCLONE                                                                                \
    __attribute__((noinline, noclone, unused)) /* one body, no clone for constant arguments */
#endif
#define OLK_COLD __attribute__((noinline, cold))
#define OLK_HIDDEN __attribute__((visibility("hidden")))
#else
#ifdef _MSC_VER
#define OLK_INLINE __forceinline
#define OLK_NOINLINE __declspec(noinline)
#else
#define OLK_INLINE inline
#define OLK_NOINLINE
#endif
#define OLK_COLD OLK_NOINLINE
#define OLK_HIDDEN
#endif
#ifndef OLK_NOCLONE
#define OLK_NOCLONE OLK_NOINLINE
#endif

/* Tables belong to the file that includes them; where several exported models form one program, the
   linker keeps one copy of each, if it drops unused sections (--gc-sections). */
#if defined(OLK_SHARED_TABLES) && defined(__GNUC__) && defined(__ELF__)
#define OLK_TABLE __attribute__((weak)) const
#else
#define OLK_TABLE static const
#endif

/* Alignment of arrays that vectors are loaded from; C99 has neither the keyword nor vectors. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define OLK_ALIGNED(bytes) _Alignas(bytes)
#else
#define OLK_ALIGNED(bytes)
#endif

/* GCC and Clang have vector types. */
#if defined(__GNUC__) && !defined(OLK_SCALAR_ONLY)
#define OLK_VECTORS 1
#endif

/* Intrinsics of x86-64 under the names that the units use. */
#if defined(OLK_VECTORS) && defined(__x86_64__) &&                                                 \
    (defined(__clang__) ? __clang_major__ >= 18 : __GNUC__ >= 12)
#define OLK_X86 1
#endif
