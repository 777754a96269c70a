"""Fills the structs of a learner of the ring family from its configuration, a Python object, by
name."""

from edgeolk.core.c cimport OLK_F32, OLK_F64
from edgeolk.core.fill cimport fill_common
from edgeolk.core.parts cimport LOSS_LOGISTIC, fill_params
from edgeolk.core.state cimport LABELS_KNOWN_OR_NOT, State


cdef inline void fill_ring(State* s, object config) except *:
    """The settings of a learner of the ring family."""
    fill_common(s, config)
    fill_params(&s.c.p, config.values)
    s.c.stride = config.stride
    s.c.weights = config.weights
    s.c.n_per_update = config.update.per_update
    s.c.window_rows = config.window_rows
    s.c.added = config.added
    s.c.tracks_norm = config.tracks_norm
    s.c.reads_row = config.reads_row
    s.c.softmax = s.c.columns > 1 and s.c.choice.loss == LOSS_LOGISTIC
    if config.awaits_targets:
        s.c.labels = LABELS_KNOWN_OR_NOT
    s.ahead.rows = config.lookahead
    s.ahead.value_type = OLK_F64 if config.value_bytes == 8 else OLK_F32
