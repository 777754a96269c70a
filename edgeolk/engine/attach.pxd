"""Sets the pointers of the struct to the regions of a block, once.

``places`` maps the name of each region to its address.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from edgeolk.core.c cimport (
    OLK_GAUSSIAN, olk_constants, olk_intake, olk_intake_attach, olk_intake_start_width,
    olk_model_attach,
)
from edgeolk.core.state cimport (
    Errors, Forgetron, Function, Halving, Hints, Mean, Nystrom, Skipped, State,
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


cdef inline void attach_preprocessing(State* s) noexcept:
    """The intake of rows, whose setup is filled, in the block, and the width if it is known."""
    cdef olk_intake* intake = &s.preprocessing.intake
    olk_intake_attach(intake, &s.setup, <uint8_t*>s.m)
    intake.learn_readings = s.simd.learn_readings
    if s.setup.preprocessing.follows:
        olk_intake_start_width(intake, s.setup.sorf.d)
    if s.setup.preprocessing.follows or s.setup.preprocessing.gamma_rows > 0:
        use_width(s)
