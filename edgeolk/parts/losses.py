"""One row per loss, sampling rule and step-size schedule.

The row of a loss names its functions in ``ring/losses.pxd``, for a row and its score f in ``e``:

- ``slope(ring, e)``: dl/df;
- ``residual(ring, e)`` and ``sign(ring, e)``: size and direction of a passive-aggressive
  correction.
"""

from __future__ import annotations

from dataclasses import dataclass

from edgeolk.parts.numbers import (
    Averaging,
    Basis,
    Loss,
    Projection,
    Sampling,
    Schedule,
    Update,
    by_axis,
)
from edgeolk.parts.policies import POLICIES
from edgeolk.parts.traits import Part, Refusals, both, has, lacks, spoken
from edgeolk.parts.updates import UPDATES

#: Passive-aggressive updates, which correct a residual.
RESIDUAL_UPDATES = (Update.PA, Update.PA1, Update.PA2, Update.SPARSE_PA)


@dataclass(frozen=True, kw_only=True)
class LossTraits(Part):
    """The row of a loss."""

    #: The kind of its labels: "classes", "numbers" or "none".
    labels: str
    #: Its formula or meaning, for the documentation.
    doc: str
    #: Functions of the core; passive-aggressive updates need a residual.
    slope: str
    residual: str = ""
    sign: str = ""
    #: Whether rows with a score beyond -1 or 1 are not learned.
    capped: bool = False


def updates_of(loss: Loss) -> tuple[Update, ...]:
    """The updates that can follow a loss: their rows name it."""
    return tuple(update for update, row in UPDATES.items() if loss in row.losses)


def _only(loss: Loss, others: str) -> Refusals:
    """The rule that other updates do not support this loss."""
    updates = updates_of(loss)
    return {f"Loss.{loss.name} needs {spoken(updates)}: {others}": lacks(*updates)}


def _without_labels(loss: Loss) -> Refusals:
    """Rules for a loss with a threshold, which moves with f, instead of labels."""
    following = tuple(policy for policy, row in POLICIES.items() if row.follows_change)
    alone = by_axis(Sampling.ALWAYS, Schedule.CONSTANT, Averaging.NONE, Projection.NONE)
    return {
        (
            f"Loss.{loss.name} compares f with a threshold that moves with it: no sampling,"
            " schedule, averaging or projection"
        ): lambda c: {**c.parts, **alone} != c.parts,
        (
            f"Loss.{loss.name} needs {spoken(following)}: what is normal changes, and a frozen"
            " ring cannot follow"
        ): both(has(Basis.SUPPORT_VECTORS), lacks(*following)),
    }


LOSSES: dict[Loss, LossTraits] = {
    Loss.HINGE: LossTraits(
        labels="classes",
        doc="max(0, 1 - y f)",
        slope="losses.hinge_slope",
        residual="losses.hinge",
        sign="losses.label",
        refuses=_only(Loss.HINGE, "the others follow real targets, or a loss of their own"),
    ),
    Loss.RAMP: LossTraits(
        labels="classes",
        doc="the hinge, but no update where |f| > 1",
        slope="losses.ramp_slope",
        residual="losses.hinge",
        sign="losses.label",
        capped=True,
        refuses=_only(Loss.RAMP, "the others follow real targets, or a loss of their own"),
    ),
    Loss.LOGISTIC: LossTraits(
        labels="classes",
        doc="log(1 + exp(-y f)), gives probabilities",
        slope="losses.logistic_slope",
        refuses=_only(
            Loss.LOGISTIC,
            "the others follow the hinge; the algorithms ogd, fogd and nogd have it as an option",
        ),
    ),
    Loss.SQUARE: LossTraits(
        labels="numbers",
        doc="(y - f)^2 / 2, for real targets",
        slope="losses.square_slope",
        regions=("errors",),
        refuses=_only(Loss.SQUARE, "the other updates follow a margin"),
    ),
    Loss.NOVELTY: LossTraits(
        labels="none",
        doc="no labels: a row is novel if f is below a threshold that adapts",
        slope="losses.novelty_slope",
        parameters=("nu",),
        regions=("novelty",),
        refuses=_only(Loss.NOVELTY, "the other updates need labels")
        | _without_labels(Loss.NOVELTY),
    ),
    Loss.EPSILON: LossTraits(
        labels="numbers",
        doc="max(0, |y - f| - epsilon), for real targets",
        slope="losses.epsilon_slope",
        residual="losses.epsilon",
        sign="losses.epsilon_sign",
        parameters=("epsilon",),
        regions=("errors",),
        refuses=_only(Loss.EPSILON, "the other updates follow a margin"),
    ),
}


SAMPLINGS: dict[Sampling, Part] = {
    Sampling.ALWAYS: Part(),
    Sampling.LOSS: Part(
        parameters=("alpha", "beta"),
        refuses={
            (
                "Sampling.LOSS needs Loss.HINGE: its probability is a function of the hinge loss"
            ): lacks(Loss.HINGE),
            "{beta} must be at least {alpha}, or a probability would exceed 1": (
                lambda c: c.values["beta"] < c.values["alpha"]
            ),
        },
    ),
    Sampling.DECAY: Part(
        parameters=("c", "decay", "horizon"),
        refuses={
            (
                "Sampling.DECAY needs Update.GRADIENT: the others do not divide by the probability"
            ): lacks(Update.GRADIENT),
            "Sampling.DECAY without Schedule.DECAY needs the number of examples, T": both(
                lacks(Schedule.DECAY), lambda c: c.values["horizon"] == 0.0
            ),
        },
    ),
    Sampling.DERIVATIVE: Part(
        parameters=("G",),
        refuses={
            (
                "Sampling.DERIVATIVE needs Update.GRADIENT: the others do not divide by the"
                " probability"
            ): lacks(Update.GRADIENT),
            "Sampling.DERIVATIVE needs a loss with a bounded derivative, not Loss.SQUARE": has(
                Loss.SQUARE
            ),
        },
    ),
    Sampling.MARGIN: Part(
        refuses={
            "Sampling.MARGIN needs Update.LOGISTIC: its probability is made for that step": lacks(
                Update.LOGISTIC
            ),
            "{eta} must be below 2 for margin sampling, or a probability would be negative": (
                lambda c: c.values["eta"] >= 2.0
            ),
        },
    ),
    Sampling.AUXILIARY: Part(
        refuses={
            "Sampling.AUXILIARY needs Update.LOGISTIC_SHIFT or Update.LOGISTIC_SCALE": lacks(
                Update.LOGISTIC_SHIFT, Update.LOGISTIC_SCALE
            ),
        },
    ),
}

_STEP_SIZE = {
    "a step-size schedule needs Update.GRADIENT: the other updates have no step size": lacks(
        Update.GRADIENT
    ),
}

SCHEDULES: dict[Schedule, Part] = {
    Schedule.CONSTANT: Part(),
    Schedule.SQRT: Part(refuses=_STEP_SIZE),
    Schedule.DECAY: Part(
        refuses={
            "Schedule.DECAY needs Sampling.DECAY: the step follows the sampling probability": lacks(
                Sampling.DECAY
            ),
            **_STEP_SIZE,
        }
    ),
}
