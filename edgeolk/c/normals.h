/* Normal draws from PCG32, one word each, by the inverse of the normal distribution: the same bits on
   every platform, since nothing is fused and the logarithm is this library's (docs/sorf.md,
   section 2). Wichura 1988, Algorithm AS 241, PPND16. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "mathf.h"
#include "random.h"

/* A word w stands for the probability (w + 1/2) / 2^32. The tails begin at 0.075 from either end; the
   largest draw is 6.34, so AS 241's third approximation, from 7.5 on in this scale, is not needed. */
static const double OLK_NORMAL_CENTRE = 0.425;

/* Numerators and denominators, highest power first; a denominator's last coefficient is 1. */
OLK_TABLE double olk_normal_centre_top[8] = {
    2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
    4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
    1.3314166789178437745e+2, 3.3871328727963666080e+0,
};
OLK_TABLE double olk_normal_centre_base[8] = {
    5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
    2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
    4.2313330701600911252e+1, 1.0,
};
OLK_TABLE double olk_normal_tail_top[8] = {
    7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
    1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
    4.63033784615654529590e+0, 1.42343711074968357734e+0,
};
OLK_TABLE double olk_normal_tail_base[8] = {
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
    1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e+0,
    2.05319162663775882187e+0, 1.0,
};

static OLK_INLINE double olk_normal_quotient(const double *top, const double *base, double r,
                                             double factor)
{
    double above = top[0], below = base[0];
    for (int k = 1; k < 8; k++) {
        above = above * r + top[k];
        below = below * r + base[k];
    }
    return above * factor / below;
}

/* The probability of a word, less 1/2: exact. */
static OLK_INLINE double olk_centred(uint32_t word)
{
    return ((double)word + 0.5) * (1.0 / 4294967296.0) - 0.5;
}

static OLK_INLINE double olk_normal_in_centre(double q)
{
    return olk_normal_quotient(olk_normal_centre_top, olk_normal_centre_base, 0.180625 - q * q, q);
}

static inline double olk_normal_in_tail(double q)
{
    const double root = olk_sqrt(-olk_log(0.5 - olk_fabs(q)));
    const double size =
        olk_normal_quotient(olk_normal_tail_top, olk_normal_tail_base, root - 1.6, 1.0);
    return q < 0.0 ? -size : size;
}

/* The draws that take the next n words of stream 56. The centre's formula is computed for all words
   of a block, without a branch, and the tails after it: one draw in seven. */
static inline void olk_normals(uint64_t *state, ptrdiff_t n, double *out)
{
    enum { BLOCK = 64 };
    double q[BLOCK];
    for (ptrdiff_t first = 0; first < n; first += BLOCK) {
        const ptrdiff_t m = n - first < BLOCK ? n - first : BLOCK;
        for (ptrdiff_t i = 0; i < m; i++)
            q[i] = olk_centred(olk_pcg_next(state, OLK_PCG_NORMALS));
        for (ptrdiff_t i = 0; i < m; i++)
            out[first + i] = olk_normal_in_centre(q[i]);
        for (ptrdiff_t i = 0; i < m; i++)
            if (olk_fabs(q[i]) > OLK_NORMAL_CENTRE)
                out[first + i] = olk_normal_in_tail(q[i]);
    }
}
