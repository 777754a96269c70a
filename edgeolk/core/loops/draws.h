/* Words for stochastic rounding, in the order one generator gives them, for one instruction set;
   included by structured_isa.h. */

#if OLK_BYTES > 16
/* After i words the state is POWER[i] s + 109 SUM[i]: one lane each, all stepping L words at once. */
static const uint64_t OLK_NAME(olk_pcg_power)[9] = {
    UINT64_C(1), UINT64_C(6364136223846793005), UINT64_C(7520897724310334953),
    UINT64_C(793875393913628917), UINT64_C(18108194425815612945), UINT64_C(7596774164172298237),
    UINT64_C(17333513496047876729), UINT64_C(8758975453663301189), UINT64_C(13086856194709077281),
};
static const uint64_t OLK_NAME(olk_pcg_sum)[9] = {
    UINT64_C(0), UINT64_C(1), UINT64_C(6364136223846793006),
    UINT64_C(13885033948157127959), UINT64_C(14678909342070756876), UINT64_C(14340359694176818205),
    UINT64_C(3490389784639564826), UINT64_C(2377159206977889939), UINT64_C(11136134660641191128),
};
#endif

/* bits[2i], bits[2i + 1]: the high and the low half of word i < n. */
static inline void OLK_NAME(olk_draw)(uint64_t *generator, uint16_t *restrict bits, ptrdiff_t n)
{
    uint64_t state = *generator;
    ptrdiff_t i = 0;
#if OLK_BYTES > 16
    enum { L = OLK_BYTES / 8 };
    typedef uint64_t lanes __attribute__((vector_size(OLK_BYTES), aligned(8), may_alias));
    typedef uint32_t words __attribute__((vector_size(OLK_BYTES / 2), aligned(2), may_alias));
    if (n >= L) {
        lanes s = *(const lanes *)OLK_NAME(olk_pcg_power) * state +
                  *(const lanes *)OLK_NAME(olk_pcg_sum) * OLK_PCG_DRAWS;
        for (; i + L <= n; i += L) {
            const lanes word = (((s >> 18) ^ s) >> 27) & UINT64_C(0xffffffff);
            const lanes turned = (word << 32 | word) >> (s >> 59);
            *(words *)(bits + 2 * i) =
                __builtin_convertvector((turned << 16) | (turned >> 16 & 0xffff), words);
            s = s * OLK_NAME(olk_pcg_power)[L] + OLK_PCG_DRAWS * OLK_NAME(olk_pcg_sum)[L];
        }
        state = s[0];
    }
#endif
    for (; i < n; i++) {
        const uint32_t word = olk_pcg_next(&state, OLK_PCG_DRAWS);
        bits[2 * i] = (uint16_t)(word >> 16);
        bits[2 * i + 1] = (uint16_t)word;
    }
    *generator = state;
}
