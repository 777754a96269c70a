"""The kinds of labels, a file each: two classes, several, real numbers, forecasts, no labels.

Other code knows the interface in `base` alone; a new kind is a file here and its row below.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from edgeolk import hosting
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.base import Column, Kind, Setup
from firmware_sim.kinds.classes import SeveralClasses
from firmware_sim.kinds.forecast import Forecasts, RowsAhead
from firmware_sim.kinds.novelty import NoLabels
from firmware_sim.kinds.regression import RealNumbers
from firmware_sim.kinds.two_classes import TwoClasses
from firmware_sim.metrics import Metrics

__all__ = ["DETAILS", "KINDS", "UNLABELLED", "Column", "Kind", "Setup"]

#: By their names, in the order in which they claim a column.
KINDS: dict[str, type[Kind]] = {
    kind.name: kind for kind in (TwoClasses, SeveralClasses, RealNumbers, NoLabels)
}
_DEFAULT = next(name for name, kind in KINDS.items() if kind.is_default)
#: The kind of streams without a column of labels.
UNLABELLED = next(name for name, kind in KINDS.items() if not kind.is_supervised)
_METRICS: list[type[Metrics]] = [
    *(kind.metrics_class for kind in KINDS.values()),
    Forecasts.metrics_class,
]
#: The fields of a report that only some kinds have.
DETAILS = tuple(name for metrics in _METRICS for name in metrics.detail_names)


def kind_of(name: str, setup: Setup) -> Kind:
    """Return a kind of labels for a configuration."""
    in_order = setup.params.get("history") in (True, "auto") or setup.params.get("lags")
    if KINDS[name] is not RealNumbers:
        return KINDS[name](setup)
    if in_order:
        return Forecasts(setup)
    return RowsAhead(setup) if setup.ahead else RealNumbers(setup)


def implied(params: Mapping[str, Any], classes: Collection[str] = ()) -> str:
    """Return the name of the kind that an algorithm's own parameters, or named classes, are for."""
    several = next(name for name, kind in KINDS.items() if kind.takes_classes)
    if classes:
        return several
    for kind in KINDS.values():
        if _loss_of(params) in kind.losses:
            return kind.name
    return several if "n_classes" in params else _DEFAULT


def _loss_of(params: Mapping[str, Any]) -> str:
    """Return the name of the loss among an algorithm's own parameters."""
    loss = params.get("loss")
    return str(getattr(loss, "name", loss)).lower()


def kind_of_learner(learner: Any) -> type[Kind]:
    """Return the kind of labels that a learner is for."""
    n_scores = hosting.traits_of(learner.config).n_scores
    return KINDS[implied({**learner.parameters, **({"n_classes": 0} if n_scores > 1 else {})})]


def implies_nothing(params: Mapping[str, Any]) -> bool:
    """Whether an algorithm's own parameters may be for any kind."""
    return implied(params) == _DEFAULT


def check_implied(name: str, params: Mapping[str, Any], algorithm: str) -> None:
    """Raise SimulatorError for parameters of another kind than the one of this name."""
    other = implied(params)
    if other not in (_DEFAULT, name) and _loss_of(params) not in KINDS[name].losses:
        raise SimulatorError(
            f"kind is {name!r}, and the parameters of {algorithm} are for {other!r}"
        )


def claimed(column: Column) -> str:
    """Return the name of the kind that labels seem to be of; "" if unknown."""
    return next((name for name, kind in KINDS.items() if kind.claims(column)), "")


def metrics_of(figures: Sequence[str]) -> type[Metrics]:
    """Return the metrics that have figures of these names.

    Of kinds with the same main figure, the one with most of the names.
    """
    return max(_METRICS, key=lambda one: len({*one.table} & {*figures}))
