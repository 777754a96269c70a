/* Takes the samples of a file, each with the label of a row that it completes, and learns the rows;
   then reports the rows, the state and the costs. */
#include "board.h"
#include "edgeolk.h"

static uint64_t arena[(EK_ARENA_BYTES + 7) / 8];

/* The report that the host reads. */
static struct {
    uint64_t calibration[2]; /* instructions, ticks */
    uint64_t ticks[3];       /* of samples, of samples that complete rows, of learning */
    uint32_t samples, rows, refused, stack;
} outcome;

int main(void)
{
    ek_reading sample[EK_CHANNELS];
    uint8_t label[8];
    const int samples = board_open("samples.bin", BOARD_READ);
    const int rows = board_open("rows.bin", BOARD_WRITE);
    if (samples < 0 || rows < 0)
        return 2;
    board_calibrate(outcome.calibration);
    ek_start(arena);
    while (board_read(samples, sample, sizeof sample) == sizeof sample &&
           board_read(samples, label, sizeof label) == sizeof label) {
        uint32_t from = board_ticks();
        const int complete = ek_sample(arena, sample);
        outcome.ticks[complete == 1] += (board_ticks() - from) & 0xffffffu;
        outcome.samples += complete == 0;
        outcome.refused += complete < 0;
        if (complete != 1)
            continue;
        outcome.rows++;
        if (board_write(rows, ek_row(arena), EK_FEATURES * sizeof(ek_number)) == 0)
            return 3;
        from = board_ticks();
        outcome.refused += ek_learn(arena, ek_row(arena), board_number(label), (double *)0) != EK_OK;
        outcome.ticks[2] += (board_ticks() - from) & 0xffffffu;
    }
    outcome.stack = board_stack_used();
    const int state = board_open("state.bin", BOARD_WRITE);
    if (board_write(state, ek_file(arena), EK_STATE_BYTES) != EK_STATE_BYTES)
        return 4;
    const int result = board_open("counts.bin", BOARD_WRITE);
    return board_write(result, &outcome, sizeof outcome) != sizeof outcome;
}
