"""Fills the settings that every family has from a configuration, a Python object, by name."""

from edgeolk.core.parts cimport fill_choices
from edgeolk.core.state cimport (
    LABELS_CLASSES, LABELS_TARGETS, LABELS_TWO, LABELS_UNUSED, State,
)


cdef inline void fill_common(State* s, object config) except *:
    """The settings of every family."""
    s.c.n_features = config.n_features
    s.c.budget = config.budget
    s.c.columns = config.columns
    s.c.vectors = config.vectors
    s.c.weighs = not config.no_weights
    s.c.max_weight = config.max_weight
    s.c.kernel.kind, s.c.kernel.degree = config.kernel.fields()[:2]
    s.c.kernel.gamma, s.c.kernel.scale, s.c.kernel.offset = config.kernel.fields()[2:]
    fill_choices(&s.c.choice, config.parts)
    fill_labels(s, config)
    fill_preprocessing(s, config)


cdef inline void fill_labels(State* s, object config) except *:
    """The labels that rows are learned with."""
    s.c.labels = LABELS_TWO
    if config.columns > 1:
        s.c.labels = LABELS_CLASSES
    elif config.is_regression:
        s.c.labels = LABELS_TARGETS
    elif not config.needs_labels:
        s.c.labels = LABELS_UNUSED


cdef inline void fill_preprocessing(State* s, object config) except *:
    """The configuration of preprocessing."""
    preprocessing = config.preprocessing
    s.preprocessing.reshapes = preprocessing.reshapes
    s.preprocessing.on = s.preprocessing.reshapes or preprocessing.gamma_rows > 0
