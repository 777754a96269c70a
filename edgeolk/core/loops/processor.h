/* Which sets of instructions this processor has. Compiled without flags of any of them. */
#ifndef EDGEOLK_PROCESSOR_H
#define EDGEOLK_PROCESSOR_H

#include <string.h>

#ifdef OLK_HAS_NEON
#include <sys/auxv.h>
#endif

/* Whether it runs what was compiled for a set, by the name that edgeolk/core/units.py gives it. */
static inline int olk_processor_runs(const char *set)
{
    (void)set;
#ifdef OLK_HAS_V3
    __builtin_cpu_init();
    if (!strcmp(set, "v3"))
        return __builtin_cpu_supports("x86-64-v3");
    if (!strcmp(set, "v4"))
        return __builtin_cpu_supports("x86-64-v4");
#endif
#ifdef OLK_HAS_NEON
    enum { HAS_NEON = 1 << 12 }; /* of the kernel's HWCAP on 32-bit ARM */
    if (!strcmp(set, "neon"))
        return (getauxval(AT_HWCAP) & HAS_NEON) != 0;
#endif
    return 1;
}

#endif
