"""The learner on structured features: its C structs, and its functions for this processor."""

from edgeolk.core.headers cimport (
    olk_forecast, olk_forecast_answer, olk_forecast_state, olk_sorf, olk_sorf_ops,
    olk_sorf_state,
)


cdef struct Sorf:
    # Structured features and the learner on them.
    const olk_sorf_ops* ops  # for the storage type and processor; NULL for other bases
    olk_sorf config
    olk_sorf_state state
    double widths[4][8]       # of each group, as multiples of gamma
    double squares            # sum of squares of the row being learned, as scaled
    double clamped_square     # the same of the clamped inputs
    double max_sum            # the largest sum |x_j| accepted
    double* answers           # rows answered since the last label, if that expires; else NULL
    bint lapsed               # the last label has expired for the rows being scored


cdef struct Forecasting:
    # The forecaster on top of them.
    bint on
    olk_forecast config
    olk_forecast_state state
    olk_forecast_answer last  # the last forecast; not in the block


cdef const olk_sorf_ops* functions_for(int dtype) noexcept
