"""Warnings, each given once: readings out of range, diverging predictions."""

from libc.math cimport fabs, isnan

from edgeolk.core.engine cimport Engine
from edgeolk.core.state cimport State


cdef inline int warn_of_levels(Engine engine) except -1:
    """Warn once of a reading outside the range of int8 storage."""
    cdef State* s = &engine.state
    if s.quantizer.scale == NULL or s.function.clipped == 0 or engine.warned:
        return 0
    import warnings

    engine.warned = True
    warnings.warn(
        "a reading lies outside feature_range and was limited to it; give dtype='int8' a wider"
        " feature_range= or scale the features (learner.n_out_of_range counts such readings)",
        stacklevel=2,
    )
    return 0


cdef enum:
    RANGE = 100   # predictions beyond this many times the largest target diverge
    KNOWN = 30    # targets after which their range counts as known


cdef inline int watch_error(
    Engine engine, const double* y, const double* f, Py_ssize_t n
) except -1:
    """Warn once of predictions that diverge from the targets: gradient steps too large."""
    cdef Py_ssize_t i
    if engine.warned_of_error or engine.state.errors == NULL or engine.state.forecast.on:
        return 0
    for i in range(n):
        if isnan(f[i]):  # a skipped row
            continue
        engine.largest_target = max(engine.largest_target, fabs(y[i]))
        engine.targets_seen += 1
        if engine.targets_seen > KNOWN and fabs(f[i]) > RANGE * engine.largest_target:
            import warnings

            engine.warned_of_error = True
            warnings.warn(
                "predictions diverge from the targets: the steps are too large for this"
                " stream; lower eta=, bound the function (U=, gamma= or lam=), or scale the"
                " targets to the size of 1",
                stacklevel=2,
            )
            return 0
    return 0
