/* Which instruction sets this processor has. Compiled without flags for any of them. */
#pragma once

#include <string.h>

#ifdef OLK_HAS_NEON
#include <sys/auxv.h>
#endif

#ifdef OLK_HAS_V3
#include <cpuid.h>

/* The level of x86-64, by CPUID: with zig, __builtin_cpu_supports always returns no, on Linux and
   on Windows. Bits as in the manual of CPUID; if the operating system does not save the wide
   registers (XCR0), their instructions are unavailable. */
static inline int olk_x86_level(void)
{
    enum {
        /* leaf 1, ecx: SSE3, SSSE3, FMA, CX16, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C */
        FIRST = 1 << 0 | 1 << 9 | 1 << 12 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 22 | 1 << 23 |
                1 << 27 | 1 << 28 | 1 << 29,
        MORE = 1 << 0 | 1 << 5,          /* leaf 0x80000001, ecx: LAHF, LZCNT */
        WIDE = 1 << 3 | 1 << 5 | 1 << 8, /* leaf 7, ebx: BMI1, AVX2, BMI2 */
        YMM = 0x06,
        ZMM = 0xe6
    };
    const unsigned widest =
        1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; /* F DQ CD BW VL */
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & FIRST) != FIRST)
        return 2;
    if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || (c & MORE) != MORE)
        return 2;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & WIDE) != WIDE)
        return 2;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & YMM) != YMM)
        return 2;
    return (saved & ZMM) == ZMM && (b & widest) == widest ? 4 : 3;
}
#endif

/* Whether it runs code compiled for a set, by its name in edgeolk/core/units.py. */
static inline int olk_processor_runs(const char *set)
{
    (void)set;
#ifdef OLK_HAS_V3
    if (!strcmp(set, "v3"))
        return olk_x86_level() >= 3;
    if (!strcmp(set, "v4"))
        return olk_x86_level() >= 4;
#endif
#ifdef OLK_HAS_NEON
    enum { HAS_NEON = 1 << 12 }; /* of the kernel's HWCAP on 32-bit ARM */
    if (!strcmp(set, "neon"))
        return (getauxval(AT_HWCAP) & HAS_NEON) != 0;
#endif
    return 1;
}
