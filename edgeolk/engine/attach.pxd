"""Sets the pointers of the struct to the regions of a block, once.

``places`` maps the name of each region to its address.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from edgeolk.core.c cimport (
    OLK_GAUSSIAN, olk_common, olk_constants, olk_model_attach, olk_scaler, olk_two_numbers,
)
from edgeolk.core.state cimport (
    Errors, Forgetron, Function, Halving, Hints, Mean, Nystrom, Skipped, State, Width,
)
from edgeolk.sorf.tables cimport functions_for
from edgeolk.core.preprocessing cimport use_width


cdef inline void* at(dict places, str name) except? NULL:
    """Address of a region, or NULL."""
    return <void*><size_t>places.get(name, 0)


cdef inline int attach(State* s, dict places) except -1:
    """Pointers that all kinds of learners have."""
    cdef int dtype = s.c.choice.dtype
    s.row_fn = s.simd.row[dtype]
    s.sparse_fn = s.simd.sparse[dtype]
    s.pair_fn = s.simd.pair[dtype]
    s.function = <Function*>at(places, "function")
    s.averaging = <Mean*>at(places, "averaging")
    s.errors = <Errors*>at(places, "errors")
    s.forgetron = <Forgetron*>at(places, "forgetron")
    s.halving = <Halving*>at(places, "halving")
    s.hints = <Hints*>at(places, "hints")
    s.nystrom = <Nystrom*>at(places, "nystrom")
    s.skipped = <Skipped*>at(places, "skipped")
    s.novelty = <double*>at(places, "novelty")
    s.sv = at(places, "support_vectors")
    s.coef = at(places, "coefficients")
    s.quantizer.scale = <const float*>at(places, "levels")
    s.quantizer.offset = NULL
    if s.quantizer.scale != NULL:
        s.quantizer.offset = s.quantizer.scale + s.c.n_features
    s.diagonal = <double*>at(places, "diagonal")
    s.arrival = <int64_t*>at(places, "arrivals")
    s.inverse = <double*>at(places, "inverse")
    s.factor = <double*>at(places, "factor")
    s.scores = <double*>at(places, "scores")
    s.nearest = <int64_t*>at(places, "nearest")
    s.nearest_d2 = at(places, "nearest_distance")
    s.nearest_k = <double*>at(places, "nearest_kernel")
    s.map = <double*>at(places, "feature_map")
    s.window = at(places, "window")
    s.window_y = <double*>at(places, "window_labels")
    s.mean_start = <double*>at(places, "mean_start")
    s.mean_sum = <double*>at(places, "mean_sum")
    s.per_update = <double*>at(places, "per_update")
    s.norms = at(places, "norms")
    s.query = at(places, "query")
    s.nonzero_index = <int32_t*>at(places, "nonzero_index")
    s.nonzero_value = at(places, "nonzero_value")
    s.column = at(places, "column")
    s.row = at(places, "kernel_row")
    s.distance = at(places, "distance_row")
    s.products = s.distance if s.c.kernel.kind == OLK_GAUSSIAN else NULL
    # Policies that compare distances need all of them computed in the same way.
    s.lengths = s.norms if s.distance == NULL else NULL
    s.mean_coef = at(places, "mean_coefficients")
    s.class_scores = <double*>at(places, "class_scores")
    s.pulls = <double*>at(places, "pulls")
    s.gram = <double*>at(places, "gram")
    s.ahead.x = at(places, "rows_ahead")
    s.ahead.values = at(places, "values_ahead")
    s.ahead.features = <double*>at(places, "features_ahead")
    s.work = <double*>at(places, "work")
    s.work2 = <double*>at(places, "work2")
    s.order = <int32_t*>at(places, "order")
    return 0


cdef inline void attach_sorf(State* s) noexcept:
    """The model of structured features, whose setup is filled, in the block."""
    cdef olk_constants* constants = &s.sorf.constants
    s.sorf.setup = &s.setup
    constants.sorf = &s.setup.sorf
    constants.forecast = &s.setup.forecast
    constants.widths = s.setup.widths
    constants.ops = functions_for(s.c.choice.dtype)
    olk_model_attach(&s.sorf, <uint8_t*>s.m)
    if s.setup.at.query:
        s.query = <char*>s.m + s.setup.at.query


cdef inline int attach_preprocessing(State* s, dict places) except -1:
    """Pointers of the preprocessing, and the width if it is known."""
    cdef olk_scaler* scaler = &s.preprocessing.scaler
    scaler.numbers = <double*>at(places, "scaler")
    scaler.counts = <int32_t*>at(places, "scaler_counts")
    scaler.minimum = <double*>at(places, "scaler_range")
    scaler.records = <uint8_t*>at(places, "statistics")
    scaler.maximum = NULL if scaler.minimum == NULL else scaler.minimum + s.c.n_features
    s.preprocessing.clipped = <int64_t*>at(places, "clipped_rows")
    s.preprocessing.width = <Width*>at(places, "width")
    s.preprocessing.mean = at(places, "width_mean")
    s.preprocessing.follows = <double*>at(places, "width_follows")
    if s.preprocessing.pairs:
        s.preprocessing.pair = <olk_two_numbers*>(s.preprocessing.follows + 1)
    s.preprocessing.common = <olk_common*>at(places, "common")
    if s.preprocessing.width != NULL or s.preprocessing.follows != NULL:
        use_width(s)
    return 0
