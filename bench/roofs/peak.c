/* Peaks of one core for one instruction set and one type: compiled once for each, with NUMBER and
   BYTES (of a vector) given. What the loops are run on comes from outside and what they compute goes
   back to be checked, so that no compiler can leave them out. */
#include <stddef.h>
#include <stdint.h>

typedef NUMBER numbers __attribute__((vector_size(BYTES)));
typedef uint64_t bits __attribute__((vector_size(BYTES)));

/* Chains of dependent steps: enough to hide latencies at two or four a cycle, few enough for the
   registers: SUMS and two operands; twice TERMS, an operand, and a product where it is not fused. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { SUMS = 24, TERMS = 14 };
#else
enum { SUMS = 12, TERMS = 7 };
#endif
enum { LANES = BYTES / sizeof(NUMBER), STREAMS = 8 };
const int peak_sums = SUMS, peak_terms = TERMS;

static double total(const numbers *sums, int n)
{
    double result = 0.0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < (int)LANES; i++)
            result += sums[k][i];
    return result;
}

/* SUMS multiply-adds a sweep. The sums start where the caller says: of two that start alike a
   compiler would make one. */
double peak_multiply_add(long sweeps, const NUMBER *start, NUMBER factor, NUMBER term)
{
    const numbers a = factor - (numbers){0}, b = term - (numbers){0};
    numbers sums[SUMS];
    for (int k = 0; k < SUMS; k++)
        sums[k] = start[k] - (numbers){0};
    for (long sweep = 0; sweep < sweeps; sweep++) {
#pragma GCC unroll 24
        for (int k = 0; k < SUMS; k++)
            sums[k] = sums[k] * a + b;
    }
    return total(sums, SUMS);
}

/* TERMS terms of a squared distance a sweep, each a subtraction and a multiply-add. Subtractions
   have ports of their own on some cores and share those of the multiply-adds on others. */
double peak_squares(long sweeps, const NUMBER *start, NUMBER step)
{
    const numbers by = step - (numbers){0};
    numbers differences[TERMS], sums[TERMS];
    for (int k = 0; k < TERMS; k++) {
        differences[k] = start[k] - (numbers){0};
        sums[k] = (numbers){0};
    }
    for (long sweep = 0; sweep < sweeps; sweep++) {
#pragma GCC unroll 14
        for (int k = 0; k < TERMS; k++) {
            differences[k] -= by;
            sums[k] += differences[k] * differences[k];
        }
    }
    return total(sums, TERMS);
}

/* The exclusive-or of all the words: every byte is read, and no adder is what limits it. `bytes` is
   a multiple of STREAMS vectors; `passes` is odd, or the words cancel. */
uint64_t peak_read(const void *buffer, size_t bytes, long passes)
{
    const char *volatile start = buffer; /* read again for each pass: passes cannot be merged */
    bits seen[STREAMS] = {{0}};
    for (long pass = 0; pass < passes; pass++) {
        const char *at = start, *const end = at + bytes;
        for (; at < end; at += STREAMS * BYTES) {
#pragma GCC unroll 8
            for (int k = 0; k < STREAMS; k++)
                seen[k] ^= *(const bits *)(at + k * BYTES);
        }
    }
    uint64_t result = 0;
    for (int k = 0; k < STREAMS; k++)
        for (int i = 0; i < (int)(BYTES / sizeof(uint64_t)); i++)
            result ^= seen[k][i];
    return result;
}
