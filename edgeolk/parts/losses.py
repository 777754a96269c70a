"""One row a loss, a sampling rule and a step-size schedule."""

from __future__ import annotations

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
from edgeolk.parts.traits import Part, both, has, lacks, spoken

#: Updates with a logistic loss built in.
LOGISTIC_UPDATES = (
    Update.LOGISTIC,
    Update.LOGISTIC_SHIFT,
    Update.LOGISTIC_SCALE,
    Update.LOGISTIC_CUT,
)

_FOLLOWING = tuple(policy for policy, row in POLICIES.items() if row.follows_change)

LOSSES: dict[Loss, Part] = {
    Loss.HINGE: Part(),
    Loss.RAMP: Part(),
    Loss.LOGISTIC: Part(
        refuses=(
            (
                lacks("update", Update.GRADIENT, *LOGISTIC_UPDATES),
                "Loss.LOGISTIC needs Update.GRADIENT or one of Update.LOGISTIC...: the others"
                " follow the hinge",
            ),
        )
    ),
    Loss.NOVELTY: Part(
        parameters=("nu",),
        regions=("novelty",),
        refuses=(
            (
                lacks("update", Update.GRADIENT, Update.BLENDED),
                "Loss.NOVELTY needs Update.GRADIENT or Update.BLENDED: the other updates need"
                " labels",
            ),
            *(
                (
                    lacks(axis, member),
                    "Loss.NOVELTY holds f against a threshold that moves with it: no sampling,"
                    " schedule, averaging or projection beside it",
                )
                for axis, member in (
                    ("sampling", Sampling.ALWAYS),
                    ("schedule", Schedule.CONSTANT),
                    ("averaging", Averaging.NONE),
                    ("projection", Projection.NONE),
                )
            ),
            (
                both(has("basis", Basis.SUPPORT_VECTORS), lacks("policy", *_FOLLOWING)),
                f"Loss.NOVELTY goes with {spoken(_FOLLOWING)}: what is normal changes, and a frozen"
                " ring cannot follow",
            ),
        ),
    ),
    Loss.EPSILON: Part(
        parameters=("epsilon",),
        regions=("errors",),
        refuses=(
            (
                lacks("update", Update.PA, Update.PA1, Update.PA2, Update.GRADIENT),
                "Loss.EPSILON needs Update.PA, PA1, PA2 or GRADIENT: the other updates follow a"
                " margin",
            ),
        ),
    ),
    Loss.SQUARE: Part(
        regions=("errors",),
        refuses=(
            (
                lacks("update", Update.GRADIENT, Update.BLENDED),
                "Loss.SQUARE needs Update.GRADIENT: the other updates follow a margin",
            ),
        ),
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
