"""The Skoltech Anomaly Benchmark: files of a pump with eight sensors, judged row by row."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import md5

import numpy as np
from numpy.typing import NDArray

from bench.anomalies.nab import seconds_of
from bench.datasets import folder

Numbers = NDArray[np.float64]
Marks = NDArray[np.bool_]
#: Rows of each file that are free for learning.
FREE = 400
SENSORS = 8


@dataclass(frozen=True)
class Run:
    """A file: rows of eight sensors, their times, and which are anomalies."""

    name: str
    X: Numbers
    seconds: Numbers
    anomaly: Marks

    @property
    def in_design(self) -> bool:
        """Whether it is in the half that the detector was designed on."""
        return int(md5(self.name.encode()).hexdigest(), 16) % 2 == 0


@cache
def runs() -> tuple[Run, ...]:
    """The 34 files with anomalies.

    Raises
    ------
    FileNotFoundError
        The folder ``skab`` is not in the data folder.
    """
    paths = sorted((folder() / "skab").glob("[!a]*/*.csv.gz"))
    if not paths:
        raise FileNotFoundError(f"there is no skab in {folder()} (EDGEOLK_DATA)")
    made = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            _, *rows = csv.reader(file, delimiter=";")
        X = np.array([[float(cell) for cell in row[1 : SENSORS + 1]] for row in rows])
        seconds = np.array([seconds_of(row[0]) for row in rows])
        anomaly = np.array([float(row[SENSORS + 1]) > 0.0 for row in rows])
        name = f"{path.parent.name}/{path.name.removesuffix('.gz')}"
        made.append(Run(name, X, seconds, anomaly))
    return tuple(made)


@dataclass(frozen=True)
class Judged:
    """F1 and the shares of false alarms and of missed rows, in percent."""

    f1: float
    false: float
    missed: float


def judge(found: Iterable[Run], alarms: Iterable[Marks]) -> Judged:
    """The result of a detector that calls these rows of each file anomalies."""
    pairs = [(one.anomaly[FREE:], of[FREE:]) for one, of in zip(found, alarms, strict=True)]
    truth, called = (np.concatenate(column) for column in zip(*pairs, strict=True))
    hits = float(np.sum(truth & called))
    false, missed = float(np.sum(~truth & called)), float(np.sum(truth & ~called))
    return Judged(
        2.0 * hits / max(1.0, 2.0 * hits + false + missed),
        100.0 * false / float(np.sum(~truth)),
        100.0 * missed / float(np.sum(truth)),
    )
