/* Constants and coefficients of the loops' approximations, each defined once, with its error. */
#pragma once

#include "compiler.h"

/* Adding one of these, 1.5 times 2^23 or 2^52, rounds to an integer: the low bits of the sum. */
static const float OLK_MAGIC_F32 = 12582912.0f;
static const double OLK_MAGIC_F64 = 6755399441055744.0;

/* 1 / ln 2; ln 2 in two parts, so that n times the first is exact. */
static const float OLK_LOG2_E_F32 = 1.44269504088896341f;
static const float OLK_LN2_HIGH_F32 = 0.693359375f;
static const float OLK_LN2_LOW_F32 = -2.12194440e-4f;
static const double OLK_LOG2_E_F64 = 1.4426950408889634074;
static const double OLK_LN2_HIGH_F64 = 6.93145751953125e-1;
static const double OLK_LN2_LOW_F64 = 1.42860682030941723212e-6;

/* exp(r) for |r| <= ln(2)/2, lifted: p(0) is exact, so that k(x, x) = 1. Relative errors 3e-9 and
   3e-16: with rounding, the result is within 2 units in the last place of a float and within 4 of a
   double. */
static const double OLK_LIFT = 0x1p64;
OLK_TABLE float olk_exp_polynomial_f32[] = {
    0x1p64f, 0x1p64f * 1.0000000497968269f, 0x1p64f * 0.500000043574032318f,
    0x1p64f * 0.166663648088619529f, 0x1p64f * 0.0416647733349355985f,
    0x1p64f * 0.00837905902467253242f, 0x1p64f * 0.00140614213267004718f,
};
OLK_TABLE double olk_exp_polynomial_f64[] = {
    0x1p64, 0x1p64 * 1.00000000000000915, 0x1p64 * 0.500000000000008387,
    0x1p64 * 0.166666666665234461, 0x1p64 * 0.0416666666655889199,
    0x1p64 * 0.00833333339605874063, 0x1p64 * 0.00138888892573971791,
    0x1p64 * 0.00019841157665135299, 0x1p64 * 0.0000248011149824355013,
    0x1p64 * 2.76451886360171513e-6, 0x1p64 * 2.77796021615499535e-7,
};

/* 2 / pi; pi / 2 in three parts, so that n times the first is exact: n up to 2^10 and 2^20. */
static const float OLK_TURNS_F32 = 0.636619772367581343f;
static const float OLK_QUARTER_1_F32 = 1.5703125f;
static const float OLK_QUARTER_2_F32 = 4.837512969970703125e-4f;
static const float OLK_QUARTER_3_F32 = 7.54978995489188216e-8f;
static const double OLK_TURNS_F64 = 0.63661977236758134308;
static const double OLK_QUARTER_1_F64 = 1.57079632673412561417e+00;
static const double OLK_QUARTER_2_F64 = 6.07710050630396597660e-11;
static const double OLK_QUARTER_3_F64 = 2.02226624879595063154e-21;

/* sin(r) = r + r z p(z), cos(r) = 1 - z/2 + z^2 q(z), z = r^2, |r| <= pi/4, highest power first:
   from Cephes in float (errors below 1e-7) and from fdlibm in double (below 3e-16). */
static const float olk_sine_f32[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
static const float olk_cosine_f32[] = {2.443315711809948e-5f, -1.388731625493765e-3f,
                                       4.166664568298827e-2f};
OLK_TABLE double olk_sine_f64[] = {
    1.58969099521155010221e-10,  -2.50507602534068634195e-08, 2.75573137070700676789e-06,
    -1.98412698298579493134e-04, 8.33333333332248946124e-03,  -1.66666666666666324348e-01,
};
OLK_TABLE double olk_cosine_f64[] = {
    -1.13596475577881948265e-11, 2.08757232129817482790e-09,  -2.75573143513906633035e-07,
    2.48015872894767294178e-05,  -1.38888888888741095749e-03, 4.16666666666666019037e-02,
};
