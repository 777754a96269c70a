"""Fills the struct of what a model is (c/setup.h) from its configuration, by name."""

from libc.float cimport DBL_MAX
from libc.string cimport memset

from edgeolk.core.c cimport (
    OLK_LAPLACIAN, OLK_RUNS, olk_preprocessing, olk_memory_steps_of, olk_setup,
    olk_sorf_set_width,
)
from edgeolk.core.parts cimport (
    BASIS_STRUCTURED, DTYPE_FLOAT64, basis_has_frequencies, dtype_max_gamma,
)
from edgeolk.sorf.fill cimport fill_features, fill_forecast, fill_learner


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
    m.max_weight = config.max_weight
    m.seed = config.seed
    fill_preprocessing(&m.preprocessing, config)
    m.at = offsets_of(regions)
    return 0


cdef inline int fill_ring_setup(olk_setup* m, object config, object regions) except -1:
    """Fill the struct of a model of the ring family, whose basis may be structured features."""
    fill_setup(m, config, regions)
    m.preprocessing.max_gamma = DBL_MAX
    m.forecast.n_levels = config.awaits_targets
    if basis_has_frequencies(config.parts["basis"]):
        m.preprocessing.max_gamma = dtype_max_gamma(config.dtype)
    if config.parts["basis"] == BASIS_STRUCTURED:
        fill_features(&m.sorf, m.widths, config)
        m.max_sum = olk_sorf_set_width(
            &m.sorf, m.sorf.omega, m.widths, m.preprocessing.gamma, m.wide)
    return 0


cdef inline int fill_sorf_setup(olk_setup* m, object config, object regions) except -1:
    """Fill the struct of a model of the sorf family."""
    fill_setup(m, config, regions)
    # Relevance scales a row in place. A converted row in time is in the part of its inputs that is
    # not written yet.
    if not m.at.query and m.at.inputs:
        m.at.query = m.at.inputs
        if m.at.watch:
            m.at.query += 2 * m.features * (8 if m.wide else 4)
    if m.at.last_label:
        m.lapse = config.values["lapse"]
    fill_learner(&m.sorf, m.widths, config)
    m.sorf.hold = config.clamp_limit
    m.sorf.memory_steps = olk_memory_steps_of(&m.sorf, m.preprocessing.gamma, m.wide)
    m.max_sum = olk_sorf_set_width(&m.sorf, m.sorf.omega, m.widths, m.preprocessing.gamma, m.wide)
    m.forecasts = config.forecaster is not None
    if m.forecasts:
        fill_forecast(&m.forecast, config)
    return 0


cdef inline int fill_cleared(olk_setup* m, object regions) except -1:
    """Which of the regions of a block are cleared once the width is known."""
    cdef size_t end = 0
    cdef int count = -1
    if not m.at.width:
        return 0
    for region in regions:
        if region.stays or not region.is_state:
            continue
        if region.offset != end:
            count += 1
            if count == OLK_RUNS:
                raise RuntimeError(f"the regions to clear form more than {OLK_RUNS} runs")
            m.cleared[count].offset = region.offset
        end = region.offset + region.nbytes
        m.cleared[count].bytes = end - m.cleared[count].offset
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
    p.max_gamma = dtype_max_gamma(config.dtype)
    return 0
