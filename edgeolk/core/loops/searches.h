/* Searches over a ring, and whose loss costs least, for one instruction set; included by isa.h.

   Two trackers take the vectors in turn: one alone would wait for its own comparison. */

#define OLK_TRACKER OLK_NAME(olk_tracker)

/* The least seen in each lane so far, its index, and the order in which equals count. */
typedef struct {
    OLK_V least;
    OLK_BITS rank, index;
} OLK_TRACKER;

static inline OLK_TRACKER OLK_NAME(olk_track)(void)
{
    return (OLK_TRACKER){OLK_ALL(INFINITY), (OLK_BITS){0} + INT64_MAX, (OLK_BITS){0} - 1};
}

static inline OLK_BITS OLK_NAME(olk_count_up)(void)
{
    OLK_BITS index;
    for (ptrdiff_t k = 0; k < OLK_L; k++)
        index[k] = k;
    return index;
}

/* Values at increasing indices: the first of equals stays. */
static inline void OLK_NAME(olk_follow)(OLK_TRACKER *t, OLK_V value, OLK_BITS index)
{
    const OLK_BITS less = (OLK_BITS)(value < t->least);
    t->least = OLK_PICK(less, value, t->least);
    t->index = (index & less) | (t->index & ~less);
}

/* The index of the least of all; -1 if none is below infinity. `by_rank`: equals by rank, else by
   index. */
static inline ptrdiff_t OLK_NAME(olk_winner)(const OLK_TRACKER *t, int trackers, int by_rank,
                                             double *least)
{
    ptrdiff_t at = -1;
    int64_t rank = INT64_MAX;
    *least = INFINITY;
    for (int g = 0; g < trackers; g++)
        for (ptrdiff_t k = 0; k < OLK_L; k++) {
            const double value = t[g].least[k];
            const int64_t own = by_rank ? t[g].rank[k] : t[g].index[k];
            if (t[g].index[k] >= 0 && (value < *least || (value == *least && own < rank))) {
                *least = value;
                rank = own;
                at = t[g].index[k];
            }
        }
    return at;
}

/* A whole search: VALUE(i) is the vector of values from index i on, SCALAR(i) the value at i, for the
   rest that fills no vector. Returns the winner's index; its value goes to least. */
#define OLK_SEARCH(n, VALUE, SCALAR)                                                               \
    OLK_TRACKER tracker[2] = {OLK_NAME(olk_track)(), OLK_NAME(olk_track)()};                       \
    OLK_BITS index = OLK_NAME(olk_count_up)();                                                     \
    ptrdiff_t i = 0;                                                                               \
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L) {                                                   \
        OLK_NAME(olk_follow)(&tracker[0], VALUE(i), index);                                        \
        OLK_NAME(olk_follow)(&tracker[1], VALUE(i + OLK_L), index + OLK_L);                        \
        index += 2 * OLK_L;                                                                        \
    }                                                                                              \
    ptrdiff_t best = OLK_NAME(olk_winner)(tracker, 2, 0, least);                                   \
    for (; i < n; i++) {                                                                           \
        const double value = SCALAR(i);                                                            \
        if (value < *least) {                                                                      \
            *least = value;                                                                        \
            best = i;                                                                              \
        }                                                                                          \
    }                                                                                              \
    return best

#define OLK_AT(array, i) OLK_NAME(olk_load_f64)((array) + (i))

/* k_ii, which is 1 where no diagonal is kept. */
static inline OLK_V OLK_NAME(olk_own)(const double *diagonal, ptrdiff_t i)
{
    if (diagonal)
        return OLK_AT(diagonal, i);
    return OLK_ALL(1.0);
}

/* Index of the smallest, the first of equals; -1 if none is below infinity. */
static ptrdiff_t OLK_NAME(olk_least)(const double *v, ptrdiff_t n)
{
    double smallest, *least = &smallest;
#define OLK_VALUE(i) OLK_AT(v, i)
#define OLK_SCALAR(i) v[i]
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* coef^2 (own - k_it^2 / k_tt), what is left of coef_i Phi_i beside Phi_t. */
static inline OLK_V OLK_NAME(olk_cost_alone)(OLK_V coef, OLK_V own, OLK_V k_it, double k_tt)
{
    return coef * coef * OLK_NAME(olk_above_zero_f64)(own - k_it * k_it / k_tt);
}

/* The index of the least cost of losing i when Phi_t alone repairs it; -1 if none is below infinity.
   k_it = row[i] = k(s_i, t), own = k_ii = diagonal[i], or 1 where diagonal is NULL. */
static ptrdiff_t OLK_NAME(olk_least_alone)(const double *coef, const double *diagonal,
                                           const double *row, double k_tt, ptrdiff_t n,
                                           double *least)
{
#define OLK_VALUE(i)                                                                               \
    OLK_NAME(olk_cost_alone)(OLK_AT(coef, i), OLK_NAME(olk_own)(diagonal, i), OLK_AT(row, i), k_tt)
#define OLK_SCALAR(i)                                                                              \
    OLK_NAME(olk_cost_alone)(OLK_ALL(coef[i]), OLK_ALL(diagonal ? diagonal[i] : 1.0),              \
                             OLK_ALL(row[i]), k_tt)[0]
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* The same beside the plane of Phi_t and Phi_n, n = near[i] (-1: none) with k_in = near_k[i]; beside
   Phi_t alone where the two are all but parallel: det <= singular k_nn k_tt. */
static inline OLK_V OLK_NAME(olk_cost_paired)(const double *coef, const double *diagonal,
                                              const double *row, double k_tt, const int64_t *near,
                                              const double *near_k, double singular, ptrdiff_t i,
                                              ptrdiff_t lanes)
{
    OLK_V c = OLK_ALL(0.0), own = OLK_ALL(1.0), k_it = c, k_in = c, k_nt = c, k_nn = c;
    for (ptrdiff_t k = 0; k < lanes; k++) {
        const int64_t other = near[i + k];
        k_nt[k] = other >= 0 ? row[other] : 0.0;
        k_nn[k] = other < 0 ? 0.0 : diagonal ? diagonal[other] : 1.0;
    }
    if (lanes == OLK_L) {
        c = OLK_AT(coef, i);
        k_it = OLK_AT(row, i);
        k_in = OLK_AT(near_k, i);
        own = OLK_NAME(olk_own)(diagonal, i);
    } else {
        c[0] = coef[i];
        k_it[0] = row[i];
        k_in[0] = near_k[i];
        own[0] = diagonal ? diagonal[i] : 1.0;
    }
    const OLK_V det = k_nn * k_tt - k_nt * k_nt;
    const OLK_V share_n = (k_in * k_tt - k_nt * k_it) / det;
    const OLK_V share_t = (k_nn * k_it - k_nt * k_in) / det;
    const OLK_V both = own - share_n * k_in - share_t * k_it;
    const OLK_V left = OLK_PICK((OLK_BITS)(det > singular * k_tt * k_nn), both,
                                own - k_it * k_it / k_tt);
    return c * c * OLK_NAME(olk_above_zero_f64)(left);
}

static ptrdiff_t OLK_NAME(olk_least_paired)(const double *coef, const double *diagonal,
                                            const double *row, double k_tt, const int64_t *near,
                                            const double *near_k, double singular, ptrdiff_t n,
                                            double *least)
{
#define OLK_VALUE(i)                                                                               \
    OLK_NAME(olk_cost_paired)(coef, diagonal, row, k_tt, near, near_k, singular, i, OLK_L)
#define OLK_SCALAR(i)                                                                              \
    OLK_NAME(olk_cost_paired)(coef, diagonal, row, k_tt, near, near_k, singular, i, 1)[0]
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* Index of the least |coef_i| sqrt(k_ii), the earliest arrival among equals (n > 0). */
static ptrdiff_t OLK_NAME(olk_lightest)(const double *coef, const double *diagonal,
                                        const int64_t *arrival, ptrdiff_t n)
{
    OLK_TRACKER t[2] = {OLK_NAME(olk_track)(), OLK_NAME(olk_track)()};
    OLK_BITS index = OLK_NAME(olk_count_up)();
    double least;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L)
        for (int g = 0; g < 2; g++) {
            const ptrdiff_t at = i + g * OLK_L;
            OLK_V size = OLK_NAME(olk_size_f64)(OLK_AT(coef, at));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_L; k++)
                    size[k] *= sqrt(diagonal[at + k]);
            const OLK_BITS came = *(const OLK_BITS *)(arrival + at);
            const OLK_BITS less = (OLK_BITS)(size < t[g].least) |
                                  ((OLK_BITS)(size == t[g].least) & (came < t[g].rank));
            t[g].least = OLK_PICK(less, size, t[g].least);
            t[g].rank = (came & less) | (t[g].rank & ~less);
            t[g].index = (index & less) | (t[g].index & ~less);
            index += OLK_L;
        }
    ptrdiff_t best = OLK_NAME(olk_winner)(t, 2, 1, &least);
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        if (best < 0 || size < least || (size == least && arrival[i] < arrival[best])) {
            least = size;
            best = i;
        }
    }
    return best < 0 ? 0 : best;
}

/* The largest |coef_i| sqrt(k_ii). */
static double OLK_NAME(olk_largest)(const double *coef, const double *diagonal, ptrdiff_t n)
{
    OLK_V most[2] = {OLK_ALL(0.0), OLK_ALL(0.0)};
    double largest = 0.0;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L)
        for (int g = 0; g < 2; g++) {
            OLK_V size = OLK_NAME(olk_size_f64)(OLK_AT(coef, i + g * OLK_L));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_L; k++)
                    size[k] *= sqrt(diagonal[i + g * OLK_L + k]);
            most[g] = OLK_PICK((OLK_BITS)(size > most[g]), size, most[g]);
        }
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        largest = size > largest ? size : largest;
    }
    for (int g = 0; g < 2; g++)
        for (ptrdiff_t k = 0; k < OLK_L; k++)
            largest = most[g][k] > largest ? most[g][k] : largest;
    return largest;
}

/* The sum of the w_i with c w_i <= 1; above receives how many are above. */
static double OLK_NAME(olk_rest)(const double *w, ptrdiff_t n, double c, ptrdiff_t *above)
{
    OLK_V sum[2] = {OLK_ALL(0.0), OLK_ALL(0.0)};
    OLK_BITS count[2] = {(OLK_BITS){0}, (OLK_BITS){0}};
    double total = 0.0;
    ptrdiff_t i = 0;
    *above = 0;
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L)
        for (int g = 0; g < 2; g++) {
            const OLK_V here = OLK_AT(w, i + g * OLK_L);
            const OLK_BITS over = (OLK_BITS)(c * here > 1.0);
            sum[g] += OLK_PICK(over, OLK_ALL(0.0), here);
            count[g] -= over;
        }
    for (; i < n; i++) {
        if (c * w[i] > 1.0)
            ++*above;
        else
            total += w[i];
    }
    for (int g = 0; g < 2; g++)
        for (ptrdiff_t k = 0; k < OLK_L; k++) {
            total += sum[g][k];
            *above += count[g][k];
        }
    return total;
}

/* |coef_i| <= most, each on its own. */
static void OLK_NAME(olk_clamp)(double *coef, ptrdiff_t n, double most)
{
    for (ptrdiff_t i = 0; i < n; i++)
        coef[i] = coef[i] > most ? most : coef[i] < -most ? -most : coef[i];
}

/* coef_i /= c w_i wherever that is below 1; all w_i > 0. */
static void OLK_NAME(olk_make_up)(double *restrict coef, const double *restrict w, ptrdiff_t n,
                                  double c)
{
    ptrdiff_t i = 0;
    for (; i + OLK_L <= n; i += OLK_L) {
        const OLK_V stay = c * OLK_AT(w, i), old = OLK_AT(coef, i);
        *(OLK_V *)(coef + i) = OLK_PICK((OLK_BITS)(stay < 1.0), old / stay, old);
    }
    for (; i < n; i++)
        if (c * w[i] < 1.0)
            coef[i] /= c * w[i];
}

#undef OLK_AT
#undef OLK_SEARCH
#undef OLK_TRACKER
