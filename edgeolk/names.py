"""What the numbers of a learner mean: labels of classes, names of inputs, the unit of targets."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgeolk.learner import Learner
from edgeolk.probabilities import Probabilities
from edgeolk.windows.file import ABOUT

#: Types of a name that a file can hold.
PLAIN = (str, int, float, bool)
_FORMAT = 2


def is_balanced(decision: Any) -> bool:
    """Whether an argument ``decision`` asks for balanced decisions.

    Raises ValueError: it is neither "accuracy" nor "balanced".
    """
    if not (isinstance(decision, str) and decision in ("accuracy", "balanced")):
        raise ValueError(f"decision must be 'accuracy' or 'balanced', got {decision!r}")
    return decision == "balanced"


@dataclass(frozen=True)
class Names:
    """What a learner's numbers mean.

    Attributes
    ----------
    classes : tuple
        Labels of the classes in the order of the learner; empty if it has none.
    features : tuple
        Names of the inputs; empty if unknown.
    probabilities : Probabilities or None
        Turns scores into probabilities; None if there are no classes.
    decision : str
        What labels aim for: "accuracy" or "balanced".
    target_mean, target_scale : float
        A target is the score times ``target_scale``, plus ``target_mean``.
    """

    classes: tuple[Any, ...] = ()
    features: tuple[Any, ...] = ()
    probabilities: Probabilities | None = None
    decision: str = "accuracy"
    target_mean: float = 0.0
    target_scale: float = 1.0


def about_of(names: Names) -> str:
    """The names as the text of their file; raises TypeError for one that is no text or number."""
    about = {
        "format": _FORMAT,
        "classes": [_plain(name, "classes") for name in names.classes],
        "features": [_plain(name, "features") for name in names.features],
        "probabilities": names.probabilities and names.probabilities.__getstate__(),
        "decision": names.decision,
        "target_mean": names.target_mean,
        "target_scale": names.target_scale,
    }
    return json.dumps(about, indent=1) + "\n"


def _plain(name: Any, what: str) -> Any:
    """A name as JSON has it; raises TypeError for one that JSON lacks."""
    name = name.item() if isinstance(name, np.generic) else name
    if not isinstance(name, PLAIN):
        raise TypeError(
            f"{what} in a file must be text or numbers, got {type(name).__name__}: {name!r}"
        )
    return name


def names_from(data: bytes, learner: Learner) -> Names:
    """The names in a file, for its learner; raises ValueError if they are not valid."""
    try:
        about = json.loads(data)
    except RecursionError:
        raise ValueError(f"{ABOUT} is nested too deeply") from None
    if not isinstance(about, dict) or about.get("format") not in (1, _FORMAT):
        raise ValueError(f"{ABOUT} is not of format 1 or {_FORMAT}")
    classes: Any = about.get("classes")
    features: Any = about.get("features")
    unit: list[Any] = [about.get("target_mean"), about.get("target_scale")]
    if not all(isinstance(some, list) and _are_plain(some) for some in (classes, features)):
        raise ValueError(f"{ABOUT} must list classes and features")
    if not _are_finite(unit):
        raise ValueError(f"{ABOUT} must have finite numbers")
    expected = learner.n_classes if learner.n_classes > 2 else 2
    if len(classes) > expected or (classes and learner.is_regression):
        raise ValueError(f"the file names {len(classes)} classes of {expected}")
    if features and len(features) > learner.n_features:
        raise ValueError(f"the file names {len(features)} inputs of {learner.n_features}")
    old = about["format"] == 1
    decision: Any = "accuracy" if old else about.get("decision")
    is_balanced(decision)
    state: Any = _state_of_old(about, expected) if old else about.get("probabilities")
    probabilities = _probabilities_from(state, expected, learner) if classes else None
    return Names(
        tuple(classes), tuple(features), probabilities, decision, float(unit[0]), float(unit[1])
    )


def _state_of_old(about: dict[str, Any], n_classes: int) -> dict[str, Any]:
    """The state of probabilities of a file of format 1, which had a calibration alone."""
    labels = [0.0] * n_classes
    calibration = about.get("calibration")
    # So far ahead of the shares that these count nothing.
    return {"calibration": calibration, "all_scores": None, "labels": labels, "over_shares": 1e6}


def _probabilities_from(state: Any, n_classes: int, learner: Learner) -> Probabilities:
    """Probabilities of a state in a file; raises ValueError if it is not valid."""
    if not isinstance(state, dict):
        raise ValueError(f"{ABOUT} must have probabilities")
    calibration, behind = state.get("calibration"), state.get("all_scores")
    labels: Any = state.get("labels")
    numbers = [state.get("over_shares")]
    for some, n in ((calibration, 5), (behind, 21), (labels, n_classes)):
        if some is None and some is not labels:
            continue
        if not isinstance(some, list) or len(some) != n:
            raise ValueError(f"{ABOUT} must have finite numbers")
        numbers += some
    if not _are_finite(numbers) or min(labels) < 0.0:
        raise ValueError(f"{ABOUT} must have finite numbers")
    if behind is not None and not learner._config.has_parts:
        raise ValueError(f"{ABOUT} has more scores than the learner")
    found = Probabilities(n_classes, behind is not None, calibration is not None)
    found.__setstate__(state)
    return found


def _are_plain(some: Sequence[Any]) -> bool:
    return all(isinstance(one, PLAIN) for one in some)


def _are_finite(some: Sequence[Any]) -> bool:
    return all(isinstance(one, (int, float)) and math.isfinite(one) for one in some)
