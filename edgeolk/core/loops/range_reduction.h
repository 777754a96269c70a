/* Cosine and sine of an angle of any size by range reduction, the same bits on every platform. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "approximations.h"
#include "compiler.h"

/* The first 1,152 bits of 2 / pi. */
OLK_TABLE uint32_t olk_two_over_pi[36] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
};

/* The quarter turns of |angle|, mod 4, and the rest, in (-1/2, 1/2] quarter turns: |angle| = m 2^e
   times the 160 relevant bits of 2 / pi (Payne & Hanek 1983). Absolute error below 2^-63. */
static inline uint32_t olk_quarter_turns(uint64_t bits, double *rest)
{
    const uint64_t m = (bits & (UINT64_MAX >> 12)) | (UINT64_C(1) << 52);
    const int32_t e = (int32_t)(bits >> 52 & 0x7ff) - 1075;
    const int32_t first = e < 2 ? 0 : (e - 2) / 32;
    uint32_t product[8] = {0}; /* lowest word first; one to spare */
    for (int32_t i = 0; i < 5; i++) {
        const uint64_t word = olk_two_over_pi[first + 4 - i];
        uint64_t carry = word * (uint32_t)m + product[i];
        product[i] = (uint32_t)carry;
        carry = (carry >> 32) + word * (m >> 32) + product[i + 1];
        product[i + 1] = (uint32_t)carry;
        product[i + 2] = (uint32_t)(carry >> 32);
    }
    /* The binary point is before bit `point`: 64 fraction bits behind it, two integer bits
       before. */
    const uint32_t point = (uint32_t)(32 * (first + 5) - e), from = point - 64, by = from % 32;
    const uint32_t *at = product + from / 32;
    const uint64_t low = (uint64_t)at[1] << 32 | at[0], high = (uint64_t)at[3] << 32 | at[2];
    const uint64_t part = by ? low >> by | high << (64 - by) : low;
    const uint32_t turns = (uint32_t)(high >> by) & 3u;
    const int up = part >> 63 != 0;
    const double size = (double)(up ? 0 - part : part) * (1.0 / 18446744073709551616.0);
    *rest = up ? -size : size;
    return turns + (uint32_t)up;
}

/* Cosine and sine of a finite angle, within 3e-16: nothing is fused. */
static inline void olk_cos_sin(double angle, double *cosine, double *sine)
{
    uint64_t bits;
    uint32_t turns;
    double r;
    if (angle < 512.0 && angle > -512.0) {
        const double shifted = angle * OLK_TURNS_F64 + OLK_MAGIC_F64;
        const double n = shifted - OLK_MAGIC_F64;
        memcpy(&bits, &shifted, sizeof bits);
        turns = (uint32_t)bits;
        r = angle - n * OLK_QUARTER_1_F64;
        r = r - n * OLK_QUARTER_2_F64;
        r = r - n * OLK_QUARTER_3_F64;
    } else {
        double rest;
        memcpy(&bits, &angle, sizeof bits);
        turns = olk_quarter_turns(bits, &rest);
        r = rest * 1.57079632679489661923;
        if (bits >> 63) {
            turns = 0u - turns;
            r = -r;
        }
    }
    const double z = r * r;
    double s = olk_sine_f64[0], c = olk_cosine_f64[0];
    for (int k = 1; k < 6; k++) {
        s = s * z + olk_sine_f64[k];
        c = c * z + olk_cosine_f64[k];
    }
    s = s * z * r + r;
    c = c * z * z + (1.0 - 0.5 * z);
    const double along = turns & 1 ? s : c, across = turns & 1 ? c : s;
    *cosine = (turns + 1) & 2 ? -along : along;
    *sine = turns & 2 ? -across : across;
}
