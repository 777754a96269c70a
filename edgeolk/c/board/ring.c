/* A learner on a ring of support vectors, as exported: constants and the library's C (edgeolk/). It
   scores; it does not learn. */
#include "strict.h"

#include "edgeolk.h"

/* Only the code of this scaler, and of the types of this model. */
#define OLK_SCALE_METHOD EK_SCALE_METHOD
#define OLK_NUMBER_BITS (EK_STORES == 2 ? 64 : 32)
#define OLK_COEF_BITS (EK_COEF_DTYPE == 2 ? 64 : 32)
#define OLK_ROW_TYPE ek_number

#include "edgeolk/intake.h"
#include "edgeolk/kernels.h"
#include "edgeolk/mathf.h"

#if EK_STORES == 1
#define EK_ROW olk_row_f32
#elif EK_STORES == 2
#define EK_ROW olk_row_f64
#elif EK_STORES == 3
#define EK_ROW olk_row_f16
#else
#define EK_ROW olk_row_i8
#endif

static const olk_kernel ek_kernel = EK_KERNEL;
#if EK_STORES == 4
static const olk_quantizer ek_quantizer = {ek_levels, ek_levels + EK_FEATURES};
#else
static const olk_quantizer ek_quantizer = {NULL, NULL};
#endif

/* Nothing to do: the model is constant. */
void ek_start(void *arena)
{
    (void)arena;
}

/* Reading j, scaled. */
static double ek_reading(const ek_number *x, int j)
{
#if EK_COMMON
    const olk_shared_affine line = EK_COMMON_AFFINE;
    return olk_common_scaled(&line, EK_SCALE_CLIP, (double)x[j]);
#elif EK_SCALE_METHOD
    /* Only read here: nothing is learned. */
    const olk_scaler scaler = {
        .clip = EK_SCALE_CLIP,
        .window = 1.0,
        .method = EK_SCALE_METHOD,
#if EK_SCALE_METHOD == 9
        .records = (uint8_t *)(uintptr_t)ek_statistics,
        .rule = {.clip = (float)EK_SCALE_CLIP},
#else
        .numbers = (double *)(uintptr_t)ek_scaler,
        .counts = (int32_t *)(uintptr_t)ek_scaler_counts,
        .minimum = (double *)(uintptr_t)ek_scaler_range,
        .maximum = (double *)(uintptr_t)(ek_scaler_range + EK_FEATURES),
#endif
    };
    return olk_scale_reading(&scaler, j, (double)x[j], 0, 0);
#else
    return (double)x[j];
#endif
}

/* The row rounded to the storage type, in the arena; NULL if it is bad. */
static const ek_number *ek_take(double *arena, const ek_number *x)
{
    ek_number *query = (ek_number *)(void *)arena;
    for (int j = 0; j < EK_FEATURES; j++) {
        if (!(x[j] - x[j] == 0))
            return NULL;
        query[j] = (ek_number)ek_reading(x, j);
    }
#if EK_CLIPS_ROWS
    const olk_raw_row row = {query};
    (void)olk_shorten_row(&row, EK_FEATURES, EK_CLIP_ROWS, EK_WIDE_ROWS, query);
#endif
    for (int j = 0; j < EK_FEATURES; j++)
        if (!(olk_fabs((double)query[j]) <= EK_MOST))
            return NULL;
#if EK_STORES == 4
    (void)olk_quantize_row(OLK_F32, query, query, EK_FEATURES, &ek_quantizer);
#elif !EK_WIDE_ROWS
    for (int j = 0; j < EK_FEATURES; j++)
        query[j] = olk_round_to_storage(EK_STORES, query[j], j, &ek_quantizer);
#endif
    return query;
}

int ek_scores(void *arena, const ek_number *x, double *scores)
{
    double *const scratch = (double *)arena;
    const ek_number *query = ek_take(scratch, x);
    if (!query)
        return EK_BAD_ROW;
#if EK_COLUMNS > 1
    void *row = scratch + EK_AT_ROW;
    (void)EK_ROW(&ek_kernel, ek_vectors, EK_NORMS, &ek_quantizer, EK_STRIDE, EK_VECTORS,
                 EK_FEATURES, query, EK_COEF_DTYPE, NULL, row, NULL);
    olk_weigh(row, ek_coefficients, EK_STRIDE, EK_VECTORS, EK_COLUMNS, scores);
    for (int k = 0; k < EK_COLUMNS; k++) {
        scores[k] *= EK_SCALE;
        if (!(scores[k] - scores[k] == 0.0))
            return EK_BAD_ROW;
    }
#else
    scores[0] =
        EK_SCALE * EK_ROW(&ek_kernel, ek_vectors, EK_NORMS, &ek_quantizer, EK_STRIDE, EK_VECTORS,
                          EK_FEATURES, query, EK_COEF_DTYPE, ek_coefficients, NULL, NULL) +
        0.0 - EK_THRESHOLD;
    if (!(scores[0] - scores[0] == 0.0))
        return EK_BAD_ROW;
#endif
    return EK_OK;
}

#define ek_scored ek_scores
#include "answers.h"
