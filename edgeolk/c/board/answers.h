/* Labels and probabilities from scores. Included once, after ek_scored(). */

int ek_predict(void *arena, const ek_number *x, double *label)
{
    olk_scalar scores[EK_COLUMNS];
    const int outcome = ek_scored(arena, x, scores);
    if (outcome != EK_OK)
        return outcome;
#if EK_COLUMNS > 1
    int best = 0;
    for (int k = 1; k < EK_COLUMNS; k++)
        best = scores[k] > scores[best] ? k : best;
    *label = best;
#elif EK_TASK == 2
    *label = (double)scores[0];
#else
    *label = scores[0] >= 0 ? 1.0 : -1.0;
#endif
    return EK_OK;
}

#if EK_HAS_PROBABILITY
int ek_probability(void *arena, const ek_number *x, double *probability)
{
    const int outcome = ek_scored(arena, x, probability);
    if (outcome != EK_OK)
        return outcome;
#if EK_COLUMNS > 1
    double largest = probability[0], total = 0.0;
    for (int k = 1; k < EK_COLUMNS; k++)
        largest = probability[k] > largest ? probability[k] : largest;
    for (int k = 0; k < EK_COLUMNS; k++) {
        probability[k] = olk_sorf_exp(probability[k] - largest);
        total += probability[k];
    }
    for (int k = 0; k < EK_COLUMNS; k++)
        probability[k] /= total;
#else
    /* exp of -|score|, so that nothing overflows. */
    const double e = olk_sorf_exp(-olk_fabs(probability[0]));
    probability[0] = (probability[0] >= 0.0 ? 1.0 : e) / (1.0 + e);
#endif
    return EK_OK;
}
#endif
