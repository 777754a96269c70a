/* A row on its way from the caller to the learner, and what it changes there: scaling (scaler.h),
   missing readings, clipping of its length (`clip_rows`), a kernel width that is not given
   (width.h).

   Design. A row that is learned is scaled by statistics that include it. They are written to the
   block only after the learner has accepted the row (olk_intake_keep), so that a refused row
   changes nothing. For records of 9 bytes, those of the first inputs are kept outside the block
   until then; the others are computed twice, which costs no memory. The caller's row (raw_row.h) is
   only read.

   A program for one learner defines OLK_SETUP, the name of its setup, OLK_ROW_TYPE (raw_row.h) and
   OLK_SCALE_METHOD (scaler.h): the compiler then leaves out what the model does not have. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common_scale.h"
#include "raw_row.h"
#include "row_length.h"
#include "scaler.h"
#include "setup.h"
#include "storage.h"
#include "width.h"

/* -- The length of a row -- */

/* Shortens a row of d readings to `max_norm`. Returns 1 if it was longer: `query` then has the
   shortened row; -1 if it is bad. */
static inline int olk_shorten_row(const olk_raw_row *row, ptrdiff_t d, olk_scalar longest,
                                  int wide, void *query)
{
    const double max_norm = (double)longest;
    olk_length length = {0.0, 0.0};
    olk_reader r;
    for (olk_begin_reading(&r, row, d, 0); olk_next_piece(&r);)
        for (ptrdiff_t k = 0; k < olk_length_of(&r); k++)
            olk_measure(&length, (double)r.x[k]);
    if (!r.good)
        return -1;
    if (olk_is_within(&length, max_norm))
        return 0;
    length.total = 0.0;
    for (olk_begin_reading(&r, row, d, 0); olk_next_piece(&r);)
        for (ptrdiff_t k = 0; k < olk_length_of(&r); k++)
            olk_measure_again(&length, (double)r.x[k]);
    const double factor = olk_clip_factor(&length, max_norm);
    if (!(factor < 1.0))
        return r.good ? 0 : -1;
    for (olk_begin_reading(&r, row, d, 0); olk_next_piece(&r);) {
        for (ptrdiff_t k = 0; k < olk_length_of(&r); k++)
            r.x[k] = (olk_scalar)((double)r.x[k] * factor);
        olk_write_piece(&r, r.x, query, wide);
    }
    return r.good ? 1 : -1;
}

/* -- The intake of a model -- */

/* The scaler; a program for one learner without a scale for each input has none on its stack. */
#if defined OLK_SCALE_METHOD && (OLK_SCALE_METHOD == 0 || OLK_SCALE_METHOD == 3)
#define OLK_SCALER(in) ((void)(in), (olk_scaler *)NULL)
#else
#define OLK_SCALES_EACH 1
#define OLK_SCALER(in) (&(in)->scaler)
#endif

/* Statistics of all inputs together; a program for one learner that never has one scale for all of
   them defines OLK_NO_ONE_SCALE. */
typedef union {
    olk_common common;
    olk_two_numbers pair;
} olk_one_scale;
#ifdef OLK_NO_ONE_SCALE
#define OLK_LEARNED(in) ((void)(in), (olk_one_scale *)NULL)
#else
#define OLK_LEARNED(in) (&(in)->learned)
#endif

typedef struct {
#ifndef OLK_SETUP
    const olk_setup *setup;
#endif
    uint8_t *base; /* of the block */
#ifdef OLK_SCALES_EACH
    olk_scaler scaler;
#endif
#ifndef OLK_ROW_TYPE
    olk_learn_readings_fn learn_readings; /* for this processor */
    uint8_t records[OLK_PIECE * OLK_COMPACT_BYTES]; /* of the first inputs, including the row */
#endif
    /* Of the row that was taken last. */
    olk_raw_row row;
    int one_scale; /* whether one scale was used for all inputs */
    int shortened; /* whether it was longer than allowed */
#ifndef OLK_NO_ONE_SCALE
    olk_one_scale learned; /* statistics of all inputs that include it */
#endif
} olk_intake;

/* Where statistics of the width are, which exist if `gamma_rows` is above 0; and if `follows`. */
static inline olk_width *olk_intake_measured(const olk_intake *in)
{
    return OLK_REGION(in, width);
}

static inline olk_stored_double *olk_intake_square(const olk_intake *in)
{
    return OLK_REGION(in, width_follows);
}

/* Statistics of all inputs: for OLK_COMMON; and with `pairs`, after the width that follows. */
static inline olk_common *olk_intake_common(const olk_intake *in)
{
    return OLK_REGION(in, common);
}

static inline olk_two_numbers *olk_intake_pair(const olk_intake *in)
{
    return (olk_two_numbers *)(void *)(olk_intake_square(in) + 1);
}

/* Rows that the scaler has seen, from the counters of the block. */
static inline int64_t olk_intake_seen(const olk_intake *in)
{
    const int64_t steps = *(const int64_t *)(const void *)(in->base + OLK_AT_STEPS);
    const int before = OLK_SETUP_OF(in)->preprocessing.gamma_rows > 0;
    return before ? steps + olk_intake_measured(in)->steps : steps;
}

/* Points to the regions of a block. */
static inline void olk_intake_attach(olk_intake *in, const olk_setup *setup, uint8_t *base)
{
    const olk_preprocessing *p = &setup->preprocessing;
#ifndef OLK_SETUP
    in->setup = setup;
#endif
    in->base = base;
    olk_scaler *scaler = OLK_SCALER(in);
    if (!p->method || p->method == OLK_COMMON)
        return;
    scaler->clip = p->clip;
    scaler->window = p->window;
    scaler->freeze_after = p->freeze_after;
    scaler->method = p->method;
    scaler->numbers = OLK_REGION(in, scaler);
    scaler->counts = OLK_REGION(in, scaler_counts);
    scaler->minimum = OLK_REGION(in, scaler_range);
    scaler->maximum = scaler->minimum ? scaler->minimum + setup->features : NULL;
    scaler->records = OLK_REGION(in, statistics);
    if (p->method == OLK_COMPACT)
        scaler->rule = olk_compact_rule_of(p->clip, p->window);
}

/* -- One scale for all inputs -- */

/* Readings in the statistics after this many rows. */
static inline uint64_t olk_readings_after(const olk_intake *in, int64_t rows)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    const int64_t limit = setup->preprocessing.freeze_after;
    return (uint64_t)(limit > 0 && rows > limit ? limit : rows) * (uint64_t)setup->features;
}

/* Statistics that include the row are computed, olk_intake_keep stores them. Once frozen, only a
   third distinct number is recorded. */
static inline int olk_learn_one_scale(olk_intake *in, int64_t seen)
{
    const olk_preprocessing *p = &OLK_SETUP_OF(in)->preprocessing;
    const int frozen = p->freeze_after > 0 && seen >= p->freeze_after;
    const uint64_t count = olk_readings_after(in, seen);
    olk_reader r;
    if (p->method == OLK_COMMON) {
        OLK_LEARNED(in)->common = *olk_intake_common(in);
        if (frozen)
            return 1;
    } else {
        OLK_LEARNED(in)->pair = *olk_intake_pair(in);
    }
    for (olk_begin_reading(&r, &in->row, OLK_SETUP_OF(in)->features, 0); olk_next_piece(&r);) {
        const uint64_t readings = count + (uint64_t)r.first;
        if (p->method != OLK_COMMON)
            olk_learn_pairs(&OLK_LEARNED(in)->pair, r.x, olk_length_of(&r), readings);
        for (ptrdiff_t k = 0; p->method == OLK_COMMON && k < olk_length_of(&r); k++)
            olk_learn_common(&OLK_LEARNED(in)->common, (double)r.x[k],
                             (double)(readings + (uint64_t)k));
    }
    if (p->method != OLK_COMMON && frozen && olk_is_pair(&OLK_LEARNED(in)->pair))
        OLK_LEARNED(in)->pair = *olk_intake_pair(in);
    return r.good;
}

/* Writes the row to `query`, scaled by statistics of all inputs. */
static inline int olk_scale_by_one(const olk_intake *in, int64_t seen, int learning,
                                   void *query)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    const uint64_t count = olk_readings_after(in, seen + (learning != 0));
    const int common = setup->preprocessing.method == OLK_COMMON;
    olk_shared_affine line;
    olk_reader r;
    olk_scalar z[OLK_PIECE];
    if (common)
        line = olk_common_affine(learning ? &OLK_LEARNED(in)->common : olk_intake_common(in),
                                 (double)count);
    else
        line = olk_pair_affine(learning ? &OLK_LEARNED(in)->pair : olk_intake_pair(in), count,
                               setup->wide);
    for (olk_begin_reading(&r, &in->row, setup->features, 0); olk_next_piece(&r);) {
        olk_scale_common(&line, setup->preprocessing.common_clip, r.x, olk_length_of(&r),
                         !common && !setup->wide, z);
        olk_write_piece(&r, z, query, setup->wide);
    }
    return r.good;
}

/* Whether all inputs have had one scale so far. */
static inline int olk_has_one_scale(const olk_intake *in)
{
    const olk_preprocessing *p = &OLK_SETUP_OF(in)->preprocessing;
    return p->method == OLK_COMMON || (p->pairs && olk_is_pair(olk_intake_pair(in)));
}

/* -- A scale for each input -- */

#ifndef OLK_ROW_TYPE
/* Scales a piece by records that include it; the updated records go to `to`. */
static inline void olk_learn_piece(const olk_intake *in, const olk_reader *r, int64_t seen,
                                   uint8_t *to, double *z)
{
    const olk_scaler *s = OLK_SCALER(in);
    if (!olk_is_frozen(s, seen)) {
        in->learn_readings(to, s->records + OLK_COMPACT_BYTES * r->first, r->x, r->length,
                           &s->rule, (uint32_t)(seen + 1), (uint32_t)r->first, z);
        return;
    }
    for (ptrdiff_t k = 0; k < olk_length_of(r); k++)
        z[k] = olk_learn_record(s, r->first + k, r->x[k], seen, to + OLK_COMPACT_BYTES * k);
}
#endif

/* Scaled input j of the row before: in place of a missing reading of a forecaster. */
static inline olk_scalar olk_last_reading(const olk_intake *in, ptrdiff_t j)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    return (olk_scalar)olk_get(setup->wide ? OLK_F64 : OLK_F32, in->base + setup->at.history,
                               OLK_HISTORY_NUMBERS + setup->forecast.n_levels + j);
}

/* Writes the row to `query`, each input scaled by its own statistics. */
static inline int olk_scale_each(olk_intake *in, int64_t seen, int learning, void *query)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    olk_reader r;
    olk_scalar z[OLK_PIECE];
    olk_begin_reading(&r, &in->row, setup->features, setup->forecasts);
    while (olk_next_piece(&r)) {
#ifndef OLK_ROW_TYPE
        uint8_t later[OLK_PIECE * OLK_COMPACT_BYTES];
        if (learning && olk_is_compact(OLK_SCALER(in)))
            olk_learn_piece(in, &r, seen, r.first ? later : in->records, z);
        else
#endif
            for (ptrdiff_t k = 0; k < olk_length_of(&r); k++)
                z[k] = olk_scale_reading(OLK_SCALER(in), r.first + k, r.x[k], seen, learning);
        for (ptrdiff_t k = 0; setup->forecasts && k < olk_length_of(&r); k++)
            if (r.x[k] != r.x[k])
                z[k] = olk_last_reading(in, r.first + k);
        olk_write_piece(&r, z, query, setup->wide);
    }
    return r.good;
}

/* Scales the row to `query`; 0 if it is bad. */
static inline int olk_scale_row(olk_intake *in, int learning, void *query)
{
    const int64_t seen = olk_intake_seen(in);
    in->one_scale = olk_has_one_scale(in);
    if (in->one_scale && learning) {
        if (!olk_learn_one_scale(in, seen))
            return 0;
        in->one_scale = OLK_SETUP_OF(in)->preprocessing.method == OLK_COMMON ||
                        olk_is_pair(&OLK_LEARNED(in)->pair);
    }
    if (in->one_scale)
        return olk_scale_by_one(in, seen, learning, query);
    /* A forecaster predicts every row as if it were learned next. */
    return olk_scale_each(in, seen, learning || OLK_SETUP_OF(in)->forecasts, query);
}

/* -- A row, and what it changes -- */

/* Replaces the caller's row by the one that the learner sees, in `query` unless it is the same;
   `learning`: it will be learned, not only scored. Returns 0 if it is bad. */
static inline int olk_intake_row(olk_intake *in, olk_raw_row *row, int learning, void *query)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    in->row = *row;
    if (setup->preprocessing.method) {
        if (!olk_scale_row(in, learning, query))
            return 0;
        *row = olk_placed_row(query, setup->wide);
    }
    if (setup->preprocessing.max_norm > 0) {
        in->shortened = olk_shorten_row(row, setup->features, setup->preprocessing.max_norm,
                                        setup->wide, query);
        if (in->shortened < 0)
            return 0;
        if (in->shortened)
            *row = olk_placed_row(query, setup->wide);
    }
    return 1;
}

/* Stores the statistics of inputs, one by one, that include the row, which is counted already. */
static inline void olk_keep_each(olk_intake *in)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    const int64_t seen = olk_intake_seen(in) - 1;
    olk_reader r;
    if (!setup->features) /* of a series that is forecast from its history alone */
        return;
#ifndef OLK_ROW_TYPE
    const int compact = olk_is_compact(OLK_SCALER(in)), has_first = compact && !in->one_scale;
    double z[OLK_PIECE];
    if (has_first) {
        const ptrdiff_t m = setup->features < OLK_PIECE ? setup->features : OLK_PIECE;
        memcpy(OLK_SCALER(in)->records, in->records, (size_t)(OLK_COMPACT_BYTES * m));
        if (m == setup->features)
            return;
    }
#endif
    olk_begin_reading(&r, &in->row, setup->features, setup->forecasts);
    while (olk_next_piece(&r)) {
#ifndef OLK_ROW_TYPE
        if (compact) {
            if (r.first || !has_first)
                olk_learn_piece(in, &r, seen, OLK_SCALER(in)->records + OLK_COMPACT_BYTES * r.first,
                                z);
            continue;
        }
#endif
        for (ptrdiff_t k = 0; k < olk_length_of(&r); k++)
            if (!setup->forecasts || r.x[k] == r.x[k])
                olk_update_reading(OLK_SCALER(in), r.first + k, r.x[k], seen);
    }
}

/* Adds the row that was taken last, now learned and counted, to the statistics. */
static inline void olk_intake_keep(olk_intake *in)
{
    const olk_preprocessing *p = &OLK_SETUP_OF(in)->preprocessing;
    if (p->max_norm > 0)
        *(int64_t *)OLK_REGION(in, clipped_rows) += in->shortened;
    if (p->method == OLK_COMMON) {
        *olk_intake_common(in) = OLK_LEARNED(in)->common;
    } else if (p->method) {
        if (olk_has_one_scale(in))
            *olk_intake_pair(in) = OLK_LEARNED(in)->pair;
        olk_keep_each(in);
    }
}

/* The bound to which the features see inputs clamped, those of the row that was taken last. */
static inline olk_scalar olk_intake_clamp(const olk_intake *in)
{
    const olk_preprocessing *p = &OLK_SETUP_OF(in)->preprocessing;
    return p->pairs && in->one_scale ? 0 : p->clamp;
}

/* The scaler if each input was scaled by its own statistics, else NULL. */
static inline const olk_scaler *olk_intake_scales_each(const olk_intake *in)
{
    const olk_preprocessing *p = &OLK_SETUP_OF(in)->preprocessing;
    const int one = p->method == OLK_COMMON || (p->pairs && in->one_scale);
    return p->method && !one ? OLK_SCALER(in) : NULL;
}

/* How many inputs have a deviation, after the row was added to the statistics. */
static inline ptrdiff_t olk_intake_deviating(const olk_intake *in)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    const ptrdiff_t d = setup->features;
    if (!setup->preprocessing.method)
        return 0;
    if (setup->preprocessing.method == OLK_COMMON)
        return olk_intake_common(in)->squares > 0.0 ? d : 0;
    if (setup->preprocessing.pairs && in->one_scale)
        return olk_is_pair(olk_intake_pair(in)) && olk_stored_count(&olk_intake_pair(in)->others)
                   ? d
                   : 0;
    return olk_count_deviating(OLK_SCALER(in), d);
}

/* -- The width -- */

/* Starts a width that follows rows of so many inputs with that of the configuration, unless it has
   started. */
static inline void olk_intake_start_width(olk_intake *in, ptrdiff_t inputs)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    olk_stored_double *q = olk_intake_square(in);
    if (olk_stored_number(q) > 0)
        return;
    const double start = olk_fmax(0.5 / (double)setup->preprocessing.gamma,
                                  (double)olk_min_square * (double)inputs);
    olk_store_number(q, (olk_scalar)(setup->wide ? start : (double)(float)start));
}

/* Whether the width is not known yet: rows are measured until it is. */
static inline int olk_intake_measures(const olk_intake *in)
{
    return OLK_SETUP_OF(in)->preprocessing.gamma_rows > 0 &&
           !(olk_intake_measured(in)->gamma > 0.0);
}

/* The kernel's width now. */
static inline olk_scalar olk_intake_gamma(const olk_intake *in)
{
    const olk_preprocessing *p = &OLK_SETUP_OF(in)->preprocessing;
    if (p->follows)
        return olk_gamma_from_square(olk_stored_number(olk_intake_square(in)),
                                     OLK_SETUP_OF(in)->wide);
    if (p->gamma_rows > 0 && olk_intake_measured(in)->gamma > 0.0)
        return (olk_scalar)olk_intake_measured(in)->gamma;
    return p->gamma;
}

/* Moves a width that follows the rows, after the learner's `rows`-th row, of so many inputs;
   `square`: the sum of their squares. */
static inline void olk_intake_follow(olk_intake *in, olk_scalar square, ptrdiff_t inputs,
                                     uint64_t rows)
{
    olk_stored_double *q = olk_intake_square(in);
    olk_store_number(q, olk_update_mean_square(olk_stored_number(q), square, inputs,
                                               OLK_SETUP_OF(in)->wide, rows));
}

/* Adds a learned row, as the learner saw it, to the estimate of the width; whether that is now
   complete. */
static inline int olk_intake_width_is_due(olk_intake *in, const void *x)
{
    const olk_setup *setup = OLK_SETUP_OF(in);
    olk_width *w = olk_intake_measured(in);
    if (!olk_intake_measures(in))
        return 0;
    olk_measure_row(w, OLK_REGION(in, width_mean), x, setup->features, setup->wide,
                    setup->preprocessing.laplacian);
    return w->measured == setup->preprocessing.gamma_rows;
}

/* Computes the width from the measured rows. */
static inline void olk_intake_set_width(olk_intake *in)
{
    const olk_preprocessing *p = &OLK_SETUP_OF(in)->preprocessing;
    olk_width *w = olk_intake_measured(in);
    w->gamma = olk_gamma_of(w, p->laplacian, (double)p->max_gamma, (double)p->gamma);
}
