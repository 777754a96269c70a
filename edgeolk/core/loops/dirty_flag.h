/* The dirty flag of a step in progress, in the flags of a block: memory that outlives the process (mapped,
   shared, battery-backed) tells by it whether its last step was whole. The flag is set before the
   first write of a step and cleared after the last, in that order for whoever looks at the memory
   later: another process, or this one started again. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#endif

enum { OLK_TORN = 1, OLK_SEALED = 2 };

/* In plain C99, on a microcontroller, writes in order are all there is. */
static inline void olk_fence(void)
{
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
    atomic_thread_fence(memory_order_release);
#endif
}

/* A step begins to write; what was sealed no longer is. flags may be NULL: nobody looks. */
static inline void olk_begin_step(uint16_t *flags)
{
    if (flags) {
        *(volatile uint16_t *)flags = OLK_TORN;
        olk_fence();
    }
}

/* It has written all; after one that changed nothing, the flags are what they were before. */
static inline void olk_end_step(uint16_t *flags, uint16_t before)
{
    olk_fence();
    *(volatile uint16_t *)flags = before;
}
