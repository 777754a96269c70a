/* The Gaussian process beside the features of a model (docs/sorf.md, section 18): its rows, its answer,
   and what both learn of how to mix their answers (mixture.h). */
#pragma once

#include "sorf_block.h"

#ifdef OLK_HAS_PROCESS
/* Keeps a row as the caller gave it, which is decided or learned next. */
static inline void olk_model_keep_raw(olk_model *m, const olk_raw_row *row)
{
    olk_reader r;
    for (olk_begin_reading(&r, row, OLK_SETUP_OF(m)->features, 0); olk_next_piece(&r);)
        for (ptrdiff_t k = 0; k < olk_length_of(&r); k++)
            m->raw[r.first + k] = (double)r.x[k];
    if (!r.good) /* another thread has changed it: the process skips it */
        m->raw[0] = (double)NAN;
}

/* Whether the process can compute with its row: squares of differences must be finite. Else the
   features answer alone. */
static inline int olk_model_enter_process(olk_model *m)
{
    const double largest = olk_auto_largest_input(OLK_SETUP_OF(m)->wide);
    m->process.n = *olk_model_vectors(m);
    for (ptrdiff_t j = 0; j < m->process.d; j++)
        if (!(olk_fabs(m->raw[j]) <= largest))
            return 0;
    return 1;
}

/* The answer of the process to the row; NaN if there is none. */
static inline double olk_model_ask_process(olk_model *m)
{
    return olk_model_enter_process(m) ? OLK_OF(m).process->answer(&m->process, NULL) : (double)NAN;
}

/* Learns the row that the features have learned; returns the mixture of their answer and that of
   the process. */
static OLK_NOINLINE double olk_model_learn_process(olk_model *m, double features, double y,
                                                   double weight)
{
    const double largest = olk_auto_largest_number(OLK_SETUP_OF(m)->wide);
    const double lowest = 1.0 / olk_most_process_weight;
    double answers[2] = {features, features};
    if (olk_model_enter_process(m) && olk_fabs(y) <= largest) {
        m->process.weight = weight > lowest ? weight : lowest;
        answers[1] = OLK_OF(m).process->learn(&m->process, NULL, y);
        m->process.weight = 1.0;
        *olk_model_vectors(m) = (int32_t)m->process.n;
        if (!(olk_fabs(answers[1]) <= olk_largest_answer))
            answers[1] = features;
    }
    olk_mixture *x = OLK_REGION(m, mixture);
    const double answer = olk_mixture_answer(x, answers[0], answers[1]);
    olk_mixture_learn(x, answers, answer, y);
    return answer;
}
#endif
