"""``python -m bench.filters.choice``: which learner of targets by bytes, inputs and order?

`sorf` with features alone, and as it is by default, with a Gaussian process in half the bytes; the
forecaster; `krls_auto` alone and with its last targets: on sets and streams, in order and shuffled.
``--sets NAME`` takes some of them and saves nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench import datasets, machine
from bench.filters import series
from bench.table import Report, Table
from bench.time import streams

Numbers = NDArray[np.float64]
SIZES = ("1KiB", "4KiB", "16KiB")
ROWS, LAGS = 5000, 3
ORDERS = ("in order", "shuffled")
#: Worse than features alone by more than this counts.
WORSE = 1.02
#: Sets on which the mixture and its share of the bytes were chosen; all others judge it.
DESIGN = (
    *streams.SHUFFLED,
    *("house", "etth1", "beijing_pm25", "air_quality", "bike_hourly", "elec2_price"),
    "elec2_demand",
)
SETS = (*streams.SHUFFLED, *(name for name in streams.READERS if name != "mg"), *series.SERIES)

MIXED = "with a process"
METHODS: dict[str, Callable[[int, str], Any]] = {
    "features": lambda d, ram: ek.Learner(
        n_features=d, ram=ram, loss="square", seed=1, gaussian_process=False
    ),
    MIXED: lambda d, ram: ek.Learner(n_features=d, ram=ram, loss="square", seed=1),
    "forecaster": lambda d, ram: ek.Learner(
        n_features=d, ram=ram, loss="square", seed=1, history=True
    ),
    "krls_auto": lambda d, ram: ek.Learner("krls_auto", n_features=d, ram=ram),
    "krls_auto, 3 lags": lambda d, ram: ek.Learner("krls_auto", n_features=d, ram=ram, lags=LAGS),
}


@cache
def rows_of(name: str) -> tuple[Numbers, Numbers]:
    """Inputs and targets; a series has its last six values as inputs.

    Raises FileNotFoundError: the data folder lacks it.
    """
    if name in streams.SHUFFLED:
        path = datasets.find(f"{name}_regression.libsvm.gz")
        rows, y = datasets.read_libsvm(path, streams.SHUFFLED[name])
        return rows.astype(float), y
    if name in series.SERIES:
        y = series.read(name)
    else:
        X, y = streams.rows_of(name)
        if X.shape[1]:
            return X, y
    windows = np.lib.stride_tricks.sliding_window_view(y, series.LAGS)[:-1, ::-1]
    return windows.copy(), y[series.LAGS :]


def part_of(name: str, order: str) -> tuple[Numbers, Numbers]:
    """The first rows of a set, in file order or in a random one."""
    X, y = rows_of(name)
    if order == "shuffled":
        chosen = np.random.default_rng(0).permutation(len(y))[:ROWS]
        return X[chosen], y[chosen]
    return X[:ROWS], y[:ROWS]


def error_of(f: Numbers, y: Numbers) -> float:
    """The root of the mean square error over the deviation of the targets."""
    return float(np.sqrt(np.mean((f - y) ** 2)) / y.std())


def measure(name: str, order: str, ram: str) -> dict[str, float]:
    """The error of each method that fits; and the vectors of the process, 0 for none."""
    X, y = part_of(name, order)
    found = {}
    for method, made in METHODS.items():
        with suppress(ValueError):  # so few bytes hold no such learner
            learner = made(X.shape[1], ram)
            found[method] = error_of(np.asarray(learner.learn_many(X, y)), y)
            if method == MIXED:
                found["vectors"] = learner.parameters["gaussian_process"]
    return found


def table_of(sets: Sequence[str], order: str, ram: str, data: dict[str, Any]) -> Table:
    """Errors of a size and an order, and their ratios to those of features alone."""
    lines: list[list[str]] = []
    ratios: dict[str, list[float]] = {}
    names = tuple(METHODS)
    for name in sets:
        print(f"{ram} {order} {name}", file=sys.stderr)
        found = measure(name, order, ram)
        data.setdefault(name, {})[f"{order}, {ram}"] = found
        d = str(rows_of(name)[0].shape[1])
        mark = name if name in DESIGN else f"{name} *"
        vectors = f"{found['vectors']:.0f}"
        errors = [f"{found[method]:.4f}" if method in found else "" for method in names]
        each = [found[m] / found["features"] if m in found else None for m in names[1:]]
        for method, ratio in zip(names[1:], each, strict=True):
            if ratio is not None:
                ratios.setdefault(method, []).append(ratio)
        lines.append([mark, d, vectors, *errors, *("" if r is None else f"{r:.3f}" for r in each)])
    summary = ["mean of the ratios", "", "", *[""] * len(names)]
    worse = ["worse than features by over 2 %", "", "", *[""] * len(names)]
    for method in names[1:]:
        of = ratios.get(method, [])
        summary.append(f"{fmean(of):.3f}" if of else "")
        worse.append(f"{sum(r > WORSE for r in of)} of {len(of)}" if of else "")
    header = ("set", "inputs", "vectors", *names, *(f"{method} / features" for method in names[1:]))
    return Table(f"{ram.replace('KiB', ' KiB')}, {order}", header, [*lines, summary, worse])


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a set is missing."""
    parser = argparse.ArgumentParser(prog="python -m bench.filters.choice", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--sizes", nargs="*", default=list(SIZES), choices=(*SIZES, "64KiB"))
    given = parser.parse_args(arguments)
    try:
        for name in given.sets:
            rows_of(name)
    except FileNotFoundError as missing:
        print(missing, file=sys.stderr)
        return 1
    data: dict[str, Any] = {}
    tables = [table_of(given.sets, order, ram, data) for ram in given.sizes for order in ORDERS]
    introduction = (
        f"`python -m bench.filters.choice`. {machine.sentence()}. Targets of {len(given.sets)} sets"
        f" and streams, the first {ROWS:,} rows, in file order (streams: the order of time) and in"
        " a random one, every row answered before it is learned. Error: the root of the mean square"
        " error over the deviation of the targets, all rows. Nothing is tuned. Series have six lags"
        " as inputs; the forecaster and the lags of `krls_auto` know the last targets too."
        " `features`: `sorf` with `gaussian_process=False`. `with a process`: by default, with so"
        " many vectors beside the features, 0 below 4 KiB and where half the bytes hold fewer than"
        " 3. Sets with * were not used to choose"
        " what it does."
    )
    whole = tuple(given.sets) == SETS and tuple(given.sizes) == SIZES
    Report("Which learner of targets?", introduction, tables, data).publish("choice", whole)
    return 0


if __name__ == "__main__":
    sys.exit(main())
