/* Cosines and sines of a row of angles, for one instruction set; included by simd_isa.h. */

#define OLK_V OLK_NAME(olk_v_f64)
#define OLK_BITS OLK_NAME(olk_bits_f64)
#define OLK_L ((ptrdiff_t)(OLK_BYTES / sizeof(double)))
#define OLK_ALL(number) ((number) - (OLK_V){0})

/* One vector: |angle| below 2^20 quarter turns. The quarter turns come off in three parts, of which
   the first has 33 bits, so that n times it is exact; then the polynomials of fdlibm on
   [-pi/4, pi/4]. Absolute error below 3e-16. */
static inline __attribute__((always_inline)) void OLK_NAME(olk_turn)(OLK_V angle, OLK_V *cosine,
                                                                     OLK_V *sine)
{
    const OLK_V shifted = OLK_VMADD_F64(angle, OLK_ALL(0.63661977236758134308), OLK_ALL(0x1.8p52));
    const OLK_V n = shifted - 0x1.8p52;
    OLK_V r = OLK_VMADD_F64(n, OLK_ALL(-1.57079632673412561417e+00), angle);
    r = OLK_VMADD_F64(n, OLK_ALL(-6.07710050630396597660e-11), r);
    r = OLK_VMADD_F64(n, OLK_ALL(-2.02226624879595063154e-21), r);
    const OLK_V z = r * r;
    OLK_V s = OLK_ALL(1.58969099521155010221e-10), c = OLK_ALL(-1.13596475577881948265e-11);
    s = OLK_VMADD_F64(s, z, OLK_ALL(-2.50507602534068634195e-08));
    c = OLK_VMADD_F64(c, z, OLK_ALL(2.08757232129817482790e-09));
    s = OLK_VMADD_F64(s, z, OLK_ALL(2.75573137070700676789e-06));
    c = OLK_VMADD_F64(c, z, OLK_ALL(-2.75573143513906633035e-07));
    s = OLK_VMADD_F64(s, z, OLK_ALL(-1.98412698298579493134e-04));
    c = OLK_VMADD_F64(c, z, OLK_ALL(2.48015872894767294178e-05));
    s = OLK_VMADD_F64(s, z, OLK_ALL(8.33333333332248946124e-03));
    c = OLK_VMADD_F64(c, z, OLK_ALL(-1.38888888888741095749e-03));
    s = OLK_VMADD_F64(s, z, OLK_ALL(-1.66666666666666324348e-01));
    c = OLK_VMADD_F64(c, z, OLK_ALL(4.16666666666666019037e-02));
    s = OLK_VMADD_F64(s * z, r, r);
    c = OLK_VMADD_F64(c * z, z, OLK_VMADD_F64(z, OLK_ALL(-0.5), OLK_ALL(1.0)));
    /* Quarter turns: odd ones exchange the two; the sign of the cosine is that of bit 1 of n + 1. */
    const OLK_BITS quarter = (OLK_BITS)shifted, odd = -(quarter & 1);
    const OLK_BITS a = ((OLK_BITS)c & ~odd) | ((OLK_BITS)s & odd);
    const OLK_BITS b = ((OLK_BITS)s & ~odd) | ((OLK_BITS)c & odd);
    *cosine = (OLK_V)(a ^ (((quarter + 1) & 2) << 62));
    *sine = (OLK_V)(b ^ ((quarter & 2) << 62));
}

/* row[i] <- norm cos(row[i]), row[n + i] <- norm sin(row[i]), i < n. */
static void OLK_NAME(olk_circle)(double *row, ptrdiff_t n, double norm)
{
    for (ptrdiff_t i = 0; i < n; i += OLK_L) {
        const ptrdiff_t w = n - i < OLK_L ? n - i : OLK_L;
        double angle[OLK_L], cosine[OLK_L], sine[OLK_L];
        int small = 1;
        for (ptrdiff_t k = 0; k < OLK_L; k++) {
            angle[k] = k < w ? row[i + k] : 0.0;
            small &= fabs(angle[k]) < 1e6;
        }
        if (small)
            OLK_NAME(olk_turn)(*(const OLK_V *)angle, (OLK_V *)cosine, (OLK_V *)sine);
        else
            for (ptrdiff_t k = 0; k < OLK_L; k++) {
                cosine[k] = cos(angle[k]);
                sine[k] = sin(angle[k]);
            }
        for (ptrdiff_t k = 0; k < w; k++) {
            row[i + k] = norm * cosine[k];
            row[n + i + k] = norm * sine[k];
        }
    }
}

#undef OLK_ALL
#undef OLK_L
#undef OLK_BITS
#undef OLK_V
