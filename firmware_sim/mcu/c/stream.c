/* Learns the rows of a file, or scores them where the learner stays as it is; then tells what that
   took. A row is EK_FEATURES numbers and a label, a double. */
#include "board.h"
#include "edgeolk.h"

static double arena[(EK_ARENA_BYTES + 7) / 8];

typedef struct {
    uint64_t ticks;
    uint32_t rows, least, most;
} span;

/* What the host reads back. */
static struct {
    uint64_t calibration[2]; /* instructions, ticks */
    uint64_t counts[4];
    double score, label; /* of the last row, scored again */
    span learned, scored;
    uint32_t stack, refused;
} told;

static void add(span *s, uint32_t from, uint32_t to)
{
    const uint32_t ticks = (to - from) & 0xffffffu;
    s->ticks += ticks;
    s->least = s->rows == 0 || ticks < s->least ? ticks : s->least;
    s->most = ticks > s->most ? ticks : s->most;
    s->rows++;
}

/* A loop of two instructions, so that ticks can be told as instructions. */
static void calibrate(void)
{
    uint32_t n = 1000000;
    const uint32_t from = board_ticks();
    __asm__ volatile("1: subs %0, #1\n bne 1b\n" : "+l"(n) : : "cc");
    told.calibration[0] = 2000000;
    told.calibration[1] = (board_ticks() - from) & 0xffffffu;
}

int main(void)
{
    ek_number x[EK_FEATURES];
    double y, scores[EK_COLUMNS];
    const int rows = board_open("rows.bin", BOARD_READ);
    if (rows < 0)
        return 2;
    calibrate();
    ek_start(arena);
    while (board_read(rows, x, sizeof x) == sizeof x &&
           board_read(rows, &y, sizeof y) == sizeof y) {
        uint32_t from = board_ticks();
#if EK_LEARNS
        told.refused += ek_learn(arena, x, y, &scores[0]) != EK_OK;
        add(&told.learned, from, board_ticks());
        if (told.learned.rows % 16)
            continue;
        from = board_ticks();
#endif
        (void)ek_scores(arena, x, scores);
        add(&told.scored, from, board_ticks());
    }
    (void)ek_scores(arena, x, scores);
    (void)ek_predict(arena, x, &told.label);
    told.score = scores[0];
    told.stack = board_stack_used();
#if EK_LEARNS
    ek_counts counts;
    ek_count(arena, &counts);
    told.counts[0] = counts.steps;
    told.counts[1] = counts.mistakes;
    told.counts[2] = counts.updates;
    told.counts[3] = counts.skipped;
    const int state = board_open("state.bin", BOARD_WRITE);
    if (board_write(state, ek_file(arena), EK_STATE_BYTES) != EK_STATE_BYTES)
        return 3;
#endif
    const int result = board_open("told.bin", BOARD_WRITE);
    return board_write(result, &told, sizeof told) != sizeof told;
}
