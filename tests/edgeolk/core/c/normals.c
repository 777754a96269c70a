/* Normal draws, against numbers of Python's statistics.NormalDist().inv_cdf, which is AS 241 with the
   C library's logarithm, and against the moments of the distribution. */
#include "normals.h"

#include "check.h"

void check_normals(const olk_simd *simd)
{
    (void)simd;
    static const struct {
        uint32_t word;
        double normal;
    } recorded[] = {
        {UINT32_C(0x00000000), -6.337957754553789},
        {UINT32_C(0x00000001), -6.166429517819749},
        {UINT32_C(0x7fffffff), -2.9180993729166234e-10},
        {UINT32_C(0x80000000), 2.9180993729166234e-10},
        {UINT32_C(0xffffffff), 6.337957754553789},
        {UINT32_C(0x13333332), -1.4395314720898171},
        {UINT32_C(0x13333333), -1.4395314704450153},
        {UINT32_C(0xeccccccc), 1.4395314704450153},
        {UINT32_C(0x12345678), -1.4675657314922321},
        {UINT32_C(0xdeadbeef), 1.1256287403742193},
    };
    for (size_t k = 0; k < sizeof recorded / sizeof recorded[0]; k++) {
        const double q = olk_centred(recorded[k].word);
        const double z = fabs(q) <= OLK_NORMAL_CENTRE ? olk_normal_in_centre(q)
                                                      : olk_normal_in_tail(q);
        CHECK(fabs(z - recorded[k].normal) <= 1e-15 * fabs(z), "%.17g of word %zu", z, k);
    }
    uint64_t state = olk_pcg_seed(7, OLK_PCG_NORMALS);
    double sum = 0.0, squares = 0.0, draws[100];
    long tail = 0;
    const long count = 20000;
    for (long i = 0; i < count; i++) {
        olk_normals(&state, 100, draws);
        for (int k = 0; k < 100; k++) {
            CHECK(fabs(draws[k]) < 6.35, "%g", draws[k]);
            sum += draws[k];
            squares += draws[k] * draws[k];
            tail += fabs(draws[k]) > 3.0;
        }
    }
    CHECK(fabs(sum / (100.0 * count)) < 0.003, "mean %g", sum / (100.0 * count));
    CHECK(fabs(squares / (100.0 * count) - 1.0) < 0.005, "variance %g", squares / (100.0 * count));
    CHECK(tail > 5100 && tail < 5700, "%ld in the tail", tail);
}
