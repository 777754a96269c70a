/* A unit of the learner on structured features: its functions and the table that exports them, for
   the type of weights and the instruction set that it is compiled for. */

#include "set.h"

#if OLK_BYTES
#include "vector.h"
#endif
#if OLK_BYTES > 16 && defined(OLK_SORF_INT8)
#include "level_rounding.h"
#endif

#include "structured.h"

#include "forecast.h"

#ifndef OLK_SORF_INT8
#include "features_alone.h"
#endif

#ifdef OLK_SORF_INT8
#define OLK_SORF_TABLE OLK_OF_SET(olk_sorf_int8)
#elif defined(OLK_SORF_FLOAT32)
#define OLK_SORF_TABLE OLK_OF_SET(olk_sorf_float32)
#else
#define OLK_SORF_TABLE OLK_OF_SET(olk_sorf_float64)
#endif

extern const olk_sorf_ops OLK_SORF_TABLE;
const olk_sorf_ops OLK_SORF_TABLE = {
    OLK_SET,
    olk_sorf_learn,
    olk_sorf_learn_novelty,
    olk_sorf_learn_in_time,
    olk_accept_rows,
    olk_restart_rows,
    olk_sorf_scores,
#ifdef OLK_SORF_INT8
    NULL,
#else
    olk_sorf_features,
#endif
    olk_forecast_predict,
    olk_forecast_ask,
    olk_forecast_tell,
    olk_forecast_restart,
    olk_forecast_begin,
    sizeof(olk_input) == 4 ? OLK_MAX_SINGLE_TARGET : OLK_MAX_DOUBLE_TARGET,
};
