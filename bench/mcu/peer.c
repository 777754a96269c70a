/* Predicts the rows of a file with whatever is compiled beside it; counts mistakes and ticks, behind
   the first PEER_SKIP rows. With PEER_LEARNS each row is learned after it was predicted. */
#include "board.h"

int peer_start(void);
int peer_predict(float *x);
#ifdef PEER_LEARNS
void peer_learn(float *x, int label);
#endif
#ifndef PEER_SKIP
#define PEER_SKIP 0
#endif

enum { INPUTS = PEER_INPUTS };

static struct {
    uint64_t calibration[2], ticks; /* instructions, ticks; ticks of all predictions */
    uint32_t rows, mistakes, stack, unused;
} told;

int main(void)
{
    float x[INPUTS];
    double y;
    uint32_t n = 1000000, from;
    const int rows = board_open("rows.bin", BOARD_READ);
    if (rows < 0)
        return 2;
    from = board_ticks();
    __asm__ volatile("1: subs %0, #1\n bne 1b\n" : "+l"(n) : : "cc");
    told.calibration[0] = 2000000;
    told.calibration[1] = (board_ticks() - from) & 0xffffffu;
    uint32_t read = 0;
    (void)peer_start();
    while (board_read(rows, x, sizeof x) == sizeof x &&
           board_read(rows, &y, sizeof y) == sizeof y) {
        from = board_ticks();
        const int said = peer_predict(x);
#ifdef PEER_LEARNS
        peer_learn(x, y > 0.0);
#endif
        if (read++ < PEER_SKIP)
            continue;
        told.ticks += (board_ticks() - from) & 0xffffffu;
        told.mistakes += (said > 0) != (y > 0.0);
        told.rows++;
    }
    told.stack = board_stack_used();
    const int result = board_open("counts.bin", BOARD_WRITE);
    return board_write(result, &told, sizeof told) != sizeof told;
}
