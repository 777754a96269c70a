"""Export of krls_auto, which learns: the constants of model.h."""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.header import length_of
from edgeolk.export.process import (
    BOUNDS_EACH,
    FILES,
    LEARNS,
    MOVES_SCRATCH,
    macros_of_ring,
)
from edgeolk.export.process import use_of as use_of_process
from edgeolk.export.sorf import DECLARED, FORECASTS
from edgeolk.export.text import Model, image_definitions
from edgeolk.learner import Learner

__all__ = [
    "BOUNDS_EACH", "FILES", "LEARNS", "MOVES_SCRATCH", "SOURCE", "extra_of", "kind_of", "model_of",
    "notes_of", "refusal", "use_of",
]  # fmt: skip

SOURCE = "krls_auto.c"


def refusal(learner: Learner) -> str:
    """Why it cannot be exported, "" if it can."""
    return ""


def kind_of(learner: Learner) -> str:
    """The kind of learner in the tables of costs."""
    return "tracker"


def extra_of(learner: Learner) -> tuple[str, ...]:
    """Additional files of its folder."""
    return ()


def notes_of(learner: Learner) -> str:
    """What its README says besides."""
    return ""


def use_of(learner: Learner) -> tuple[str, list[str]]:
    """The variables of a program that uses the model, and the calls for each row."""
    return FORECASTS if learner._config.awaits_targets else use_of_process(learner)


def _in_order(learner: Learner) -> dict[str, Any]:
    """The macros of one whose last targets are inputs."""
    config: Any = learner._config
    if not config.awaits_targets:
        return {}
    delay = int(config.values["delay"])
    return {"EK_FORECASTS": 1, "EK_HORIZON": delay, "EK_INTERVALS": 1}


def model_of(learner: Learner, scratch: str = "stack") -> Model:
    """Its current constants."""
    file = bytes(learner._sealed())
    count, kept, arrays = image_definitions(file, length_of(file))
    macros = {**macros_of_ring(learner, file), **_in_order(learner), "EK_RUNS": f"{count}u"}
    return Model(macros, DECLARED, arrays, learner.plan.nbytes, kept)
