/* The Gaussian process beside the features of a learner, in the unit of sorf.c. */
#ifndef EDGEOLK_MIXING_H
#define EDGEOLK_MIXING_H

#if defined(__SIZEOF_DOUBLE__) && __SIZEOF_DOUBLE__ == 4
#error "a Gaussian process needs doubles of 64 bits: export a learner with gaussian_process=0"
#endif

#include "edgeolk/krls_auto.h"

static const olk_process_ops ek_process = {
    .begin = olk_auto_begin,
    .learn = olk_auto_learn,
    .answer = olk_auto_answer,
};

#endif
