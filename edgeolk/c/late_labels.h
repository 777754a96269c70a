/* The queue of answers whose labels come late (docs/sorf.md, section 7h), whatever the type of
   weights: rows asked wait for their labels, and what each expert answered to every spacing-th of
   them is kept. */
#pragma once

#include <string.h>

#include "sorf_types.h"

/* The answer of an expert of several classes whose largest score is not the only one. */
enum { OLK_NO_CLASS = 255 };
/* Members of late_counts: the number of the next row asked, rows that wait. */
enum { OLK_LATE_NEXT = 0, OLK_LATE_PENDING = 1 };
/* The longest entry: a byte for each expert, those of a memory too, or a number for each score. */
enum { OLK_ENTRY_BYTES = OLK_SORF_GROUPS * (OLK_SORF_BLENDS + 8) + 12 };

/* Whether labels come late; a program whose labels do not omits the code. */
static inline int olk_is_late(const olk_sorf *p)
{
    return OLK_OPTIONS_OF(p)->delay > 0;
}

/* Experts whose answers are kept: all, those of a row memory last. */
static inline int32_t olk_n_experts_kept(const olk_sorf *p)
{
    const int32_t narrow = p->memory_narrow ? OLK_MEMORY_WEIGHTS - 1 : 0;
    return olk_n_losses(p) + (p->memory > 0 ? OLK_MEMORY_WEIGHTS + narrow : 0);
}

/* Bytes of an entry. */
static inline size_t olk_entry_bytes(const olk_sorf *p)
{
    const int32_t experts = olk_n_experts_kept(p);
    if (p->task == OLK_SORF_REGRESSION)
        return 4 * (size_t)(2 * p->groups + p->linear + p->last_label + p->constant);
    return (size_t)(p->task == OLK_SORF_CLASSES ? experts : (experts + 31) / 32 * 4);
}

/* Rows are numbered modulo this: no count overflows, and waiting rows differ. */
static inline uint32_t olk_late_period(const olk_sorf *p)
{
    return (uint32_t)p->spacing * (uint32_t)p->kept_answers;
}

/* The entry of the row with this number, NULL if it has none. */
static inline uint8_t *olk_entry_of(const olk_sorf *p, const olk_sorf_state *s, uint32_t number)
{
    if (number % (uint32_t)p->spacing)
        return NULL;
    return s->late_answers + number / (uint32_t)p->spacing * olk_entry_bytes(p);
}

/* The place of the row that is learned among those that wait, the oldest first. */
static inline int32_t olk_place_learned(const olk_sorf_state *s)
{
#ifdef OLK_SORF_NO_LATE
    (void)s;
    return 0;
#else
    return s->place;
#endif
}

/* Whether the row that is learned was asked. */
static inline int olk_waited(const olk_sorf_state *s)
{
    const int32_t place = olk_place_learned(s);
    return place >= 0 && (uint32_t)place < s->late_counts[OLK_LATE_PENDING];
}

/* The entry of the row that is learned, which was asked; NULL if it has none. */
static inline const uint8_t *olk_entry_learned(const olk_sorf *p, const olk_sorf_state *s)
{
    const uint32_t period = olk_late_period(p), before = s->late_counts[OLK_LATE_PENDING];
    const uint32_t place = (uint32_t)olk_place_learned(s);
    return olk_entry_of(p, s, (s->late_counts[OLK_LATE_NEXT] + period - before + place) % period);
}

/* A row was asked, and waits: with all places taken the oldest is dropped, whose label never came.
   `answers`: those of experts, if they are kept. */
static inline void olk_add_pending(const olk_sorf *p, const olk_sorf_state *s,
                                   const uint8_t *answers)
{
    uint32_t *next = s->late_counts + OLK_LATE_NEXT, *pending = s->late_counts + OLK_LATE_PENDING;
    uint8_t *entry = olk_entry_of(p, s, *next);
    if (entry)
        memcpy(entry, answers, olk_entry_bytes(p));
    *next = (*next + 1) % olk_late_period(p);
    *pending += *pending <= (uint32_t)p->delay;
}

/* The oldest row was learned, or its label will never come. */
static inline void olk_drop_oldest(const olk_sorf_state *s)
{
    if (s->late_counts[OLK_LATE_PENDING])
        s->late_counts[OLK_LATE_PENDING] -= 1;
}
