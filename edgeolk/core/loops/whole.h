/* Fixed point as compute type of the loops over structured features, for cores without a
   floating-point unit (docs/sorf.md, section 8); single.h is the counterpart for floats.

   Design. Rows are rounded to a power-of-two grid; from there on everything up to the angle is
   exact modulo 2^32: sums and differences wrap, and an integer per line (its frequency scale) turns
   them into angles with 2^32 to the turn, so that nothing can overflow. Frequency scales have at
   least 9 bits, the precision of the kernel's widths; more would leave fewer to the grid. Ten bits
   of an angle index a quarter of a sine; features have 15 bits, sums and changes of weights 32. A
   step is a 15-bit mantissa and a shift. Single numbers (scores, losses, expert weights) stay
   floating-point: they are few. */
#pragma once

typedef float olk_compute_t;
typedef uint32_t olk_entry, olk_word;
typedef int16_t olk_sorf_feature;
typedef int32_t olk_sum;
static const olk_word olk_sign = UINT32_MAX; /* negation flips all bits */

/* v / 2^by rounded, |v| <= 2^30, by below 30; the shift is of a positive number. */
static inline int32_t olk_shifted(int32_t v, int by)
{
    const uint32_t lifted = (uint32_t)(v + (1 << 30)) + (by ? UINT32_C(1) << (by - 1) : 0);
    return (int32_t)(lifted >> by) - (1 << (30 - by));
}

/* The exponent of the grid, from the lowest frequency: rows are rounded to 2^-grid. */
static inline int32_t olk_grid(const olk_sorf *p)
{
    uint64_t smallest = UINT64_MAX;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++) {
            uint64_t bits; /* positive numbers compare like their bits */
            memcpy(&bits, &p->omega[g][i], sizeof bits);
            smallest = bits < smallest ? bits : smallest;
        }
    return 21 + (int32_t)(smallest >> 52) - 1023;
}

/* x 2^grid rounded to nearest, modulo 2^32. */
static inline uint32_t olk_on_grid(float x, int32_t grid)
{
    uint32_t bits, size = 0;
    memcpy(&bits, &x, sizeof bits);
    const int32_t by = (int32_t)(bits >> 23 & 0xff) - 150 + grid;
    const uint32_t mantissa = (bits & 0x7fffff) | (bits >> 23 & 0xff ? 0x800000 : 0);
    if (by >= 0 && by < 32)
        size = mantissa << by;
    else if (by < 0 && by > -26)
        size = (mantissa + (UINT32_C(1) << (-by - 1))) >> -by;
    return bits >> 31 ? 0 - size : size;
}

/* omega in 2^-32 turns: at least 325, which is 2^11 / 2 pi. Frequencies too high for that are
   meaningless and give 0. */
static inline uint32_t olk_frequency_on_grid(double omega, int32_t grid)
{
    double power, turns;
    const uint64_t bits = (uint64_t)(1023 + 32 - grid) << 52;
    memcpy(&power, &bits, sizeof power);
    turns = omega * 0.15915494309189533577 * power;
    return turns < 4294967295.0 ? (uint32_t)(turns + 0.5) : 0;
}
