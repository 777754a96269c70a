/* The readings of a row learned side by side by compact.h: the same operations in the same order,
   without a branch, for inputs that run; one whose mean needs another unit, or that does not run yet,
   is learned alone. The bits are those of olk_compact_learn. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compact.h"

/* Readings at a time; loops go over a multiple of OLK_COMPACT_STEP of them, as many as a vector that
   compilers choose by themselves holds. */
#if defined(OLK_BYTES) && OLK_BYTES >= 32
enum { OLK_COMPACT_MANY = 64, OLK_COMPACT_STEP = 8 };
#else
enum { OLK_COMPACT_MANY = 64, OLK_COMPACT_STEP = 4 };
#endif

/* Records side by side. */
typedef struct {
    uint32_t word[OLK_COMPACT_MANY], spread[OLK_COMPACT_MANY], code[OLK_COMPACT_MANY];
    float x[OLK_COMPACT_MANY], z[OLK_COMPACT_MANY];
    uint32_t alone[OLK_COMPACT_MANY]; /* not 0: to be learned alone */
} olk_compact_lanes;

/* Records into lanes. Those that are learned alone leave numbers there with which nothing overflows. */
static inline void olk_compact_unpack(olk_compact_lanes *a, const uint8_t *record, const double *x,
                                      ptrdiff_t m, ptrdiff_t whole)
{
    for (ptrdiff_t j = 0; j < m; j++) {
        const olk_compact f = olk_compact_of(record + OLK_COMPACT_BYTES * j);
        const int runs = f.code >= OLK_RUNNING && x[j] == x[j];
        a->word[j] = runs ? f.word : 0;
        a->spread[j] = (runs ? f.spread : olk_bits_of(1.0f) >> OLK_SPREAD_CUT) << OLK_SPREAD_CUT;
        a->code[j] = runs ? f.code : OLK_RUNNING;
        a->x[j] = runs ? (float)x[j] : 0.0f;
        a->alone[j] = !runs;
    }
    for (ptrdiff_t j = m; j < whole; j++) {
        a->word[j] = 0;
        a->spread[j] = olk_bits_of(1.0f);
        a->code[j] = OLK_RUNNING;
        a->x[j] = 0.0f;
        a->alone[j] = 0;
    }
}

/* olk_compact_run of all lanes; `first` is the input of the first. */
static inline void olk_compact_run_lanes(olk_compact_lanes *a, ptrdiff_t whole,
                                         const olk_compact_rule *rule, uint32_t row, uint32_t first)
{
    const int32_t limit = 1 << OLK_MEAN_BITS, half = limit / 2;
    const float least = rule->least_gain, clip = rule->clip;
    for (ptrdiff_t j = 0; j < whole; j++) {
        const uint32_t code = a->code[j] < OLK_OLDEST ? a->code[j] + 1 : OLK_OLDEST;
        /* From three windows on it is below the least. */
        const float young = 3.0f / (float)((int32_t)code - 1);
        const float g = young > least ? young : least;
        const float x = olk_reading_within(a->x[j], olk_most_reading);
        const int32_t M = olk_mean_units(a->word[j]), k = (int32_t)(a->word[j] & 15);
        const int32_t power = olk_mean_power(a->spread[j], k);
        const float sd = olk_float_of(a->spread[j]);
        const float r = olk_reading_within(olk_from_mean(x, M, olk_two(power)) / sd, clip);
        const uint32_t chance = olk_chance(row, first + (uint32_t)j);
        const float square = r * r, q = g * ((square - 1.0f) - g * square);
        const float series = q * (0.5f - q * (0.125f - q * 0.0625f));
        const float root = q / (1.0f + olk_sqrtf(1.0f + q));
        const float spread = sd + sd * (olk_fabsf(q) <= 0x1p-6f ? series : root);
        uint32_t bits = olk_bits_of(spread);
        bits = (bits < olk_most_spread_bits ? bits : olk_most_spread_bits) + (chance & 127);
        const int32_t now = M + olk_floor((g * r) * (sd * olk_two(-power)) +
                                          (float)(int32_t)(chance >> 8) * 0x1p-24f);
        const int32_t shift = power - olk_mean_power(bits, 0), size = now < 0 ? -now : now;
        const int32_t same = (shift >= 0) & (shift <= OLK_MOST_SHIFT) & (size < limit) &
                             ((shift == 0) | (size >= half)) & (spread >= olk_least_spread);
        const uint32_t stored = bits >> OLK_SPREAD_CUT;
        const float unit = olk_two(olk_mean_power(bits, same ? shift : 0));
        a->z[j] = olk_reading_within(olk_from_mean(x, now, unit) /
                                         olk_float_of(stored << OLK_SPREAD_CUT), clip);
        a->word[j] = (uint32_t)now << 4 | (uint32_t)(shift & 15);
        a->spread[j] = stored;
        a->code[j] = code;
        a->alone[j] |= (uint32_t)!same;
    }
}

/* Readings `first` .. of a row, m of them, OLK_COMPACT_MANY at most, into their records, which go to
   `to`; z are the readings as scaled then. `record` and `to` are those of the first, and may be one. */
static void olk_learn_readings(uint8_t *to, const uint8_t *record, const double *x, ptrdiff_t m,
                               const olk_compact_rule *rule, uint32_t row, uint32_t first,
                               double *z)
{
    olk_compact_lanes a;
    const ptrdiff_t whole = (m + OLK_COMPACT_STEP - 1) / OLK_COMPACT_STEP * OLK_COMPACT_STEP;
    olk_compact_unpack(&a, record, x, m, whole);
    olk_compact_run_lanes(&a, whole, rule, row, first);
    for (ptrdiff_t j = 0; j < m; j++) {
        olk_compact f = {a.word[j], a.spread[j], a.code[j]};
        float scaled = a.z[j];
        if (a.alone[j]) {
            f = olk_compact_of(record + OLK_COMPACT_BYTES * j);
            scaled = olk_compact_learn(&f, (float)x[j], rule, row, first + (uint32_t)j);
        }
        olk_compact_put(to + OLK_COMPACT_BYTES * j, &f);
        z[j] = (double)scaled;
    }
}
