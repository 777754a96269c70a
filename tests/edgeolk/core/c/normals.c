/* PCG64 and the normal draws made of it, against numbers recorded of numpy. */
#include "normals.h"

#include "check.h"

void check_normals(const olk_simd *simd)
{
    static const struct {
        uint64_t seed, raw[3];
        double normal[3];
    } recorded[] = {
        {UINT64_C(0),
         {0xa30febcfd9c2825f, 0x4510bdf882d9d721, 0x0a7d3da94ecde8b8},
         {0x1.017ed89db8441p-3, -0x1.0e8cfe9bd45ccp-3, 0x1.47e57a468b06dp-1}},
        {UINT64_C(42),
         {0xc621fbcd16d92688, 0x705a5661a791ffc1, 0xdbcd12c26eda1624},
         {0x1.3807c1104fc6bp-2, -0x1.0a3c65fca9a7ep0, 0x1.803b239e7735p-1}},
        {UINT64_C(4294967301),
         {0xc6323ec321deb8d1, 0x78814821c73a0583, 0xb22536d8e0ec17c0},
         {0x1.b4441f9f30526p-2, -0x1.30fc7606e46a8p0, -0x1.260f009857707p0}},
        {UINT64_C(18446744073709551615),
         {0xae163a7a8c47568f, 0xd86659f5f3382359, 0x01e52b195bc2d24a},
         {0x1.715303191d87bp-1, -0x1.f10c32096a2bdp-1, 0x1.1b8d40660f8bfp-4}},
    };
    olk_pcg64 g;
    (void)simd;
    for (size_t k = 0; k < sizeof(recorded) / sizeof(recorded[0]); k++) {
        olk_pcg64_seed(&g, recorded[k].seed);
        for (int i = 0; i < 3; i++)
            CHECK(olk_pcg64_next(&g) == recorded[k].raw[i], "word %d of case %zu", i, k);
        olk_pcg64_seed(&g, recorded[k].seed);
        for (int i = 0; i < 3; i++)
            CHECK(olk_standard_normal(&g) == recorded[k].normal[i], "draw %d of case %zu", i, k);
    }
    double sum = 0.0, squares = 0.0;
    long tail = 0;
    const long count = 2000000;
    for (long i = 0; i < count; i++) {
        const double x = olk_standard_normal(&g);
        CHECK(fabs(x) < 10.0, "%g", x);
        sum += x;
        squares += x * x;
        tail += fabs(x) > OLK_ZIGGURAT_END;
    }
    CHECK(fabs(sum / (double)count) < 0.003, "mean %g", sum / (double)count);
    CHECK(fabs(squares / (double)count - 1.0) < 0.005, "variance %g", squares / (double)count);
    CHECK(tail > 400 && tail < 640, "%ld in the tail", tail);
}
