/* Learns the rows of a file, or only scores them if the learner is frozen; then reports the costs.
   A row is EK_FEATURES numbers and a label, a double; where labels come late, NaN for a row that is
   asked, and learned further on; where rows have times, seconds in place of the label. With
   STREAM_CALLS, for forecasters, a byte follows, which says the call. */
#include "board.h"
#include "edgeolk.h"

#if STREAM_CALLS
enum { CALL_LEARN, CALL_ASK, CALL_TELL, CALL_RESTART };
#endif

static uint8_t arena[EK_ARENA_BYTES];

typedef struct {
    uint64_t ticks;
    uint32_t rows, shortest, longest, unused; /* as it is aligned on each board */
} timing;

/* The report that the host reads. */
static struct {
    uint64_t calibration[2]; /* instructions, ticks */
    uint64_t counts[4];
    uint8_t score[8], label[8]; /* of the last row, scored again */
    timing learned, scored;
    uint32_t stack, refused;
#if STREAM_CALLS
    timing asked;
#endif
} outcome;

static __attribute__((noinline)) void add(timing *s, uint32_t from, uint32_t to)
{
    const uint32_t ticks = (to - from) & 0xffffffu;
    s->ticks += ticks;
    s->shortest = s->rows == 0 || ticks < s->shortest ? ticks : s->shortest;
    s->longest = ticks > s->longest ? ticks : s->longest;
    s->rows++;
}

int main(void)
{
    ek_number x[EK_FEATURES];
    uint8_t label[8];
    double scores[EK_COLUMNS];
    const int rows = board_open("rows.bin", BOARD_READ);
    if (rows < 0)
        return 2;
    board_calibrate(outcome.calibration);
    ek_start(arena);
    while (board_read(rows, x, sizeof x) == sizeof x &&
           board_read(rows, label, sizeof label) == sizeof label) {
#if STREAM_CALLS
        uint8_t call;
        ek_forecast forecast;
        if (board_read(rows, &call, sizeof call) != sizeof call)
            return 4;
        if (call == CALL_RESTART) {
            ek_restart(arena);
            continue;
        }
#endif
        uint32_t from = board_ticks();
#if STREAM_CALLS
        if (call == CALL_ASK) {
            outcome.refused += ek_ask(arena, x, &forecast) != EK_OK;
            add(&outcome.asked, from, board_ticks());
            continue;
        }
#endif
#if EK_LATE
        if (board_number(label) != board_number(label)) {
            outcome.refused += ek_ask(arena, x, scores) != EK_OK;
            continue;
        }
#endif
#if EK_LEARNS
#if STREAM_CALLS
        if (call == CALL_TELL)
            outcome.refused += ek_tell(arena, board_number(label)) != EK_OK;
        else
            outcome.refused += ek_learn(arena, x, board_number(label), &scores[0]) != EK_OK;
#elif EK_CLOCK
        (void)ek_watch(arena, x, board_number(label));
#else
        outcome.refused += ek_learn(arena, x, board_number(label), &scores[0]) != EK_OK;
#endif
        add(&outcome.learned, from, board_ticks());
        if (outcome.learned.rows % 16)
            continue;
        from = board_ticks();
#endif
        (void)ek_scores(arena, x, scores);
        add(&outcome.scored, from, board_ticks());
    }
    const uint32_t from = board_ticks();
    (void)ek_scores(arena, x, scores);
    if (outcome.scored.rows == 0) /* fewer than 16 rows were learned */
        add(&outcome.scored, from, board_ticks());
    board_put_number(scores[0], outcome.score);
    (void)ek_predict(arena, x, scores);
    board_put_number(scores[0], outcome.label);
    outcome.stack = board_stack_used();
#if EK_LEARNS
    ek_counts counts;
    ek_count(arena, &counts);
    outcome.counts[0] = counts.steps;
    outcome.counts[1] = counts.mistakes;
    outcome.counts[2] = counts.updates;
    outcome.counts[3] = counts.skipped;
    const int state = board_open("state.bin", BOARD_WRITE);
    if (board_write(state, ek_file(arena), EK_STATE_BYTES) != EK_STATE_BYTES)
        return 3;
#endif
    const int result = board_open("counts.bin", BOARD_WRITE);
    return board_write(result, &outcome, sizeof outcome) != sizeof outcome;
}
