/* Cosines and sines of a row of angles; included by by_real.h. */

/* Two vectors side by side: |angle| below 2^20 quarter turns. The quarter turns come off in three
   parts, of which the first has 33 bits, so that n times it is exact; then the polynomials of fdlibm
   on [-pi/4, pi/4]. Absolute error below 3e-16. */
static OLK_ALWAYS void
OLK_FN(olk_cos_sin_vectors)(const OLK_V *angle, OLK_V *cosine, OLK_V *sine)
{
    static const double of_sine[] = {
        1.58969099521155010221e-10,  -2.50507602534068634195e-08, 2.75573137070700676789e-06,
        -1.98412698298579493134e-04, 8.33333333332248946124e-03,  -1.66666666666666324348e-01,
    };
    static const double of_cosine[] = {
        -1.13596475577881948265e-11, 2.08757232129817482790e-09,  -2.75573143513906633035e-07,
        2.48015872894767294178e-05,  -1.38888888888741095749e-03, 4.16666666666666019037e-02,
    };
    OLK_V shifted[2], r[2], z[2], s[2], c[2];
    for (int g = 0; g < 2; g++) {
        shifted[g] =
            OLK_VMADD_F64(angle[g], OLK_ALL(0.63661977236758134308), OLK_ALL(OLK_MAGIC));
        const OLK_V n = shifted[g] - OLK_MAGIC;
        r[g] = OLK_VMADD_F64(n, OLK_ALL(-1.57079632673412561417e+00), angle[g]);
        r[g] = OLK_VMADD_F64(n, OLK_ALL(-6.07710050630396597660e-11), r[g]);
        r[g] = OLK_VMADD_F64(n, OLK_ALL(-2.02226624879595063154e-21), r[g]);
        z[g] = r[g] * r[g];
        s[g] = OLK_ALL(of_sine[0]);
        c[g] = OLK_ALL(of_cosine[0]);
    }
    for (int k = 1; k < 6; k++)
        for (int g = 0; g < 2; g++) {
            s[g] = OLK_VMADD_F64(s[g], z[g], OLK_ALL(of_sine[k]));
            c[g] = OLK_VMADD_F64(c[g], z[g], OLK_ALL(of_cosine[k]));
        }
    for (int g = 0; g < 2; g++) {
        s[g] = OLK_VMADD_F64(s[g] * z[g], r[g], r[g]);
        c[g] = OLK_VMADD_F64(c[g] * z[g], z[g], OLK_VMADD_F64(z[g], OLK_ALL(-0.5), OLK_ALL(1.0)));
        /* Odd quarter turns exchange the two; the cosine's sign is bit 1 of n + 1, the sine's n's. */
        const OLK_WORDS quarter = OLK_NAME(olk_words_of_f64)(shifted[g]), odd = 0 - (quarter & 1);
        const OLK_WORDS of_c = OLK_NAME(olk_words_of_f64)(c[g]);
        const OLK_WORDS of_s = OLK_NAME(olk_words_of_f64)(s[g]);
        const OLK_WORDS a = (of_c & ~odd) | (of_s & odd), b = (of_s & ~odd) | (of_c & odd);
        cosine[g] = OLK_NAME(olk_of_words_f64)(a ^ (((quarter + 1) & 2) << 62));
        sine[g] = OLK_NAME(olk_of_words_f64)(b ^ ((quarter & 2) << 62));
    }
}

/* Large angles, and what is no number: by the C library. */
static OLK_APART void OLK_FN(olk_cos_sin_by_libm)(OLK_R *row, ptrdiff_t n,
                                                                  double norm)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const double angle = row[i];
        row[i] = (OLK_R)(norm * cos(angle));
        row[n + i] = (OLK_R)(norm * sin(angle));
    }
}

/* The same for w angles, up to two vectors of them. */
static OLK_ALWAYS void
OLK_FN(olk_cos_sin_part)(OLK_R *cosines, OLK_R *sines, ptrdiff_t w, double norm)
{
    OLK_R in[2 * OLK_L] = {0}, out[2 * OLK_L];
    OLK_V angle[2], cosine[2], sine[2];
    memcpy(in, cosines, (size_t)w * sizeof(OLK_R));
    for (int g = 0; g < 2; g++)
        angle[g] = OLK_AT(in, g * OLK_L);
    OLK_FN(olk_cos_sin_vectors)(angle, cosine, sine);
    for (int g = 0; g < 2; g++) {
        cosine[g] *= norm;
        sine[g] *= norm;
    }
    for (int g = 0; g < 2; g++)
        OLK_PUT(out, g * OLK_L, cosine[g]);
    memcpy(cosines, out, (size_t)w * sizeof(OLK_R));
    for (int g = 0; g < 2; g++)
        OLK_PUT(out, g * OLK_L, sine[g]);
    memcpy(sines, out, (size_t)w * sizeof(OLK_R));
}

/* row[i] <- norm cos(row[i]), row[n + i] <- norm sin(row[i]), i < n. */
static void OLK_FN(olk_cos_sin)(void *angles, ptrdiff_t n, double norm)
{
    OLK_R *row = angles;
    int small = 1;
    for (ptrdiff_t i = 0; i < n; i++)
        small &= fabs((double)row[i]) < 1e6;
    if (!small) {
        OLK_FN(olk_cos_sin_by_libm)(row, n, norm);
        return;
    }
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L)
        OLK_FN(olk_cos_sin_part)(row + i, row + n + i, 2 * OLK_L, norm);
    if (i < n)
        OLK_FN(olk_cos_sin_part)(row + i, row + n + i, n - i, norm);
}
