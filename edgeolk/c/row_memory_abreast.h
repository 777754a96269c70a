/* The row memory's scores of several rows at once (docs/sorf.md, section 7f): lane l of a vector
   belongs to row l, so that a stored row's codes are converted once for all of them, and no sum waits
   for the one before it. Every sum has the terms of olk_query_memory in the same order: the same
   bits.

   Included after row_memory.h, where the compiler has vectors; no exported learner needs it. */
#pragma once

/* OLK_RECALLED_ROWS: stored rows whose codes are converted together. OLK_RECALLED_SUMS: sums of a
   row and kernel: OLK_MEMORY_SUMS with two classes, else one per class; more are not kept here. */
enum { OLK_RECALLED_ROWS = 64, OLK_RECALLED_SUMS = 16 };

/* Whether the memory is asked for m rows abreast: short vectors gain nothing. */
static inline int olk_recalls_abreast(const olk_sorf *p, ptrdiff_t m)
{
    return OLK_BYTES > 16 && m >= OLK_ABREAST_FROM && p->d <= OLK_MEMORY_INPUTS &&
           p->classes <= OLK_RECALLED_SUMS;
}

/* The squared distances of the rows from a stored one, whose codes are OLK_RECALLED_ROWS numbers
   apart. */
static OLK_INLINE olk_real_vec olk_code_distances_abreast(olk_line_of_each *input,
                                                          const olk_real *code,
                                                          const olk_real *weight, ptrdiff_t d,
                                                          const int weighted)
{
    olk_real_vec sum = {0};
    for (ptrdiff_t k = 0; k < d; k++) {
        const olk_real_vec gap = olk_get_abreast(input[k]) - code[k * OLK_RECALLED_ROWS];
        sum += weighted ? gap * gap * weight[k] : gap * gap;
    }
    return sum;
}

/* As olk_query_memory for each of m rows, whose numbers follow one another in g. */
static OLK_NOCLONE void olk_query_abreast(const olk_sorf *p, const olk_sorf_state *s,
                                          const olk_input *x, ptrdiff_t m, olk_real *g)
{
    OLK_ALIGNED(64) olk_line_of_each input[OLK_MEMORY_INPUTS];
    OLK_ALIGNED(64) olk_line_of_each votes[2][OLK_RECALLED_SUMS], kernel[2];
    olk_real code[OLK_MEMORY_INPUTS * OLK_RECALLED_ROWS], weight[OLK_MEMORY_INPUTS];
    const ptrdiff_t d = p->d, K = p->classes, n_rows = olk_memory_n_rows(s);
    const int columns = p->memory_narrow ? 2 : 1, several = p->task == OLK_SORF_CLASSES;
    const int weighted = p->relevance == OLK_RELEVANCE_EACH;
    const uint8_t *label = olk_memory_labels(p, s), *rival = label + p->memory;
    const uint8_t *size = rival + p->memory;
    const olk_memory_scale scale = olk_memory_scale_of(d);
    memset(votes, 0, sizeof votes);
    memset(input, 0, (size_t)d * sizeof *input); /* the lanes of missing rows */
    for (ptrdiff_t l = 0; l < m; l++)
        for (ptrdiff_t k = 0; k < d; k++)
            input[k][l] = olk_memory_code(p, s, x[l * d + k]);
    for (ptrdiff_t k = 0; k < d; k++)
        weight[k] = weighted ? olk_exponential(2 * ((const olk_input *)s->log_scale)[k]) : 1;
    for (ptrdiff_t from = 0; from < n_rows; from += OLK_RECALLED_ROWS) {
        const ptrdiff_t left = n_rows - from,
                        n = left < OLK_RECALLED_ROWS ? left : OLK_RECALLED_ROWS;
        for (ptrdiff_t k = 0; k < d; k++) {
            const uint8_t *codes = olk_memory_codes(p, s, k / 2) + from;
            for (ptrdiff_t j = 0; j < n; j++)
                code[k * OLK_RECALLED_ROWS + j] = (olk_real)(k % 2 ? codes[j] >> 4 : codes[j] & 15);
        }
        for (ptrdiff_t j = 0; j < n; j++) {
            *(olk_real_vec *)kernel[1] =
                weighted ? olk_code_distances_abreast(input, code + j, weight, d, 1)
                         : olk_code_distances_abreast(input, code + j, weight, d, 0);
            for (int l = 0; l < OLK_ABREAST; l++)
                kernel[0][l] = olk_memory_kernel(&kernel[1][l], scale);
            for (int v = 0; v < columns; v++) {
                const olk_real_vec share = olk_get_abreast(kernel[v]);
                if (several) {
                    const olk_real_vec part = share * (olk_real)size[from + j];
                    *(olk_real_vec *)votes[v][label[from + j]] += part;
                    *(olk_real_vec *)votes[v][rival[from + j]] -= part;
                } else {
                    *(olk_real_vec *)votes[v][(from + j) % OLK_MEMORY_SUMS] +=
                        share * (olk_real)((const int8_t *)label)[from + j];
                }
            }
        }
    }
    const olk_real unit =
        several ? 1 / (olk_real)OLK_MAX_MEMORY_CLASS : 2 / (olk_real)OLK_MAX_MEMORY_LABEL;
    const olk_real by = unit / (OLK_MEMORY_ONE * (2 + (olk_real)p->r));
    for (int v = 0; v < columns; v++) {
        for (int i = 1; !several && i < OLK_MEMORY_SUMS; i++)
            *(olk_real_vec *)votes[v][0] += olk_get_abreast(votes[v][i]);
        for (ptrdiff_t l = 0; l < m; l++)
            for (ptrdiff_t c = 0; c < K; c++)
                g[(3 * l + 2 * v) * K + c] = votes[v][c][l] * by;
    }
}

/* Asks for the first of m rows abreast; returns for how many. */
static inline ptrdiff_t olk_query_first_rows(const olk_sorf *p, const olk_sorf_state *s,
                                             const olk_input *x, ptrdiff_t m, olk_real *g)
{
    ptrdiff_t done = 0;
    for (ptrdiff_t n; olk_recalls_abreast(p, n = m - done < OLK_ABREAST ? m - done : OLK_ABREAST);
         done += n)
        olk_query_abreast(p, s, x + done * p->d, n, g + 3 * done * p->classes);
    return done;
}
