/* The context of a call: the model over its block, with its current width; the intake of rows.
   Included by sorf.c. */
#ifndef EDGEOLK_CALL_H
#define EDGEOLK_CALL_H

/* The context of a call, set up by each: on the stack, or in the arena behind the block. It is small
   where features are streamed: only the working memory is in the arena then. */
typedef struct {
    olk_model m;
#if !EK_WATCHES
    olk_intake intake;
#endif
#if defined(OLK_SORF_SCRATCH) && !defined(OLK_STREAMED)
    double work[OLK_WORK_BYTES / sizeof(double)];
#endif
} ek_call;

#if defined(OLK_SORF_SCRATCH) && !defined(OLK_STREAMED)
/* Behind the block: it must fit into EK_SCRATCH_BYTES. */
typedef char ek_scratch_is_enough[sizeof(ek_call) <= EK_SCRATCH_BYTES ? 1 : -1];
#define EK_CALL(c, arena) \
    ek_call *const c = (ek_call *)(void *)(ek_base(arena) + EK_AT_SCRATCH)
#else
#define EK_CALL(c, arena) ek_call c##_here, *const c = &c##_here
#endif
#if defined(OLK_SORF_SCRATCH) && defined(OLK_STREAMED)
typedef char ek_scratch_is_enough[OLK_WORK_BYTES <= EK_SCRATCH_BYTES ? 1 : -1];
#endif

static void ek_enter(void *arena, ek_call *c)
{
    olk_model_attach(&c->m, ek_base(arena));
#if defined(OLK_SORF_SCRATCH) && defined(OLK_STREAMED)
    c->m.state.work = (double *)(void *)(ek_base(arena) + EK_AT_SCRATCH);
#elif defined(OLK_SORF_SCRATCH)
    c->m.state.work = c->work;
#endif
#if !EK_WATCHES
    olk_intake_attach(&c->intake, &ek_setup, c->m.base);
#endif
#if EK_GAMMA_ROWS || EK_FOLLOWS
    olk_model_set_width(&c->m, olk_intake_gamma(&c->intake));
#endif
#if EK_SHARED
    if (*(const ek_number *)c->m.state.shared != 0)
        olk_scale_widths(&ek_config, &c->m.state, c->m.config.omega);
#endif
}

#endif
