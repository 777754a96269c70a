/* Layout of the row memory (docs/sorf.md, section 7f) and its reset, whatever the type of weights. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mathf.h"
#include "sorf_types.h"

/* Codes are -7 to 7 in steps of a fifth of sqrt(gamma d); stored with 8 added. */
enum { OLK_MAX_CODE = 7, OLK_ZERO_CODE = 8 };
static const double olk_memory_step = 5.0;

/* Whether there is a row memory; a program without one omits its code. */
static inline int olk_has_memory(const olk_sorf *p)
{
#ifdef OLK_SORF_NO_MEMORY
    (void)p;
    return 0;
#else
    return p->memory > 0;
#endif
}

/* Code steps per unit of an input, from the kernel's initial width. */
static inline olk_scalar olk_memory_steps_of(const olk_sorf *p, olk_scalar gamma, int wide)
{
    return wide ? (olk_scalar)(olk_memory_step * olk_sqrt((double)gamma * (double)p->d))
                : (olk_scalar)((float)olk_memory_step * olk_sqrtf((float)gamma * (float)p->d));
}

/* Codes of inputs 2 c (low half) and 2 c + 1 of all rows. After all codes: with two classes the
   signed coefficients; with several the labels, the rivals and the coefficients. */
static inline uint8_t *olk_memory_codes(const olk_sorf *p, const olk_sorf_state *s, ptrdiff_t c)
{
    return s->memory_rows + c * p->memory;
}

static inline uint8_t *olk_memory_labels(const olk_sorf *p, const olk_sorf_state *s)
{
    return olk_memory_codes(p, s, (p->d + 1) / 2);
}

/* Number of rows stored, and where the search for the smallest coefficient begins. */
static inline ptrdiff_t olk_memory_n_rows(const olk_sorf_state *s)
{
    return (ptrdiff_t)(*s->memory_held & UINT32_MAX);
}

static inline ptrdiff_t olk_memory_head(const olk_sorf_state *s)
{
    return (ptrdiff_t)(*s->memory_held >> 32);
}

static inline void olk_memory_set_rows(const olk_sorf_state *s, ptrdiff_t n_rows, ptrdiff_t head)
{
    *s->memory_held = (uint64_t)n_rows | (uint64_t)head << 32;
}

/* Clears the memory; `wide`: mistakes are doubles, else floats. */
static inline void olk_clear_memory(const olk_sorf_state *s, int wide)
{
    const size_t item = wide ? sizeof(double) : sizeof(float);
    *s->memory_held = 0;
    memset(s->memory_mistakes, 0, OLK_MEMORY_WEIGHTS * item);
    if (s->memory_narrow)
        memset(s->memory_narrow, 0, (OLK_MEMORY_WEIGHTS - 1) * item);
}
