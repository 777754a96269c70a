"""Comparison of configurations over the same streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firmware_sim.fleet.task import Record

#: Draws of the bootstrap, whose seed is fixed: the same records, the same interval.
_DRAWS = 2_000
_SEED = 0
#: Least numbers drawn at once, so that memory stays small for many streams.
_CHUNK = 50


@dataclass(frozen=True)
class Distribution:
    """Losses of one configuration over streams."""

    name: str
    streams: int
    mean: float
    quantiles: tuple[float, float, float, float, float]  # 0, 10, 50, 90 and 100 %
    best_on: int  # streams where none does better


@dataclass(frozen=True)
class Difference:
    """How much more a configuration errs than another, paired over streams."""

    name: str
    reference: str
    streams: int  # those that both have finished
    #: mean difference of losses, and its 95 % interval (percentile bootstrap over streams)
    mean: float
    low: float
    high: float
    wins: int  # streams where the configuration errs less
    losses: int  # and where it errs more


Losses = dict[str, dict[str, float]]


def losses(records: Sequence[Record]) -> Losses:
    """Return losses by configuration and device, of what got to the end."""
    found: Losses = {}
    for record in records:
        table = found.setdefault(record.configuration, {})
        if record.status == "done" and record.loss is not None:
            table[record.device] = record.loss
    return found


def shared(table: Losses) -> Losses:
    """Return the losses on boards that all have finished: means over others cannot be compared.

    A configuration that would leave fewer than half of the boards is itself left out.
    """
    names = sorted((name for name in table if table[name]), key=lambda name: -len(table[name]))
    held: list[str] = []
    boards: set[str] = set()
    for name in names:
        both = boards & table[name].keys() if held else set(table[name])
        if not held or 2 * len(both) >= len(table[names[0]]):
            held.append(name)
            boards = both
    return {
        name: {device: loss for device, loss in found.items() if device in boards}
        for name, found in table.items()
        if name in held
    }


def distributions(table: Losses) -> list[Distribution]:
    """Return the distribution of each configuration, in their order; those with a result."""
    devices = {device for found in table.values() for device in found}
    least = {
        device: min(found[device] for found in table.values() if device in found)
        for device in devices
    }
    out = []
    for name, found in table.items():
        if found:
            values = np.array(list(found.values()))
            marks = tuple(np.quantile(values, (0.0, 0.1, 0.5, 0.9, 1.0)).tolist())
            best = sum(loss <= least[device] for device, loss in found.items())
            out.append(Distribution(name, len(values), float(values.mean()), marks, best))
    return out


def reference(table: Losses) -> str | None:
    """Return the configuration with the most streams; of several, that with the least mean loss.

    Means are over the streams that all have finished.
    """
    there = [
        (-len(table[name]), sum(found.values()), name) for name, found in shared(table).items()
    ]
    return min(there)[2] if there else None


def differences(table: Losses, name: str) -> list[Difference]:
    """Return how every other configuration does against one."""
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
    """Return the 95 % interval of a mean, by resampling."""
    rng = np.random.default_rng(_SEED)
    n = len(gaps)
    means = [gaps[rng.integers(0, n, (_CHUNK, n))].mean(axis=1) for _ in range(_DRAWS // _CHUNK)]
    low, high = np.quantile(np.concatenate(means), (0.025, 0.975))
    return float(low), float(high)
