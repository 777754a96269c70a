/* What the loops over structured features take of numbers, where these are whole: for cores without a
   floating-point unit. Included by structured_isa.h; floats.h says the same of floats.

   Design. Rows are rounded to a grid of powers of two, and everything up to the angle is exact from
   there on, modulo 2^32: sums and differences wrap, and a whole number per line (its pace) turns
   them into angles of which 2^32 are one turn, so that nothing can overflow. Paces have 9 bits at
   least, which is how exact the widths of the kernel are; more of them would leave the grid fewer.
   Ten bits of an angle are looked up in a
   quarter of a sine; features are 15 bits, sums and changes of weights 32. A step is a mantissa of
   15 bits and a shift. Single numbers (scores, losses, shares) stay floating-point: there are few. */

#define OLK_WHOLE 1
#define OLK_REAL float
#define OLK_F int16_t
#define OLK_SUM int32_t
#define OLK_ONE 32768 /* nearly: a sine of 1 is 32767 */
#define OLK_GRID(p) olk_grid(p)
#define OLK_ON_GRID(x, grid) olk_on_grid((x), (grid))
#define OLK_OFF_GRID(v, unit) ((float)(int32_t)(v) * (unit))
#define OLK_PACE(omega, grid) olk_pace((omega), (grid))
#define OLK_STEP olk_step
#define OLK_STEP_OF(tau) olk_step_of(tau)
#define OLK_TIMES(step, x) olk_times(&(step), (x))
#define OLK_IS_TAME(step, most) ((void)(step), (void)(most), 1) /* olk_step_of sees to it */
#define OLK_GAP_ONE 256
#define OLK_GAP(levels) (128 * (levels))
#define OLK_SHORT(kappa, x, a) olk_shifted((kappa) * (x) - 32768 * (int32_t)(a), 8)
#define OLK_LIFTED(v) ((v) + (1 << 27))

/* v / 2^by rounded, |v| <= 2^30, by below 30; the shift is of a positive number. */
static inline int32_t olk_shifted(int32_t v, int by)
{
    const uint32_t lifted = (uint32_t)(v + (1 << 30)) + (by ? UINT32_C(1) << (by - 1) : 0);
    return (int32_t)(lifted >> by) - (1 << (30 - by));
}

/* The exponent of the slowest pace's grid: rows are rounded to 2^-grid. */
static inline int32_t olk_grid(const olk_sorf *p)
{
    uint64_t least = UINT64_MAX;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++) {
            uint64_t bits; /* positive numbers are in the order of their bits */
            memcpy(&bits, &p->omega[g][i], sizeof bits);
            least = bits < least ? bits : least;
        }
    return 21 + (int32_t)(least >> 52) - 1023;
}

/* x 2^grid to the nearest, modulo 2^32. */
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

/* omega as parts of a turn: 325 at least, which is 2^11 / 2 pi. What is too fast for that has no
   meaning left. */
static inline uint32_t olk_pace(double omega, int32_t grid)
{
    double power, turns;
    const uint64_t bits = (uint64_t)(1023 + 32 - grid) << 52;
    memcpy(&power, &bits, sizeof power);
    turns = omega * 0.15915494309189533577 * power;
    return turns < 4294967295.0 ? (uint32_t)(turns + 0.5) : 0;
}

/* Of tau, so that olk_times() of a feature is tau feature in 65,536ths. */
typedef struct {
    int32_t mantissa, by;
} olk_step;

static inline olk_step olk_step_of(float tau)
{
    olk_step made = {0, 29};
    uint32_t bits;
    memcpy(&bits, &tau, sizeof bits);
    const int32_t by = 13 - ((int32_t)(bits >> 23 & 0xff) - 127);
    if (by < 4) { /* changes beyond the range of int8 a thousand times over stay beyond it */
        made.mantissa = 32767;
        made.by = 4;
    } else if (by < 30) {
        made.mantissa = (int32_t)((bits & 0x7fffff) | 0x800000) >> 9;
        made.by = by;
    }
    if (bits >> 31)
        made.mantissa = -made.mantissa;
    return made;
}

static inline int32_t olk_times(const olk_step *step, int32_t x)
{
    return olk_shifted(step->mantissa * x, step->by);
}
