/* Cosines and sines of vectors of angles, reduced by full quarter turns, by the polynomials of
   approximations.h. */
#pragma once

#include "vector.h"

/* Two vectors at once, as each is a chain of dependent operations. The quarter turns are subtracted
   in `parts` parts, a constant: 3, or 2 if angles are below 512 and an error of 1e-14 is
   acceptable. */
static OLK_INLINE void olk_two_reduced_cos_sin(const int parts, const olk_f64s *angle,
                                               olk_f64s *cosine, olk_f64s *sine, olk_u64s *quarters)
{
    olk_f64s r[2], z[2], s[2], c[2];
    for (int g = 0; g < 2; g++) {
        const olk_f64s shifted =
            olk_madd_f64s(angle[g], olk_splat_f64(OLK_TURNS_F64), olk_splat_f64(OLK_MAGIC_F64));
        const olk_f64s n = shifted - OLK_MAGIC_F64;
        quarters[g] = olk_words_of_f64s(shifted);
        r[g] = olk_madd_f64s(n, olk_splat_f64(-OLK_QUARTER_1_F64), angle[g]);
        r[g] = olk_madd_f64s(n, olk_splat_f64(-OLK_QUARTER_2_F64), r[g]);
        if (parts > 2)
            r[g] = olk_madd_f64s(n, olk_splat_f64(-OLK_QUARTER_3_F64), r[g]);
        z[g] = r[g] * r[g];
        s[g] = olk_splat_f64(olk_sine_f64[0]);
        c[g] = olk_splat_f64(olk_cosine_f64[0]);
    }
    for (int k = 1; k < 6; k++)
        for (int g = 0; g < 2; g++) {
            s[g] = olk_madd_f64s(s[g], z[g], olk_splat_f64(olk_sine_f64[k]));
            c[g] = olk_madd_f64s(c[g], z[g], olk_splat_f64(olk_cosine_f64[k]));
        }
    for (int g = 0; g < 2; g++) {
        sine[g] = olk_madd_f64s(s[g] * z[g], r[g], r[g]);
        cosine[g] = olk_madd_f64s(c[g] * z[g], z[g],
                                  olk_madd_f64s(z[g], olk_splat_f64(-0.5), olk_splat_f64(1.0)));
    }
}
