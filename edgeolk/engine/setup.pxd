"""Fills the struct of what a model is (c/setup.h) from its configuration and the layout of its
block; both are Python objects."""

from libc.float cimport DBL_MAX
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from edgeolk.core.c cimport (
    OLK_LAPLACIAN, OLK_PCG_SIGNS, OLK_RUNS, OLK_SORF_BINARY, OLK_SORF_CLASSES,
    OLK_SORF_NOVELTY, OLK_SORF_REGRESSION, olk_forecast, olk_pcg_seed, olk_preprocessing,
    olk_set_memory_steps, olk_setup, olk_sorf, olk_sorf_set_width,
)
from edgeolk.core.parts cimport (
    DTYPE_FLOAT64, DTYPE_INT8, basis_has_frequencies, dtype_max_gamma,
)


cdef inline void fill_features(olk_setup* setup, object config) except *:
    """Structured features as a basis of the ring: one group with the width of the kernel."""
    cdef olk_sorf* p = &setup.sorf
    p.d, p.D, p.classes, p.groups = config.n_features, config.budget, 1, 1
    p.first[0], p.first[1] = 0, -(-config.budget // 64)
    p.widths[0] = 1
    setup.widths[0][0] = 1.0


cdef inline double number_of(dict values, str name) except? -1.0:
    """A parameter, 0 if the configuration does not use it."""
    return values.get(name, 0.0)


cdef inline void take_parameters(olk_sorf* p, dict values) except *:
    """Set the members of the struct that are parameters."""
    p.groups = <int32_t>number_of(values, "groups")
    p.linear = <int32_t>number_of(values, "linear")
    p.last_label = <int32_t>number_of(values, "last_label")
    p.drift = <int32_t>number_of(values, "drift")
    p.relevance = <int32_t>number_of(values, "relevance")
    p.leak = number_of(values, "leak")
    p.r = number_of(values, "r")
    p.sharp = number_of(values, "sharp")
    p.delta = number_of(values, "memory")
    p.cmin = number_of(values, "cmin")
    p.cmax = number_of(values, "cmax")
    p.shrink = number_of(values, "shrink")
    p.nu = number_of(values, "nu")
    p.window = number_of(values, "forget")
    p.history = <int32_t>number_of(values, "history")
    p.robust = <int32_t>number_of(values, "robust")
    p.memory = <int32_t>number_of(values, "row_memory")
    p.memory_narrow = <int32_t>number_of(values, "memory_narrow")


cdef inline void fill_sorf(olk_setup* setup, object config) except *:
    """The options of a sorf learner (docs/sorf.md, section 3)."""
    cdef olk_sorf* p = &setup.sorf
    cdef int g, i
    values = config.values
    groups = int(values["groups"])
    blocks = -(-config.budget // 64)
    share, rest = divmod(blocks, groups)
    p.d, p.D, p.classes = config.n_inputs, config.budget, config.columns
    p.task = OLK_SORF_CLASSES if config.columns > 1 else OLK_SORF_BINARY
    if config.is_regression:
        p.task = OLK_SORF_REGRESSION
    elif not config.needs_labels:
        p.task = OLK_SORF_NOVELTY
    take_parameters(p, values)
    p.first[0] = 0
    for g in range(groups):
        size = share + (g < rest)
        p.first[g + 1] = p.first[g] + size
        p.size[g] = config.budget if groups == 1 else 64 * size
        widths = config.list_of(f"widths{g}")
        p.widths[g] = len(widths)
        for i, width in enumerate(widths):
            setup.widths[g][i] = width
    blends = config.list_of("blends")
    p.n_blends = len(blends)
    for i, blend in enumerate(blends):
        p.blends[i] = blend
    p.kappa = 1.0
    if config.parts["dtype"] == DTYPE_INT8:
        p.kappa = 127.0 if p.task == OLK_SORF_NOVELTY else values["unit"]
    p.hold = config.clamp_limit
    olk_set_memory_steps(p, setup.preprocessing.gamma)


cdef inline void fill_forecast(olk_forecast* f, object config) except *:
    """The options of a forecaster."""
    cdef int i
    levels = config.list_of("interval")
    f.d, f.kernel = config.n_features, config.budget > 0
    f.horizon, f.season = int(config.values["lead"]), int(config.values["season"])
    f.n_levels = len(levels)
    for i, level in enumerate(levels):
        f.levels[i] = level


cdef inline void fill_preprocessing(olk_preprocessing* p, object config) except *:
    """How rows are scaled and shortened, and how the width of the kernel is found."""
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
        p.max_gamma = dtype_max_gamma(config.parts["dtype"])


cdef inline void fill_offsets(olk_setup* setup, object config, object regions) except *:
    """Where the regions are, and which of them are cleared once the width is known."""
    cdef int64_t end = -1
    cdef int count = -1
    cdef int item = 8 if setup.wide else 4
    at = dict(setup.at)  # the names that the struct has
    at.update({region.name: region.offset for region in regions if region.name in at})
    # Relevance scales a row in place. Novelty in time puts a converted row in the part of its
    # inputs that is not written yet.
    if not at["query"] and at["inputs"]:
        at["query"] = at["inputs"] + 2 * item * config.n_features * (at["watch"] > 0)
    setup.at = at
    if not at["width"]:
        return
    for region in regions:
        if region.stays or not region.element or not region.is_state:
            continue
        if region.offset != end:
            count += 1
            if count == OLK_RUNS:
                raise RuntimeError(f"the regions to clear form more than {OLK_RUNS} runs")
            setup.cleared[count].offset = region.offset
        end = region.offset + region.nbytes
        setup.cleared[count].bytes = end - <int64_t>setup.cleared[count].offset


cdef inline void fill_setup(olk_setup* setup, object config, object regions) except *:
    """All members, for a configuration and the regions of its block."""
    memset(setup, 0, sizeof(olk_setup))
    setup.features = config.n_features
    setup.columns = config.columns
    setup.wide = config.vectors == DTYPE_FLOAT64
    setup.stored = config.storage.nbytes
    setup.max_weight = config.update.max_weight
    setup.seed = config.seed
    fill_preprocessing(&setup.preprocessing, config)
    fill_offsets(setup, config, regions)
    if setup.at.last_label:
        setup.lapse = config.values["lapse"]
    if config.update.is_sorf:
        fill_sorf(setup, config)
    elif basis_has_frequencies(config.parts["basis"]):
        fill_features(setup, config)
    setup.forecasts = config.forecasts
    if setup.forecasts:
        fill_forecast(&setup.forecast, config)
    setup.sorf.signs = olk_pcg_seed(config.seed, OLK_PCG_SIGNS)
    setup.max_sum = olk_sorf_set_width(&setup.sorf, setup.widths, setup.preprocessing.gamma,
                                       setup.wide)
