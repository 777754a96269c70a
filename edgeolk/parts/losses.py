"""One row per loss, sampling rule and step-size schedule.

The row of a loss names its functions in ``core/losses.pxd``, for a row and its score f in ``e``:

- ``slope(s, e)``: dl/df;
- ``residual(s, e)`` and ``sign(s, e)``: what a passive-aggressive step mends, and its direction.
"""

from __future__ import annotations

from enum import IntEnum

from edgeolk.lean import dataclass
from edgeolk.parts.numbers import (
    Averaging,
    Basis,
    Loss,
    Projection,
    Sampling,
    Schedule,
    Update,
)
from edgeolk.parts.policies import POLICIES
from edgeolk.parts.traits import Part, Refusal, both, has, lacks, spoken

#: Updates with a logistic loss built in.
LOGISTIC_UPDATES = (
    Update.LOGISTIC,
    Update.LOGISTIC_SHIFT,
    Update.LOGISTIC_SCALE,
    Update.LOGISTIC_CUT,
)

#: Updates that mend a residual.
RESIDUAL_UPDATES = (Update.PA, Update.PA1, Update.PA2, Update.SPARSE_PA)


@dataclass(frozen=True, kw_only=True)
class LossTraits(Part):
    """What is true of a loss."""

    #: What it is a loss for: "classes", "numbers" or "none".
    labels: str
    #: Those that follow it, unless their own rows refuse it.
    updates: tuple[Update, ...]
    #: Its formula or meaning, as the pages say it.
    doc: str
    #: Functions of the core; without a residual no passive-aggressive update follows it.
    slope: str
    residual: str = ""
    sign: str = ""
    #: A row whose score is beyond 1 either way is not learned.
    capped: bool = False


def _only(loss: Loss, updates: tuple[Update, ...], others: str) -> Refusal:
    """The other updates cannot follow this loss."""
    return lacks("update", *updates), f"Loss.{loss.name} needs {spoken(updates)}: {others}"


def _without_labels(loss: Loss) -> tuple[Refusal, ...]:
    """A threshold in the place of labels moves with f."""
    following = tuple(policy for policy, row in POLICIES.items() if row.follows_change)
    alone: tuple[tuple[str, IntEnum], ...] = (
        ("sampling", Sampling.ALWAYS),
        ("schedule", Schedule.CONSTANT),
        ("averaging", Averaging.NONE),
        ("projection", Projection.NONE),
    )
    why = (
        f"Loss.{loss.name} holds f against a threshold that moves with it: no sampling, schedule,"
        " averaging or projection beside it"
    )
    return (
        *((lacks(axis, member), why) for axis, member in alone),
        (
            both(has("basis", Basis.SUPPORT_VECTORS), lacks("policy", *following)),
            f"Loss.{loss.name} goes with {spoken(following)}: what is normal changes, and a frozen"
            " ring cannot follow",
        ),
    )


_LOGISTIC = (Update.GRADIENT, *LOGISTIC_UPDATES)
_STEPS = (Update.GRADIENT, Update.BLENDED)
_REAL = (Update.PA, Update.PA1, Update.PA2, Update.GRADIENT)

LOSSES: dict[Loss, LossTraits] = {
    Loss.HINGE: LossTraits(
        labels="classes",
        updates=tuple(Update),
        doc="max(0, 1 - y f)",
        slope="losses.hinge_slope",
        residual="losses.hinge",
        sign="losses.label",
    ),
    Loss.RAMP: LossTraits(
        labels="classes",
        updates=tuple(Update),
        doc="the hinge, but no update where |f| > 1",
        slope="losses.ramp_slope",
        residual="losses.hinge",
        sign="losses.label",
        capped=True,
    ),
    Loss.LOGISTIC: LossTraits(
        labels="classes",
        updates=_LOGISTIC,
        doc="log(1 + exp(-y f)), gives probabilities",
        slope="losses.logistic_slope",
        refuses=(_only(Loss.LOGISTIC, _LOGISTIC, "the others follow the hinge"),),
    ),
    Loss.SQUARE: LossTraits(
        labels="numbers",
        updates=_STEPS,
        doc="(y - f)^2 / 2, for real targets",
        slope="losses.square_slope",
        regions=("errors",),
        refuses=(_only(Loss.SQUARE, _STEPS, "the other updates follow a margin"),),
    ),
    Loss.NOVELTY: LossTraits(
        labels="none",
        updates=_STEPS,
        doc="no labels: a row is novel where f is below a threshold that sets itself",
        slope="losses.novelty_slope",
        parameters=("nu",),
        regions=("novelty",),
        refuses=(
            _only(Loss.NOVELTY, _STEPS, "the other updates need labels"),
            *_without_labels(Loss.NOVELTY),
        ),
    ),
    Loss.EPSILON: LossTraits(
        labels="numbers",
        updates=_REAL,
        doc="max(0, |y - f| - epsilon), for real targets",
        slope="losses.epsilon_slope",
        residual="losses.epsilon",
        sign="losses.epsilon_sign",
        parameters=("epsilon",),
        regions=("errors",),
        refuses=(_only(Loss.EPSILON, _REAL, "the other updates follow a margin"),),
    ),
}


SAMPLINGS: dict[Sampling, Part] = {
    Sampling.ALWAYS: Part(),
    Sampling.LOSS: Part(
        parameters=("alpha", "beta"),
        refuses=(
            (
                lacks("loss", Loss.HINGE),
                "Sampling.LOSS needs Loss.HINGE: its probability is a function of the hinge loss",
            ),
            (
                lambda c: c.values["beta"] < c.values["alpha"],
                "beta must be at least alpha, or a probability would exceed 1",
            ),
        ),
    ),
    Sampling.DECAY: Part(
        parameters=("c", "decay", "horizon"),
        refuses=(
            (
                lacks("update", Update.GRADIENT),
                "Sampling.DECAY needs Update.GRADIENT: the others do not divide by the"
                " probability",
            ),
            (
                both(lacks("schedule", Schedule.DECAY), lambda c: c.values["horizon"] == 0.0),
                "Sampling.DECAY without Schedule.DECAY needs the number of examples, T",
            ),
        ),
    ),
    Sampling.DERIVATIVE: Part(
        parameters=("G",),
        refuses=(
            (
                lacks("update", Update.GRADIENT),
                "Sampling.DERIVATIVE needs Update.GRADIENT: the others do not divide by the"
                " probability",
            ),
            (
                has("loss", Loss.SQUARE),
                "Sampling.DERIVATIVE needs a loss with a bounded derivative, not Loss.SQUARE",
            ),
        ),
    ),
    Sampling.MARGIN: Part(
        refuses=(
            (
                lacks("update", Update.LOGISTIC),
                "Sampling.MARGIN needs Update.LOGISTIC: its probability is made for that step",
            ),
            (
                lambda c: c.values["eta"] >= 2.0,
                "eta must be below 2 for margin sampling, or a probability would be negative",
            ),
        ),
    ),
    Sampling.AUXILIARY: Part(
        refuses=(
            (
                lacks("update", Update.LOGISTIC_SHIFT, Update.LOGISTIC_SCALE),
                "Sampling.AUXILIARY needs Update.LOGISTIC_SHIFT or Update.LOGISTIC_SCALE",
            ),
        ),
    ),
}

_STEP_SIZE = (
    lacks("update", Update.GRADIENT),
    "a step-size schedule needs Update.GRADIENT: the other updates have no step size",
)

SCHEDULES: dict[Schedule, Part] = {
    Schedule.CONSTANT: Part(),
    Schedule.SQRT: Part(refuses=(_STEP_SIZE,)),
    Schedule.DECAY: Part(
        refuses=(
            (
                lacks("sampling", Sampling.DECAY),
                "Schedule.DECAY needs Sampling.DECAY: the step follows the sampling probability",
            ),
            _STEP_SIZE,
        )
    ),
}
