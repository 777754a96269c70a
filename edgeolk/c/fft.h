/* The power spectrum of 32 to 1,024 real numbers, in place: one complex transform of half the size
   (radix 2, decimation in time: Cooley & Tukey 1965), then the real one from it (Sorensen et al.
   1987), in floats or in 16-bit integers with a common exponent (block floating point: Oppenheim &
   Weinstein 1972). The order of operations is that of docs/windows.md, to the bit on every processor.

   Design: sines come from one table of a quarter turn of 1,024 steps, read with a stride, so nothing
   is computed at the start. Powers take the place of the complex numbers that they come from: the
   spectrum needs no memory but its input. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "port.h"

/* sin(pi i / 512), i from 0 to 256: a quarter turn. */
OLK_TABLE float olk_fft_sine_f32[257] = {
    0.0f, 0.00613588467f, 0.0122715384f, 0.0184067301f, 0.024541229f, 0.030674804f, 0.0368072242f,
    0.0429382585f, 0.0490676761f, 0.0551952459f, 0.061320737f, 0.0674439222f, 0.0735645667f,
    0.0796824396f, 0.0857973099f, 0.0919089541f, 0.0980171412f, 0.104121633f, 0.110222206f,
    0.116318628f, 0.122410677f, 0.128498107f, 0.134580702f, 0.140658244f, 0.146730468f,
    0.152797192f, 0.15885815f, 0.164913118f, 0.170961887f, 0.177004218f, 0.183039889f, 0.18906866f,
    0.195090324f, 0.201104641f, 0.207111374f, 0.213110313f, 0.219101235f, 0.225083917f,
    0.231058106f, 0.237023607f, 0.242980182f, 0.248927608f, 0.254865646f, 0.260794103f,
    0.266712755f, 0.272621363f, 0.27851969f, 0.284407526f, 0.290284663f, 0.296150893f, 0.302005947f,
    0.307849646f, 0.313681751f, 0.319502026f, 0.32531029f, 0.331106305f, 0.336889863f, 0.342660725f,
    0.348418683f, 0.354163527f, 0.359895051f, 0.365612984f, 0.371317208f, 0.377007425f,
    0.382683426f, 0.388345033f, 0.393992037f, 0.399624199f, 0.405241311f, 0.410843164f,
    0.416429549f, 0.422000259f, 0.427555084f, 0.433093816f, 0.438616246f, 0.444122136f,
    0.449611336f, 0.455083579f, 0.460538715f, 0.465976506f, 0.471396744f, 0.47679922f, 0.482183784f,
    0.487550169f, 0.492898196f, 0.498227656f, 0.50353837f, 0.50883013f, 0.514102757f, 0.519356012f,
    0.524589658f, 0.529803634f, 0.534997642f, 0.540171444f, 0.545324981f, 0.550457954f,
    0.555570245f, 0.560661554f, 0.565731823f, 0.570780754f, 0.575808167f, 0.580813944f,
    0.585797846f, 0.590759695f, 0.59569931f, 0.600616455f, 0.605511069f, 0.610382795f, 0.615231574f,
    0.620057225f, 0.624859512f, 0.629638255f, 0.634393275f, 0.639124453f, 0.643831551f, 0.64851439f,
    0.653172851f, 0.657806695f, 0.662415802f, 0.666999936f, 0.671558976f, 0.676092684f,
    0.680601001f, 0.685083687f, 0.689540565f, 0.693971455f, 0.698376238f, 0.702754736f,
    0.707106769f, 0.711432219f, 0.715730846f, 0.720002532f, 0.724247098f, 0.728464365f,
    0.732654274f, 0.736816585f, 0.740951121f, 0.745057762f, 0.749136388f, 0.753186822f,
    0.757208824f, 0.761202395f, 0.765167236f, 0.769103348f, 0.773010433f, 0.77688849f, 0.780737221f,
    0.784556568f, 0.78834641f, 0.792106569f, 0.795836926f, 0.799537241f, 0.803207517f, 0.806847572f,
    0.81045717f, 0.81403631f, 0.817584813f, 0.8211025f, 0.824589312f, 0.82804507f, 0.831469595f,
    0.834862888f, 0.838224709f, 0.841554999f, 0.84485358f, 0.848120332f, 0.851355195f, 0.854557991f,
    0.857728601f, 0.860866964f, 0.863972843f, 0.867046237f, 0.870086968f, 0.873094976f,
    0.876070082f, 0.879012227f, 0.881921291f, 0.884797096f, 0.887639642f, 0.890448749f,
    0.893224299f, 0.895966232f, 0.898674488f, 0.901348829f, 0.903989315f, 0.906595707f,
    0.909168005f, 0.91170603f, 0.914209783f, 0.916679084f, 0.919113874f, 0.921514034f, 0.923879504f,
    0.926210225f, 0.928506076f, 0.93076694f, 0.932992816f, 0.935183525f, 0.937339008f, 0.939459205f,
    0.941544056f, 0.943593442f, 0.945607305f, 0.947585583f, 0.949528158f, 0.95143503f, 0.953306019f,
    0.955141187f, 0.956940353f, 0.958703458f, 0.960430503f, 0.962121427f, 0.963776052f,
    0.965394437f, 0.966976464f, 0.968522072f, 0.970031261f, 0.971503913f, 0.972939968f,
    0.974339366f, 0.975702107f, 0.977028131f, 0.97831738f, 0.979569793f, 0.980785251f, 0.981963873f,
    0.983105481f, 0.984210074f, 0.985277653f, 0.986308098f, 0.987301409f, 0.988257587f,
    0.989176512f, 0.990058184f, 0.990902662f, 0.991709769f, 0.992479563f, 0.993211925f,
    0.993906975f, 0.994564593f, 0.99518472f, 0.995767415f, 0.996312618f, 0.996820271f, 0.997290432f,
    0.997723043f, 0.998118103f, 0.998475552f, 0.99879545f, 0.999077737f, 0.999322355f, 0.999529421f,
    0.999698818f, 0.999830604f, 0.999924719f, 0.999981165f, 1.0f,
};

/* The same in units of 2^-15. */
OLK_TABLE uint16_t olk_fft_sine_q15[257] = {
    0, 201, 402, 603, 804, 1005, 1206, 1407, 1608, 1809, 2009, 2210, 2411, 2611, 2811, 3012, 3212,
    3412, 3612, 3812, 4011, 4211, 4410, 4609, 4808, 5007, 5205, 5404, 5602, 5800, 5998, 6195, 6393,
    6590, 6787, 6983, 7180, 7376, 7571, 7767, 7962, 8157, 8351, 8546, 8740, 8933, 9127, 9319, 9512,
    9704, 9896, 10088, 10279, 10469, 10660, 10850, 11039, 11228, 11417, 11605, 11793, 11980, 12167,
    12354, 12540, 12725, 12910, 13095, 13279, 13463, 13646, 13828, 14010, 14192, 14373, 14553,
    14733, 14912, 15091, 15269, 15447, 15624, 15800, 15976, 16151, 16326, 16500, 16673, 16846,
    17018, 17190, 17361, 17531, 17700, 17869, 18037, 18205, 18372, 18538, 18703, 18868, 19032,
    19195, 19358, 19520, 19681, 19841, 20001, 20160, 20318, 20475, 20632, 20788, 20943, 21097,
    21251, 21403, 21555, 21706, 21856, 22006, 22154, 22302, 22449, 22595, 22740, 22884, 23028,
    23170, 23312, 23453, 23593, 23732, 23870, 24008, 24144, 24279, 24414, 24548, 24680, 24812,
    24943, 25073, 25202, 25330, 25457, 25583, 25708, 25833, 25956, 26078, 26199, 26320, 26439,
    26557, 26674, 26791, 26906, 27020, 27133, 27246, 27357, 27467, 27576, 27684, 27791, 27897,
    28002, 28106, 28209, 28311, 28411, 28511, 28610, 28707, 28803, 28899, 28993, 29086, 29178,
    29269, 29359, 29448, 29535, 29622, 29707, 29792, 29875, 29957, 30038, 30118, 30196, 30274,
    30350, 30425, 30499, 30572, 30644, 30715, 30784, 30853, 30920, 30986, 31050, 31114, 31177,
    31238, 31298, 31357, 31415, 31471, 31527, 31581, 31634, 31686, 31737, 31786, 31834, 31881,
    31927, 31972, 32015, 32058, 32099, 32138, 32177, 32214, 32251, 32286, 32319, 32352, 32383,
    32413, 32442, 32470, 32496, 32522, 32546, 32568, 32590, 32610, 32629, 32647, 32664, 32679,
    32693, 32706, 32718, 32729, 32738, 32746, 32753, 32758, 32762, 32766, 32767, 32768,
};

/* Cosine and sine of step `at` of 1,024 in a turn; the sine for at <= 512 alone. */
static OLK_INLINE float olk_fft_cos_f32(uint32_t at)
{
    at = at > 512 ? 1024 - at : at;
    return at <= 256 ? olk_fft_sine_f32[256 - at] : -olk_fft_sine_f32[at - 256];
}

static OLK_INLINE float olk_fft_sin_f32(uint32_t at)
{
    return olk_fft_sine_f32[at <= 256 ? at : 512 - at];
}

static OLK_INLINE int32_t olk_fft_cos_q15(uint32_t at)
{
    at = at > 512 ? 1024 - at : at;
    return at <= 256 ? olk_fft_sine_q15[256 - at] : -(int32_t)olk_fft_sine_q15[at - 256];
}

static OLK_INLINE int32_t olk_fft_sin_q15(uint32_t at)
{
    return olk_fft_sine_q15[at <= 256 ? at : 512 - at];
}

/* v / 2^shift, halves rounded up; shift from 0 to 30. */
static OLK_INLINE int32_t olk_shift_q15(int32_t v, uint32_t shift)
{
    return shift ? (v + (INT32_C(1) << (shift - 1))) >> shift : v;
}

/* The index after j in the order of reversed bits, n being a power of 2: a carry runs downwards. */
static inline uint32_t olk_fft_next(uint32_t j, uint32_t n)
{
    uint32_t bit = n >> 1;
    for (; j & bit; bit >>= 1)
        j ^= bit;
    return j ^ bit;
}

/* -- Floats -- */

/* Exchanges complex numbers: each moves to its index with the bits reversed. */
static inline void olk_fft_reverse_f32(float *z, uint32_t n)
{
    for (uint32_t i = 1, j = 0; i < n; i++) {
        j = olk_fft_next(j, n);
        if (i < j) {
            const float re = z[2 * i], im = z[2 * i + 1];
            z[2 * i] = z[2 * j];
            z[2 * i + 1] = z[2 * j + 1];
            z[2 * j] = re;
            z[2 * j + 1] = im;
        }
    }
}

/* z_k := sum_i z_i exp(-2 pi i k / n) over n complex numbers. */
static inline void olk_fft_f32(float *z, uint32_t n)
{
    olk_fft_reverse_f32(z, n);
    for (uint32_t half = 1; half < n; half *= 2) {
        const uint32_t stride = 512 / half;
        for (uint32_t k = 0; k < half; k++) {
            const float wr = olk_fft_cos_f32(k * stride), wi = -olk_fft_sin_f32(k * stride);
            for (uint32_t i = k; i < n; i += 2 * half) {
                float *a = z + 2 * i, *b = z + 2 * (i + half);
                const float tr = b[0] * wr - b[1] * wi, ti = b[0] * wi + b[1] * wr;
                b[0] = a[0] - tr;
                b[1] = a[1] - ti;
                a[0] = a[0] + tr;
                a[1] = a[1] + ti;
            }
        }
    }
}

/* |X_k|^2 of n real numbers, k from 1 to n/2, at x[2 k], and of k = n/2 at x[1]. */
static inline void olk_fft_power_f32(float *x, uint32_t n)
{
    const uint32_t m = n / 2, stride = 1024 / n;
    olk_fft_f32(x, m);
    x[1] = (x[0] - x[1]) * (x[0] - x[1]);
    for (uint32_t k = 1; k <= m / 2; k++) {
        float *a = x + 2 * k, *b = x + 2 * (m - k);
        const float wr = olk_fft_cos_f32(k * stride), wi = -olk_fft_sin_f32(k * stride);
        /* Of the even and the odd samples, twice. */
        const float er = a[0] + b[0], ei = a[1] - b[1], or_ = a[1] + b[1], oi = b[0] - a[0];
        const float tr = or_ * wr - oi * wi, ti = or_ * wi + oi * wr;
        const float pr = 0.5f * (er + tr), pi = 0.5f * (ei + ti);
        const float qr = 0.5f * (er - tr), qi = 0.5f * (ei - ti);
        a[0] = pr * pr + pi * pi;
        b[0] = qr * qr + qi * qi;
    }
}

/* Power k of those, k from 1 to n/2. */
static OLK_INLINE float olk_fft_bin_f32(const float *x, uint32_t n, uint32_t k)
{
    return k < n / 2 ? x[2 * k] : x[1];
}

/* -- 16-bit integers with a common exponent -- */

/* The largest that a butterfly keeps within 16 bits: 32,767 / (1 + sqrt(2)). */
enum { OLK_FFT_MOST = 13572 };

/* Shifts every number right until none is beyond `most`; returns by how much. */
static inline uint32_t olk_fft_limit_q15(int16_t *z, uint32_t n, int32_t most)
{
    int32_t largest = 0;
    uint32_t shift = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int32_t size = z[i] < 0 ? -(int32_t)z[i] : z[i];
        largest = size > largest ? size : largest;
    }
    while (olk_shift_q15(largest, shift) > most)
        shift++;
    for (uint32_t i = 0; shift && i < n; i++)
        z[i] = (int16_t)olk_shift_q15(z[i], shift);
    return shift;
}

static inline void olk_fft_reverse_q15(int16_t *z, uint32_t n)
{
    for (uint32_t i = 1, j = 0; i < n; i++) {
        j = olk_fft_next(j, n);
        if (i < j) {
            const int16_t re = z[2 * i], im = z[2 * i + 1];
            z[2 * i] = z[2 * j];
            z[2 * i + 1] = z[2 * j + 1];
            z[2 * j] = re;
            z[2 * j + 1] = im;
        }
    }
}

/* The same transform divided by 2^e; returns e. */
static inline uint32_t olk_fft_q15(int16_t *z, uint32_t n)
{
    uint32_t exponent = 0;
    olk_fft_reverse_q15(z, n);
    for (uint32_t half = 1; half < n; half *= 2) {
        const uint32_t stride = 512 / half;
        exponent += olk_fft_limit_q15(z, 2 * n, OLK_FFT_MOST);
        for (uint32_t k = 0; k < half; k++) {
            const int32_t wr = olk_fft_cos_q15(k * stride), wi = -olk_fft_sin_q15(k * stride);
            for (uint32_t i = k; i < n; i += 2 * half) {
                int16_t *a = z + 2 * i, *b = z + 2 * (i + half);
                const int32_t tr = olk_shift_q15(b[0] * wr - b[1] * wi, 15);
                const int32_t ti = olk_shift_q15(b[0] * wi + b[1] * wr, 15);
                b[0] = (int16_t)(a[0] - tr);
                b[1] = (int16_t)(a[1] - ti);
                a[0] = (int16_t)(a[0] + tr);
                a[1] = (int16_t)(a[1] + ti);
            }
        }
    }
    return exponent;
}

static OLK_INLINE uint32_t olk_fft_square_q15(int32_t re, int32_t im)
{
    return (uint32_t)re * (uint32_t)re + (uint32_t)im * (uint32_t)im;
}

/* |X_k|^2 / 4^e as uint32_t, in the places of olk_fft_power_f32; returns e. */
static inline uint32_t olk_fft_power_q15(int16_t *x, uint32_t n)
{
    const uint32_t m = n / 2, stride = 1024 / n;
    uint32_t exponent = olk_fft_q15(x, m), power;
    exponent += olk_fft_limit_q15(x, n, 16383);
    power = olk_fft_square_q15((int32_t)x[0] - x[1], 0);
    memcpy(x, &power, sizeof power);
    for (uint32_t k = 1; k <= m / 2; k++) {
        int16_t *a = x + 2 * k, *b = x + 2 * (m - k);
        const int32_t wr = olk_fft_cos_q15(k * stride), wi = -olk_fft_sin_q15(k * stride);
        const int32_t ar = a[0], ai = a[1], br = b[0], bi = b[1];
        const int32_t er = ar + br, ei = ai - bi, or_ = ai + bi, oi = br - ar;
        const int32_t tr = olk_shift_q15(or_ * wr - oi * wi, 15);
        const int32_t ti = olk_shift_q15(or_ * wi + oi * wr, 15);
        const uint32_t p =
            olk_fft_square_q15(olk_shift_q15(er + tr, 1), olk_shift_q15(ei + ti, 1));
        const uint32_t q =
            olk_fft_square_q15(olk_shift_q15(er - tr, 1), olk_shift_q15(ei - ti, 1));
        memcpy(a, &p, sizeof p);
        memcpy(b, &q, sizeof q);
    }
    return exponent;
}

/* Power k of those, k from 1 to n/2. */
static OLK_INLINE uint32_t olk_fft_bin_q15(const int16_t *x, uint32_t n, uint32_t k)
{
    uint32_t power;
    memcpy(&power, x + (k < n / 2 ? 2 * k : 0), sizeof power);
    return power;
}
