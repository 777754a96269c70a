/* Interleaved blocks of one dense row (docs/sorf.md, section 3), where vectors are long enough to
   gain by it; included by scoring.h. Lane l of a vector belongs to the l-th block: transforms move
   no number between lanes, and each number of the row is read once for all blocks. Sums are those
   of olk_sketch and olk_hadamard, in the same order. */

/* One line of each block. */
typedef olk_entry olk_line_of_each[OLK_BYTES / sizeof(olk_entry)];

/* The next word of each block's generator; the states of all lanes fill one or two vectors. */
static OLK_INLINE olk_words olk_next_words(olk_u64s *state)
{
    enum { PARTS = 8 / (int)sizeof(olk_compute_t) };
    olk_u64s word[PARTS];
    for (int g = 0; g < PARTS; g++) {
        const olk_u64s bits = (((state[g] >> 18) ^ state[g]) >> 27) & UINT32_MAX;
        word[g] = ((bits | bits << 32) >> (state[g] >> 59)) & UINT32_MAX;
        state[g] = state[g] * OLK_PCG_FACTOR + OLK_PCG_SIGNS;
    }
    const olk_words low = (olk_words)word[0], high = (olk_words)word[PARTS - 1];
    return PARTS == 1 ? low : __builtin_shuffle(low, high, 2 * olk_lane_numbers());
}

/* Eight lines negated where bits of the words are set, from bit `from` on. */
static OLK_INLINE void olk_flip_eight(olk_compute_vec *r, olk_words words, int from)
{
    olk_words high = words << (8 * (int)sizeof(olk_entry) - 8 - from);
    for (int k = 7; k >= 0; k--, high += high)
        r[k] = (olk_compute_vec)((olk_words)r[k] ^ (high & olk_sign));
}

/* Loads eight lines, `stride` lines between two. */
static OLK_INLINE void olk_get_eight(olk_compute_vec *r, olk_line_of_each *line, const int stride)
{
    for (int k = 0; k < 8; k++)
        r[k] = *(const olk_compute_vec *)line[k * stride];
}

/* Three stages of a transform across them, then stores them back. */
static OLK_INLINE void olk_put_across(olk_compute_vec *r, olk_line_of_each *line, const int stride)
{
    olk_hadamard_across(8, r);
    for (int k = 0; k < 8; k++)
        *(olk_compute_vec *)line[k * stride] = r[k];
}

/* Sketches a row for all blocks. */
static OLK_INLINE void olk_sketch_interleaved(const olk_input *x, ptrdiff_t d, olk_u64s *state,
                                              olk_line_of_each *line)
{
    for (ptrdiff_t start = 0; start < d; start += 32) {
        const olk_words words = olk_next_words(state);
        for (int i = 0; i < 32 && start + i < d; i += 8) {
            const ptrdiff_t remaining = d - start - i;
            const olk_input *from = x + start + i;
            olk_line_of_each *to = line + (start + i) % 64;
            olk_input tail[8] = {0};
            olk_compute_vec r[8];
            if (remaining < 8)
                from = memcpy(tail, from, (size_t)remaining * sizeof *tail);
            for (int k = 0; k < 8; k++)
                r[k] = (olk_entry)from[k] - (olk_compute_vec){0};
            olk_flip_eight(r, words, i);
            for (int k = 0; k < 8; k++) {
                const olk_compute_vec partial =
                    start < 64 ? (olk_compute_vec){0} : *(olk_compute_vec *)to[k];
                *(olk_compute_vec *)to[k] = partial + r[k];
            }
        }
    }
    for (ptrdiff_t i = (d + 7) / 8 * 8; i < 64; i++)
        memset(line[i], 0, sizeof line[i]);
}

/* Exchanges, between registers l and l + h, the lanes with bit h of their number. */
static OLK_INLINE void olk_exchange(olk_compute_vec *r, const int h)
{
    enum { MANY = OLK_BYTES / (int)sizeof(olk_compute_t) };
    const olk_words at = olk_lane_numbers();
    const olk_words low = at + ((olk_words)((at & (olk_word)h) != 0) & (olk_word)(MANY - h));
#pragma GCC unroll 16
    for (int l = 0; l < MANY; l++)
        if (!(l & h)) {
            const olk_compute_vec a = r[l], b = r[l + h];
            r[l] = __builtin_shuffle(a, b, low);
            r[l + h] = __builtin_shuffle(a, b, low + (olk_word)h);
        }
}

/* to[l][i] = line[i][l], as many lines as lanes: one exchange per bit of their number. */
static OLK_INLINE void olk_transpose_lines(olk_line_of_each *line, olk_entry (*to)[64])
{
    enum { MANY = OLK_BYTES / (int)sizeof(olk_compute_t) };
    olk_compute_vec r[MANY];
    for (int l = 0; l < MANY; l++)
        r[l] = *(const olk_compute_vec *)line[l];
    olk_exchange(r, 1);
    olk_exchange(r, 2);
    if (MANY > 4)
        olk_exchange(r, 4);
    if (MANY > 8)
        olk_exchange(r, 8);
    for (int l = 0; l < MANY; l++)
        *(olk_compute_vec *)to[l] = r[l];
}

/* v[block] <- the next blocks of a row, sketched and transformed. */
static OLK_NOCLONE void olk_interleave(const olk_sorf *p, uint64_t *generator, const olk_input *x,
                                       ptrdiff_t blocks, olk_entry (*v)[64])
{
    enum { MANY = OLK_BYTES / (int)sizeof(olk_compute_t) };
    OLK_ALIGNED(64) olk_line_of_each line[64];
    OLK_ALIGNED(64) uint64_t first[MANY];
    const int used_lines = p->d < 64 ? (int)p->d : 64; /* zeros stay zeros next to each other */
    olk_u64s state[8 / sizeof(olk_compute_t)];
    /* Advancing by one block is one multiplication and one addition. */
    const uint64_t each = (uint64_t)((p->d + 31) / 32 + 4);
    uint64_t factor = 1, sum = 0;
    olk_pcg_skip(&factor, 0, each);
    olk_pcg_skip(&sum, OLK_PCG_SIGNS, each);
    for (int l = 0; l < MANY; l++) {
        first[l] = *generator;
        if (l < blocks)
            *generator = *generator * factor + sum;
    }
    memcpy(state, first, sizeof state);
    olk_sketch_interleaved(x, p->d, state, line);
    for (int round = 0; round < 3; round++) {
        olk_compute_vec r[8];
        for (int i = 0; round == 0 && i < used_lines; i += 8) {
            olk_get_eight(r, line + i, 1);
            olk_put_across(r, line + i, 1);
        }
        for (int half = 0; round && half < 64; half += 32) {
            const olk_words words = olk_next_words(state);
            for (int i = 0; i < 32; i += 8) {
                olk_get_eight(r, line + half + i, 1);
                olk_flip_eight(r, words, i);
                olk_put_across(r, line + half + i, 1);
            }
        }
        for (int i = 0; i < 8; i++) {
            olk_get_eight(r, line + i, 8);
            olk_put_across(r, line + i, 8);
        }
    }
    for (int i = 0; i < 64; i += MANY)
        olk_transpose_lines(line + i, (olk_entry(*)[64])(v[0] + i));
}
