"""Fills the struct of what a model is (c/setup.h) from its configuration, by name."""

from libc.float cimport DBL_MAX
from libc.string cimport memset

from edgeolk.core.c cimport (
    OLK_LAPLACIAN, OLK_PCG_SIGNS, OLK_SORF_BINARY, OLK_SORF_CLASSES, OLK_SORF_NOVELTY,
    OLK_SORF_REGRESSION, olk_forecast, olk_pcg_seed, olk_preprocessing, olk_set_memory_steps,
    olk_setup, olk_sorf, olk_sorf_set_width,
)
from edgeolk.core.parts cimport (
    DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_INT8, LOSS_NOVELTY, LOSS_SQUARE, basis_has_frequencies,
    dtype_max_gamma,
)


cdef inline object offsets_of(object regions):
    """Region -> its offset from the start of the block, 0 for regions that the model lacks."""
    from collections import defaultdict

    return defaultdict(int, {region.name: region.offset for region in regions})


cdef inline int fill_setup(olk_setup* m, object config, object regions) except -1:
    """Fill the struct from a configuration and the regions of its block."""
    memset(m, 0, sizeof(olk_setup))
    m.features = config.n_features
    m.columns = config.columns
    m.wide = config.vectors == DTYPE_FLOAT64
    m.stored = config.storage.nbytes
    m.max_weight = config.update.max_weight
    m.lapse = config.values.get("lapse", 0.0)
    m.seed = config.seed
    m.forecasts = config.forecasts
    fill_preprocessing(&m.preprocessing, config)
    m.at = offsets_of(regions)
    if config.update.is_sorf:
        fill_sorf(m, config)
    if config.forecasts:
        fill_forecast(&m.forecast, config)
    return 0


cdef inline int fill_preprocessing(olk_preprocessing* p, object config) except -1:
    """How rows are scaled and shortened, and how the kernel width is found."""
    preprocessing = config.preprocessing
    p.method = preprocessing.method
    p.pairs = config.finds_pairs
    p.clip = preprocessing.clip
    p.window = preprocessing.window
    p.freeze_after = preprocessing.freeze_after
    p.common_clip = preprocessing.common_clip
    p.clamp = config.clamp_limit
    p.max_norm = preprocessing.clip_rows
    p.gamma_rows = preprocessing.gamma_rows
    p.follows = preprocessing.follows
    p.laplacian = config.kernel.fields()[0] == OLK_LAPLACIAN
    p.gamma = config.kernel.fields()[2]
    p.max_gamma = DBL_MAX
    if basis_has_frequencies(config.parts["basis"]):
        p.max_gamma = dtype_max_gamma(config.dtype)
    return 0


cdef inline int fill_sorf(olk_setup* m, object config) except -1:
    """The learner on structured features (docs/sorf.md, section 3)."""
    cdef olk_sorf* p = &m.sorf
    cdef int g, i
    values = config.values
    loss = config.parts["loss"]
    groups = int(values["groups"])
    share, rest = divmod(-(-config.budget // 64), groups)
    p.d = config.n_inputs
    p.D = config.budget
    p.classes = config.columns
    p.task = OLK_SORF_CLASSES if config.columns > 1 else OLK_SORF_BINARY
    if loss == LOSS_SQUARE:
        p.task = OLK_SORF_REGRESSION
    elif loss == LOSS_NOVELTY:
        p.task = OLK_SORF_NOVELTY
    p.groups = groups
    for g in range(groups):
        size = share + (g < rest)
        p.first[g + 1] = p.first[g] + size
        p.size[g] = config.budget if groups == 1 else 64 * size
        widths = config.list_of(f"widths{g}")
        p.widths[g] = len(widths)
        for i, width in enumerate(widths):
            m.widths[g][i] = width
    blends = config.list_of("blends")
    p.n_blends = len(blends)
    for i, blend in enumerate(blends):
        p.blends[i] = blend
    p.linear = int(values["linear"])
    p.last_label = int(values["last_label"])
    p.drift = int(values["drift"])
    p.relevance = int(values["relevance"])
    p.leak = values["leak"]
    p.kappa = 1.0
    if config.dtype == DTYPE_INT8:
        p.kappa = 127.0 if p.task == OLK_SORF_NOVELTY else values["unit"]
    p.r = values["r"]
    p.sharp = values["sharp"]
    p.delta = values["memory"]
    p.cmin = values["cmin"]
    p.cmax = values["cmax"]
    p.shrink = values["shrink"]
    p.nu = values.get("nu", 0.0)
    p.window = values.get("forget", 0.0)
    p.history = int(values["history"])
    p.robust = int(values.get("robust", 0.0))
    p.signs = olk_pcg_seed(config.seed, OLK_PCG_SIGNS)
    p.memory = int(values["row_memory"])
    p.memory_narrow = int(values["memory_narrow"])
    p.hold = config.clamp_limit
    olk_set_memory_steps(p, m.preprocessing.gamma)
    olk_sorf_set_width(p, m.widths, m.preprocessing.gamma, config.vectors != DTYPE_FLOAT32)
    return 0


cdef inline int fill_forecast(olk_forecast* p, object config) except -1:
    """The forecaster."""
    cdef int i
    p.d = config.n_features
    p.kernel = config.budget > 0
    p.horizon = int(config.values["lead"])
    p.season = int(config.values["season"])
    levels = config.list_of("interval")
    p.n_levels = len(levels)
    for i, level in enumerate(levels):
        p.levels[i] = level
    return 0
