/* The dirty flag of a step in progress, in the flags of a block: in memory that outlives the
   process (mapped, shared, battery-backed) it shows whether the last step was completed. It is set
   before the first write of a step and cleared after the last, in that order also for another
   process or for this one after a restart. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#endif

enum { OLK_TORN = 1, OLK_SEALED = 2 };

/* Plain C99 on a microcontroller has no fence: writes in program order must do. */
static inline void olk_fence(void)
{
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
    atomic_thread_fence(memory_order_release);
#endif
}

/* A step begins to write; a seal ends. flags may be NULL. */
static inline void olk_begin_step(uint16_t *flags)
{
    if (flags) {
        *(volatile uint16_t *)flags = OLK_TORN;
        olk_fence();
    }
}

/* The step is complete; after one that changed nothing, `before` restores the flags. */
static inline void olk_end_step(uint16_t *flags, uint16_t before)
{
    olk_fence();
    *(volatile uint16_t *)flags = before;
}
