/* Fixed point as compute type of the loops over structured features, for cores without a
   floating-point unit (docs/sorf.md, section 8); sorf_precision.h is the counterpart
   in floating point.

   Design. Rows are rounded to a power-of-two grid; from there on everything up to the angle is
   exact modulo 2^32: sums and differences wrap, and an integer for each line (one of a block's 64
   entries), its frequency scale, turns them into angles in units of 2^-32 turn, so that nothing can
   overflow. Frequency scales have at least 9 bits, the precision of the kernel's widths; more would
   leave fewer to the grid. Ten bits of an angle index a quarter of a sine; features have 15 bits,
   sums and changes of weights 32. A step is a 15-bit mantissa and a shift. Single numbers (scores,
   losses, expert weights) stay floating-point: they are few. */
#pragma once

#include "sorf_form.h"

/* -- Types and the grid -- */

typedef uint32_t olk_entry, olk_word;
typedef int16_t olk_sorf_feature;
typedef int32_t olk_sum;
static const olk_word olk_sign = UINT32_MAX; /* negation flips all bits */

/* v / 2^shift rounded to nearest, |v| <= 2^30, shift below 30. 2^30 is added before the shift, as C
   leaves it to compilers how a negative number is shifted. */
static inline int32_t olk_shifted(int32_t v, int shift)
{
    const uint32_t lifted = (uint32_t)(v + (1 << 30)) + (shift ? UINT32_C(1) << (shift - 1) : 0);
    return (int32_t)(lifted >> shift) - (1 << (30 - shift));
}

/* The exponent of the grid, from the lowest frequency: rows are rounded to 2^-grid. */
static inline int32_t olk_grid(const olk_sorf *p, const olk_sorf_state *s)
{
    uint32_t smallest = UINT32_MAX;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++) {
            const float omega = (float)OLK_OMEGA(p, s)[g][i];
            uint32_t bits; /* positive numbers compare like their bits */
            memcpy(&bits, &omega, sizeof bits);
            smallest = bits < smallest ? bits : smallest;
        }
    return 21 + (int32_t)(smallest >> 23) - 127;
}

/* 2^n for a normal float. */
static inline float olk_power_of_two(int32_t n)
{
    const uint32_t bits = (uint32_t)(127 + n) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* x 2^grid rounded to nearest, modulo 2^32. */
static inline uint32_t olk_on_grid(float x, int32_t grid)
{
    uint32_t bits, size = 0;
    memcpy(&bits, &x, sizeof bits);
    const int32_t shift = (int32_t)(bits >> 23 & 0xff) - 150 + grid;
    const uint32_t mantissa = (bits & 0x7fffff) | (bits >> 23 & 0xff ? 0x800000 : 0);
    if (shift >= 0 && shift < 32)
        size = mantissa << shift;
    else if (shift < 0 && shift > -26)
        size = (mantissa + (UINT32_C(1) << (-shift - 1))) >> -shift;
    return bits >> 31 ? 0 - size : size;
}

/* omega in units of 2^-32 turn per 2^-grid of input: at least 2^11 / 2 pi, or 326. Frequencies too
   high for 32 bits are meaningless and give 0. */
static inline uint32_t olk_frequency_on_grid(olk_scalar omega, int32_t grid)
{
    const float turns = (float)omega * 0.15915494309189533577f * olk_power_of_two(32 - grid);
    return turns < 4294967040.0f ? (uint32_t)(turns + 0.5f) : 0;
}

/* -- Changes of weights -- */

/* A change of a stored weight, in 65,536ths of a level; beyond 1000 levels it is clipped anyway. */
static inline int32_t olk_level_parts(float levels)
{
    levels = levels > 1000.0f ? 1000.0f : levels;
    levels = levels < -1000.0f ? -1000.0f : levels;
    return (int32_t)(levels * 65536.0f);
}

/* tau as mantissa and shift: olk_times(step, x) is tau x in units of 2^-16, for x in 2^-15. */
typedef struct {
    int32_t mantissa, shift;
} olk_step;

static inline olk_step olk_step_of(float tau)
{
    olk_step step = {0, 29};
    uint32_t bits;
    memcpy(&bits, &tau, sizeof bits);
    const int32_t shift = 13 - ((int32_t)(bits >> 23 & 0xff) - 127);
    if (shift < 4) { /* clipped far beyond the range of int8 */
        step.mantissa = 32767;
        step.shift = 4;
    } else if (shift < 30) {
        step.mantissa = (int32_t)((bits & 0x7fffff) | 0x800000) >> 9;
        step.shift = shift;
    }
    if (bits >> 31)
        step.mantissa = -step.mantissa;
    return step;
}

static inline int32_t olk_times(olk_step step, int32_t x)
{
    return olk_shifted(step.mantissa * x, step.shift);
}

/* olk_step_of ensures it: changes by its steps are below 2^26, in 65,536ths of a level. */
static inline int olk_is_in_range(olk_step step)
{
    (void)step;
    return 1;
}

/* A gap is the difference of two stored weights, or of kappa times a feature and a stored weight;
   here in 128ths of a level. */
static inline olk_step olk_gap_step(float inverse)
{
    return olk_step_of(inverse * 256);
}

static inline int32_t olk_gap_of(int32_t levels)
{
    return 128 * levels;
}

static inline int32_t olk_feature_gap(float kappa, int16_t x, int8_t a)
{
    return olk_shifted((int32_t)kappa * x - 32768 * (int32_t)a, 8);
}

/* As in sorf_weights.h; a change is an integer already. */
static inline int32_t olk_lifted(int32_t change)
{
    return change + (INT32_C(1) << 27);
}

static inline float olk_from_grid(uint32_t v, float unit)
{
    return (float)(int32_t)v * unit;
}
