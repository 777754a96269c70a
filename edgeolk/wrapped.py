"""What estimators and models for other libraries ask of the learner inside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeolk.learner import Learner

#: Arguments of a learner that its wrapper gives, or has under the same name.
_ITS_OWN = (
    *("algorithm", "n_features", "n_classes", "budget", "D", "ram", "kernel", "kernel_gamma"),
    *("scale", "seed", "buffer"),
)
#: What a learner is for, and the wrapper that is for it.
_FOR = {
    "classes": ("tells classes apart", "Classifier"),
    "targets": ("fits real targets", "Regressor"),
    "novelty": ("detects novelty", "Novelty"),
}


#: Sizes of a learner, one of which is given.
SIZES = ("budget", "D")


def size_of(wrapper: Any) -> dict[str, Any]:
    """The size of a wrapper's learner: ``budget`` or ``D`` where given, else ``ram``."""
    given = {name: value for name in SIZES if (value := getattr(wrapper, name)) is not None}
    return given or {"ram": wrapper.ram}


def other_arguments(wrapper: Any) -> dict[str, Any]:
    """Arguments of the learner that a wrapper was given by name or in ``params``, checked.

    Those named in ``wrapper._named`` are attributes, where None leaves the learner's default.
    Raises TypeError: ``params`` is not a dict, or holds an argument of the wrapper itself, or one
    that is also given by name.
    """
    named = {
        name: value for name in wrapper._named if (value := getattr(wrapper, name)) is not None
    }
    params = wrapper.params
    if params is None:
        return named
    if not isinstance(params, Mapping):
        raise TypeError(f"params must be a dict or None, got {type(params).__name__}")
    for name in named:
        if name in params:
            raise TypeError(f"give {name}= or params={{{name!r}: ...}}, not both")
    for name in _ITS_OWN:
        if name in params:
            raise TypeError(f"params must not hold {name!r}: the estimator or model sets it itself")
    return {**named, **params}


def check_task(learner: Learner, wanted: str) -> Learner:
    """The learner, if it is for what the wrapper is for: "classes", "targets" or "novelty".

    Raises ValueError: its loss is for something else.
    """
    made = "novelty"
    if learner._config.needs_labels:
        made = "targets" if learner.is_regression else "classes"
    if made != wanted:
        loss = learner.parts["loss"].name.lower()
        raise ValueError(
            f"loss must be one that {_FOR[wanted][0]}, got loss={loss!r}, which"
            f" {_FOR[made][0]}: use the {_FOR[made][1]} for that"
        )
    return learner
