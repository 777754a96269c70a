"""Decodes a configuration, a Python object, into the C struct."""

from libc.stdint cimport int32_t

from edgeolk.core.parts cimport DTYPE_INT8, LOSS_LOGISTIC, LOSS_NOVELTY, LOSS_SQUARE
from edgeolk.core.headers cimport (
    OLK_COMPACT, OLK_F32, OLK_F64, OLK_PCG_SIGNS, OLK_SORF_BINARY, OLK_SORF_CLASSES,
    OLK_SORF_NOVELTY, OLK_SORF_REGRESSION, olk_compact_rule_of, olk_forecast, olk_pcg_seed,
    olk_set_memory_steps, olk_sorf, take_parameters,
)
from edgeolk.core.state cimport State
from edgeolk.core.structured cimport functions_for
from edgeolk.core.width cimport sorf_set_width


cdef inline void decode(State* s, object config) except *:
    """The settings of all models."""
    cdef int32_t* choice = <int32_t*>&s.c.choice
    cdef double* param = <double*>&s.c.p
    cdef Py_ssize_t i
    s.c.n_features = config.n_features
    s.c.budget = config.budget
    s.c.stride = config.stride
    s.c.weights = config.weights
    s.c.columns = config.columns
    s.c.n_per_update = config.update.own
    s.c.item = config.storage.nbytes
    s.c.coefficient_bytes = config.coefficient_bytes
    s.c.vectors = config.vectors
    s.c.window_stride = config.window_stride
    s.c.tracks_norm = config.tracks_norm
    s.c.reads_row = config.reads_row
    s.c.weighs = not config.no_weights
    s.c.takes_gaps = config.watches
    s.ahead.rows = config.lookahead
    s.ahead.value_bytes = config.value_bytes
    s.ahead.value_type = OLK_F64 if s.ahead.value_bytes == 8 else OLK_F32
    for i, value in enumerate(config.choices):
        choice[i] = value
    for i, value in enumerate(config.params):
        param[i] = value
    s.c.softmax = s.c.columns > 1 and s.c.choice.loss == LOSS_LOGISTIC
    s.c.kernel.kind, s.c.kernel.degree = config.kernel.fields()[:2]
    s.c.kernel.gamma, s.c.kernel.scale, s.c.kernel.offset = config.kernel.fields()[2:]


cdef inline void decode_features(State* s, object config) except *:
    """Structured features as a basis: one group with the width of the kernel."""
    cdef olk_sorf* p = &s.sorf.config
    s.sorf.ops = functions_for(s.c.choice.dtype)
    p.d, p.D, p.classes, p.groups = config.n_features, config.budget, 1, 1
    p.first[0], p.first[1] = 0, -(-config.budget // 64)
    p.widths[0] = 1
    s.sorf.widths[0][0] = 1.0
    p.signs = olk_pcg_seed(config.seed, OLK_PCG_SIGNS)
    sorf_set_width(s)


cdef inline void decode_structured(State* s, object config) except *:
    """The configuration of a sorf learner (S 3 of the specification)."""
    cdef olk_sorf* p = &s.sorf.config
    cdef int g, i
    values = config.values
    groups = int(values["groups"])
    blocks = -(-config.budget // 64)
    share, rest = divmod(blocks, groups)
    s.sorf.ops = functions_for(s.c.choice.dtype)
    p.d, p.D, p.classes = config.n_inputs, config.budget, config.columns
    p.task = OLK_SORF_CLASSES if config.columns > 1 else OLK_SORF_BINARY
    if s.c.choice.loss == LOSS_SQUARE:
        p.task = OLK_SORF_REGRESSION
    elif s.c.choice.loss == LOSS_NOVELTY:
        p.task = OLK_SORF_NOVELTY
    take_parameters(p, &s.c.p)
    p.first[0] = 0
    for g in range(groups):
        size = share + (g < rest)
        p.first[g + 1] = p.first[g] + size
        p.size[g] = config.budget if groups == 1 else 64 * size
        widths = config.list_of(f"widths{g}")
        p.widths[g] = len(widths)
        for i, width in enumerate(widths):
            s.sorf.widths[g][i] = width
    blends = config.list_of("blends")
    p.n_blends = len(blends)
    for i, blend in enumerate(blends):
        p.blends[i] = blend
    p.kappa = 1.0
    if s.c.choice.dtype == DTYPE_INT8:
        p.kappa = 127.0 if p.task == OLK_SORF_NOVELTY else values["unit"]
    p.signs = olk_pcg_seed(config.seed, OLK_PCG_SIGNS)
    olk_set_memory_steps(p, s.c.kernel.gamma)
    sorf_set_width(s)


cdef inline void decode_forecast(State* s, object config) except *:
    """The configuration of a forecaster."""
    cdef olk_forecast* p = &s.forecast.config
    cdef int i
    s.forecast.on = config.forecasts
    if not s.forecast.on:
        return
    levels = config.list_of("interval")
    p.d, p.kernel = config.n_features, config.budget > 0
    p.horizon, p.season = int(config.values["lead"]), int(config.values["season"])
    p.n_levels = len(levels)
    for i, level in enumerate(levels):
        p.levels[i] = level


cdef inline void decode_preprocessing(State* s, object config) except *:
    """The configuration of preprocessing."""
    preprocessing = config.preprocessing
    s.preprocessing.scaler.method = preprocessing.method
    s.preprocessing.scaler.clip = preprocessing.clip
    s.preprocessing.scaler.window = preprocessing.window
    s.preprocessing.scaler.freeze_after = preprocessing.freeze_after
    if preprocessing.method == OLK_COMPACT:
        s.preprocessing.scaler.rule = olk_compact_rule_of(
            preprocessing.clip, preprocessing.window)
    s.preprocessing.max_norm = preprocessing.clip_rows
    s.preprocessing.gamma_rows = preprocessing.gamma_rows
    s.preprocessing.pairs = config.finds_pairs
    s.preprocessing.clamp = config.clamp_limit
    s.preprocessing.common_clip = preprocessing.common_clip
    s.preprocessing.reshapes = preprocessing.reshapes
    s.preprocessing.on = s.preprocessing.reshapes or preprocessing.gamma_rows > 0
