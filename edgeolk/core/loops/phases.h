/* Cosines and sines of a block (docs/sorf.md, section 3, steps 3 and 4); included by scoring.h. */

/* feature[2j], feature[2j + 1] <- cosine and sine of v[j] times its scale; angles below
   olk_max_angle. */
static OLK_NOCLONE void olk_phases(const olk_entry *OLK_RESTRICT v,
                                   const olk_frequency_scales *OLK_RESTRICT scales, int at,
                                   olk_sorf_feature *OLK_RESTRICT feature)
{
    enum { TOP = 8 * sizeof(olk_word) - 2 };
    const olk_entry *const row = scales->value + at;
    for (int j = 0; j < 64; j++, at = olk_next_index(scales->widths, at)) {
        olk_compute_t s, c;
        olk_word a, b;
        const olk_word quarter =
            olk_reduced_cos_sin(v[j] * olk_frequency_scale(scales, row, j, at), &c, &s);
        /* Odd quarter turns swap the two; bit 1 of n is the sine's sign, bit 1 of n + 1 the
           cosine's. */
        memcpy(&a, &c, sizeof a);
        memcpy(&b, &s, sizeof b);
#if OLK_BYTES == 64
        const olk_word turned = (quarter << TOP) & olk_sign;
        a ^= turned;
        b ^= turned;
        const olk_word minus = b ^ olk_sign;
        const olk_word cosine = quarter & 1 ? minus : a;
        const olk_word sine = quarter & 1 ? a : b;
        memcpy(feature + 2 * j, &cosine, sizeof a);
        memcpy(feature + 2 * j + 1, &sine, sizeof b);
#else
        const olk_word swap = (a ^ b) & ((olk_word)0 - (quarter & 1));
        a ^= swap;
        b ^= swap;
        a ^= ((quarter + 1) & 2) << TOP;
        b ^= (quarter & 2) << TOP;
        memcpy(feature + 2 * j, &a, sizeof a);
        memcpy(feature + 2 * j + 1, &b, sizeof b);
#endif
    }
}

/* Whether some angle is too large for that, or NaN. */
static OLK_NOCLONE int olk_has_large_angle(const olk_entry *v, const olk_frequency_scales *scales,
                                           int at)
{
    const olk_entry *const row = scales->value + at;
    olk_word found = 0;
    for (int j = 0; j < 64; j++, at = olk_next_index(scales->widths, at))
        found |= (olk_word) !(olk_abs_entry(v[j] * olk_frequency_scale(scales, row, j, at)) <
                              olk_max_angle);
    return found != 0;
}

/* Cosines and sines of angles of any size; angles that are not finite count as 0. */
static OLK_COLD void olk_phases_slowly(const olk_entry *v, const olk_frequency_scales *scales,
                                       int at, olk_sorf_feature *feature)
{
    for (int j = 0; j < 64; j++, at = olk_next_index(scales->widths, at)) {
        const double angle = (double)v[j] * (double)scales->value[at];
        double cosine = 1.0, sine = 0.0;
        if (olk_fabs(angle) <= DBL_MAX)
            olk_cos_sin(angle, &cosine, &sine);
        feature[2 * j] = (olk_sorf_feature)cosine;
        feature[2 * j + 1] = (olk_sorf_feature)sine;
    }
}

/* Features of the lines of a group's block; `small_angles` is that of olk_angles_are_small. Returns
   0 if angles are too large, unless `force`. The lines may be stored in the second half of the
   features. */
static inline int olk_features(const olk_entry *v, const olk_frequency_scales *scales,
                               ptrdiff_t block, int small_angles, int force,
                               olk_sorf_feature *feature)
{
    const int at = olk_first_scale(scales->widths, block);
    if (small_angles || !olk_has_large_angle(v, scales, at))
        olk_phases(v, scales, at, feature);
    else if (force)
        olk_phases_slowly(v, scales, at, feature);
    else
        return 0;
    return 1;
}
