/* What a search for a minimum keeps; included by isa.h. Two trackers take the vectors in turn: one
   alone would wait for its own comparison. */

/* The least seen in each lane so far, its index, and the order in which equals count. */
typedef struct {
    OLK_V least;
    OLK_BITS rank, index;
} OLK_NAME(olk_tracker);

static inline OLK_NAME(olk_tracker) OLK_NAME(olk_track)(void)
{
    return (OLK_NAME(olk_tracker)){OLK_ALL(INFINITY), (OLK_BITS){0} + INT64_MAX, (OLK_BITS){0} - 1};
}

static inline OLK_BITS OLK_NAME(olk_count_up)(void)
{
    OLK_BITS index;
    for (ptrdiff_t k = 0; k < OLK_L; k++)
        OLK_LANE(index, k) = k;
    return index;
}

/* Values at increasing indices: the first of equals stays. */
static inline void OLK_NAME(olk_follow)(OLK_NAME(olk_tracker) *t, OLK_V value, OLK_BITS index)
{
    const OLK_BITS less = OLK_MASK(OLK_BITS, value < t->least);
    t->least = OLK_PICK(less, value, t->least);
    t->index = (index & less) | (t->index & ~less);
}

/* The index of the least of all; -1 if none is below infinity. `by_rank`: equals by rank, else by
   index. */
static inline ptrdiff_t OLK_NAME(olk_winner)(const OLK_NAME(olk_tracker) *t, int trackers,
                                             int by_rank, double *least)
{
    ptrdiff_t at = -1;
    int64_t rank = INT64_MAX;
    *least = INFINITY;
    for (int g = 0; g < trackers; g++)
        for (ptrdiff_t k = 0; k < OLK_L; k++) {
            const double value = OLK_LANE(t[g].least, k);
            const int64_t own = by_rank ? OLK_LANE(t[g].rank, k) : OLK_LANE(t[g].index, k);
            if (OLK_LANE(t[g].index, k) >= 0 && (value < *least || (value == *least && own < rank))) {
                *least = value;
                rank = own;
                at = OLK_LANE(t[g].index, k);
            }
        }
    return at;
}
