"""Kinds of labels: the learner's arguments for each, its queries, and its evaluation.

Two classes, several classes, real numbers, or none at all. What is true of a kind stands in its row
of `KINDS`; `report.figures` adds its tables, and `comparison.evaluators` how runs are judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import edgeolk as ek
from edgeolk.parts.losses import LOSSES
from firmware_sim.errors import SimulatorError
from firmware_sim.metrics import Metrics, Multiclass, Novelty, Prequential, Regression
from firmware_sim.metrics.oddities import APART
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.labels import ClassNames, LabelMap, Labels, Targets

if TYPE_CHECKING:
    from firmware_sim.config import ReplayConfig


@dataclass(frozen=True)
class Kind:
    """One kind of labels."""

    name: str  # as in ``--kind``
    about: str  # the same in words
    #: what the learner's ``loss`` may be; its own choice where there is none. The first that an
    #: algorithm takes is the default.
    losses: tuple[str, ...]
    labels: Callable[[ReplayConfig], Labels]  # gives what decodes the cells of the target column
    metrics: Callable[[ReplayConfig, Cadence], Metrics]  # gives what keeps score
    is_taught: bool = True  # whether the learner is told labels

    def params(self, config: ReplayConfig) -> dict[str, Any]:
        """Return what the learner is told besides the parameters that a user gave.

        Raises SimulatorError: the algorithm does not go with this kind.
        """
        own: dict[str, Any] = {}
        if self.name == "multiclass" and "n_classes" not in config.resolved.params:
            own["n_classes"] = max(2, len(config.classes))
        if not self.losses or "loss" in config.resolved.params:
            return own
        found = [loss for loss in self.losses if _takes(config.resolved.algorithm, loss)]
        if not found:
            some = [row.name for row in ek.algorithms() if _takes(row.name, *self.losses)]
            raise SimulatorError(
                f"{config.resolved.algorithm} is not for {self.about}; these are: {', '.join(some)}"
            )
        return {**own, "loss": found[0]}


@lru_cache
def _takes(algorithm: str, *losses: str) -> bool:
    """Whether an algorithm takes one of the losses; one that is unknown is told of elsewhere."""
    for loss in losses:
        try:
            ek.Config(algorithm, n_features=1, budget=64, loss=loss)
        except (TypeError, ValueError):
            continue
        return True
    return False


def share_novel(config: ReplayConfig) -> float:
    """Return the share of rows that the learner is to call novel."""
    algorithm, params, _, _ = config.resolved
    said = {name: value for name, value in params.items() if name in ("nu", "loss")}
    said |= {"history": True} if config.watches else {}
    try:
        made = ek.Config(algorithm, n_features=1, budget=64, **{"loss": "novelty", **said})
    except (TypeError, ValueError):
        return 0.05  # whatever is wrong is said where the learner is planned
    return float(made.parameters["nu"])


def _losses(labels: str) -> tuple[str, ...]:
    """Names of the losses for such labels, by their rows."""
    return tuple(loss.name.lower() for loss, row in LOSSES.items() if row.labels == labels)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "binary",
            "labels of two classes",
            (),
            lambda config: LabelMap(config.positive, config.missing_codes),
            lambda config, cadence: Prequential(),
        ),
        Kind(
            "multiclass",
            "labels of several classes",
            (),
            lambda config: ClassNames(config.classes, config.missing_codes),
            lambda config, cadence: Multiclass(config.classes),
        ),
        Kind(
            "regression",
            "real numbers",
            _losses("numbers"),
            lambda config: Targets(config.missing_codes),
            lambda config, cadence: Regression(),
        ),
        Kind(
            "novelty",
            "streams without labels",
            _losses("none"),
            lambda config: LabelMap(config.positive, config.missing_codes, is_told=False),
            lambda config, cadence: Novelty(
                share_novel(config),
                cadence,
                config.period,
                # Alarms near to each other are one event there.
                hold=APART if config.watches else 0,
            ),
            is_taught=False,
        ),
    )
}


def kind_of(params: Any) -> str:
    """Return the kind of labels that an algorithm's own parameters are for."""
    loss = params.get("loss")
    name = str(getattr(loss, "name", loss)).lower()
    for kind in KINDS.values():
        if name in kind.losses:
            return kind.name
    return "multiclass" if "n_classes" in params else "binary"
