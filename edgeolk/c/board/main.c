/* How a program uses the learner: read your sensor in row(), or in take() where rows are windows of
   samples. */
#include <stdio.h>

#include "edgeolk.h"

#ifndef ARDUINO /* its sketches have no main */

static union {
    double aligned;
    unsigned char bytes[EK_ARENA_BYTES];
} arena;

#define EK_TAKES (EK_SAMPLES && EK_LEARNS && !EK_FORECASTS && !EK_LATE)

#if EK_TAKES
/* A made-up sample. */
static void take(int t, ek_reading *sample)
{
    for (int j = 0; j < EK_CHANNELS; j++)
        sample[j] = (ek_reading)((1 + t / 2048 % 2) * ((t * (j + 3) + 7 * j) % 13 - 6) * 100);
}
#else
/* Made-up readings. */
static void row(int t, ek_number *x)
{
    for (int j = 0; j < EK_FEATURES; j++)
        x[j] = (ek_number)((t * (j + 3) + 7 * j) % 13 - 6) / 6;
}
#endif

int main(void)
{
    ek_number x[EK_FEATURES + 1];
    double scores[EK_COLUMNS], label = 0.0;
    ek_start(&arena);
#if EK_TAKES
    ek_reading sample[EK_CHANNELS];
    for (int t = 0, rows = 0; rows < 100; t++) {
        take(t, sample);
        if (ek_sample(&arena, sample) != 1)
            continue;
        for (int j = 0; j < EK_FEATURES; j++)
            x[j] = ek_row(&arena)[j]; /* it changes with the next sample */
        rows++;
        (void)ek_learn(&arena, x, t / 2048 % 2 ? 1.0 : EK_COLUMNS > 1 ? 0.0 : -1.0, NULL);
    }
#elif EK_FORECASTS
    ek_forecast next;
    for (int t = 0; t < 500; t++) {
        if (t >= EK_HORIZON) /* a row's target comes EK_HORIZON rows later */
            (void)ek_tell(&arena, (double)((t - EK_HORIZON) % 24));
        row(t, x);
        (void)ek_ask(&arena, x, &next);
    }
    printf("next %g, from %g to %g\n", next.answer, next.low[0], next.high[0]);
#elif EK_LATE
    for (int t = 0; t < 500; t++) {
        row(t, x);
        (void)ek_ask(&arena, x, scores);
        if (t < EK_LATE)
            continue;
        row(t - EK_LATE, x); /* its label comes EK_LATE rows later */
        (void)ek_learn(&arena, x, x[0] > 0 ? 1.0 : EK_COLUMNS > 1 ? 0.0 : -1.0, NULL);
    }
#elif EK_LEARNS
    for (int t = 0; t < 500; t++) {
        row(t, x);
        (void)ek_learn(&arena, x, x[0] > 0 ? 1.0 : EK_COLUMNS > 1 ? 0.0 : -1.0, NULL);
    }
#endif
#if EK_LEARNS
    ek_counts counts;
    ek_count(&arena, &counts);
    printf("%lu rows learned, %lu mistakes\n", (unsigned long)counts.steps,
           (unsigned long)counts.mistakes);
#endif
#if !EK_TAKES
    row(500, x);
#endif
    if (ek_scores(&arena, x, scores) != EK_OK || ek_predict(&arena, x, &label) != EK_OK)
        return 1;
    printf("score %g, label %g\n", scores[0], label);
#ifdef EK_CLASSES
    printf("class %s\n", ek_class_names[EK_COLUMNS > 1 ? (int)label : label > 0]);
#endif
    return 0;
}

#endif
