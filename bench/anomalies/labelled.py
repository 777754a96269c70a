"""Streams with labelled anomalies in the order of time, and faults put into intact sensors.

Each series starts with a new learner. There are eighteen faults of each kind, by a seed of their
own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.datasets import read_table

#: Streams whose sensors are whole, and the code of an absent reading there.
FAULTY, ABSENT = ("air_quality", "etth1", "occupancy"), -200.0
#: Faults in a stream, the first row that may have one, and rows of a lasting one.
EACH, CALM, LASTING = 6, 1_500, 100
#: The injected faults, with sizes in standard deviations of the column.
KINDS = ("stuck", "spike", "offset", "slow drift", "noise", "dropout")
OFFSET, SPIKE, DRIFT, NOISE = 3.0, 8.0, 3.0, 1.0
Rows = NDArray[np.float64]
#: Columns that are no reading.
NO_READING = ("timestamp", "datetime", "date", "point", "experiment", "changepoint", "part")
#: Columns whose values are series of their own.
SERIES = ("series", "channel")
#: What novelty in time was designed on; what was kept aside; sets whose rows are in any order.
DESIGN = (
    *("nab_machine_temp", "skab_pump", "nab_ambient_temp", "nab_cpu_asg", "nab_nyc_taxi"),
    *("ucr_bleeding", "ecg_805", "ai4i_machine", "ad_shuttle"),
)
ASIDE = ("smap_telemetry",)
FREE = "skab_free"
ANY_ORDER = tuple(
    f"ad_{name}"
    for name in (
        *("shuttle", "cardio", "mammography", "satimage2", "thyroid", "satellite"),
        *("vowels", "annthyroid", "optdigits", "smtp"),
    )
)


@dataclass(frozen=True)
class Series:
    """Rows of readings, and which are anomalies."""

    X: Rows
    anomaly: NDArray[np.bool_]


def series(name: str, shuffled: bool = False) -> list[Series]:
    """The series of a stream; ``shuffled``: shuffle them with seed 0."""
    header, rows = read_table(f"{name}.csv.gz")
    kept = [i for i, title in enumerate(header[:-1]) if title not in (*NO_READING, *SERIES)]
    X = np.array([[float(row[i]) for i in kept] for row in rows])
    anomaly = np.array([float(row[-1]) > 0.0 for row in rows])
    of = next((header.index(title) for title in SERIES if title in header), None)
    keys = np.array([row[of] if of is not None else "" for row in rows])
    made = [Series(X[keys == key], anomaly[keys == key]) for key in dict.fromkeys(keys)]
    if not shuffled:
        return made
    order = np.random.default_rng(0).permutation(len(X))
    return [Series(X[order], anomaly[order])]


def _whole(name: str) -> Rows:
    """The rows of a stream; an absent reading is the one before it."""
    X = series(name)[0].X
    for column in X.T:
        there = np.where(column != ABSENT, np.arange(len(column)), 0)
        column[:] = column[np.maximum.accumulate(there)]
    return X


def _broken(kind: str, readings: Rows, spread: float, rng: np.random.Generator) -> Rows:
    """The output of a broken sensor instead of these readings."""
    n = len(readings)
    sign = 1.0 if rng.random() < 0.5 else -1.0
    if kind == "stuck":
        return np.full(n, readings[0])
    if kind == "dropout":
        return np.zeros(n)
    if kind == "noise":
        return np.asarray(readings + NOISE * spread * rng.normal(size=n))
    if kind == "slow drift":
        return np.asarray(readings + sign * DRIFT * spread * np.linspace(0.0, 1.0, n))
    return np.asarray(readings + sign * spread * (SPIKE if kind == "spike" else OFFSET))


def with_faults(name: str, kind: str) -> list[Series]:
    """A stream with faults of one kind, each in one column at a time."""
    X = _whole(name)
    rng = np.random.default_rng((FAULTY.index(name), KINDS.index(kind)))
    rows = {"spike": 1, "slow drift": 3 * LASTING}.get(kind, LASTING)
    anomaly = np.zeros(len(X), dtype=bool)
    spread = X.std(axis=0)
    for part in np.array_split(np.arange(CALM, len(X)), EACH):
        first = int(rng.integers(part[0], part[-1] - rows))
        column = int(rng.integers(X.shape[1]))
        at = slice(first, first + rows)
        X[at, column] = _broken(kind, X[at, column], float(spread[column]), rng)
        anomaly[at] = True
    return [Series(X, anomaly)]
