/* Conversions of stored numbers: every float16, every level of int8, alone and in vectors. */
#include "check.h"

static float half_by_formula(unsigned h)
{
    const int exponent = (h >> 10) & 31, mantissa = h & 1023;
    const double size = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return (float)(h & 0x8000 ? -size : size);
}

static int same_float(float a, float b)
{
    return !memcmp(&a, &b, sizeof(float));
}

static void every_half(void)
{
    for (unsigned h = 0; h < 0x10000; h++) {
        if ((h & 0x7c00) == 0x7c00)
            continue; /* no finite number */
        const float f = olk_half_to_float((uint16_t)h);
        CHECK(same_float(f, half_by_formula(h)), "%04x is read as %a", h, (double)f);
        CHECK(olk_float_to_half(f) == h, "%a is stored as %04x", (double)f, olk_float_to_half(f));
    }
    /* Between neighbours: the even one takes the middle, the nearer one what is beside it. */
    for (unsigned h = 0; h < 0x7bff; h++) {
        const float low = half_by_formula(h), high = half_by_formula(h + 1);
        const float middle = 0.5f * (low + high);
        for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
            const float s = sign ? -1.0f : 1.0f;
            const unsigned tie = olk_float_to_half(s * middle);
            CHECK(tie == ((h + (h & 1)) | sign), "%a is stored as %04x", (double)middle, tie);
            CHECK(olk_float_to_half(s * nextafterf(middle, low)) == (h | sign), "%04x", h);
            CHECK(olk_float_to_half(s * nextafterf(middle, high)) == ((h + 1) | sign), "%04x", h);
        }
    }
    CHECK(olk_float_to_half(65519.0f) == 0x7bff, "the largest that stays finite");
    CHECK(olk_float_to_half(FLT_TRUE_MIN) == 0 && olk_float_to_half(-0.0f) == 0x8000, "zeros");
}

static void every_level(void)
{
    const float scale[] = {0.25f, 3e-5f}, offset[] = {-1.5f, 7.0f};
    const olk_quantum quantum = {scale, offset};
    int8_t one;
    for (int j = 0; j < 2; j++)
        for (int q = -128; q < 128; q++) {
            const float f = scale[j] * (float)q + offset[j];
            one = (int8_t)q;
            CHECK(olk_fetch(OLK_I8, &one, 0, j, &quantum) == (double)f, "level %d", q);
            CHECK(olk_float_to_level((float)q * 0.5f, 0.5f, 0.0f) == q, "level %d", q);
            olk_store(OLK_I8, &one, 0, 0, scale[0] * (float)q + offset[0], &quantum);
            CHECK(one == q, "level %d is stored as %d", q, one);
            CHECK(same_float(olk_seen(OLK_I8, -1.5f + 0.25f * (float)q, 0, &quantum),
                             -1.5f + 0.25f * (float)q), "level %d", q);
        }
    static const float beyond[] = {1e30f, FLT_MAX, 128.0f};
    for (int i = 0; i < 3; i++) {
        CHECK(olk_float_to_level(beyond[i], 1.0f, 0.0f) == 127, "%g", (double)beyond[i]);
        CHECK(olk_float_to_level(-beyond[i] - 1.0f, 1.0f, 0.0f) == -128, "%g", (double)beyond[i]);
    }
    CHECK(olk_float_to_level(0.5f, 1.0f, 0.0f) == 0, "ties to even");
    CHECK(olk_float_to_level(1.5f, 1.0f, 0.0f) == 2, "ties to even");
}

/* Inner products with x = 1 are the stored numbers themselves: those that the vectors read. */
static void in_vectors(const olk_simd *simd)
{
    const olk_kernel plain = {.kind = OLK_LINEAR};
    const float one = 1.0f, scale = 0.03f, offset = 0.7f;
    const olk_quantum quantum = {&scale, &offset};
    const ptrdiff_t n = 2 * 0x7c00;
    uint16_t *halves = array(n, sizeof(uint16_t));
    int8_t *levels = array(256, 1);
    double *row = doubles(n);
    for (ptrdiff_t i = 0; i < n; i++)
        halves[i] = (uint16_t)(i < 0x7c00 ? i : 0x8000 + i - 0x7c00);
    for (int i = 0; i < 256; i++)
        levels[i] = (int8_t)(i - 128);
    simd->row[OLK_F16](&plain, halves, NULL, NULL, n, n, 1, &one, OLK_F64, NULL, row, NULL);
    for (ptrdiff_t i = 0; i < n; i++)
        CHECK(row[i] == (double)half_by_formula(halves[i]), "%04x in a vector", halves[i]);
    simd->row[OLK_I8](&plain, levels, NULL, &quantum, 256, 256, 1, &one, OLK_F64, NULL, row, NULL);
    for (int i = 0; i < 256; i++)
        CHECK(row[i] == (double)(scale * (float)levels[i] + offset), "%d in a vector", levels[i]);
    free(halves);
    free(levels);
    free(row);
}

static void wide(void)
{
    double numbers[2] = {0.0, 0.0};
    float narrow[2] = {0.0f, 0.0f};
    uint16_t half[2] = {0, 0};
    olk_store(OLK_F64, numbers, 1, 0, 0.1, NULL);
    olk_store(OLK_F32, narrow, 1, 0, 0.1, NULL);
    olk_store(OLK_F16, half, 1, 0, 0.1, NULL);
    CHECK(olk_fetch(OLK_F64, numbers, 1, 0, NULL) == 0.1 && numbers[0] == 0.0, "float64");
    CHECK(olk_fetch(OLK_F32, narrow, 1, 0, NULL) == (double)0.1f && narrow[0] == 0.0f, "float32");
    CHECK(olk_fetch(OLK_F16, half, 1, 0, NULL) == 1638.0 / 16384.0 && half[0] == 0, "float16");
    CHECK(olk_seen(OLK_F16, 0.1f, 0, NULL) == 1638.0f / 16384.0f, "float16");
    CHECK(olk_seen(OLK_F32, 0.1f, 0, NULL) == 0.1f, "float32");
}

void check_storage(const olk_simd *simd)
{
    every_half();
    every_level();
    in_vectors(simd);
    wide();
}
