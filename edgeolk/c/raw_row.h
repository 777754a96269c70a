/* The caller's row, read piece by piece: doubles, floats, or the non-zeros of a sparse row. Each
   number is read once and checked as it is read, since another thread may write to the row
   (docs/threads.md, 4).

   A program for one learner defines OLK_ROW_TYPE, the type of its rows. */
#pragma once

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "mathf.h"

/* Columns of a sparse row's non-zeros, in one of two types; both NULL for none. */
typedef struct {
    const int32_t *narrow;
    const int64_t *wide;
} olk_indices;

#ifdef OLK_ROW_TYPE
typedef struct {
    const OLK_ROW_TYPE *dense;
} olk_raw_row;

/* Readings that are read together. */
enum { OLK_PIECE = 1 };
#else
/* Doubles, floats, or non-zeros by their columns: `value` is NULL for a dense row. */
typedef struct {
    const double *wide;
    const float *narrow;
    olk_indices index;
    const double *value;
    int64_t count; /* of non-zeros */
} olk_raw_row;

enum { OLK_PIECE = 64 };

/* Read once: another thread may write the caller's array between a check and its use. */
static inline double olk_read_f64(const double *at)
{
    return *(const volatile double *)at;
}

static inline int64_t olk_read_i64(const int64_t *at)
{
    return *(const volatile int64_t *)at;
}

static inline int64_t olk_read_index(olk_indices index, int64_t k)
{
    return index.wide ? olk_read_i64(index.wide + k)
                      : *(const volatile int32_t *)(index.narrow + k);
}
#endif

/* The dense row of the learner's type at `x`. */
static inline olk_raw_row olk_placed_row(const void *x, int wide)
{
#ifdef OLK_ROW_TYPE
    const olk_raw_row row = {x};
    (void)wide;
#else
    const olk_raw_row row = {wide ? x : NULL, wide ? NULL : x, {NULL, NULL}, NULL, 0};
#endif
    return row;
}

/* Reads a row of d readings piece by piece. */
typedef struct {
    const olk_raw_row *row;
    ptrdiff_t d;
    ptrdiff_t first; /* reading of the current piece */
#ifndef OLK_ROW_TYPE
    ptrdiff_t length; /* of the piece */
    int64_t at;       /* the next non-zero */
#endif
    int gaps;        /* NaN is a missing reading */
    int good;        /* every number so far is finite or missing, every column valid */
    olk_scalar x[OLK_PIECE];
} olk_reader;

/* Readings in the current piece. */
static inline ptrdiff_t olk_length_of(const olk_reader *r)
{
#ifdef OLK_ROW_TYPE
    (void)r;
    return OLK_PIECE;
#else
    return r->length;
#endif
}

static inline void olk_begin_reading(olk_reader *r, const olk_raw_row *row, ptrdiff_t d, int gaps)
{
    r->row = row;
    r->d = d;
    r->first = -OLK_PIECE;
#ifndef OLK_ROW_TYPE
    r->at = 0;
#endif
    r->gaps = gaps;
    r->good = 1;
}

#ifdef OLK_ROW_TYPE
static inline int olk_fetch_piece(olk_reader *r)
{
    const OLK_ROW_TYPE x = r->row->dense[r->first];
    r->x[0] = (olk_scalar)x;
    return x - x == 0 || (r->gaps && x != x);
}
#else
/* Fills in a piece of a sparse row; 0 if columns do not increase. */
static inline int olk_fetch_nonzeros(olk_reader *r)
{
    int64_t previous = r->first - 1;
    for (ptrdiff_t k = 0; k < r->length; k++)
        r->x[k] = 0.0;
    for (; r->at < r->row->count; r->at++) {
        const int64_t j = olk_read_index(r->row->index, r->at);
        if (j >= r->first + r->length)
            break;
        if (j <= previous)
            return 0;
        previous = j;
        r->x[j - r->first] = olk_read_f64(r->row->value + r->at);
    }
    return 1;
}

/* Whether the piece is good, which another thread may have changed since the row was checked. */
static inline int olk_fetch_piece(olk_reader *r)
{
    if (r->row->wide)
        for (ptrdiff_t k = 0; k < r->length; k++)
            r->x[k] = olk_read_f64(r->row->wide + r->first + k);
    else if (r->row->narrow)
        for (ptrdiff_t k = 0; k < r->length; k++)
            r->x[k] = (double)r->row->narrow[r->first + k];
    else if (!olk_fetch_nonzeros(r))
        return 0;
    if (olk_within_f64(r->x, r->length, DBL_MAX))
        return 1;
    for (ptrdiff_t k = 0; k < r->length; k++)
        if (!(r->x[k] - r->x[k] == 0.0 || (r->gaps && r->x[k] != r->x[k])))
            return 0;
    return 1;
}
#endif

/* Reads the next piece; 0 at the end of the row, where `good` is about all of it, or if the piece
   is bad. */
static inline int olk_next_piece(olk_reader *r)
{
    r->first += OLK_PIECE;
    if (r->first >= r->d) {
#ifndef OLK_ROW_TYPE
        r->good = !r->row->value || r->at == r->row->count;
#endif
        return 0;
    }
#ifndef OLK_ROW_TYPE
    r->length = r->d - r->first < OLK_PIECE ? r->d - r->first : OLK_PIECE;
#endif
    r->good = olk_fetch_piece(r);
    return r->good;
}

/* Writes numbers z in place of the current piece to a row of the learner's type. */
static inline void olk_write_piece(const olk_reader *r, const olk_scalar *z, void *row, int wide)
{
    if (wide)
        for (ptrdiff_t k = 0; k < olk_length_of(r); k++)
            ((double *)row)[r->first + k] = (double)z[k];
    else
        for (ptrdiff_t k = 0; k < olk_length_of(r); k++)
            ((float *)row)[r->first + k] = (float)z[k];
}
