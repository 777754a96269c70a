"""Faults put into single intact sensors, two in each of fifty series, scored as NAB does.

Built by seeds of their own; nothing was chosen by their result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from bench.anomalies import nab
from bench.anomalies.detectors import Watched, watched
from bench.datasets import read_table
from bench.table import Table

Numbers = nab.Numbers
#: Series, most rows of one, rows of a fault, and rows of the window that is labelled.
SERIES, MOST, LASTING, WINDOW = 50, 8_000, 60, 200
#: Rows on either side of a window that stay intact.
APART = 64
KINDS = ("spike", "offset", "noise", "stuck", "dropout", "shape")
#: Size of a spike, an offset and noise in standard deviations of the sensor.
SPIKE, OFFSET, NOISE = 6.0, 3.0, 2.0
#: Streams with an hour of the day, and the columns that hold it.
_CLOCKS: dict[str, Callable[[dict[str, str]], float]] = {
    "air_quality": lambda row: nab.seconds_of(row["datetime"]),
    "etth1": lambda row: nab.seconds_of(row["date"]),
    "occupancy": lambda row: nab.seconds_of(row["datetime"]),
    "beijing_pm25": lambda row: nab.seconds_of(row["datetime"]),
    "bike_hourly": lambda row: nab.seconds_of(row["date"]) + 3600.0 * float(row["hr"]),
    "sml2010_room": lambda row: nab.seconds_of(row["datetime"]),
    "skab_free": lambda row: nab.seconds_of(row["datetime"]),
}
#: Columns that are not sensors, or hardly ever change.
_LEFT_OUT = {
    "datetime", "date", "month", "hour", "season", "yr", "mnth", "hr", "holiday", "weekday",
    "workingday", "weathersit", "occupied", "anomaly", "wind_ne", "wind_nw", "wind_se", "wind_cv",
    "snow_h", "rain_h", "precipitacion",
}  # fmt: skip
_ABSENT = -200.0
#: Sizes of faults, and limits of the rows that a learner has seen.
SIZES = {"spike": (2, 3, 4, 6, 10), "offset": (1, 2, 3, 5), "noise": (0.5, 1, 2, 4)}
AGES = (0, 200, 500, 1000, 2000, 4000, 8000)
#: Rows of a wild reading, and its size in standard deviations of the sensor.
WILD_ROWS, WILD = (0, 4, 9, 14, 30), 1000.0


@dataclass(frozen=True)
class Faulty:
    """A series with two faults: as of NAB, with the kinds of the faults."""

    series: nab.Series
    kinds: tuple[str, str]


def _columns() -> Iterator[tuple[str, str, Numbers, Numbers]]:
    """Stream, column, readings and times of every sensor."""
    for name, clock in _CLOCKS.items():
        header, rows = read_table(f"{name}.csv.gz")
        rows = rows[:MOST]
        seconds = np.array([clock(dict(zip(header, row, strict=True))) for row in rows])
        for at, column in enumerate(header):
            if column in _LEFT_OUT:
                continue
            x = np.array([float(row[at]) for row in rows])
            there = np.where(x != _ABSENT, np.arange(len(x)), 0)
            x = x[np.maximum.accumulate(there)]
            if len(np.unique(x)) > 20:
                yield name, column, x, seconds


def broken(kind: str, x: Numbers, spread: float, rng: np.random.Generator) -> Numbers:
    """The output of a broken sensor instead of these readings."""
    sign = 1.0 if rng.random() < 0.5 else -1.0
    if kind == "stuck":
        return np.full(len(x), x[0])
    if kind == "dropout":
        return np.full(len(x), 0.0)
    if kind == "noise":
        return np.asarray(x + NOISE * spread * rng.normal(size=len(x)))
    if kind == "shape":  # usual readings in an unusual order
        return x[::-1].copy() if rng.random() < 0.5 else rng.permutation(x)
    return np.asarray(x + sign * spread * (SPIKE if kind == "spike" else OFFSET))


@cache
def sensors() -> tuple[tuple[str, Numbers, Numbers], ...]:
    """Name, readings and times of fifty intact sensors."""
    found = list(_columns())
    order = np.random.default_rng(54).permutation(len(found))[:SERIES]
    return tuple((f"{name}/{column}", x, t) for name, column, x, t in (found[at] for at in order))


@cache
def faulty() -> tuple[Faulty, ...]:
    """Fifty series, each with two faults of different kinds."""
    made = []
    for number, (name, readings, seconds) in enumerate(sensors()):
        x, rng = readings.copy(), np.random.default_rng((54, number))
        spread = float(np.std(x))
        kinds = KINDS[2 * number % len(KINDS)], KINDS[(2 * number + 1) % len(KINDS)]
        windows = []
        for kind, part in zip(kinds, ((0.3, 0.6), (0.62, 0.95)), strict=True):
            rows = 1 if kind == "spike" else LASTING
            first = int(rng.integers(int(part[0] * len(x)), int(part[1] * len(x)) - WINDOW))
            x[first : first + rows] = broken(kind, x[first : first + rows], spread, rng)
            windows.append((first, first + WINDOW - 1))
        whole = nab.Series(name, x[:, None], seconds, windows)
        made.append(Faulty(whole, (kinds[0], kinds[1])))
    return tuple(made)


def of_kinds(made: list[Watched]) -> dict[str, tuple[int, int]]:
    """Faults found by an alarm in their window, and all, by kind."""
    counts = {kind: [0, 0] for kind in KINDS}
    for one, of in zip(faulty(), made, strict=True):
        for kind, (first, last) in zip(one.kinds, one.series.windows, strict=True):
            counts[kind][0] += bool(of.verdicts["alarm"][first : last + 1].any())
            counts[kind][1] += 1
    return {kind: (hit, total) for kind, (hit, total) in counts.items()}


def run(_: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """Faults found by kind."""
    rows, data = [], {}
    for title, clock in (("with times of rows", True), ("without", False)):
        made = [watched(one.series.X, one.series.seconds if clock else None) for one in faulty()]
        judged = nab.judge([one.series for one in faulty()], [of.alarms for of in made])
        found = of_kinds(made)
        rows.append([
            title, *(f"{hit} of {total}" for hit, total in found.values()),
            f"{1000.0 * judged.false / judged.rows:.2f}", f"{judged.own[0]:.1f}",
        ])  # fmt: skip
        data[title] = {"found": found, "false": judged.false, "score": judged.own}
    note = (
        f"Two faults of {LASTING} rows (a spike: one) in each of {SERIES} sensors, one channel a"
        f" learner; found by an alarm within {WINDOW} rows of the start. A spike is {SPIKE:.0f}, an"
        f" offset {OFFSET:.0f}, noise {NOISE:.0f} standard deviations of the sensor; a dropout is"
        " 0; a shape has the same readings backwards or in random order. The last column is NAB's"
        " score of these series."
    )
    header = ("found", *KINDS, "false alarms per 1,000 rows", "score")
    ages, data["ages"] = _ages()
    sizes, data["sizes"] = _sizes()
    wild, data["wild"] = _wild()
    return [Table("Faults found by kind", header, rows, note), sizes, ages, wild], data


def _sizes() -> tuple[Table, dict[str, Any]]:
    """Faults found by their size."""
    data: dict[str, Any] = {}
    for kind, sizes in SIZES.items():
        data[kind] = {}
        for size in sizes:
            hits = 0
            for number, (_, readings, seconds) in enumerate(sensors()):
                x, rng = readings.copy(), np.random.default_rng((55, number))
                n = 1 if kind == "spike" else LASTING
                first = int(rng.integers(int(0.4 * len(x)), int(0.9 * len(x))))
                sign = 1.0 if rng.random() < 0.5 else -1.0
                more = rng.normal(size=n) if kind == "noise" else np.full(n, sign)
                x[first : first + n] += size * float(np.std(readings)) * more
                alarms = watched(x[:, None], seconds).verdicts["alarm"]
                hits += bool(alarms[first : first + WINDOW].any())
            data[kind][size] = hits
    rows = [
        [kind, ", ".join(f"{size:g}: {hits}" for size, hits in of.items())]
        for kind, of in data.items()
    ]
    note = f"Of {SERIES}, one in each sensor; sizes in standard deviations of the sensor."
    return Table("Faults found by size", ("", "size: found"), rows, note, left=2), data


def _ages() -> tuple[Table, dict[str, Any]]:
    """False alarms by how many rows the learner has seen."""
    alarms, counts = np.zeros(len(AGES) - 1), np.zeros(len(AGES) - 1)
    for _, x, seconds in sensors():
        found = np.flatnonzero(watched(x[:, None], seconds).verdicts["alarm"])
        alarms += np.histogram(found, AGES)[0]
        counts += np.maximum(0, np.minimum(AGES[1:], len(x)) - np.array(AGES[:-1]))
    rates = (1000.0 * alarms / counts).tolist()
    names = [f"{a:,} to {b:,}" for a, b in pairwise(AGES)]
    rows = [[name, f"{rate:.2f}"] for name, rate in zip(names, rates, strict=True)]
    title = "Alarms of intact sensors by rows seen"
    return Table(title, ("rows", "per 1,000 rows"), rows), dict(
        zip(map(str, AGES), rates, strict=False)
    )


def _wild() -> tuple[Table, dict[str, Any]]:
    """Faults found after one wild reading among the first."""
    hits: dict[str, int] = {}
    for at in (None, *WILD_ROWS):
        made = []
        for one in faulty():
            X = one.series.X.copy()
            if at is not None:
                X[at] += WILD * float(np.std(X))
            made.append(watched(X, one.series.seconds))
        hits["never" if at is None else f"{at}"] = sum(hit for hit, _ in of_kinds(made).values())
    note = f"Of {2 * SERIES} faults by kind; the reading is {WILD:,.0f} standard deviations off."
    rows = [[row, f"{hit}"] for row, hit in hits.items()]
    return Table("Faults found after a wild reading", ("in row", "found"), rows, note), hits
