/* Blocks of one dense row side by side, for one type of rows, one computed in and one instruction
   set; included by structured_isa.h. Lane l of a vector is of the l-th block: transforms move no
   number from lane to lane, and a number of the row is read once for all blocks. Sums are those of
   olk_fold and olk_mix, in their order. */

/* How many, where vectors are long enough to gain by it. */
#if OLK_BYTES > 16 && !OLK_WHOLE && !defined(__clang__)
#define OLK_MANY (OLK_BYTES / (int)sizeof(OLK_T))

#define OLK_FN(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_TYPE), OLK_INTYPE))
#define OLK_BY_TYPE(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))
#define OLK_LINES OLK_BY_TYPE(olk_lines_of)
#define OLK_SIGNS OLK_BY_TYPE(olk_signs_of)
#define OLK_STATES OLK_FN(olk_states_of)

/* States of the blocks' generators: those of a vector's lanes in one or two. */
#define OLK_PARTS (8 / (int)sizeof(OLK_T))
typedef uint64_t OLK_STATES __attribute__((vector_size(OLK_BYTES), aligned(8), may_alias));

/* The next word of each. */
static OLK_ALWAYS OLK_SIGNS OLK_FN(olk_next_words)(OLK_STATES *state)
{
    const OLK_SIGNS at = OLK_COUNTED;
    OLK_STATES word[OLK_PARTS];
    for (int g = 0; g < OLK_PARTS; g++) {
        const OLK_STATES bits = (((state[g] >> 18) ^ state[g]) >> 27) & UINT32_MAX;
        word[g] = ((bits | bits << 32) >> (state[g] >> 59)) & UINT32_MAX;
        state[g] = state[g] * OLK_PCG_FACTOR + OLK_PCG_SIGNS;
    }
    const OLK_SIGNS low = (OLK_SIGNS)word[0], high = (OLK_SIGNS)word[OLK_PARTS - 1];
    return OLK_PARTS == 1 ? low : __builtin_shuffle(low, high, 2 * at);
}

/* Eight lines negated where bits of the words are set, from bit `from` on. */
static OLK_ALWAYS void OLK_FN(olk_flip_eight)(OLK_LINES *r, OLK_SIGNS words, int from)
{
    OLK_SIGNS high = words << (8 * (int)sizeof(OLK_T) - 8 - from);
    for (int k = 7; k >= 0; k--, high += high)
        r[k] = (OLK_LINES)((OLK_SIGNS)r[k] ^ (high & OLK_SIGN));
}

/* Eight lines `apart`. */
static OLK_ALWAYS void OLK_FN(olk_get_eight)(OLK_LINES *r, OLK_T (*line)[OLK_MANY],
                                             const int apart)
{
    for (int k = 0; k < 8; k++)
        r[k] = *(const OLK_LINES *)line[k * apart];
}

/* Three stages of a transform across them, and back to where they were. */
static OLK_ALWAYS void OLK_FN(olk_put_across)(OLK_LINES *r, OLK_T (*line)[OLK_MANY],
                                              const int apart)
{
    OLK_BY_TYPE(olk_across)(8, r);
    for (int k = 0; k < 8; k++)
        *(OLK_LINES *)line[k * apart] = r[k];
}

/* The fold of a row. */
static OLK_ALWAYS void OLK_FN(olk_fold_abreast)(const OLK_IN *x, ptrdiff_t d, OLK_STATES *state,
                                                OLK_T (*line)[OLK_MANY])
{
    for (ptrdiff_t start = 0; start < d; start += 32) {
        const OLK_SIGNS words = OLK_FN(olk_next_words)(state);
        for (int i = 0; i < 32 && start + i < d; i += 8) {
            const ptrdiff_t left = d - start - i;
            const OLK_IN *from = x + start + i;
            OLK_T(*to)[OLK_MANY] = line + (start + i) % 64;
            OLK_IN last[8] = {0};
            OLK_LINES r[8];
            if (left < 8)
                from = memcpy(last, from, (size_t)left * sizeof *last);
            for (int k = 0; k < 8; k++)
                r[k] = (OLK_T)from[k] - (OLK_LINES){0};
            OLK_FN(olk_flip_eight)(r, words, i);
            for (int k = 0; k < 8; k++) {
                const OLK_LINES before = start < 64 ? (OLK_LINES){0} : *(OLK_LINES *)to[k];
                *(OLK_LINES *)to[k] = before + r[k];
            }
        }
    }
    for (ptrdiff_t i = (d + 7) / 8 * 8; i < 64; i++)
        memset(line[i], 0, sizeof line[i]);
}

/* to[l][i] = line[i][l] of as many lines as lanes: an exchange a bit of their numbers. */
static OLK_ALWAYS void OLK_FN(olk_turn)(OLK_T (*line)[OLK_MANY], OLK_T (*to)[64])
{
    const OLK_SIGNS at = OLK_COUNTED;
    OLK_LINES r[OLK_MANY];
    for (int l = 0; l < OLK_MANY; l++)
        r[l] = *(const OLK_LINES *)line[l];
#define OLK_STAGE(h)                                                                               \
    do {                                                                                           \
        const OLK_SIGNS low = at + ((OLK_SIGNS)((at & (h)) != 0) & (OLK_MANY - (h)));           \
        _Pragma("GCC unroll 16") for (int l = 0; l < OLK_MANY; l++) if (!(l & (h)))             \
        {                                                                                          \
            const OLK_LINES a = r[l], b = r[l + (h)];                                              \
            r[l] = __builtin_shuffle(a, b, low);                                                   \
            r[l + (h)] = __builtin_shuffle(a, b, low + (h));                                       \
        }                                                                                          \
    } while (0)
    OLK_STAGE(1);
    OLK_STAGE(2);
    if (OLK_MANY > 4)
        OLK_STAGE(4);
    if (OLK_MANY > 8)
        OLK_STAGE(8);
#undef OLK_STAGE
    for (int l = 0; l < OLK_MANY; l++)
        *(OLK_LINES *)to[l] = r[l];
}

/* v[block] <- the next blocks of a row, folded and transformed. */
static OLK_APART void OLK_FN(olk_abreast)(const olk_sorf *p, uint64_t *generator, const OLK_IN *x,
                                          ptrdiff_t blocks, OLK_T (*v)[64])
{
    OLK_ALIGNED(64) OLK_T line[64][OLK_MANY];
    OLK_ALIGNED(64) uint64_t first[OLK_MANY];
    OLK_STATES state[OLK_PARTS];
    /* One block on is a product and a sum. */
    const uint64_t each = (uint64_t)((p->d + 31) / 32 + 4);
    uint64_t factor = 1, sum = 0;
    olk_pcg_skip(&factor, 0, each);
    olk_pcg_skip(&sum, OLK_PCG_SIGNS, each);
    for (int l = 0; l < OLK_MANY; l++) {
        first[l] = *generator;
        if (l < blocks)
            *generator = *generator * factor + sum;
    }
    memcpy(state, first, sizeof state);
    OLK_FN(olk_fold_abreast)(x, p->d, state, line);
    for (int round = 0; round < 3; round++) {
        OLK_LINES r[8];
        for (int i = 0; round == 0 && i < 64; i += 8) {
            OLK_FN(olk_get_eight)(r, line + i, 1);
            OLK_FN(olk_put_across)(r, line + i, 1);
        }
        for (int half = 0; round && half < 64; half += 32) {
            const OLK_SIGNS words = OLK_FN(olk_next_words)(state);
            for (int i = 0; i < 32; i += 8) {
                OLK_FN(olk_get_eight)(r, line + half + i, 1);
                OLK_FN(olk_flip_eight)(r, words, i);
                OLK_FN(olk_put_across)(r, line + half + i, 1);
            }
        }
        for (int i = 0; i < 8; i++) {
            OLK_FN(olk_get_eight)(r, line + i, 8);
            OLK_FN(olk_put_across)(r, line + i, 8);
        }
    }
    for (int i = 0; i < 64; i += OLK_MANY)
        OLK_FN(olk_turn)(line + i, (OLK_T(*)[64])(v[0] + i));
}
#undef OLK_PARTS
#undef OLK_STATES
#undef OLK_SIGNS
#undef OLK_LINES
#undef OLK_BY_TYPE
#undef OLK_FN
#endif
