/* PCG32 against the published draws, and what is made of it. */
#include "check.h"

void check_rng(const olk_simd *simd)
{
    /* The reference implementation's demonstration, seed 42 and stream 54. */
    static const uint32_t published[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                         0x83d2f293, 0xbfa4784b, 0xcbed606e};
    uint64_t rng, twin;
    (void)simd;
    olk_pcg32_seed(&rng, 42);
    for (int i = 0; i < 6; i++) {
        const uint32_t drawn = olk_pcg32(&rng);
        CHECK(drawn == published[i], "draw %d is %08x", i, (unsigned)drawn);
    }
    long tallies[7] = {0}, yes = 0;
    const int rounds = 70000;
    for (int i = 0; i < rounds; i++) {
        twin = rng;
        const double u = olk_uniform(&rng);
        CHECK(u >= 0.0 && u < 1.0 && u * 4294967296.0 == olk_pcg32(&twin), "%a", u);
        const int64_t at = olk_uniform_index(&rng, 7);
        CHECK(at >= 0 && at < 7, "%lld", (long long)at);
        tallies[at]++;
        yes += olk_bernoulli(&rng, 0.3);
    }
    for (int k = 0; k < 7; k++)
        CHECK(labs(tallies[k] - rounds / 7) < 500, "index %d: %ld", k, tallies[k]);
    CHECK(labs(yes - 21000) < 700, "%ld of %d", yes, rounds);
    CHECK(olk_uniform_index(&rng, 1) == 0, "the only one");
    for (int i = 0; i < 1000; i++) {
        const int64_t at = olk_uniform_index(&rng, INT64_C(4294967295));
        CHECK(at >= 0 && at < INT64_C(4294967295), "%lld", (long long)at);
    }
    static const double certain[] = {1.0, 2.0, INFINITY, 0.0, -1.0, -INFINITY, NAN};
    for (int i = 0; i < 7; i++) {
        twin = rng;
        CHECK(olk_bernoulli(&rng, certain[i]) == (i < 3), "p = %g", certain[i]);
        CHECK(rng == twin, "p = %g draws", certain[i]);
    }
}
