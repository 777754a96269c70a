/* Cosines and sines of a block, for one type computed in and one instruction set; included by
   structured_isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))

/* feature[2j], feature[2j + 1] <- cosine and sine of v[j] scale[j], below OLK_LARGE: the quarter turns
   come off in three parts, polynomials of fdlibm (Cephes in float) serve the rest. */
static OLK_APART void OLK_FN(olk_phases)(const OLK_T *restrict v, const OLK_T *restrict scale,
                                      OLK_T *restrict feature)
{
    for (int j = 0; j < 64; j++) {
        const OLK_T angle = v[j] * scale[j];
        const OLK_T shifted = OLK_MADD(angle, OLK_TURNS, OLK_MAGIC);
        const OLK_T n = shifted - OLK_MAGIC;
        OLK_T r = OLK_MADD(n, -OLK_QUARTER_1, angle);
        r = OLK_MADD(n, -OLK_QUARTER_2, r);
        r = OLK_MADD(n, -OLK_QUARTER_3, r);
        const OLK_T z = r * r;
        OLK_T s = OLK_SINE(z), c = OLK_COSINE(z);
        s = OLK_MADD(s * z, r, r);
        c = OLK_MADD(c * z, z, OLK_MADD(z, (OLK_T)-0.5, (OLK_T)1.0));
        /* Odd quarter turns exchange the two; bit 1 of n is the sine's sign, of n + 1 the
           cosine's. */
#if OLK_BYTES == 64
        OLK_U quarter, a, b;
        memcpy(&quarter, &shifted, sizeof quarter);
        const OLK_U turned = (quarter << (8 * sizeof(OLK_U) - 2)) & OLK_SIGN;
        memcpy(&a, &c, sizeof a);
        memcpy(&b, &s, sizeof b);
        a ^= turned;
        b ^= turned;
        const OLK_U minus = b ^ OLK_SIGN;
        const OLK_U cosine = quarter & 1 ? minus : a;
        const OLK_U sine = quarter & 1 ? a : b;
        memcpy(feature + 2 * j, &cosine, sizeof a);
        memcpy(feature + 2 * j + 1, &sine, sizeof b);
#else
        OLK_U quarter, a, b;
        memcpy(&quarter, &shifted, sizeof quarter);
        memcpy(&a, &c, sizeof a);
        memcpy(&b, &s, sizeof b);
        const OLK_U swap = (a ^ b) & ((OLK_U)0 - (quarter & 1));
        a ^= swap;
        b ^= swap;
        a ^= ((quarter + 1) & 2) << (8 * sizeof(OLK_U) - 2);
        b ^= (quarter & 2) << (8 * sizeof(OLK_U) - 2);
        memcpy(feature + 2 * j, &a, sizeof a);
        memcpy(feature + 2 * j + 1, &b, sizeof b);
#endif
    }
}

/* Whether some angle is too large for that, or no number. */
static OLK_APART int OLK_FN(olk_large)(const OLK_T *v, const OLK_T *scale)
{
    OLK_U large = 0;
    for (int j = 0; j < 64; j++)
        large |= (OLK_U)!(OLK_ABS(v[j] * scale[j]) < OLK_LARGE);
    return large != 0;
}

/* The cosines and sines of any angle; one that is no finite number counts as 0. */
static OLK_COLD void OLK_FN(olk_phases_slowly)(const OLK_T *v, const OLK_T *scale, OLK_T *feature)
{
    for (int j = 0; j < 64; j++) {
        const double angle = (double)v[j] * (double)scale[j];
        double cosine = 1.0, sine = 0.0;
        if (OLK_FABS(angle) <= DBL_MAX)
            olk_cos_sin(angle, &cosine, &sine);
        feature[2 * j] = (OLK_T)cosine;
        feature[2 * j + 1] = (OLK_T)sine;
    }
}

/* Features of the lines of a block; `small`: of olk_small. Returns 0 where its angles are too large,
   unless it has to do. */
static inline int OLK_FN(olk_features)(const OLK_T *v, const OLK_T *scale, int small, int must,
                                       OLK_T *feature)
{
    if (small || !OLK_FN(olk_large)(v, scale))
        OLK_FN(olk_phases)(v, scale, feature);
    else if (must)
        OLK_FN(olk_phases_slowly)(v, scale, feature);
    else
        return 0;
    return 1;
}

#undef OLK_FN
