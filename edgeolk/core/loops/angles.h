/* Cosines and sines of a row of angles. */
#pragma once

#include "number.h"
#include "quarter_turns.h"

/* The C library computes larger angles. */
static const double olk_max_angle = 1e6;

/* Two vectors side by side: |angle| below 2^20 quarter turns. Absolute error below 3e-16. */
static OLK_INLINE void olk_cos_sin_vectors(const olk_f64s *angle, olk_f64s *cosine, olk_f64s *sine)
{
    olk_u64s quarters[2];
    olk_two_reduced_cos_sin(3, angle, cosine, sine, quarters);
    for (int g = 0; g < 2; g++) {
        /* Odd quarter turns swap the two; bit 1 of n + 1 is the cosine's sign, bit 1 of n the
           sine's. */
        const olk_u64s quarter = quarters[g], odd = 0 - (quarter & 1);
        const olk_u64s of_c = olk_words_of_f64s(cosine[g]), of_s = olk_words_of_f64s(sine[g]);
        const olk_u64s a = (of_c & ~odd) | (of_s & odd), b = (of_s & ~odd) | (of_c & odd);
        cosine[g] = olk_f64s_of_words(a ^ (((quarter + 1) & 2) << 62));
        sine[g] = olk_f64s_of_words(b ^ ((quarter & 2) << 62));
    }
}

/* Large angles and NaN, by the C library. */
static OLK_NOINLINE void olk_cos_sin_by_libm(olk_coef_t *row, ptrdiff_t n, double norm)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const double angle = row[i];
        row[i] = (olk_coef_t)(norm * cos(angle));
        row[n + i] = (olk_coef_t)(norm * sin(angle));
    }
}

/* The same for w angles, up to two vectors of them. */
static OLK_INLINE void olk_cos_sin_part(olk_coef_t *cosines, olk_coef_t *sines, ptrdiff_t w,
                                        double norm)
{
    olk_coef_t in[2 * OLK_LANES_F64] = {0}, out[2 * OLK_LANES_F64];
    olk_f64s angle[2], cosine[2], sine[2];
    memcpy(in, cosines, (size_t)w * sizeof(olk_coef_t));
    for (int g = 0; g < 2; g++)
        angle[g] = olk_widen(OLK_COEF_DTYPE, in, g * OLK_LANES_F64);
    olk_cos_sin_vectors(angle, cosine, sine);
    for (int g = 0; g < 2; g++) {
        cosine[g] *= norm;
        sine[g] *= norm;
    }
    for (int g = 0; g < 2; g++)
        olk_narrow(OLK_COEF_DTYPE, out, g * OLK_LANES_F64, cosine[g]);
    memcpy(cosines, out, (size_t)w * sizeof(olk_coef_t));
    for (int g = 0; g < 2; g++)
        olk_narrow(OLK_COEF_DTYPE, out, g * OLK_LANES_F64, sine[g]);
    memcpy(sines, out, (size_t)w * sizeof(olk_coef_t));
}

/* row[i] <- norm cos(row[i]), row[n + i] <- norm sin(row[i]), i < n. */
static void olk_cos_sin_row(void *angles, ptrdiff_t n, double norm)
{
    olk_coef_t *row = angles;
    int small = 1;
    for (ptrdiff_t i = 0; i < n; i++)
        small &= fabs((double)row[i]) < olk_max_angle;
    if (!small) {
        olk_cos_sin_by_libm(row, n, norm);
        return;
    }
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        olk_cos_sin_part(row + i, row + n + i, 2 * OLK_LANES_F64, norm);
    if (i < n)
        olk_cos_sin_part(row + i, row + n + i, n - i, norm);
}
