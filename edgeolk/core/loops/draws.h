/* Words for stochastic rounding, in the order one generator gives them, for one instruction set;
   included by structured_isa.h. */

#if OLK_BYTES > 16
/* A block's words: the state after them does not wait for the words. */
#define OLK_BLOCK_WORDS 64
#define OLK_BLOCK_POWER UINT64_C(4910590176156014849)
#define OLK_BLOCK_SUM UINT64_C(13108727224844335808)
/* After i words the state is POWER[i] s + 109 SUM[i]: one lane each, all stepping by as many. */
static const uint64_t OLK_NAME(olk_pcg_power)[17] = {
    UINT64_C(1), UINT64_C(6364136223846793005), UINT64_C(7520897724310334953),
    UINT64_C(793875393913628917), UINT64_C(18108194425815612945), UINT64_C(7596774164172298237),
    UINT64_C(17333513496047876729), UINT64_C(8758975453663301189), UINT64_C(13086856194709077281),
    UINT64_C(6584243485182795213), UINT64_C(13869413664309571593), UINT64_C(2074577609206900885),
    UINT64_C(3146358351720713521), UINT64_C(13559160814999052445), UINT64_C(4053545077848841881),
    UINT64_C(6097459430366169061), UINT64_C(10186629832379121217),
};
static const uint64_t OLK_NAME(olk_pcg_sum)[17] = {
    UINT64_C(0), UINT64_C(1), UINT64_C(6364136223846793006),
    UINT64_C(13885033948157127959), UINT64_C(14678909342070756876), UINT64_C(14340359694176818205),
    UINT64_C(3490389784639564826), UINT64_C(2377159206977889939), UINT64_C(11136134660641191128),
    UINT64_C(5776246781640716793), UINT64_C(12360490266823512006), UINT64_C(7783159857423531983),
    UINT64_C(9857737466630432868), UINT64_C(13004095818351146389), UINT64_C(8116512559640647218),
    UINT64_C(12170057637489489099), UINT64_C(18267517067855658160),
};
#endif

/* bits[2i], bits[2i + 1]: the high and the low half of word i < n. */
static OLK_APART void OLK_NAME(olk_draw)(uint64_t *generator, uint16_t *restrict bits, ptrdiff_t n)
{
    uint64_t state = *generator;
    ptrdiff_t i = 0;
#if OLK_BYTES > 16
    *generator = state * OLK_BLOCK_POWER + OLK_PCG_DRAWS * OLK_BLOCK_SUM;
#endif
#if OLK_BYTES > 16
    enum { L = OLK_BYTES / 8 };
    typedef uint64_t lanes __attribute__((vector_size(OLK_BYTES), aligned(8), may_alias));
    typedef uint32_t words __attribute__((vector_size(OLK_BYTES), aligned(2), may_alias));
    if (n >= 2 * L) {
        /* Two vectors in turn: one alone would wait for its own product. */
        const lanes power = OLK_NAME(olk_pcg_power)[2 * L] + (lanes){0};
        const lanes sum = OLK_PCG_DRAWS * OLK_NAME(olk_pcg_sum)[2 * L] + (lanes){0};
        lanes s[2], long_word[2], long_by[2];
        for (int g = 0; g < 2; g++)
            s[g] = *(const lanes *)(OLK_NAME(olk_pcg_power) + g * L) * state +
                   *(const lanes *)(OLK_NAME(olk_pcg_sum) + g * L) * OLK_PCG_DRAWS;
        for (; i + 2 * L <= n; i += 2 * L) {
            for (int g = 0; g < 2; g++) {
                long_word[g] = ((s[g] >> 18) ^ s[g]) >> 27;
                long_by[g] = s[g] >> 59;
                s[g] = s[g] * power + sum;
            }
            /* The low halves of both, in order. */
#if OLK_BYTES == 64
#define OLK_LOW(v)                                                                                 \
    __builtin_shufflevector((words)(v)[0], (words)(v)[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,   \
                            22, 24, 26, 28, 30)
            const words turned =
                (words)_mm512_rorv_epi32((__m512i)OLK_LOW(long_word), (__m512i)OLK_LOW(long_by));
#else
#define OLK_LOW(v)                                                                                 \
    __builtin_shufflevector((words)(v)[0], (words)(v)[1], 0, 2, 4, 6, 8, 10, 12, 14)
            const words word = OLK_LOW(long_word), by = OLK_LOW(long_by);
            const words turned = (word >> by) | (word << ((32 - by) & 31));
#endif
#undef OLK_LOW
            *(words *)(bits + 2 * i) = turned << 16 | turned >> 16;
        }
        if (n == OLK_BLOCK_WORDS)
            return;
        state = s[0][0];
    }
#endif
    for (; i < n; i++) {
        const uint32_t word = olk_pcg_next(&state, OLK_PCG_DRAWS);
        bits[2 * i] = (uint16_t)(word >> 16);
        bits[2 * i + 1] = (uint16_t)word;
    }
    *generator = state;
}
#if OLK_BYTES > 16
#undef OLK_BLOCK_WORDS
#undef OLK_BLOCK_POWER
#undef OLK_BLOCK_SUM
#endif
