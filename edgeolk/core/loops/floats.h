/* What the loops over structured features take of floats or doubles where whole.h has something else;
   included by single.h and double.h. */
#pragma once

/* What rows are rounded to: nothing. */
static inline int32_t olk_grid(const olk_sorf *p)
{
    (void)p;
    return 0;
}

static OLK_ALWAYS olk_input olk_on_grid(olk_input x, int32_t grid)
{
    (void)grid;
    return x;
}

static inline double olk_pace(double omega, int32_t grid)
{
    (void)grid;
    return omega;
}
