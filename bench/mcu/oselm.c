/* An online sequential extreme learning machine (Liang, Huang, Saratchandran, Sundararajan 2006) for
   the table of peers: a random hidden layer, whose output weights are learned by recursive least
   squares. It starts from a ridge of 1 / OSELM_START, and needs no first batch. */
#include <math.h>
#include <stdint.h>

int peer_start(void);
int peer_predict(float *x);
void peer_learn(float *x, int label);

enum { INPUTS = PEER_INPUTS, HIDDEN = OSELM_HIDDEN };

static float weight[HIDDEN][INPUTS + 1], out[HIDDEN], P[HIDDEN][HIDDEN], hidden[HIDDEN];

static float drawn(void) /* from -1 to 1 */
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(int32_t)state * 0x1p-31f;
}

int peer_start(void)
{
    for (int i = 0; i < HIDDEN; i++) {
        for (int j = 0; j <= INPUTS; j++)
            weight[i][j] = drawn();
        P[i][i] = OSELM_START;
    }
    return 0;
}

static float output(const float *x)
{
    float sum = 0.0f;
    for (int i = 0; i < HIDDEN; i++) {
        float z = weight[i][INPUTS];
        for (int j = 0; j < INPUTS; j++)
            z += weight[i][j] * x[j];
        hidden[i] = 1.0f / (1.0f + expf(-z));
        sum += hidden[i] * out[i];
    }
    return sum;
}

int peer_predict(float *x)
{
    return output(x) > 0.0f;
}

void peer_learn(float *x, int label)
{
    float gain[HIDDEN], divisor = 1.0f;
    const float error = (label ? 1.0f : -1.0f) - output(x);
    for (int i = 0; i < HIDDEN; i++) {
        gain[i] = 0.0f;
        for (int j = 0; j < HIDDEN; j++)
            gain[i] += P[i][j] * hidden[j];
        divisor += gain[i] * hidden[i];
    }
    for (int i = 0; i < HIDDEN; i++) {
        const float step = gain[i] / divisor;
        out[i] += step * error;
        for (int j = 0; j < HIDDEN; j++)
            P[i][j] -= step * gain[j];
    }
}
