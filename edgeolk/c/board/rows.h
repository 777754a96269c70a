/* Input rows: checks, scaling, clipping of length; updates of the scaler after a row was learned.
   Included by sorf.c. */
#ifndef EDGEOLK_ROWS_H
#define EDGEOLK_ROWS_H

#if !EK_FORECASTS
#if EK_COMMON || EK_PAIRS
/* The scale shared by all inputs, including the row if it is learned; 0 if inputs are scaled
   separately. */
static int ek_common_affine(ek_call *c, const ek_number *x, int learning, olk_shared_affine *line)
{
    const int frozen = EK_FREEZE_AFTER > 0 && c->seen >= EK_FREEZE_AFTER;
    double count = (double)(frozen ? EK_FREEZE_AFTER : c->seen) * (double)EK_FEATURES;
#if EK_COMMON
    c->common = *(const olk_common *)OLK_REGION(&c->m, common);
    for (int j = 0; learning && !frozen && j < EK_FEATURES; j++, count += 1.0)
        olk_learn_common(&c->common, (double)x[j], count);
    *line = olk_common_affine(&c->common, count);
    return 1;
#else
    const olk_two_numbers before =
        *(const olk_two_numbers *)(const void *)((double *)OLK_REGION(&c->m, width_follows) + 1);
    const double first = count;
    c->common = before;
    for (int j = 0; learning && j < EK_FEATURES; j++, count += 1.0)
        olk_learn_pair(&c->common, (double)x[j], count);
    if (c->common.others < 0.0)
        return 0;
    if (frozen) {
        c->common = before;
        count = first;
    }
    *line = olk_pair_affine(&c->common, count);
    return 1;
#endif
}
#endif

/* Updates the scaler after a row was learned. */
static void ek_keep(ek_call *c, const ek_number *x)
{
#if EK_COMMON
    *(olk_common *)OLK_REGION(&c->m, common) = c->common;
    (void)x;
#elif EK_SCALE_METHOD
#if EK_PAIRS
    *(olk_two_numbers *)(void *)((double *)OLK_REGION(&c->m, width_follows) + 1) = c->common;
#endif
    for (int j = 0; j < EK_FEATURES; j++)
        olk_update_reading(&c->scaler, j, (double)x[j], c->seen);
#else
    (void)c, (void)x;
#endif
}

#if EK_AT_drift
/* Checks for drift after a row was learned; squares: the sum of its squared scaled inputs. */
static OLK_NOINLINE void ek_check_drift(ek_call *c, double squares)
{
#if EK_COMMON
    olk_model_check_drift(&c->m, NULL, squares, c->common.squares > 0.0 ? EK_FEATURES : 0, 0);
#elif EK_SCALE_METHOD
#if EK_PAIRS
    const int common = c->common.others >= 0.0;
    const int two = c->common.others > 0.0;
#else
    const int common = 0, two = 0;
#endif
    const ptrdiff_t deviating =
        common ? (two ? EK_FEATURES : 0) : olk_count_deviating(&c->scaler, EK_FEATURES);
    olk_model_check_drift(&c->m, common ? NULL : &c->scaler, squares, deviating, c->seen + 1);
#else
    olk_model_check_drift(&c->m, NULL, squares, 0, 0);
#endif
}
#endif

/* The row as the learner sees it; NULL if a number is not finite. */
static const void *ek_take(ek_call *c, const ek_number *x, int learning)
{
    const ek_number *row = x;
#if EK_WATCHES /* NaN is a missing reading */
    (void)c;
    (void)learning;
    return row;
#else
    (void)c;
    for (int j = 0; j < EK_FEATURES; j++)
        if (!(x[j] - x[j] == 0))
            return NULL;
#if EK_SCALE_METHOD || EK_CLIPS_ROWS
    ek_number *query = (ek_number *)OLK_REGION(&c->m, query);
    memcpy(query, x, EK_FEATURES * sizeof *x);
    row = query;
#endif
#if EK_COMMON || EK_PAIRS
    olk_shared_affine line;
    const int common = ek_common_affine(c, x, learning, &line);
    for (int j = 0; common && j < EK_FEATURES; j++)
        query[j] = (ek_number)olk_common_scaled(&line, EK_COMMON_CLIP, (double)x[j]);
#endif
#if EK_PAIRS
    c->m.config.hold = common ? 0.0 : ek_config.hold;
#elif EK_SCALE_METHOD && !EK_COMMON
    const int common = 0;
#endif
#if EK_SCALE_METHOD && !EK_COMMON
    for (int j = 0; !common && j < EK_FEATURES; j++)
        query[j] = (ek_number)olk_scale_reading(&c->scaler, j, (double)x[j], c->seen, learning);
#else
    (void)learning;
#endif
#if EK_CLIPS_ROWS
    c->shortened = ek_shorten(query);
#endif
    return row;
#endif
}
#endif

static int ek_reject(const ek_call *c, int why)
{
    if (OLK_HAS(&c->m, skipped)) {
        olk_begin_step(c->m.state.flags);
        *olk_counter(&c->m, ek_setup.at.skipped) += 1;
        olk_end_step(c->m.state.flags, 0);
    }
    return why;
}

#endif
