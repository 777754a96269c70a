/* Pending rows, whose targets are not yet known: a ring of `horizon` slots, row number t in slot t
   modulo `horizon` (docs/forecast.md, section 2). */
#pragma once

#include "forecast_types.h"

/* Marks of rows without a known last target, and of those answered while the mean error was 0; a
   positive mark is that mean error [mo'], 0 an empty slot. */
enum { OLK_ROW_UNKNOWN = -2, OLK_ROW_WITHOUT_ERROR = -1 };

/* The forecast of a pending row; the head's inputs, z and its change are stored behind it. In
   brackets: the name in docs/forecast.md. */
typedef struct {
    olk_input mark;
    olk_input unit;   /* [sc'] */
    olk_input last;   /* [y1'] */
    olk_input kernel; /* [s'] */
    olk_input head;   /* [p'] */
    olk_input answer; /* [out'] */
    olk_input base;   /* the kernel's offset [base'] */
    olk_input level, gate; /* [a', G'] */
} olk_pending;

static inline ptrdiff_t olk_pending_numbers(const olk_forecast *f)
{
    return (ptrdiff_t)(sizeof(olk_pending) / sizeof(olk_input)) + olk_head_inputs(f) + 2 * f->d;
}

static inline olk_pending *olk_pending_at(const olk_forecast *f, const olk_forecast_state *m,
                                          uint64_t row)
{
    const ptrdiff_t place = (ptrdiff_t)(row % (uint64_t)f->horizon);
    return (olk_pending *)(void *)((olk_input *)m->pending + place * olk_pending_numbers(f));
}

static inline olk_input *olk_pending_inputs(olk_pending *row)
{
    return (olk_input *)(void *)(row + 1);
}

/* The oldest pending row, or NULL. */
static inline olk_pending *olk_oldest_pending(const olk_forecast *f, const olk_forecast_state *m)
{
    for (int32_t k = 0; k < f->horizon; k++) {
        olk_pending *row = olk_pending_at(f, m, *m->n_asked + (uint64_t)k);
        if ((olk_compute_t)row->mark != 0)
            return row;
    }
    return NULL;
}
