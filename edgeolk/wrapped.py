"""Shared by the estimators and models for other libraries: arguments and checks of the learner."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.errors import BadRowError
from edgeolk.learner import Learner
from edgeolk.parts import Loss
from edgeolk.parts.methods import find
from edgeolk.probabilities import Probabilities
from edgeolk.progress import Progress

FloatArray = NDArray[np.float64]

#: Arguments of a learner that its wrapper sets itself, or has under the same name.
_RESERVED = (
    *("algorithm", "n_features", "n_classes", "budget", "D", "ram", "kernel", "kernel_gamma"),
    *("scale", "seed", "buffer"),
)
#: Task -> what a loss for it does, and the wrapper for it.
_TASKS = {
    "classes": ("tells classes apart", "Classifier"),
    "targets": ("fits real targets", "Regressor"),
    "novelty": ("detects novelty", "Novelty"),
}


#: Arguments for the size of a learner, of which at most one is given.
SIZES = ("budget", "D")


def size_of(wrapper: Any) -> dict[str, Any]:
    """The size of a wrapper's learner: ``budget`` or ``D`` if given, else ``ram``."""
    given = {name: value for name in SIZES if (value := getattr(wrapper, name)) is not None}
    return given or {"ram": wrapper.ram}


def other_arguments(wrapper: Any) -> dict[str, Any]:
    """The checked arguments of the learner that a wrapper got by name or in ``params``.

    Those in ``wrapper._named`` are attributes; None leaves the learner's default. Raises TypeError:
    ``params`` is not a dict, contains an argument of the wrapper itself, or one that is also given
    by name.
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
    for name in _RESERVED:
        if name in params:
            raise TypeError(f"params must not hold {name!r}: the estimator or model sets it itself")
    return {**named, **params}


def takes_history(algorithm: Any) -> bool:
    """Whether rows of a named algorithm may be a time series.

    False for an unknown one, which is refused where the learner is built.
    """
    try:
        return find(algorithm).takes_history
    except (TypeError, ValueError):
        return False


def chooses_loss(algorithm: Any) -> bool:
    """Whether callers choose the loss of a named algorithm; else it has one."""
    try:
        return "loss" in find(algorithm).choices
    except (TypeError, ValueError):
        return True


def scales_itself(algorithm: Any) -> bool:
    """Whether a named algorithm always scales inputs and targets, and has no width to choose."""
    try:
        return find(algorithm).scales_itself
    except (TypeError, ValueError):
        return False


def only_given(scale: Any, gamma: Any, kernel: Any) -> dict[str, Any]:
    """Those of a wrapper's arguments that are not its defaults, for a learner that needs none."""
    usual = {"scale": "standard", "kernel_gamma": "auto", "kernel": None}
    given = {"scale": scale, "kernel_gamma": gamma, "kernel": kernel}
    return {name: value for name, value in given.items() if value != usual[name]}


def counts_mistakes(algorithm: Any) -> bool:
    """Whether mistakes decide between experts inside a named algorithm, where weights of classes
    would count too."""
    try:
        return find(algorithm).counts_mistakes
    except (TypeError, ValueError):
        return False


def delay_of(learner: Learner) -> int:
    """Rows between a row's answer and its label, if the learner judges its experts by answers."""
    return int(learner.parameters["delay"]) if learner._config.keeps_answers else 0


def probabilities_for(learner: Learner, n_classes: int) -> Probabilities:
    """What makes probabilities of a new learner's scores."""
    logistic = learner.parts["loss"] == Loss.LOGISTIC
    return Probabilities(n_classes, learner._config.has_parts, not logistic)


def check_task(learner: Learner, wanted: str) -> Learner:
    """Return the learner if it has the wanted task: "classes", "targets" or "novelty".

    Raises ValueError: its loss is for another task.
    """
    task = "novelty"
    if learner._config.needs_labels:
        task = "targets" if learner.is_regression else "classes"
    if task != wanted:
        loss = learner.parts["loss"].name.lower()
        raise ValueError(
            f"loss must be one that {_TASKS[wanted][0]}, got loss={loss!r}, which"
            f" {_TASKS[task][0]}: use the {_TASKS[task][1]} for that"
        )
    return learner


#: Rows scored ahead of learning them, for the calibration of several classes.
_SCORED = 32


def learn_rows(
    learner: Learner,
    probabilities: Probabilities,
    X: Any,
    places: NDArray[np.intp],
    weight: FloatArray | None = None,
    counted: FloatArray | None = None,
    *,
    is_new: bool = True,
    progress: Progress | None = None,
) -> FloatArray:
    """Learn rows of classes; return the scores as of ``learn_many``.

    weight, counted: of rows, in steps and in counts of mistakes.
    is_new: whether the probabilities learn from the scores before.
    """
    several = learner.n_classes > 2
    labels = places.astype(np.float64) if several else 2.0 * places - 1.0
    found = np.empty(len(places))
    # Learning returns the scores of two classes, but not all scores of several classes.
    step = _SCORED if several and is_new else max(1, len(places))
    for start in range(0, len(places), step):
        some = slice(start, start + step)
        rows = X[some]
        steps = None if weight is None else weight[some]
        counts = None if counted is None else counted[some]
        scores = _scored(learner, rows) if several and is_new else None
        parts = None
        if learner._config.has_parts:
            parts = np.empty((len(places), 3))
            parts.fill(np.nan)
        try:
            f = found[some] = learner._learn_many(rows, labels[some], steps, counts, parts)
        except BadRowError:
            if start:
                learner._uncounted().scores(X)  # names the row by its number among all
            raise
        if is_new:
            before = with_parts(f, parts) if scores is None else scores
            learned = places[some]
            if (skipped := np.isnan(f)).any():
                before, learned = before[~skipped], learned[~skipped]
                steps = None if steps is None else steps[~skipped]
            probabilities.learn(before, learned, steps)
        if progress is not None:
            progress(len(f))
    return found


def _scored(learner: Learner, rows: Any) -> FloatArray:
    """The scores of rows of several classes; NaN for a bad one, which learning refuses or skips."""
    scorer = learner._uncounted()
    try:
        return scorer.scores(rows)
    except BadRowError:
        scores = np.full((rows.shape[0], learner.n_classes), np.nan)
        for row in range(rows.shape[0]):
            with suppress(BadRowError):
                scores[row] = scorer.scores(rows[row : row + 1])[0]
        return scores


def with_parts(f: FloatArray, parts: FloatArray | None) -> FloatArray:
    """Scores of two classes with those behind them, if there are any, a row each."""
    if parts is None:
        return f[:, np.newaxis]
    found = np.empty((len(f), 4))
    found[:, 0], found[:, 1:] = f, parts  # column_stack takes longer than learning a row
    return found
