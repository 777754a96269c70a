"""Faults put into streams of whole sensors: eighteen of each kind, by a seed of its own."""

from __future__ import annotations

import numpy as np

from bench.time.labelled import Rows, Series, series

#: Streams whose sensors are whole, and the code of an absent reading there.
FAULTY, ABSENT = ("air_quality", "etth1", "occupancy"), -200.0
#: Faults in a stream, the first row that may have one, and rows of a lasting one.
EACH, CALM, LASTING = 6, 1_500, 100
#: The injected faults, with sizes in standard deviations of the column.
KINDS = ("stuck", "spike", "offset", "slow drift", "noise", "dropout")
OFFSET, SPIKE, DRIFT, NOISE = 3.0, 8.0, 3.0, 1.0


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
