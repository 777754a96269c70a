"""What estimators and models for other libraries ask of the learner inside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeolk.learner import Learner

#: Arguments of a learner that its wrapper gives, or has under the same name.
_ITS_OWN = (
    *("algorithm", "n_features", "n_classes", "budget", "ram", "kernel", "kernel_gamma", "scale"),
    *("seed", "buffer"),
)
#: What a learner is for, and the wrapper that is for it.
_FOR = {
    "classes": ("tells classes apart", "Classifier"),
    "targets": ("follows real targets", "Regressor"),
    "novelty": ("says what is novel", "Novelty"),
}


def other_arguments(params: Any) -> dict[str, Any]:
    """What ``params`` of a wrapper hold, checked.

    Raises
    ------
    TypeError
        No dict, or an argument that is the wrapper's own.
    """
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise TypeError(f"params must be a dict or None, got {type(params).__name__}")
    for name in _ITS_OWN:
        if name in params:
            raise TypeError(f"params must not hold {name!r}: the estimator or model sets it itself")
    return dict(params)


def check_task(learner: Learner, wanted: str) -> Learner:
    """The learner, if it is for what the wrapper is for.

    Parameters
    ----------
    learner : Learner
        As made.
    wanted : {"classes", "targets", "novelty"}
        What the wrapper is for.

    Raises
    ------
    ValueError
        Its loss is for something else.
    """
    made = "novelty"
    if learner.config.needs_labels:
        made = "targets" if learner.is_regression else "classes"
    if made != wanted:
        loss = learner.parts["loss"].name.lower()
        raise ValueError(
            f"params must make a learner that {_FOR[wanted][0]}, got loss={loss!r}, which"
            f" {_FOR[made][0]}: the {_FOR[made][1]} is for that"
        )
    return learner
