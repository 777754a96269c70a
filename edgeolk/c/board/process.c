/* A Gaussian process on a ring (krls_t, sogp): the library's C (edgeolk/) over one block. */
#include "strict.h"

#include "edgeolk.h"

#include "block.h"

#define OLK_SORF_PLAIN 1
#define OLK_SCALE_METHOD EK_SCALE_METHOD
#if EK_SCALE_METHOD != 3
#define OLK_NO_ONE_SCALE 1
#endif
#define OLK_NUMBER_BITS (EK_WIDE_ROWS ? 64 : 32)
#define OLK_COEF_BITS (EK_COEF_DTYPE == 2 ? 64 : 32)
#define OLK_WHITENED EK_WHITENED
#define OLK_BY_DIVERGENCE EK_BY_DIVERGENCE
#define OLK_ROW_TYPE ek_number
#define OLK_SETUP ek_setup

#include "edgeolk/setup.h"

static const olk_setup ek_setup = EK_SETUP;

#include "edgeolk/gaussian_process.h"
#include "edgeolk/intake.h"
#include "edgeolk/kernels.h"
#include "edgeolk/random.h"
#include "edgeolk/ring_holds.h"

#if EK_STORES == 1
#define EK_ROW olk_row_f32
#elif EK_STORES == 2
#define EK_ROW olk_row_f64
#elif EK_STORES == 3
#define EK_ROW olk_row_f16
#else
#define EK_ROW olk_row_i8
#endif

/* What the block is, for its rules; read member by member. */
static const olk_ring_setup ek_ring = EK_RING;

/* The context of a call, on the stack. */
typedef struct {
    uint8_t *base;
    double *function; /* words, as in ring_holds.h */
    olk_intake intake;
    olk_kernel kernel;
    olk_quantizer quantizer;
    olk_process g;
} ek_context;

static int64_t *ek_counter(const ek_context *c, size_t offset)
{
    return (int64_t *)(void *)(c->base + offset);
}

static int32_t *ek_vectors(const ek_context *c)
{
    return (int32_t *)(void *)(c->base + OLK_AT_VECTORS);
}

static uint16_t *ek_flags(const ek_context *c)
{
    return (uint16_t *)(void *)(c->base + OLK_AT_FLAGS);
}

static void ek_enter(void *arena, ek_context *c)
{
    uint8_t *base = c->base = ek_base(arena);
    olk_process *g = &c->g;
    const size_t item = EK_COEF_DTYPE == 2 ? sizeof(double) : sizeof(float);
    olk_intake_attach(&c->intake, &ek_setup, base);
    c->kernel = ek_ring.kernel;
#if EK_GAMMA_ROWS
    c->kernel.gamma = olk_intake_gamma(&c->intake);
#endif
    c->quantizer.scale = (const float *)ek_at(base, ek_ring.at.levels);
    c->quantizer.offset = c->quantizer.scale ? c->quantizer.scale + EK_FEATURES : NULL;
    c->function = (double *)ek_at(base, ek_ring.at.function);
    memset(g, 0, sizeof *g);
    g->forgetting = EK_FORGETTING;
    g->noise = EK_NOISE;
    g->jitter = EK_JITTER;
    g->max_coefficient = EK_MOST_COEFFICIENT;
    g->max_entry = olk_max_entry(EK_COEF_DTYPE == 2, ek_ring.normalised);
    g->max_scale = ek_ring.max_factor;
    g->min_pivot = olk_lowest_pivot(ek_ring.normalised, ek_ring.added);
    g->budget = ek_ring.budget;
    g->n = *ek_vectors(c);
    g->coef = ek_at(base, ek_ring.at.coefficients);
    g->scale = c->function + OLK_SCALE;
    g->evidence = (olk_evidence *)ek_at(base, ek_ring.at.evidence);
    g->row = ek_at(base, ek_ring.at.kernel_row);
#if EK_WHITENED
    g->gram = ek_at(base, ek_ring.at.whitening);
    g->posterior = ek_at(base, ek_ring.at.covariance);
    g->mean = ek_at(base, ek_ring.at.coordinates);
    g->work = ek_at(base, ek_ring.at.whitened_rows);
    g->work2 = (uint8_t *)g->work + item * (size_t)(ek_ring.budget + 1);
#else
    (void)item;
    g->gram = ek_at(base, ek_ring.at.inverse);
    g->posterior = ek_at(base, ek_ring.at.posterior);
    g->work = ek_at(base, ek_ring.at.work);
    g->work2 = ek_at(base, ek_ring.at.work2);
    g->work3 = ek_at(base, ek_ring.at.work3);
#endif
}

/* -- Rows and vectors -- */

/* The row as the learner sees it, rounded to the storage type; NULL if it is bad. */
static const ek_number *ek_take(ek_context *c, const ek_number *x, int learning)
{
    ek_number *query = (ek_number *)OLK_REGION(&c->intake, query);
    olk_raw_row row = {x};
    if (!olk_intake_row(&c->intake, &row, learning, query))
        return NULL;
    for (int j = 0; j < EK_FEATURES; j++) {
        query[j] = row.dense[j];
        if (!(olk_fabs((double)query[j]) <= EK_MOST))
            return NULL;
    }
#if EK_STORES == 4
    (void)olk_quantize_row(OLK_F32, query, query, EK_FEATURES, &c->quantizer);
#elif EK_STORES == 3
    for (int j = 0; j < EK_FEATURES; j++)
        query[j] = olk_round_to_storage(EK_STORES, query[j], j, &c->quantizer);
#endif
    return query;
}

/* The kernel row, and the sum of the coefficients with it unless `coef` is NULL. */
static double ek_kernel_row(const ek_context *c, const ek_number *x, const void *coef, void *row)
{
    return EK_ROW(&c->kernel, ek_at(c->base, ek_ring.at.support_vectors),
                  ek_at(c->base, ek_ring.at.norms), &c->quantizer, ek_ring.stride, *ek_vectors(c),
                  EK_FEATURES, x, EK_COEF_DTYPE, coef, row, NULL);
}

static double ek_answer(const ek_context *c, const ek_number *x, void *row)
{
    return *c->g.scale * ek_kernel_row(c, x, c->g.coef, row);
}

static double ek_self_kernel(const ek_context *c, const ek_number *x)
{
    return ek_ring.normalised ? 1.0 : olk_pair(&c->kernel, x, x, EK_FEATURES);
}

static void ek_put_number(const ek_context *c, ptrdiff_t j, ptrdiff_t slot, double value)
{
    olk_store(EK_STORES, ek_at(c->base, ek_ring.at.support_vectors), j * ek_ring.stride + slot, j,
              value, &c->quantizer);
}

static double ek_number_of(const ek_context *c, ptrdiff_t j, ptrdiff_t slot)
{
    return olk_fetch(EK_STORES, ek_at(c->base, ek_ring.at.support_vectors),
                     j * ek_ring.stride + slot, j, &c->quantizer);
}

static void ek_update_norm(const ek_context *c, ptrdiff_t slot)
{
#if EK_HAS_NORMS
    const uint8_t *vector = c->base + ek_ring.at.support_vectors;
    olk_put(EK_WIDE_ROWS ? OLK_F64 : OLK_F32, ek_at(c->base, ek_ring.at.norms), slot,
            olk_norm_of(EK_STORES, &c->kernel, vector + slot * olk_stored_bytes(EK_STORES),
                        ek_ring.stride, EK_FEATURES));
#else
    (void)c;
    (void)slot;
#endif
}

static void ek_put(const ek_context *c, ptrdiff_t slot, const ek_number *x)
{
    for (ptrdiff_t j = 0; j < EK_FEATURES; j++)
        ek_put_number(c, j, slot, (double)x[j]);
    ek_update_norm(c, slot);
    if (slot == *ek_vectors(c))
        *ek_vectors(c) += 1;
}

/* -- Learning -- */

/* Forgets the function; counters stay. */
static void ek_start_again(const ek_context *c)
{
    memset(c->g.coef, 0, (size_t)*ek_vectors(c) * (EK_COEF_DTYPE == 2 ? 8 : 4));
    *ek_vectors(c) = 0;
    c->function[OLK_SCALE] = 1.0;
    memset(c->function + OLK_CURSOR, 0, sizeof(double));
    memset(c->function + OLK_REMOVALS, 0, sizeof(double));
    c->g.evidence->error = c->g.evidence->weight = 0.0;
    c->g.evidence->scale = 1.0;
}

#if !EK_WHITENED
/* The inverse again from the vectors, with a ridge that is raised until it exists. */
static void ek_refresh(const ek_context *c)
{
    double *inverse = (double *)c->g.gram, *row = (double *)c->g.row, ridge = EK_JITTER;
    ek_number *column = (ek_number *)ek_at(c->base, ek_ring.at.column);
    const ptrdiff_t n = *ek_vectors(c);
    double first = 0.0;
    while (ridge - ridge == 0.0) {
        for (ptrdiff_t i = 0; i < n; i++) {
            for (ptrdiff_t j = 0; j < EK_FEATURES; j++)
                column[j] = (ek_number)ek_number_of(c, j, i);
            if (i == 0)
                first = ek_self_kernel(c, column);
            (void)ek_kernel_row(c, column, NULL, row);
            memcpy(inverse + olk_entry(i, 0), row, (size_t)(i + 1) * sizeof *row);
            inverse[olk_entry(i, i)] += ridge;
        }
        if (olk_invert(inverse, n, (double *)c->g.work2))
            return;
        ridge = olk_raised_ridge(ridge, first);
    }
    /* No ridge makes the Gram matrix invertible: the inverse of its diagonal. */
    memset(inverse, 0, (size_t)olk_entry(n, 0) * sizeof *inverse);
    for (ptrdiff_t i = 0; i < n; i++) {
        for (ptrdiff_t j = 0; j < EK_FEATURES; j++)
            column[j] = (ek_number)ek_number_of(c, j, i);
        inverse[olk_entry(i, i)] = 1.0 / ek_self_kernel(c, column);
    }
}
#endif

/* Learns the row in the process, and stores it if it enters. */
static void ek_step(ek_context *c, const ek_number *x)
{
    olk_process *g = &c->g;
    const ptrdiff_t n = g->n;
    g->slot = -1;
    if (olk_process_outside(g))
        g->slot = n < g->budget ? n : olk_process_victim(g);
    const ptrdiff_t left = olk_process_learn(g);
#if EK_WHITENED
    if (left >= 0) {
        for (ptrdiff_t i = left; i < n - 1; i++) {
            for (ptrdiff_t j = 0; j < EK_FEATURES; j++)
                ek_put_number(c, j, i, ek_number_of(c, j, i + 1));
            ek_update_norm(c, i);
        }
        g->slot = left < n ? n - 1 : -1;
    }
#else
    (void)left;
#endif
    if (g->slot >= 0)
        ek_put(c, g->slot, x);
#if !EK_WHITENED
    if (g->slot >= 0 && g->slot < n) {
        int64_t *removals = (int64_t *)(void *)(c->function + OLK_REMOVALS);
        *removals += 1;
        if (*removals >= 10 * (int64_t)g->budget || !olk_has_pivots(g)) {
            *removals = 0;
            ek_refresh(c);
        }
    }
#endif
    g->n = *ek_vectors(c);
    if (!olk_process_is_sound(g))
        ek_start_again(c);
}

#if EK_GAMMA_ROWS
/* Clears what was learned with the provisional width, whose counters the estimate keeps. */
static void ek_clear(const ek_context *c)
{
    const olk_run *run = ek_setup.cleared;
    olk_width *w = olk_intake_measured(&c->intake);
    int64_t kept[2];
    memcpy(kept, c->function + OLK_LABELS_ASKED, sizeof kept);
    w->steps = *ek_counter(c, OLK_AT_STEPS);
    w->mistakes = *ek_counter(c, OLK_AT_MISTAKES);
    w->updates = *ek_counter(c, OLK_AT_UPDATES);
    memcpy(&w->capacity_hits, c->function + OLK_CAPACITY_HITS, sizeof w->capacity_hits);
    memset(c->base + run[0].offset, 0, run[0].bytes);
    memset(c->base + run[1].offset, 0, run[1].bytes);
    memset(c->base + run[2].offset, 0, run[2].bytes);
    memset(c->base + run[3].offset, 0, run[3].bytes);
    *ek_vectors(c) = 0;
    *ek_counter(c, OLK_AT_STEPS) = *ek_counter(c, OLK_AT_MISTAKES) = 0;
    *ek_counter(c, OLK_AT_UPDATES) = 0;
    olk_pcg32_seed((uint64_t *)(void *)(c->base + OLK_AT_DRAWS), ek_setup.seed);
    c->function[OLK_SCALE] = 1.0;
    c->g.evidence->scale = 1.0;
    memcpy(c->function + OLK_LABELS_ASKED, kept, sizeof kept);
}
#endif

static int ek_reject(const ek_context *c, int why)
{
    if (ek_setup.at.skipped) {
        olk_begin_step(ek_flags(c));
        *ek_counter(c, ek_setup.at.skipped) += 1;
        olk_end_step(ek_flags(c), 0);
    }
    return why;
}

int ek_learn(void *arena, const ek_number *x, double y, double *score)
{
    ek_context context, *const c = &context;
    olk_process *g = &c->g;
    ek_enter(arena, c);
    if (!(y - y == 0.0))
        return ek_reject(c, EK_BAD_LABEL);
    const ek_number *row = ek_take(c, x, 1);
    if (!row)
        return ek_reject(c, EK_BAD_ROW);
    g->y = y;
    g->f = ek_answer(c, row, g->row);
    g->self_kernel = ek_self_kernel(c, row);
    if (!(olk_fabs(g->f) <= 1e120) ||
        !(ek_ring.normalised || olk_fabs(g->self_kernel) <= ek_ring.max_kernel) ||
        !(olk_fabs(y - g->f) <= g->max_coefficient))
        return ek_reject(c, EK_BAD_ROW);
    if (score)
        *score = g->f + 0.0;
    olk_begin_step(ek_flags(c));
    *ek_counter(c, OLK_AT_STEPS) += 1;
    double *errors = (double *)ek_at(c->base, ek_setup.at.errors);
    errors[0] += (y - g->f) * (y - g->f);
    errors[1] += olk_fabs(y - g->f);
    *ek_counter(c, OLK_AT_UPDATES) += 1;
    ek_step(c, row);
    olk_intake_keep(&c->intake);
#if EK_GAMMA_ROWS
    if (olk_intake_width_is_due(&c->intake, row)) {
        olk_intake_set_width(&c->intake);
        ek_clear(c);
    }
#endif
    olk_end_step(ek_flags(c), 0);
    return EK_OK;
}

/* -- Answers -- */

int ek_scores(void *arena, const ek_number *x, double *scores)
{
    ek_context context, *const c = &context;
    ek_enter(arena, c);
    const ek_number *row = ek_take(c, x, 0);
    if (!row)
        return EK_BAD_ROW;
    scores[0] = ek_answer(c, row, NULL) + 0.0;
    return scores[0] - scores[0] == 0.0 ? EK_OK : EK_BAD_ROW;
}

int ek_variance(void *arena, const ek_number *x, double *variance)
{
    ek_context context, *const c = &context;
    ek_enter(arena, c);
    const ek_number *row = ek_take(c, x, 0);
    if (!row)
        return EK_BAD_ROW;
    (void)ek_kernel_row(c, row, NULL, c->g.row);
    c->g.self_kernel = ek_self_kernel(c, row);
    *variance = olk_process_variance(&c->g);
    return EK_OK;
}

#define ek_scored ek_scores
#include "answers.h"

void ek_count(const void *arena, ek_counts *counts)
{
    ek_context context, *const c = &context;
    ek_enter((void *)(uintptr_t)arena, c);
    memset(counts, 0, sizeof *counts);
    counts->steps = (uint64_t)*ek_counter(c, OLK_AT_STEPS);
    counts->updates = (uint64_t)*ek_counter(c, OLK_AT_UPDATES);
#if EK_GAMMA_ROWS
    counts->steps += (uint64_t)olk_intake_measured(&c->intake)->steps;
    counts->updates += (uint64_t)olk_intake_measured(&c->intake)->updates;
#endif
    if (ek_setup.at.skipped)
        counts->skipped = (uint64_t)*ek_counter(c, ek_setup.at.skipped);
}

#define EK_HOLDS(block) (!olk_check_ring(&ek_ring, block, NULL))
#include "state.h"
