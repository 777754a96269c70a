"""Statistical comparison of configurations over the same streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firmware_sim.fleet.task import Record

#: Samples of the bootstrap; the seed is fixed, so that equal records give equal intervals.
_DRAWS = 2_000
_SEED = 0
#: Samples drawn at once, few enough that memory stays small for many streams.
_CHUNK = 50


@dataclass(frozen=True)
class Distribution:
    """Losses of one configuration over streams."""

    name: str
    streams: int
    mean: float
    quantiles: tuple[float, float, float, float, float]  # 0, 10, 50, 90 and 100 %
    best_on: int  # streams on which no configuration has a lower loss


@dataclass(frozen=True)
class Difference:
    """The paired difference of two configurations' losses over streams."""

    name: str
    reference: str
    streams: int  # streams that both have finished
    #: mean difference of losses, and its 95 % interval (percentile bootstrap over streams)
    mean: float
    low: float
    high: float
    wins: int  # streams with a lower loss
    losses: int  # streams with a higher loss


Losses = dict[str, dict[str, float]]


def losses(records: Sequence[Record]) -> Losses:
    """Return losses of finished records by configuration and device."""
    found: Losses = {}
    for record in records:
        table = found.setdefault(record.configuration, {})
        if record.status == "done" and record.loss is not None:
            table[record.device] = record.loss
    return found


def shared(table: Losses) -> Losses:
    """Return the losses on boards that all configurations have finished, which are comparable.

    A configuration that would leave fewer than half of the boards is excluded instead.
    """
    names = sorted((name for name in table if table[name]), key=lambda name: -len(table[name]))
    kept: list[str] = []
    boards: set[str] = set()
    for name in names:
        both = boards & table[name].keys() if kept else set(table[name])
        if not kept or 2 * len(both) >= len(table[names[0]]):
            kept.append(name)
            boards = both
    return {
        name: {device: loss for device, loss in found.items() if device in boards}
        for name, found in table.items()
        if name in kept
    }


def distributions(table: Losses) -> list[Distribution]:
    """Return the distribution of each configuration that has results, in order."""
    devices = {device for found in table.values() for device in found}
    lowest = {
        device: min(found[device] for found in table.values() if device in found)
        for device in devices
    }
    out = []
    for name, found in table.items():
        if found:
            values = np.array(list(found.values()))
            marks = tuple(np.quantile(values, (0.0, 0.1, 0.5, 0.9, 1.0)).tolist())
            best = sum(loss <= lowest[device] for device, loss in found.items())
            out.append(Distribution(name, len(values), float(values.mean()), marks, best))
    return out


def reference(table: Losses) -> str | None:
    """Return the configuration with the most streams; of several, that with the lowest mean loss.

    Means are over the streams that all of them have finished.
    """
    ranked = [
        (-len(table[name]), sum(found.values()), name) for name, found in shared(table).items()
    ]
    return min(ranked)[2] if ranked else None


def differences(table: Losses, name: str) -> list[Difference]:
    """Return the difference of every other configuration from one."""
    base = table[name]
    out = []
    for other, found in table.items():
        both = [device for device in found if device in base]
        if other == name or not both:
            continue
        gaps = np.array([found[device] - base[device] for device in both])
        low, high = interval(gaps)
        out.append(
            Difference(
                *(other, name, len(both), float(gaps.mean()), low, high),
                *(int(np.sum(gaps < 0.0)), int(np.sum(gaps > 0.0))),
            )
        )
    return out


def interval(gaps: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % interval of a mean, by bootstrap."""
    rng = np.random.default_rng(_SEED)
    n = len(gaps)
    means = [gaps[rng.integers(0, n, (_CHUNK, n))].mean(axis=1) for _ in range(_DRAWS // _CHUNK)]
    low, high = np.quantile(np.concatenate(means), (0.025, 0.975))
    return float(low), float(high)
