/* What a search for a minimum keeps. Two trackers take the vectors in turn: one
   alone would wait for its own comparison. */
#pragma once

#include "number.h"

/* The least seen in each lane so far, its index, and the order in which equals count. */
typedef struct {
    olk_f64s least;
    olk_i64s rank, index;
} olk_tracker;

static inline olk_tracker olk_track(void)
{
    return (olk_tracker){olk_splat_f64(INFINITY), (olk_i64s){0} + INT64_MAX, (olk_i64s){0} - 1};
}

static inline olk_i64s olk_count_up(void)
{
    olk_i64s index;
    for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
        OLK_LANE(index, k) = k;
    return index;
}

/* Values at increasing indices: the first of equals stays. */
static inline void olk_follow(olk_tracker *t, olk_f64s value, olk_i64s index)
{
    const olk_i64s less = OLK_MASK_F64S(value < t->least);
    t->least = olk_select_f64s(less, value, t->least);
    t->index = (index & less) | (t->index & ~less);
}

/* The index of the least of all; -1 if none is below infinity. `by_rank`: equals by rank, else by
   index. */
static inline ptrdiff_t olk_winner(const olk_tracker *t, int trackers, int by_rank, double *least)
{
    ptrdiff_t at = -1;
    int64_t rank = INT64_MAX;
    *least = INFINITY;
    for (int g = 0; g < trackers; g++)
        for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++) {
            const double value = OLK_LANE(t[g].least, k);
            const int64_t own = by_rank ? OLK_LANE(t[g].rank, k) : OLK_LANE(t[g].index, k);
            if (OLK_LANE(t[g].index, k) >= 0 &&
                (value < *least || (value == *least && own < rank))) {
                *least = value;
                rank = own;
                at = OLK_LANE(t[g].index, k);
            }
        }
    return at;
}
