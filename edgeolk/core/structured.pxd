"""The learner on structured features: its C structs, and its functions for the processor in use."""

from edgeolk.core.headers cimport (
    olk_forecast, olk_forecast_answer, olk_forecast_state, olk_sorf, olk_sorf_functions,
    olk_sorf_state,
)


cdef struct Structured:
    # Structured features and the learner on them, decoded.
    const olk_sorf_functions* all  # those of the type and the processor; NULL for any other basis
    olk_sorf made
    olk_sorf_state state
    double widths[4][8]       # of each group, as multiples of gamma
    double squares            # sum of those of the row that is learned, as it was scaled
    double held_square        # the same as the features hold it
    double most               # the largest sum |x_j| that is taken
    double* answers           # since the last label came, behind it where it lapses; else NULL
    bint lapsed               # the last label counts no more for the rows that are answered now


cdef struct Forecasting:
    # The forecaster over them.
    bint on
    olk_forecast made
    olk_forecast_state state
    olk_forecast_answer said  # what was answered last; no part of the block


cdef const olk_sorf_functions* functions_for(int dtype) noexcept
