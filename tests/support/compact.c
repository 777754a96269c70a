/* The loops over records of 9 bytes for tests: readings in a row, each scaled after it is learned. */
#include "scaler_compact.h"

void follow(uint8_t *record, const float *x, long n, double clip, double window, uint32_t row,
            uint32_t j, float *z, uint8_t *states)
{
    const olk_compact_rule rule = olk_compact_rule_of(clip, window);
    for (long i = 0; i < n; i++) {
        olk_compact f = olk_compact_of(record);
        z[i] = olk_compact_learn(&f, x[i], &rule, row + (uint32_t)i, j);
        olk_compact_put(record, &f);
        if (z[i] != olk_compact_scaled(&f, x[i], &rule))
            z[i] = 1e30f;
        if (states)
            memcpy(states + OLK_COMPACT_BYTES * i, record, OLK_COMPACT_BYTES);
    }
}

/* Rows of d readings side by side; the records of all are put after each row into `states`. */
void follow_rows(uint8_t *record, const double *x, long n, long d, double clip, double window,
                 double *z, uint8_t *states)
{
    const olk_compact_rule rule = olk_compact_rule_of(clip, window);
    for (long i = 0; i < n; i++) {
        olk_learn_readings(record, record, x + d * i, d, &rule, (uint32_t)(i + 1), 0, z + d * i);
        memcpy(states + OLK_COMPACT_BYTES * d * i, record, (size_t)(OLK_COMPACT_BYTES * d));
    }
}

void limit(uint8_t *record, uint32_t age)
{
    olk_compact_limit_age(record, age);
}

int holds(const uint8_t *record, int64_t seen)
{
    return olk_compact_holds(record, seen);
}

double mean_of(const uint8_t *record)
{
    const olk_compact f = olk_compact_of(record);
    return olk_compact_mean(&f);
}

double sd_of(const uint8_t *record)
{
    const olk_compact f = olk_compact_of(record);
    return olk_compact_sd(&f);
}

float root(float x)
{
    return olk_square_root_f32(x);
}

/* Of the readings x[i] + noise, as many rows as asked: for streams too long to lie anywhere. */
void soak(uint8_t *record, double centre, double spread, int64_t rows, uint64_t seed)
{
    const olk_compact_rule rule = olk_compact_rule_of(5.0, 10000.0);
    olk_compact f = olk_compact_of(record);
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            sum += (double)(seed >> 40) / 16777216.0 - 0.5;
        }
        olk_compact_learn(&f, (float)(centre + spread * 1.7320508075688772 * sum), &rule,
                          (uint32_t)(i + 1), 0);
    }
    olk_compact_put(record, &f);
}
