"""Export of krls_auto, which learns: the constants of model.h."""

from __future__ import annotations

from edgeolk.configuration.header import length_of
from edgeolk.export.process import (
    BOUNDS_EACH,
    FILES,
    LEARNS,
    MOVES_SCRATCH,
    macros_of_ring,
    use_of,
)
from edgeolk.export.sorf import DECLARED
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


def model_of(learner: Learner, scratch: str = "stack") -> Model:
    """Its current constants."""
    file = bytes(learner._sealed())
    count, kept, arrays = image_definitions(file, length_of(file))
    macros = {**macros_of_ring(learner, file), "EK_RUNS": f"{count}u"}
    return Model(macros, DECLARED, arrays, learner.plan.nbytes, kept)
