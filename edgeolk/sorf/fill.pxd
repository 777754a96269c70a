"""Fills the structs of a learner of the sorf family from its configuration, a Python object, by
name."""

from edgeolk.core.c cimport (
    OLK_PCG_SIGNS, OLK_SORF_BINARY, OLK_SORF_CLASSES, OLK_SORF_NOVELTY, OLK_SORF_REGRESSION,
    olk_forecast, olk_pcg_seed, olk_sorf,
)
from edgeolk.core.fill cimport fill_common
from edgeolk.core.parts cimport BASIS_STRUCTURED, DTYPE_INT8
from edgeolk.core.state cimport GAPS_NAN, GAPS_NOT_FINITE, LABELS_KNOWN_OR_NOT, LABELS_TIMES, State
from edgeolk.sorf.options cimport fill_options


cdef inline void fill_learner(olk_sorf* p, double (*multiples)[8], object config) except *:
    """The configuration of the features and the learner on them (docs/sorf.md, section 3)."""
    cdef int g, i
    linear = int(config.values["linear_group"] > 0.0)
    groups = config.n_groups - linear
    share, rest = divmod(-(-config.budget // 64), max(1, groups))
    fill_options(p, config.values)
    p.groups = config.n_groups
    p.d, p.D, p.classes = config.n_inputs, config.budget, config.columns
    p.task = OLK_SORF_CLASSES if config.columns > 1 else OLK_SORF_BINARY
    if config.is_regression:
        p.task = OLK_SORF_REGRESSION
    elif not config.needs_labels:
        p.task = OLK_SORF_NOVELTY
    p.first[0] = 0
    for g in range(groups):
        size = share + (g < rest)
        p.first[g + 1] = p.first[g] + size
        p.size[g] = config.budget if groups == 1 else 64 * size
        widths = config.list_of(f"widths{g}")
        p.widths[g] = len(widths)
        for i, width in enumerate(widths):
            multiples[g][i] = width
    if linear:  # has no blocks
        p.first[groups + 1] = p.first[groups]
        p.size[groups] = p.d + 1
    blends = config.list_of("blends")
    p.n_blends = len(blends)
    for i, blend in enumerate(blends):
        p.blends[i] = blend
    p.kappa = 1.0
    if config.dtype == DTYPE_INT8:
        p.kappa = 127.0 if p.task == OLK_SORF_NOVELTY else config.values["unit"]
    p.spacing = config.spacing if p.delay else 0
    p.signs = olk_pcg_seed(config.seed, OLK_PCG_SIGNS)


cdef inline void fill_forecast(olk_forecast* p, object config) except *:
    """The configuration of a forecaster."""
    cdef int i
    forecaster = config.forecaster
    p.d, p.kernel = config.n_features, forecaster.has_kernel
    p.horizon, p.season = forecaster.horizon, forecaster.season
    p.n_levels = len(forecaster.levels)
    for i, level in enumerate(forecaster.levels):
        p.levels[i] = level


cdef inline void fill_features(olk_sorf* p, double (*multiples)[8], object config) except *:
    """Structured features as a basis of the ring family: one group with the width of the kernel."""
    p.d, p.D, p.classes, p.groups = config.n_features, config.budget, 1, 1
    p.first[0], p.first[1] = 0, -(-config.budget // 64)
    p.widths[0] = 1
    multiples[0][0] = 1.0
    p.signs = olk_pcg_seed(config.seed, OLK_PCG_SIGNS)


cdef inline void fill_sorf(State* s, object config) except *:
    """The settings of a learner of the sorf family besides those in C."""
    fill_common(s, config)
    s.c.choice.basis = BASIS_STRUCTURED
    if config.forecaster is not None:
        s.c.gaps, s.c.labels = GAPS_NAN, LABELS_KNOWN_OR_NOT
    elif config.watch is not None:
        s.c.gaps, s.c.labels = GAPS_NOT_FINITE, LABELS_TIMES
