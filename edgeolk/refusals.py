"""Compositions without meaning, and the sentence that says why."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING

from edgeolk.parts import (
    Averaging,
    Basis,
    Dtype,
    KernelKind,
    Loss,
    Policy,
    Projection,
    Rows,
    Sampling,
    Schedule,
    Update,
)

if TYPE_CHECKING:
    from edgeolk.config import Config

#: Updates with a logistic loss built in.
LOGISTIC_UPDATES = (
    Update.LOGISTIC,
    Update.LOGISTIC_SHIFT,
    Update.LOGISTIC_SCALE,
    Update.LOGISTIC_CUT,
)
#: Policies that change the common scale themselves.
RESCALING = (
    Policy.FORGETRON,
    Policy.FORGETRON_BASIC,
    Policy.FORGETRON_GREEDY,
    Policy.UNBIASED,
    Policy.UNBIASED_BY_SIZE,
    Policy.HALVE,
    Policy.ANCHOR,
)

Rule = tuple[Callable[["Config"], bool], str]

def _part(axis: str, *members: IntEnum) -> Callable[[Config], bool]:
    return lambda config: config.parts[axis] in members


def _both(*conditions: Callable[[Config], bool]) -> Callable[[Config], bool]:
    def every(config: Config) -> bool:
        # A loop: Python loses a generator that memory is too short to close.
        for condition in conditions:  # noqa: SIM110
            if not condition(config):
                return False
        return True

    return every


def _no(condition: Callable[[Config], bool]) -> Callable[[Config], bool]:
    return lambda config: not condition(config)


_GRADIENT = _part("update", Update.GRADIENT)
_LOGISTIC = _part("update", *LOGISTIC_UPDATES)
_RING = _part("basis", Basis.SUPPORT_VECTORS)
_STOPS = _part("policy", Policy.STOP)
_FORGETRONS = _part("policy", Policy.FORGETRON, Policy.FORGETRON_GREEDY, Policy.FORGETRON_BASIC)

#: Compositions without meaning: (what is refused, the sentence that says why).
REFUSALS: tuple[Rule, ...] = (
    (
        _both(_part("loss", Loss.SQUARE), _no(_GRADIENT)),
        "Loss.SQUARE needs Update.GRADIENT: the other updates follow a margin",
    ),
    (
        _both(_part("loss", Loss.LOGISTIC), _no(_GRADIENT), _no(_LOGISTIC)),
        "Loss.LOGISTIC needs Update.GRADIENT or one of Update.LOGISTIC...: the others follow the"
        " hinge",
    ),
    (
        _both(_LOGISTIC, _no(_part("loss", Loss.LOGISTIC))),
        "the updates Update.LOGISTIC... need Loss.LOGISTIC: it is built into them",
    ),
    (
        _both(_part("sampling", Sampling.LOSS), _no(_part("loss", Loss.HINGE))),
        "Sampling.LOSS needs Loss.HINGE: its probability is a function of the hinge loss",
    ),
    (
        _both(_part("sampling", Sampling.DERIVATIVE), _no(_GRADIENT)),
        "Sampling.DERIVATIVE needs Update.GRADIENT: the others do not divide by the probability",
    ),
    (
        _both(_part("sampling", Sampling.DERIVATIVE), _part("loss", Loss.SQUARE)),
        "Sampling.DERIVATIVE needs a loss with a bounded derivative, not Loss.SQUARE",
    ),
    (
        _both(_part("sampling", Sampling.MARGIN), _no(_part("update", Update.LOGISTIC))),
        "Sampling.MARGIN needs Update.LOGISTIC: its probability is made for that step",
    ),
    (
        _both(
            _part("sampling", Sampling.AUXILIARY),
            _no(_part("update", Update.LOGISTIC_SHIFT, Update.LOGISTIC_SCALE)),
        ),
        "Sampling.AUXILIARY needs Update.LOGISTIC_SHIFT or Update.LOGISTIC_SCALE",
    ),
    (
        _both(_part("sampling", Sampling.DECAY), _no(_GRADIENT)),
        "Sampling.DECAY needs Update.GRADIENT: the others do not divide by the probability",
    ),
    (
        _both(
            _part("sampling", Sampling.DECAY),
            _no(_part("schedule", Schedule.DECAY)),
            lambda c: c.values["horizon"] == 0.0,
        ),
        "Sampling.DECAY without Schedule.DECAY needs the number of examples, T",
    ),
    (
        _both(_part("schedule", Schedule.DECAY), _no(_part("sampling", Sampling.DECAY))),
        "Schedule.DECAY needs Sampling.DECAY: the step follows the sampling probability",
    ),
    (
        _both(_no(_part("schedule", Schedule.CONSTANT)), _no(_GRADIENT)),
        "a step-size schedule needs Update.GRADIENT: the other updates have no step size",
    ),
    (
        _both(_FORGETRONS, _no(_part("update", Update.PERCEPTRON))),
        "the Forgetron policies need Update.PERCEPTRON: their shrinking is paid for by mistakes",
    ),
    (
        _both(
            _part("update", Update.PROJECTRON_JMLR, Update.PROJECTRON_ICML),
            _no(_part("policy", Policy.SPAN)),
        ),
        "the Projectron++ updates need Policy.SPAN: a margin error is a step within the span",
    ),
    (
        lambda c: (c.parts["policy"] == Policy.ANCHOR) != (c.parts["update"] == Update.OPTIMISTIC),
        "Policy.ANCHOR and Update.OPTIMISTIC need each other: the rate is made from what the"
        " policy measures",
    ),
    (
        _both(
            _part("update", Update.OPTIMISTIC), lambda c: not math.isfinite(c.values["U"])
        ),
        "Update.OPTIMISTIC needs a finite U: its rate is a part of it",
    ),
    (
        _both(_part("update", Update.OPTIMISTIC), _no(_part("projection", Projection.BALL))),
        "Update.OPTIMISTIC needs Projection.BALL: its rate is a part of the radius U",
    ),
    (
        _both(_part("policy", Policy.MERGE), lambda c: c.kernel.kind != KernelKind.GAUSSIAN),
        "Policy.MERGE needs the Gaussian kernel: two of its bumps merge into one",
    ),
    (
        _both(
            _part("update", Update.PEGASOS),
            lambda c: c.parts["policy"] in RESCALING
            or c.parts["projection"] != Projection.NONE
            or c.values["lam"] == 0.0,
        ),
        "Update.PEGASOS sets the common scale itself: lam > 0, no projection, and no policy that"
        " scales",
    ),
    (
        _both(_part("averaging", Averaging.MEAN), lambda c: c.removes),
        "averaging needs a policy that removes nobody: the mean of the models would need the"
        " support vectors that are gone",
    ),
    (
        _both(_part("averaging", Averaging.MEAN), _part("projection", Projection.CLIP)),
        "averaging cannot be combined with Projection.CLIP: it moves single coefficients",
    ),
    (
        _both(_part("averaging", Averaging.MEAN), _part("basis", Basis.NYSTROM)),
        "averaging cannot be combined with Basis.NYSTROM: the basis changes on the way",
    ),
    (
        _both(_part("projection", Projection.CLIP, Projection.SHRINK), _no(_GRADIENT)),
        "Projection.CLIP and Projection.SHRINK need Update.GRADIENT: the bound is clip times eta",
    ),
    (
        _both(_no(_RING), _no(_STOPS)),
        "a feature basis needs Policy.STOP: there is no ring to maintain",
    ),
    (
        _both(_part("basis", Basis.FOURIER), lambda c: c.kernel.kind != KernelKind.GAUSSIAN),
        "Basis.FOURIER needs the Gaussian kernel: its frequencies are normal",
    ),
    (
        _both(_no(_RING), _no(_part("projection", Projection.NONE, Projection.BALL))),
        "a feature basis has no coefficients of support vectors to bound",
    ),
    (
        _both(_part("basis", Basis.NYSTROM), _part("projection", Projection.BALL)),
        "Basis.NYSTROM cannot be combined with Projection.BALL: the norm changes with the basis",
    ),
    (
        _both(_part("basis", Basis.NYSTROM), _no(_GRADIENT)),
        "Basis.NYSTROM needs Update.GRADIENT: it has its own step size after the change of basis",
    ),
    (
        lambda c: c.parts["rows"] == Rows.SPARSE and c.dtype == Dtype.INT8,
        "sparse rows cannot be stored as int8: a zero lies between two of its levels",
    ),
    (
        _both(_part("rows", Rows.SPARSE), _part("basis", Basis.FOURIER)),
        "sparse rows are for support vectors: Fourier features read every number of a row",
    ),
    (
        _both(_part("basis", Basis.FOURIER), lambda c: c.dtype == Dtype.INT8),
        "Basis.FOURIER cannot be stored as int8: frequencies are no readings with a range",
    ),
    (
        _both(_part("basis", Basis.NYSTROM), _part("schedule", Schedule.DECAY)),
        "Basis.NYSTROM cannot be combined with Schedule.DECAY",
    ),
    (
        _both(_no(_RING), _part("update", Update.PEGASOS, Update.SHIFTING)),
        "a feature basis takes plain steps, not those of Update.PEGASOS or Update.SHIFTING",
    ),
    (
        _both(
            _part("policy", Policy.UNBIASED, Policy.UNBIASED_BY_SIZE, Policy.HALVE, Policy.ANCHOR),
            lambda c: c.budget < 2,
        ),
        "budget must be at least 2 for this policy",
    ),
    (
        _both(
            _part("basis", Basis.NYSTROM), lambda c: c.values["rank"] > c.budget
        ),
        "k must be at most the budget: there are no more eigenfunctions",
    ),
    (
        lambda c: c.values.get("eta", 0.0) * c.values.get("lam", 0.0) >= 1.0
        and c.parts["update"] == Update.GRADIENT,
        "eta * lam must be below 1, or the shrinkage turns the model over",
    ),
    (
        _both(_part("sampling", Sampling.LOSS), lambda c: c.values["beta"] < c.values["alpha"]),
        "beta must be at least alpha, or a probability would exceed 1",
    ),
    (
        _both(_part("sampling", Sampling.MARGIN), lambda c: c.values["eta"] >= 2.0),
        "eta must be below 2 for margin sampling, or a probability would be negative",
    ),
    (
        _both(
            _part("update", Update.AGGRESSIVE),
            lambda c: c.values["eps"] < c.values["rate"] / 2.0,
        ),
        "eps must be at least half the rate lam",
    ),
    (
        _both(
            _part("update", Update.AGGRESSIVE),
            lambda c: c.values["rate"] == 0.0 and not math.isfinite(c.values.get("U", math.inf)),
        ),
        "lam=None takes the rate from the radius and needs a finite U",
    ),
    (
        lambda c: c.dtype != Dtype.FLOAT64
        and c.kernel.normalised
        and not 1e-37 <= c.kernel.fields()[2] <= 1e37,
        "gamma must lie between 1e-37 and 1e37 unless storage is float64",
    ),
)


def refuse(config: Config) -> None:
    """Raise ValueError with one sentence if the composition has no meaning."""
    for meaningless, sentence in REFUSALS:
        if meaningless(config):
            raise ValueError(sentence)
