"""For programs that host learners, such as simulators and test benches; without numpy.

Functions over a learner, its configuration or its block that a program needs which watches, moves
or checks learners rather than uses one. Names that are only re-exported are loaded when first used.
Page: docs/development.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from edgeolk.configuration.config import Config, settings_of
from edgeolk.configuration.families import FAMILIES
from edgeolk.parts.losses import LOSSES
from edgeolk.parts.methods import find
from edgeolk.sorf.faces import PARTS
from edgeolk.sorf.options import ANSWERS_BY_LABEL

if TYPE_CHECKING:
    from edgeolk.configuration.plan import RamError
    from edgeolk.export import check_exportable
    from edgeolk.export.costs import FLAGS, Row, costs_of, factors_of, stacks_of
    from edgeolk.export.folder import SCRATCH
    from edgeolk.export.samples import windows_in
    from edgeolk.learner import Learner
    from edgeolk.parts.numbers import Dtype
    from edgeolk.probabilities import Probabilities

__all__ = [
    "ANSWERS_BY_LABEL",
    "FLAGS",
    "LOSS_PARAMETERS",
    "REASONS",
    "SCRATCH",
    "VERDICT_BITS",
    "Dtype",
    "Probabilities",
    "RamError",
    "Row",
    "Traits",
    "block_of",
    "check_exportable",
    "chooses_loss",
    "claim_folder",
    "costs_of",
    "factors_of",
    "freeze",
    "from_block",
    "last_forecast",
    "last_reason",
    "learn_many",
    "losses_of",
    "options_of",
    "rows_since_alarm",
    "scale_many",
    "stacks_of",
    "to_bytes",
    "traits_of",
    "unpack_reason",
    "windows_in",
]  # fmt: skip

_HOMES = {
    "configuration.plan": ("RamError",),
    "export": ("check_exportable",),
    "export.costs": ("FLAGS", "Row", "costs_of", "factors_of", "stacks_of"),
    "export.folder": ("SCRATCH",),
    "export.samples": ("windows_in",),
    "parts.numbers": ("Dtype",),
    "probabilities": ("Probabilities",),
}
#: What a row of a stream may be unusual in, and the bits of a packed verdict (``last_reason``).
REASONS = PARTS
VERDICT_BITS = {"novel": 1, "alarm": 2, "event": 4, "rare": 8}
#: The parameters of each loss, by its name.
LOSS_PARAMETERS = {loss.name.lower(): row.parameters for loss, row in LOSSES.items()}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"edgeolk.{home}"), name)
    raise AttributeError(f"module 'edgeolk.hosting' has no attribute {name!r}")


class Traits(NamedTuple):
    """What a configuration makes of a learner."""

    n_scores: int  # scores of a row: one for each class; 1 for two classes and other labels
    loss: str  # its name
    needs_labels: bool
    awaits_targets: bool  # whether it forecasts targets from their history
    reports_events: bool  # whether it finds anomalies of a stream
    freezes: bool  # whether it stops learning once it is full
    learns_on_board: bool  # whether it learns as exported C
    memory: int  # rows that its row memory holds


def traits_of(config: Config) -> Traits:
    """Return the traits of a configuration."""
    found = settings_of(config)
    return Traits(
        found.columns, found.parts["loss"].name.lower(), found.needs_labels, found.awaits_targets,
        found.reports_events, found.freezes, found.learns_on_board,
        int(found.values.get("memory", 0)),
    )  # fmt: skip


def scales_itself(algorithm: str) -> bool:
    """Return whether an algorithm always scales inputs and targets, and has no width to choose.

    False for an unknown algorithm, which is refused where the learner is built.
    """
    try:
        return find(algorithm).scales_itself
    except (TypeError, ValueError):
        return False


def chooses_loss(algorithm: str) -> bool:
    """Return whether callers choose the loss of an algorithm; else it has one.

    True for an unknown algorithm, which is refused where the learner is built.
    """
    try:
        return "loss" in find(algorithm).choices
    except (TypeError, ValueError):
        return True


def options_of(algorithm: str) -> tuple[str, ...]:
    """Return the names of the options of an algorithm, those of any of its losses included.

    Raises ValueError: there is no such algorithm.
    """
    method = find(algorithm)
    return FAMILIES[method.family].options_of(method)


def losses_of(labels: str) -> tuple[str, ...]:
    """Return the names of the losses for labels: "classes", "numbers" or "none"."""
    return tuple(loss.name.lower() for loss, row in LOSSES.items() if row.labels == labels)


def learn_many(
    learner: Any, X: Any, y: Any, out: Any, before: Any, after: Any = None, time: Any = None
) -> None:
    """Learn rows as ``Learner.learn_many`` does, and record what preceded and followed each.

    Parameters
    ----------
    learner, X, y, out, time
        As for ``Learner.learn_many``, also for exceptions.
    before : float64 ndarray of shape (n + scores of a row,) or None
        Receives, for each row, the class that ``predict_one`` returns or, for novelty, the
        threshold; the numbers after these n are scratch. None for a forecaster.
    after : float64 ndarray, contiguous, optional
        Receives, for each row, the numbers of ``last_forecast``, or ``last_reason`` and the score.
    """
    learner._answer_many(X, y, out, before, after, time)


def scale_many(scaler: Any, X: Any, out: Any, before: Any = None) -> int:
    """Learn and scale rows in order; return how many were done before one that is too far.

    before : float64 ndarray of shape (n, 2), optional
        Receives mean and scale of the first feature before each row.
    """
    return int(scaler._learn_transform_many(X, out, before))


def last_forecast(learner: Any) -> tuple[float, list[float], list[float]]:
    """Return a forecaster's last answer, the half width of each interval and experts' weights.

    learner : a forecaster, or an object in place of one that has this method
    """
    engine = getattr(learner, "_engine", learner)
    found: tuple[float, list[float], list[float]] = engine.last_forecast()
    return found


def last_reason(learner: Any) -> float:
    """Return the verdict on the last row of a learner that watches, packed."""
    return float(learner._engine.reason())


def unpack_reason(reason: float) -> tuple[str, int] | None:
    """Return ``Learner.why`` of a packed verdict; None for a negative number."""
    number = int(reason)
    if number < 0:
        return None
    return PARTS[number >> 4 & 7], number >> 8


def rows_since_alarm(learner: Any) -> int:
    """Return how many rows a learner has learned since its last alarm of drift."""
    return int(learner._rows_since_alarm)


def freeze(learner: Any) -> None:
    """From now on a forecaster updates nothing but the history of its target; not saved."""
    learner._engine.freeze()


def block_of(learner: Any) -> memoryview:
    """Return a learner's block of memory."""
    return memoryview(learner._engine.arena)


def to_bytes(learner: Any) -> bytes:
    """Return the bytes of the file that ``Learner.save`` writes."""
    return bytes(learner._sealed())


def from_block(block: Any) -> Learner:
    """Return a learner in memory of its own from a copy of another one's block."""
    from edgeolk.files import restore
    from edgeolk.learner import Learner

    return Learner._from_block(bytes(restore.written(bytearray(block))))


def claim_folder(folder: str) -> int:
    """Return a handle that locks a folder until it is closed, or the process ends.

    Raises BlockingIOError: another process has locked it.
    """
    from edgeolk.files import system

    return system.claim_folder(folder)
