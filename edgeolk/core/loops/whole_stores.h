/* Changes of weights in fixed point; stores.h has those in floats. */
#pragma once

/* tau as mantissa and shift: olk_times() of a feature is tau feature in 65,536ths. */
typedef struct {
    int32_t mantissa, by;
} olk_step;

static inline olk_step olk_step_of(float tau)
{
    olk_step step = {0, 29};
    uint32_t bits;
    memcpy(&bits, &tau, sizeof bits);
    const int32_t by = 13 - ((int32_t)(bits >> 23 & 0xff) - 127);
    if (by < 4) { /* clipped far beyond the range of int8 */
        step.mantissa = 32767;
        step.by = 4;
    } else if (by < 30) {
        step.mantissa = (int32_t)((bits & 0x7fffff) | 0x800000) >> 9;
        step.by = by;
    }
    if (bits >> 31)
        step.mantissa = -step.mantissa;
    return step;
}

static inline int32_t olk_times(olk_step step, int32_t x)
{
    return olk_shifted(step.mantissa * x, step.by);
}

/* olk_step_of ensures it. */
static inline int olk_is_in_range(olk_step step)
{
    (void)step;
    return 1;
}

/* Gaps are in 128ths of a level. */
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

static inline int32_t olk_lifted(int32_t change)
{
    return change + (1 << 27);
}

static inline float olk_off_grid(uint32_t v, float unit)
{
    return (float)(int32_t)v * unit;
}
