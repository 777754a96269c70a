/* Mean and standard deviation of one sensor in 9 bytes: winsorised exponential moments as in
   scaler.h, with the same gain, clip and start, in single precision only.

   Design. Moments that are merely stored narrow lose three things: a separate age for every input,
   increments below the last bit, and the states before there is a deviation. Here the deviation is
   a float without its 7 lowest bits; the mean is a 27-bit integer in units of 2^-20 deviations, and
   the unit grows (to 2^22 deviations) where 27 bits are too few; a code holds the state or, once
   there is a deviation, the age. What is cut off is rounded stochastically, by a hash of the row's
   and the input's number: learning a row again on a copy gives the same bits, without stored random
   state. A record is 9 bytes, little-endian on every machine: one array in a block, in a file, in a
   standalone scaler.

   Every floating-point operation is rounded separately, so that all processors give the same bits.

   Rejected: 8 bytes with a shared age (four times the error against statistics in double); 10 bytes
   with a mean of 31 bits (a mean 1e6 deviations from zero is then exact to .02 deviations instead
   of .07; neighbouring floats differ by .06 there).

   Invariants, true between any two readings; olk_compact_holds checks it:
   - code OLK_EMPTY: all zero. OLK_ONE_READING: word is the reading. ABOVE, BELOW: two readings;
     word is the first, spread how far the second is above or below. CONSTANT: word is the number.
     OLK_PENDING: also spread is the distance of a pending reading, which a second one must confirm;
   - RUNNING and above: the age is code - 3; word is the mean, 16 M + k, |M| < 2^27, 0 <= k <= 15,
     and |M| >= 2^26 where k > 0; spread is the deviation, 2^-100 at least. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "float_bits.h"
#include "mathf.h"

/* -- One record -- */

/* Bytes of a record; the longest window and the largest clip that it supports. */
enum { OLK_COMPACT_BYTES = 9, OLK_COMPACT_WINDOW = 21844, OLK_COMPACT_CLIP = 1000 };

/* The states, in the order of their codes; from OLK_RUNNING on, the code is the age plus 3. */
enum {
    OLK_EMPTY = 0,
    OLK_ONE_READING = 1,
    OLK_ABOVE = 2,
    OLK_BELOW = 3,
    OLK_CONSTANT = 4,
    OLK_PENDING = 5,
    OLK_RUNNING = 6,
    OLK_MAX_AGE_CODE = 65535
};

/* Bits of a spread that are not stored; the unit of a mean below 2^7 deviations is 2^-20 of
   them. */
enum { OLK_SPREAD_CUT = 7, OLK_MEAN_BITS = 27, OLK_MEAN_UNIT = 20, OLK_MAX_SHIFT = 15 };

/* Readings are clipped to 2^124; deviations are at least 2^-100, and below 2^123 while running. */
static const float olk_max_reading = 0x1p124f, olk_min_spread = 0x1p-100f;
static const uint32_t olk_max_spread_bits = UINT32_C(249) << 23;

/* Parameters of learning. */
typedef struct {
    float clip;       /* deviations, 2 to OLK_COMPACT_CLIP */
    float min_gain;   /* 1 / window */
    int32_t min_gain_age; /* the age from which the gain is min_gain: three windows */
} olk_compact_rule;

/* One record, unpacked. */
typedef struct {
    uint32_t word, spread, code;
} olk_compact;

/* Records are little-endian. */
static inline olk_compact olk_compact_of(const uint8_t *at)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    olk_compact f;
    uint16_t low, code;
    memcpy(&f.word, at, 4);
    memcpy(&low, at + 4, 2);
    memcpy(&code, at + 7, 2);
    f.spread = low | (uint32_t)at[6] << 16;
    f.code = code;
#else
    const olk_compact f = {
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24,
        (uint32_t)at[4] | (uint32_t)at[5] << 8 | (uint32_t)at[6] << 16,
        (uint32_t)at[7] | (uint32_t)at[8] << 8};
#endif
    return f;
}

static inline void olk_compact_put(uint8_t *at, const olk_compact *f)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint16_t low = (uint16_t)f->spread, code = (uint16_t)f->code;
    memcpy(at, &f->word, 4);
    memcpy(at + 4, &low, 2);
    at[6] = (uint8_t)(f->spread >> 16);
    memcpy(at + 7, &code, 2);
#else
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(f->word >> 8 * i);
    for (int i = 0; i < 3; i++)
        at[4 + i] = (uint8_t)(f->spread >> 8 * i);
    for (int i = 0; i < 2; i++)
        at[7 + i] = (uint8_t)(f->code >> 8 * i);
#endif
}

static inline olk_compact_rule olk_compact_rule_of(olk_scalar clip, olk_scalar window)
{
    const olk_compact_rule rule = {(float)clip, 1.0f / (float)window, 3 * (int32_t)window};
    return rule;
}

/* A distance to its stored bits, rounded to nearest; and back. */
static OLK_SHORT uint32_t olk_spread_of(float distance)
{
    return (olk_bits_of(distance) + (UINT32_C(1) << (OLK_SPREAD_CUT - 1))) >> OLK_SPREAD_CUT;
}

static OLK_SHORT float olk_spread_value(uint32_t spread)
{
    return olk_float_of(spread << OLK_SPREAD_CUT);
}

/* M of a word that holds a mean; >> of a negative number is arithmetic. */
static inline int32_t olk_mean_units(uint32_t word)
{
    return (int32_t)word >> 4;
}

/* Log2 of the mean's unit, for a deviation of these bits. */
static OLK_SHORT int32_t olk_mean_power(uint32_t bits, int32_t k)
{
    return (int32_t)(bits >> 23) - 127 - OLK_MEAN_UNIT + k;
}

/* x - mean of a running input; both parts of the mean are exact floats. */
static OLK_SHORT float olk_from_mean(float x, int32_t M, float unit)
{
    const int32_t low = M & 15;
    return (x - (float)(M - low) * unit) - (float)low * unit;
}

/* x clipped to [-limit, limit]; NaN stays NaN. */
static OLK_SHORT float olk_reading_within(float x, float limit)
{
    x = x > limit ? limit : x;
    return x < -limit ? -limit : x;
}

/* The largest integer <= v, |v| < 2^31. */
static OLK_SHORT int32_t olk_floor(float v)
{
    const int32_t n = (int32_t)v;
    return n - ((float)n > v);
}

/* A hash of the row's and the input's number: the random bits of stochastic rounding. */
static OLK_SHORT uint32_t olk_rounding_hash(uint32_t row, uint32_t j)
{
    uint32_t w = row * UINT32_C(0x9E3779B1) + j * UINT32_C(0x85EBCA77);
    w = (w ^ (w >> 16)) * UINT32_C(0x7FEB352D);
    w = (w ^ (w >> 15)) * UINT32_C(0x846CA68B);
    return w ^ (w >> 16);
}

static inline void olk_compact_constant(olk_compact *f, float x)
{
    f->word = olk_bits_of(x);
    f->spread = 0;
    f->code = OLK_CONSTANT;
}

/* Starts an input with these statistics. */
static inline void olk_compact_begin(olk_compact *f, float mean, float sd)
{
    const uint32_t bits = olk_bits_of(sd) + (UINT32_C(1) << (OLK_SPREAD_CUT - 1));
    const int32_t e = (int32_t)(bits >> 23) - 127;
    const int32_t excess = (int32_t)(olk_bits_of(olk_fabsf(mean)) >> 23) - 133 - e;
    const int32_t k = excess > 0 ? excess : 0;
    if (sd < olk_min_spread || k > OLK_MAX_SHIFT) {
        olk_compact_constant(f, mean);
        return;
    }
    const int32_t limit = (INT32_C(1) << OLK_MEAN_BITS) - 1;
    const int32_t M = olk_floor(mean * olk_two(OLK_MEAN_UNIT - e - k) + 0.5f);
    f->word = (uint32_t)(M > limit ? limit : M) << 4 | (uint32_t)k;
    f->spread = bits >> OLK_SPREAD_CUT;
    f->code = OLK_RUNNING;
}

/* The third reading: starts with the median of the three and its distance from the nearer other. */
static inline void olk_compact_start(olk_compact *f, float x, float d)
{
    const float mean = olk_float_of(f->word);
    float h = olk_spread_value(f->spread);
    h = f->code == OLK_BELOW ? -h : h;
    if (olk_fabsf(d - h) <= 0x1p-14f * olk_fabsf(h))
        h = d;
    const float lower = h < d ? h : d, upper = h < d ? d : h;
    const float lowest = lower < 0.0f ? lower : 0.0f, highest = upper > 0.0f ? upper : 0.0f;
    const float middle = lower > 0.0f ? lower : upper < 0.0f ? upper : 0.0f;
    const float below = middle - lowest, above = highest - middle;
    olk_compact_begin(f, middle == d ? x : mean + middle, below < above ? below : above);
}

/* Learns a reading while there is no deviation. */
static OLK_OUTSIDE void olk_compact_wake(olk_compact *f, float x)
{
    const float mean = olk_float_of(f->word), d = x - mean, distance = olk_fabsf(d);
    switch (f->code) {
    case OLK_EMPTY:
        f->word = olk_bits_of(x);
        f->code = OLK_ONE_READING;
        return;
    case OLK_ONE_READING:
        f->spread = olk_spread_of(distance);
        f->code = d >= 0.0f ? OLK_ABOVE : OLK_BELOW;
        return;
    case OLK_ABOVE:
    case OLK_BELOW:
        olk_compact_start(f, x, d);
        return;
    default:
        break;
    }
    if (distance <= 0x1p-21f * olk_fabsf(mean) || distance < olk_min_spread)
        return;
    if (f->code == OLK_CONSTANT) {
        f->spread = olk_spread_of(distance);
        f->code = OLK_PENDING;
        return;
    }
    const float pending = olk_spread_value(f->spread);
    olk_compact_begin(f, mean, distance < pending ? distance : pending);
}

/* sqrt(1 + q) - 1; a series where q is small. */
static inline float olk_root_less_one(float q)
{
    if (olk_fabsf(q) <= 0x1p-6f)
        return q * (0.5f - q * (0.125f - q * 0.0625f));
    return q / (1.0f + olk_sqrtf(1.0f + q));
}

/* Learns a reading of a running input and returns it scaled. */
static OLK_OUTSIDE float olk_compact_run(olk_compact *f, float x, const olk_compact_rule *rule,
                                    uint32_t row, uint32_t j)
{
    const uint32_t code = f->code < OLK_MAX_AGE_CODE ? f->code + 1 : OLK_MAX_AGE_CODE;
    const int32_t age = (int32_t)code - 3;
    float g = rule->min_gain;
    if (age < rule->min_gain_age) {
        const float min_gain_age = 3.0f / (float)(age + 2);
        g = min_gain_age > g ? min_gain_age : g;
    }
    int32_t M = olk_mean_units(f->word), k = (int32_t)(f->word & 15);
    const int32_t power = olk_mean_power(f->spread << OLK_SPREAD_CUT, k);
    const float sd = olk_spread_value(f->spread);
    const float r = olk_reading_within(olk_from_mean(x, M, olk_two(power)) / sd, rule->clip);
    uint32_t chance = olk_rounding_hash(row, j);
    /* sd'^2 = (1 - g)(1 + g r^2) sd^2 = (1 + q) sd^2 */
    const float square = r * r, q = g * ((square - 1.0f) - g * square);
    const float spread = sd + sd * olk_root_less_one(q);
    uint32_t bits = olk_bits_of(spread);
    bits = (bits < olk_max_spread_bits ? bits : olk_max_spread_bits) + (chance & 127);
    /* mean' = mean + g r sd, in its units, then in those of the new deviation */
    M += olk_floor((g * r) * (sd * olk_two(-power)) + (float)(chance >> 8) * 0x1p-24f);
    k = power - olk_mean_power(bits, 0);
    const int32_t limit = INT32_C(1) << OLK_MEAN_BITS;
    while (k < 0 || M >= limit || M <= -limit) {
        M = (M + (int32_t)(chance & 1)) >> 1;
        chance >>= 1;
        k++;
    }
    while (k > 0 && M < limit / 2 && M > -limit / 2) {
        M *= 2;
        k--;
    }
    if (k > OLK_MAX_SHIFT && age < rule->min_gain_age) {
        /* A young input keeps the smallest deviation that its mean can resolve. */
        bits = ((bits >> 23) + (uint32_t)(k - OLK_MAX_SHIFT)) << 23;
        k = OLK_MAX_SHIFT;
    }
    const float unit = olk_two(olk_mean_power(bits, k));
    if (spread < olk_min_spread || k > OLK_MAX_SHIFT) {
        olk_compact_constant(f, (float)M * unit);
        return 0.0f;
    }
    f->word = (uint32_t)M << 4 | (uint32_t)k;
    f->spread = bits >> OLK_SPREAD_CUT;
    f->code = code;
    return olk_reading_within(olk_from_mean(x, M, unit) / olk_spread_value(f->spread), rule->clip);
}

/* A reading scaled by the current statistics: 0 where there is no deviation, and for NaN. */
static inline float olk_compact_scaled(const olk_compact *f, float x, const olk_compact_rule *rule)
{
    if (f->code < OLK_RUNNING || x != x)
        return 0.0f;
    const float unit = olk_two(
        olk_mean_power(f->spread << OLK_SPREAD_CUT, (int32_t)(f->word & 15)));
    const float d =
        olk_from_mean(olk_reading_within(x, olk_max_reading), olk_mean_units(f->word), unit);
    return olk_reading_within(d / olk_spread_value(f->spread), rule->clip);
}

/* Learns a reading and returns it scaled; `row` counts the rows, including this one. NaN changes
   nothing and gives 0. */
static inline float olk_compact_learn(olk_compact *f, float x, const olk_compact_rule *rule,
                                      uint32_t row, uint32_t j)
{
    if (x != x)
        return 0.0f;
    x = olk_reading_within(x, olk_max_reading);
    if (f->code >= OLK_RUNNING)
        return olk_compact_run(f, x, rule, row, j);
    olk_compact_wake(f, x);
    return olk_compact_scaled(f, x, rule);
}

/* The mean and the deviation, for display. */
static inline double olk_compact_mean(const olk_compact *f)
{
    if (f->code < OLK_RUNNING)
        return (double)olk_float_of(f->word);
    return (double)olk_mean_units(f->word) *
           (double)olk_two(olk_mean_power(f->spread << OLK_SPREAD_CUT, (int32_t)(f->word & 15)));
}

static inline double olk_compact_sd(const olk_compact *f)
{
    return f->code < OLK_RUNNING ? 0.0 : (double)olk_spread_value(f->spread);
}

/* Limits the age of a running input to `age` (at least 3), after an alarm (section 13). */
static inline void olk_compact_limit_age(uint8_t *at, uint32_t age)
{
    olk_compact record = olk_compact_of(at);
    if (record.code > age + 3) {
        record.code = age + 3;
        olk_compact_put(at, &record);
    }
}

/* Whether the invariants hold after `seen` readings; the record may contain anything. */
static inline int olk_compact_holds(const uint8_t *at, int64_t seen)
{
    const olk_compact f = olk_compact_of(at);
    const float x = olk_float_of(f.word);
    const int finite = olk_fabsf(x) <= 2.0f * olk_max_reading;
    const int32_t M = olk_mean_units(f.word), limit = INT32_C(1) << OLK_MEAN_BITS;
    const uint32_t spread_bits = f.spread << OLK_SPREAD_CUT;
    if (f.code >= OLK_RUNNING)
        return (int64_t)f.code - 3 <= seen && spread_bits >= olk_bits_of(olk_min_spread) &&
               spread_bits <= olk_bits_of(4.0f * olk_max_reading) && M > -limit && M < limit &&
               ((f.word & 15) == 0 || M >= limit / 2 || M <= -limit / 2);
    switch (f.code) {
    case OLK_EMPTY:
        return f.word == 0 && f.spread == 0;
    case OLK_ONE_READING:
        return finite && f.spread == 0 && seen >= 1;
    case OLK_ABOVE:
    case OLK_BELOW:
        return finite && spread_bits <= olk_bits_of(4.0f * olk_max_reading) && seen >= 2;
    case OLK_CONSTANT:
        return finite && f.spread == 0 && seen >= 3;
    default:
        return finite && spread_bits >= olk_bits_of(olk_min_spread) &&
               spread_bits <= olk_bits_of(4.0f * olk_max_reading) && seen >= 4;
    }
}

/* -- A row of records --
   Learns the readings of a row in vector lanes: the operations above in the same order,
   without branches, for running inputs; an input whose mean needs another unit, or that is not yet
   running, is learned separately. The bits are those of olk_compact_learn. */

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
    const int32_t limit = INT32_C(1) << OLK_MEAN_BITS, half = limit / 2;
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

typedef void (*olk_learn_readings_fn)(uint8_t *to, const uint8_t *record, const double *x,
                                      ptrdiff_t m, const olk_compact_rule *rule, uint32_t row,
                                      uint32_t first, double *z);

/* Learns m readings of a row, from input `first` on, at most OLK_COMPACT_LANES; the new records go
   to `to`, the scaled readings to z. `record` and `to` point at the first input's, and may be
   equal. */
static inline void olk_learn_readings(uint8_t *to, const uint8_t *record, const double *x,
                                      ptrdiff_t m, const olk_compact_rule *rule, uint32_t row,
                                      uint32_t first, double *z)
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
