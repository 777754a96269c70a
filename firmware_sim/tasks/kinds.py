"""Kinds of labels: the learner's arguments for each, its queries, and its evaluation.

Two classes, several classes, real numbers, or no labels. The properties of a kind are its row in
`KINDS`; `report.figures` adds its tables, and `comparison.evaluators` the evaluation of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import edgeolk as ek
from edgeolk.configuration.config import settings_of
from edgeolk.parts.losses import LOSSES
from edgeolk.parts.methods import find
from firmware_sim.errors import SimulatorError
from firmware_sim.metrics import Metrics, Multiclass, Novelty, Prequential, Regression
from firmware_sim.metrics.anomalies import MIN_DISTANCE
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.labels import ClassNames, LabelMap, Labels, Targets


class Setting(Protocol):
    """What a kind of labels reads of a replay's configuration (see `ReplayConfig`)."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in the learner's order; empty: those found."""

    @property
    def positive(self) -> str | None:
        """The label that means +1."""

    @property
    def missing_codes(self) -> tuple[float | str, ...]:
        """Numbers and words that mean "missing"."""

    @property
    def period(self) -> float | None:
        """Seconds between rows; None: as in the time column."""

    @property
    def watches(self) -> bool:
        """Whether the learner finds novelty in the order of time."""

    @property
    def novel_share(self) -> float:
        """The share of rows that the learner is to call novel."""


@dataclass(frozen=True)
class Kind:
    """One kind of labels."""

    name: str  # as in ``--kind``
    about: str  # description, for messages
    #: allowed values of the learner's ``loss``; empty: the learner's own default. The first one
    #: that an algorithm supports is the default.
    losses: tuple[str, ...]
    labels: Callable[[Setting], Labels]  # makes the decoder of the target column
    metrics: Callable[[Setting, Cadence], Metrics]  # makes the metrics
    is_supervised: bool = True  # whether the learner receives labels

    def params(
        self, algorithm: str, given: Mapping[str, Any], classes: Sequence[str]
    ) -> dict[str, Any]:
        """Return the learner's arguments besides the parameters that the user gave.

        Raises SimulatorError: the algorithm does not support this kind.
        """
        defaults: dict[str, Any] = {}
        if self.name == "multiclass" and "n_classes" not in given:
            defaults["n_classes"] = max(2, len(classes))
        if not self.losses or "loss" in given:
            return defaults
        accepted = [loss for loss in self.losses if _takes(algorithm, loss)]
        if not accepted:
            suitable = [row.name for row in ek.algorithms() if _takes(row.name, *self.losses)]
            raise SimulatorError(
                f"{algorithm} is not for {self.about}; these are: {', '.join(suitable)}"
            )
        return {**defaults, "loss": accepted[0]} if _chooses_loss(algorithm) else defaults


@lru_cache
def _takes(algorithm: str, *losses: str) -> bool:
    """Whether an algorithm supports one of the losses; unknown algorithms are refused elsewhere."""
    for loss in losses:
        options: dict[str, Any] = {"loss": loss} if _chooses_loss(algorithm) else {}
        try:
            config = ek.Config(algorithm, n_features=1, budget=64, **options)
        except (TypeError, ValueError):
            continue
        if settings_of(config).parts["loss"].name.lower() == loss:
            return True
    return False


def _chooses_loss(algorithm: str) -> bool:
    """Whether callers choose the loss of an algorithm; else it has one."""
    try:
        return "loss" in find(algorithm).choices
    except (TypeError, ValueError):
        return True


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
                config.novel_share,
                cadence,
                config.period,
                # Nearby alarms are one event there.
                hold=MIN_DISTANCE if config.watches else 0,
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
