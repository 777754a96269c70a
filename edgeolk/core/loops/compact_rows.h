/* Learns the readings of a row in vector lanes: the operations of compact.h in the same order,
   without branches, for running inputs; an input whose mean needs another unit, or that is not yet
   running, is learned separately. The bits are those of olk_compact_learn. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compact.h"

/* Readings at a time; loops run over a multiple of OLK_COMPACT_STEP, the lanes of the vectors that
   compilers choose on their own. */
#if defined(OLK_BYTES) && OLK_BYTES >= 32
enum { OLK_COMPACT_LANES = 64, OLK_COMPACT_STEP = 8 };
#else
enum { OLK_COMPACT_LANES = 64, OLK_COMPACT_STEP = 4 };
#endif

/* Unpacked records, a lane each. */
typedef struct {
    uint32_t word[OLK_COMPACT_LANES], spread[OLK_COMPACT_LANES], code[OLK_COMPACT_LANES];
    float x[OLK_COMPACT_LANES], z[OLK_COMPACT_LANES];
    uint32_t scalar[OLK_COMPACT_LANES]; /* not 0: to be learned separately */
} olk_compact_lanes;

/* Unpacks records into lanes. Lanes of inputs that are learned separately get harmless numbers. */
static inline void olk_compact_unpack(olk_compact_lanes *a, const uint8_t *record, const double *x,
                                      ptrdiff_t m, ptrdiff_t padded)
{
    for (ptrdiff_t j = 0; j < m; j++) {
        const olk_compact f = olk_compact_of(record + OLK_COMPACT_BYTES * j);
        const int runs = f.code >= OLK_RUNNING && x[j] == x[j];
        a->word[j] = runs ? f.word : 0;
        a->spread[j] = (runs ? f.spread : olk_bits_of(1.0f) >> OLK_SPREAD_CUT) << OLK_SPREAD_CUT;
        a->code[j] = runs ? f.code : OLK_RUNNING;
        a->x[j] = runs ? (float)x[j] : 0.0f;
        a->scalar[j] = !runs;
    }
    for (ptrdiff_t j = m; j < padded; j++) {
        a->word[j] = 0;
        a->spread[j] = olk_bits_of(1.0f);
        a->code[j] = OLK_RUNNING;
        a->x[j] = 0.0f;
        a->scalar[j] = 0;
    }
}

/* olk_compact_run for all lanes; `first` is the first lane's input. */
static inline void olk_compact_run_lanes(olk_compact_lanes *a, ptrdiff_t padded,
                                         const olk_compact_rule *rule, uint32_t row, uint32_t first)
{
    const int32_t limit = 1 << OLK_MEAN_BITS, half = limit / 2;
    const float min_gain = rule->min_gain, clip = rule->clip;
    for (ptrdiff_t j = 0; j < padded; j++) {
        const uint32_t code = a->code[j] < OLK_MAX_AGE_CODE ? a->code[j] + 1 : OLK_MAX_AGE_CODE;
        /* From three windows on it is below min_gain. */
        const float young = 3.0f / (float)((int32_t)code - 1);
        const float g = young > min_gain ? young : min_gain;
        const float x = olk_reading_within(a->x[j], olk_max_reading);
        const int32_t M = olk_mean_units(a->word[j]), k = (int32_t)(a->word[j] & 15);
        const int32_t power = olk_mean_power(a->spread[j], k);
        const float sd = olk_float_of(a->spread[j]);
        const float r = olk_reading_within(olk_from_mean(x, M, olk_two(power)) / sd, clip);
        const uint32_t chance = olk_rounding_hash(row, first + (uint32_t)j);
        const float square = r * r, q = g * ((square - 1.0f) - g * square);
        const float series = q * (0.5f - q * (0.125f - q * 0.0625f));
        const float root = q / (1.0f + olk_sqrtf(1.0f + q));
        const float spread = sd + sd * (olk_fabsf(q) <= 0x1p-6f ? series : root);
        uint32_t bits = olk_bits_of(spread);
        bits = (bits < olk_max_spread_bits ? bits : olk_max_spread_bits) + (chance & 127);
        const int32_t mean_units = M + olk_floor((g * r) * (sd * olk_two(-power)) +
                                                 (float)(int32_t)(chance >> 8) * 0x1p-24f);
        const int32_t shift = power - olk_mean_power(bits, 0),
                      size = mean_units < 0 ? -mean_units : mean_units;
        const int32_t is_simple = (shift >= 0) & (shift <= OLK_MAX_SHIFT) & (size < limit) &
                                  ((shift == 0) | (size >= half)) & (spread >= olk_min_spread);
        const uint32_t stored = bits >> OLK_SPREAD_CUT;
        const float unit = olk_two(olk_mean_power(bits, is_simple ? shift : 0));
        a->z[j] = olk_reading_within(
            olk_from_mean(x, mean_units, unit) / olk_float_of(stored << OLK_SPREAD_CUT), clip);
        a->word[j] = (uint32_t)mean_units << 4 | (uint32_t)(shift & 15);
        a->spread[j] = stored;
        a->code[j] = code;
        a->scalar[j] |= (uint32_t)!is_simple;
    }
}

/* Learns m readings of a row, from input `first` on, at most OLK_COMPACT_LANES; the new records go
   to `to`, the scaled readings to z. `record` and `to` point at the first input's, and may be
   equal. */
static void olk_learn_readings(uint8_t *to, const uint8_t *record, const double *x, ptrdiff_t m,
                               const olk_compact_rule *rule, uint32_t row, uint32_t first,
                               double *z)
{
    olk_compact_lanes a;
    const ptrdiff_t padded = (m + OLK_COMPACT_STEP - 1) / OLK_COMPACT_STEP * OLK_COMPACT_STEP;
    olk_compact_unpack(&a, record, x, m, padded);
    olk_compact_run_lanes(&a, padded, rule, row, first);
    for (ptrdiff_t j = 0; j < m; j++) {
        olk_compact f = {a.word[j], a.spread[j], a.code[j]};
        float scaled = a.z[j];
        if (a.scalar[j]) {
            f = olk_compact_of(record + OLK_COMPACT_BYTES * j);
            scaled = olk_compact_learn(&f, (float)x[j], rule, row, first + (uint32_t)j);
        }
        olk_compact_put(to + OLK_COMPACT_BYTES * j, &f);
        z[j] = (double)scaled;
    }
}
