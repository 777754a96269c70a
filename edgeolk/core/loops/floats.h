/* What the loops over structured features take of floats or doubles where whole.h has something else;
   included by single.h and double.h. */

/* What rows are rounded to: nothing. */
static inline int32_t olk_grid(const olk_sorf *p)
{
    (void)p;
    return 0;
}

static OLK_ALWAYS olk_entry olk_on_grid(olk_input x, int32_t grid)
{
    (void)grid;
    return (olk_entry)x;
}

static inline olk_entry olk_pace(double omega, int32_t grid)
{
    (void)grid;
    return (olk_entry)omega;
}
