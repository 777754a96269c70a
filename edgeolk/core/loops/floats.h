/* Floating-point versions of what whole.h does in fixed point; included by single.h and
   double.h. */
#pragma once

/* The grid that rows are rounded to: floating point has no grid. */
static inline int32_t olk_grid(const olk_sorf *p)
{
    (void)p;
    return 0;
}

static OLK_INLINE olk_input olk_on_grid(olk_input x, int32_t grid)
{
    (void)grid;
    return x;
}

static inline double olk_frequency_on_grid(double omega, int32_t grid)
{
    (void)grid;
    return omega;
}
