/* The context of a call: the model over its block, with its current width; the scaler. Included by
   sorf.c. */
#ifndef EDGEOLK_CALL_H
#define EDGEOLK_CALL_H

/* The context of a call, set up by each: on the stack, or in the arena behind the block. */
typedef struct {
    olk_model m;
    int shortened; /* whether the row was longer than allowed */
#if EK_SCALE_METHOD
    olk_scaler scaler;
    int64_t seen; /* rows that the scaler has learned */
#endif
#if EK_COMMON
    olk_common common;
#elif EK_PAIRS
    olk_two_numbers common; /* including the row that is being learned */
#endif
#ifdef OLK_SORF_SCRATCH
    double work[OLK_WORK_BYTES / sizeof(double)];
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

#if EK_GAMMA_ROWS || EK_FOLLOWS
static void ek_use_width(ek_call *c)
{
#if EK_FOLLOWS
    const double *q = OLK_REGION(&c->m, width_follows);
    olk_model_set_width(&c->m, olk_gamma_from_square(*q));
#else
    const olk_width *w = OLK_REGION(&c->m, width);
    olk_model_set_width(&c->m, w->gamma > 0.0 ? w->gamma : ek_setup.preprocessing.gamma);
#endif
}
#endif

static void ek_enter(void *arena, ek_call *c)
{
    olk_model_attach(&c->m, ek_base(arena));
    c->shortened = 0;
#ifdef OLK_SORF_SCRATCH
    c->m.state.work = c->work;
#endif
#if EK_GAMMA_ROWS || EK_FOLLOWS
    ek_use_width(c);
#endif
#if EK_SHARED
    if (*(const ek_number *)c->m.state.shared != 0)
        olk_scale_widths(&c->m.config, &c->m.state);
#endif
#if EK_SCALE_METHOD
    c->scaler.clip = ek_setup.preprocessing.clip;
    c->scaler.window = ek_setup.preprocessing.window;
    c->scaler.freeze_after = ek_setup.preprocessing.freeze_after;
    c->scaler.method = EK_SCALE_METHOD;
    c->scaler.numbers = OLK_REGION(&c->m, scaler);
    c->scaler.counts = OLK_REGION(&c->m, scaler_counts);
    c->scaler.records = OLK_REGION(&c->m, statistics);
    c->scaler.rule =
        olk_compact_rule_of(ek_setup.preprocessing.clip, ek_setup.preprocessing.window);
    c->scaler.minimum = OLK_REGION(&c->m, scaler_range);
    c->scaler.maximum = c->scaler.minimum ? c->scaler.minimum + EK_FEATURES : NULL;
    c->seen = (int64_t)*olk_counter(&c->m, OLK_AT_STEPS);
#if EK_GAMMA_ROWS
    c->seen += ((const olk_width *)OLK_REGION(&c->m, width))->steps;
#endif
#endif
}

#endif
