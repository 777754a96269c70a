/* The context of a call: the block as the loops see it, the current width, the scaler. Included by
   sorf.c. */
#ifndef EDGEOLK_CALL_H
#define EDGEOLK_CALL_H

/* The context of a call, set up by each: on the stack, or in the arena behind the block. */
typedef struct {
    uint8_t *base;
    const olk_sorf *p;
    double max_sum; /* the largest sum |x_j| that is accepted */
    olk_sorf_state *s;
#ifdef OLK_SORF_SCRATCH
    olk_sorf_with_scratch worked;
#else
    olk_sorf_state state;
#endif
#if !EK_WATCHES
    olk_intake intake;
#endif
#if EK_OWN_WIDTHS
    olk_sorf config;
#endif
} ek_call;

#ifdef OLK_SORF_SCRATCH
/* Behind the block: it must fit into EK_SCRATCH_BYTES. */
typedef char ek_scratch_is_enough[sizeof(ek_call) <= EK_SCRATCH_BYTES ? 1 : -1];
#define EK_CALL(c, arena) \
    ek_call *const c = (ek_call *)(void *)(ek_base(arena) + EK_AT_SCRATCH)
#else
#define EK_CALL(c, arena) ek_call c##_here, *const c = &c##_here
#endif

static uint64_t *ek_words(uint8_t *base, size_t offset)
{
    return (uint64_t *)(void *)(base + offset);
}

#if EK_GAMMA_ROWS || EK_FOLLOWS
static void ek_use_width(ek_call *c)
{
    const double gamma = olk_intake_gamma(&c->intake);
    c->config = ek_config;
    c->max_sum = olk_sorf_set_width(&c->config, EK_MULTIPLES_NAME, gamma, EK_WIDE_ROWS);
#if !EK_FOLLOWS
    olk_set_memory_steps(&c->config, gamma);
#endif
    c->p = &c->config;
}
#endif

static void ek_enter(void *arena, ek_call *c)
{
    uint8_t *base = ek_base(arena);
#ifdef OLK_SORF_SCRATCH
    olk_sorf_state *s = c->s = &c->worked.state;
#else
    olk_sorf_state *s = c->s = &c->state;
#endif
    c->base = base;
    memset(s, 0, sizeof *s);
    s->w = ek_at(base, EK_AT_weights);
    s->a = ek_at(base, EK_AT_mean_weights);
    s->L = (double *)ek_at(base, EK_AT_blend);
    if (s->L)
        s->n =
            s->L + ek_config.groups * ek_config.n_blends + ek_config.linear + ek_config.last_label;
#if EK_FORECASTS /* the kernel counts its own rows */
    s->t = (uint64_t *)ek_at(base, EK_AT_kernel_rows);
#else
    s->t = ek_words(base, EK_AT_STEPS);
#endif
    s->mistakes = ek_words(base, EK_AT_MISTAKES);
    s->updates = ek_words(base, EK_AT_UPDATES);
    s->rounding = ek_words(base, EK_AT_DRAWS);
    s->flags = (uint16_t *)(void *)(base + EK_AT_FLAGS);
    s->target = (double *)ek_at(base, EK_AT_target);
    s->last = (double *)ek_at(base, EK_AT_last_label);
    s->novelty = (double *)ek_at(base, EK_AT_novelty);
    s->wl = ek_at(base, EK_AT_linear);
    s->Sl = s->wl ? (ek_number *)s->wl + EK_INPUTS + 1 : NULL;
    s->log_scale = ek_at(base, EK_AT_relevance);
    s->gradient_square = s->log_scale ? (ek_number *)s->log_scale + EK_INPUTS : NULL;
    s->gradient_steps = (uint64_t *)ek_at(base, EK_AT_gradient_steps);
    s->shared = ek_at(base, EK_AT_shared_relevance);
    s->drift = ek_at(base, EK_AT_drift);
#if EK_AT_row_memory
    s->memory_rows = base + EK_AT_row_memory;
    s->memory_held = ek_words(base, EK_AT_memory_state);
    s->memory_mistakes = (double *)(void *)(s->memory_held + 1);
    s->memory_narrow = (double *)ek_at(base, EK_AT_memory_narrow);
    s->recalled = (double *)ek_at(base, EK_AT_recalled);
#endif
    /* Without relevance, inputs are clamped in place. */
    s->inputs = ek_at(base, EK_AT_inputs ? EK_AT_inputs : EK_AT_query);
    s->scores = (double *)ek_at(base, EK_AT_class_scores);
    s->row = ek_at(base, EK_AT_feature_row);
    s->channels = ek_at(base, EK_AT_channels);
    s->readings = (uint32_t *)ek_at(base, EK_AT_channel_counts);
    s->deviations = ek_at(base, EK_AT_deviations);
    s->watch = (uint64_t *)ek_at(base, EK_AT_watch);
    c->p = &ek_config;
    c->max_sum = EK_MOST;
#if !EK_WATCHES
    olk_intake_attach(&c->intake, &ek_setup, base);
#endif
#if EK_GAMMA_ROWS || EK_FOLLOWS
    ek_use_width(c);
#elif EK_SHARED
    c->config = ek_config;
    c->p = &c->config;
#endif
#if EK_SHARED
    if (*(const ek_number *)s->shared != 0)
        olk_scale_widths(&c->config, s);
#endif
}

#endif
