"""The Numenta Anomaly Benchmark (Lavin and Ahmad, ICMLA 2015): its series and its score.

The score is computed here from its published definition. It was checked against the published
results of eight detectors: `python -m bench.anomalies --only published --results FOLDER`, where
FOLDER is the folder ``results`` of github.com/numenta/NAB.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from hashlib import md5
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.datasets import find

Numbers = NDArray[np.float64]
#: Share of a series, and of 5,000 rows, in which nothing is judged.
PROBATION = 0.15
#: What a detection inside and outside a window, and a missed window, weigh.
PROFILES = ("standard", "reward_low_FP_rate", "reward_low_FN_rate")


@dataclass(frozen=True)
class Costs:
    """Weights of one of the three scores."""

    hit: float
    false: float
    missed: float


@dataclass(frozen=True)
class Series:
    """A series of the benchmark.

    Attributes
    ----------
    name : str
        Folder and file.
    X : array of shape (rows, 1)
        The readings.
    seconds : array of shape (rows,)
        Their times; the midnights of the place are multiples of 86,400.
    windows : list of tuple of int
        First and last row of each labelled window.
    """

    name: str
    X: Numbers
    seconds: Numbers
    windows: list[tuple[int, int]]

    @property
    def family(self) -> str:
        """The folder."""
        return self.name.split("/")[0]

    @property
    def in_design(self) -> bool:
        """Whether it is in the half that the detector was designed on."""
        return int(md5(self.name.encode()).hexdigest(), 16) % 2 == 0

    @property
    def first_judged(self) -> int:
        """The first row that counts."""
        return math.floor(min(math.floor(PROBATION * len(self.X)), PROBATION * 5000))

    def worth(self) -> tuple[Numbers, NDArray[np.intp]]:
        """What a detection in each row is worth before weights, and its window, -1 outside."""
        rows = np.arange(len(self.X))
        worth = np.full(len(rows), -1.0)
        window = np.full(len(rows), -1)
        for number, (first, last) in enumerate(self.windows):
            width = float(last - first + 1)
            after = rows > last
            worth[after] = scaled_sigmoid((rows[after] - last) / (width - 1.0))
            inside = (rows >= first) & (rows <= last)
            worth[inside] = scaled_sigmoid(-(last - rows[inside] + 1) / width) / _BEST
            window[inside] = number
        return worth, window


def scaled_sigmoid(position: Numbers) -> Numbers:
    """Nearly 1 at -1, 0 at 0, -1 from 3 on."""
    position = np.asarray(position, dtype=float)
    return np.where(position > 3.0, -1.0, 2.0 / (1.0 + np.exp(5.0 * position)) - 1.0)


_BEST = float(scaled_sigmoid(np.array(-1.0)))


def seconds_of(stamp: str) -> float:
    """Seconds since 1970 of a time of the place."""
    return datetime.fromisoformat(stamp).replace(tzinfo=timezone.utc).timestamp()


def _read(path: Path, name: str, windows: Iterable[Sequence[str]]) -> Series:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    seconds = [seconds_of(row[0]) for row in rows]
    at = {second: row for row, second in reversed(list(enumerate(seconds)))}
    limits = [(at[seconds_of(first)], at[seconds_of(last)]) for first, last in windows]
    X = np.array([[float(row[1])] for row in rows])
    return Series(name, X, np.array(seconds), limits)


@cache
def series() -> tuple[Series, ...]:
    """The 58 series.

    Raises
    ------
    FileNotFoundError
        The folder ``nab`` is not in the data folder.
    """
    labels = json.loads(find("nab/combined_windows.json").read_text(encoding="utf-8"))
    return tuple(
        _read(find(f"nab/{name}.gz"), name, windows) for name, windows in sorted(labels.items())
    )


@cache
def profiles() -> dict[str, Costs]:
    """The weights of the three scores."""
    found = json.loads(find("nab/profiles.json").read_text(encoding="utf-8"))
    matrices = {name: found[name]["CostMatrix"] for name in PROFILES}
    return {
        name: Costs(costs["tpWeight"], costs["fpWeight"], costs["fnWeight"])
        for name, costs in matrices.items()
    }


@dataclass(frozen=True)
class Judged:
    """The result of a detector on some series.

    Attributes
    ----------
    own : tuple of float
        The three scores at a threshold of .5.
    best : tuple of float
        At the best threshold in hindsight, one for all series, as on the board.
    hits, windows, false, rows : int
        Windows with a detection, all windows, detections outside, and judged rows, at .5.
    """

    own: tuple[float, float, float]
    best: tuple[float, float, float]
    hits: int
    windows: int
    false: int
    rows: int


def _curve(
    scores: Numbers, worth: Numbers, window: NDArray[np.intp], n_windows: int, costs: Costs
) -> tuple[Numbers, Numbers]:
    """Thresholds, descending, and the raw score at each; the first detects nothing."""
    order = np.argsort(-scores, kind="stable")
    scores, worth, window = scores[order], worth[order], window[order]
    gain = np.where(window < 0, worth * costs.false, 0.0)
    for number in range(n_windows):
        at = np.flatnonzero(window == number)
        reached = np.maximum.accumulate(np.concatenate(([-costs.missed], worth[at] * costs.hit)))
        gain[at] = np.diff(reached)
    totals = np.concatenate(([0.0], np.cumsum(gain))) - costs.missed * n_windows
    last = np.flatnonzero(np.diff(scores, append=-math.inf))
    return np.concatenate(([math.inf], scores[last])), totals[np.concatenate(([0], last + 1))]


def judge(found: Sequence[Series], scores: Sequence[Numbers], own: float = 0.5) -> Judged:
    """The scores of a detector.

    Parameters
    ----------
    found : sequence of Series
        The series that it saw.
    scores : sequence of arrays
        Its score of each row, higher for odder rows.
    own : float
        Its own threshold: a row is a detection from there on.
    """
    parts: list[tuple[Numbers, Numbers, NDArray[np.intp]]] = []
    n_windows = 0
    for one, of in zip(found, scores, strict=True):
        worth, window = one.worth()
        inside = window >= 0
        window[inside] += n_windows
        n_windows += len(one.windows)
        part = slice(one.first_judged, None)
        parts.append((np.asarray(of, dtype=float)[part], worth[part], window[part]))
    all_scores, worth, window = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    at_own, at_best = [], []
    for costs in profiles().values():
        thresholds, raw = _curve(all_scores, worth, window, n_windows, costs)
        span = (costs.hit + costs.missed) * n_windows
        normal = 100.0 * (raw + costs.missed * n_windows) / span if span else raw
        at_own.append(float(normal[np.flatnonzero(thresholds >= own)[-1]]))
        at_best.append(float(np.max(normal)))
    alarms = all_scores >= own
    return Judged(
        (at_own[0], at_own[1], at_own[2]),
        (at_best[0], at_best[1], at_best[2]),
        len(np.unique(window[alarms & (window >= 0)])),
        n_windows,
        int(np.sum(alarms & (window < 0))),
        len(all_scores),
    )


def published(folder: Path, detector: str) -> list[Numbers]:
    """The published scores of a detector, in the order of `series`."""
    made = []
    for one in series():
        where = folder / detector / one.family / f"{detector}_{one.name.split('/')[1]}"
        with where.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            made.append(np.array([float(row["anomaly_score"]) for row in rows]))
    return made
