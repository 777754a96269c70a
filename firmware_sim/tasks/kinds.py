"""Kinds of labels: the learner's arguments for each, its queries, and its evaluation.

Two classes, several classes, real numbers, or no labels. The properties of a kind are its row in
`KINDS`; `report.figures` adds its tables, and `comparison.evaluators` the evaluation of runs.
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
from firmware_sim.metrics.anomalies import APART
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.labels import ClassNames, LabelMap, Labels, Targets

if TYPE_CHECKING:
    from firmware_sim.config import ReplayConfig


@dataclass(frozen=True)
class Kind:
    """One kind of labels."""

    name: str  # as in ``--kind``
    about: str  # description, for messages
    #: allowed values of the learner's ``loss``; empty: the learner's own default. The first one
    #: that an algorithm supports is the default.
    losses: tuple[str, ...]
    labels: Callable[[ReplayConfig], Labels]  # makes the decoder of the target column
    metrics: Callable[[ReplayConfig, Cadence], Metrics]  # makes the metrics
    is_supervised: bool = True  # whether the learner receives labels

    def params(self, config: ReplayConfig) -> dict[str, Any]:
        """Return the learner's arguments besides the parameters that the user gave.

        Raises SimulatorError: the algorithm does not support this kind.
        """
        defaults: dict[str, Any] = {}
        if self.name == "multiclass" and "n_classes" not in config.resolved.params:
            defaults["n_classes"] = max(2, len(config.classes))
        if not self.losses or "loss" in config.resolved.params:
            return defaults
        accepted = [loss for loss in self.losses if _takes(config.resolved.algorithm, loss)]
        if not accepted:
            suitable = [row.name for row in ek.algorithms() if _takes(row.name, *self.losses)]
            raise SimulatorError(
                f"{config.resolved.algorithm} is not for {self.about};"
                f" these are: {', '.join(suitable)}"
            )
        return {**defaults, "loss": accepted[0]}


@lru_cache
def _takes(algorithm: str, *losses: str) -> bool:
    """Whether an algorithm supports one of the losses; unknown algorithms are refused elsewhere."""
    for loss in losses:
        try:
            ek.Config(algorithm, n_features=1, budget=64, loss=loss)
        except (TypeError, ValueError):
            continue
        return True
    return False


def novel_share(config: ReplayConfig) -> float:
    """Return the share of rows that the learner is to call novel."""
    algorithm, params, _, _ = config.resolved
    given = {name: value for name, value in params.items() if name in ("nu", "loss")}
    given |= {"history": True} if config.watches else {}
    try:
        resolved = ek.Config(algorithm, n_features=1, budget=64, **{"loss": "novelty", **given})
    except (TypeError, ValueError):
        return 0.05  # the error is raised where the learner is planned
    return float(resolved.parameters["nu"])


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
            lambda config: LabelMap(config.positive, config.missing_codes, is_supervised=False),
            lambda config, cadence: Novelty(
                novel_share(config),
                cadence,
                config.period,
                # Nearby alarms are one event there.
                hold=APART if config.watches else 0,
            ),
            is_supervised=False,
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
