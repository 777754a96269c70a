"""Forecasts in one pass, compared with trivial answers, plain `sorf` and the printed figures."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.table import Table
from bench.time import printed, streams, widths
from bench.time.streams import SEEDS, Numbers, learner_of, rows_of
from bench.timing import timed
from edgeolk import RunningScaler

LEVEL = 0.9
#: Rows from which on intervals are judged, and rows of a window of them.
SETTLED, WINDOW = 100, 500
HORIZONS = {"bike_hourly": (3, 12), "elec2_demand": (3,), "etth1": (12,)}
#: Where first forecasts are measured: streams and the rows that are taken of them, every so manyth.
STARTING = {"house": (1, 4), "etth1": (1,), "beijing_pm25": (1,), "bike_hourly": (1,),
            "nab_ambient": (1,)}  # fmt: skip
#: Rows ahead; forecasts of a start; starts of a stream.
AHEAD, FIRST, STARTS = (6, 24, 48), 100, 80
#: Rows of random order after which the first ones count no more.
LATER = 200

Bools = NDArray[np.bool_]


def error_of(f: Numbers, y: Numbers, first: int = 1) -> float:
    return float(np.abs(f - y)[first:].mean())


def one_pass(X: Numbers, y: Numbers, **options: Any) -> tuple[float, float, int]:
    """Mean error from row 1 on, microseconds a row, bytes."""
    learner = learner_of(X.shape[1], **options)
    f, seconds = timed(lambda: learner.learn_many(X, y))
    return error_of(f, y), 1e6 * seconds / len(y), learner.nbytes


def _errors(X: Numbers, y: Numbers, **options: Any) -> Numbers:
    return np.abs(learner_of(X.shape[1], **options).learn_many(X, y) - y)


def inside_of(X: Numbers, y: Numbers) -> Bools:
    """Whether each target from row ``SETTLED`` on fell into its interval."""
    learner: Any = learner_of(X.shape[1], history=True, interval=LEVEL)
    found = []
    for t, (row, target) in enumerate(zip(X, y, strict=True)):
        learner.learn_one(row, target)
        if t >= SETTLED:
            low, high = learner.interval
            found.append(low <= target <= high < np.inf)
    return np.array(found)


def late(X: Numbers, y: Numbers, k: int) -> float:
    """Mean error where targets come k rows late, from row k on."""
    learner = learner_of(X.shape[1], history=True, horizon=k)
    f = np.empty(len(y))
    for t, row in enumerate(X):
        if t >= k:
            learner.tell_one(y[t - k])
        f[t] = learner.ask_one(row)
    return error_of(f, y, k)


def _seasonal(y: Numbers, season: int) -> float:
    return float(np.abs(y[season:] - y[:-season]).mean()) if season else float("nan")


def formatted(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.4g}"


def _streams(names: tuple[str, ...], data: dict[str, Any]) -> list[list[str]]:
    lines = []
    for name in names:
        X, y = rows_of(name)
        season = streams.SEASONS.get(name, 0)
        error, us, _ = one_pass(X, y, history=True)
        bare, bare_us, nbytes = one_pass(X, y, history=True, D=0)
        found: dict[str, float] = {
            "last": float(np.abs(np.diff(y)).mean()),
            "seasonal_last": _seasonal(y, season),
            "plain": one_pass(X, y)[0] if X.shape[1] else float("nan"),
            "forecast": error,
            "without_kernel": bare,
            "with_season": (
                one_pass(X, y, history=True, season=season)[0] if season else float("nan")
            ),
        }
        small = printed.STREAMS.get(name)
        if small is not None and small.in_1_kib:
            data.setdefault(name, {})["in_1_kib"] = one_pass(X, y, history=True, ram="1KiB")[0]
        data[name] = {
            **data.get(name, {}),
            **found,
            "us": us,
            "us_without": bare_us,
            "bytes_without": nbytes,
        }
        lines.append([name, str(X.shape[1]), *map(formatted, found.values()), f"{us:.1f}",
                      f"{bare_us:.2f}", str(nbytes)])  # fmt: skip
    return lines


_HEADER = (
    *("stream", "inputs", "last value", "seasonal last", "plain `sorf`", "forecaster"),
    *("no kernel", "with season", "us a row", "us, no kernel", "bytes, no kernel"),
)


def _of_streams(title: str, names: tuple[str, ...], data: dict[str, Any]) -> Table:
    note = (
        "Mean absolute error from row 1 on, every row answered before it is learned, 4 KiB in all,"
        " seed 1. Plain `sorf` sees the inputs alone. The last columns: time of a row by"
        " `learn_many`, and the whole block of a forecaster without a kernel."
    )
    return Table(title, _HEADER, _streams(names, data), note)


def _intervals(names: tuple[str, ...], data: dict[str, Any]) -> Table:
    lines = []
    for name in names:
        inside = inside_of(*rows_of(name))
        sums = np.convolve(inside, np.ones(WINDOW), "valid") / WINDOW
        outside = float(((sums < 0.85) | (sums > 0.95)).mean()) if len(sums) else 0.0
        data.setdefault(name, {})["inside"] = float(inside.mean())
        data[name]["windows_outside"] = outside
        lines.append([name, f"{inside.mean():.3f}", f"{100 * outside:.1f}"])
    note = (
        f"Of the targets from row {SETTLED} on, those inside their interval of level {LEVEL}; of"
        f" all windows of {WINDOW} rows, the per cent in which that was not from .85 to .95."
    )
    return Table("Intervals", ("stream", "inside", "windows outside, %"), lines, note)


def _horizons(data: dict[str, Any]) -> Table:
    lines = []
    for name, horizons in HORIZONS.items():
        X, y = rows_of(name)
        for k in horizons:
            error, last = late(X, y, k), float(np.abs(y[k:] - y[:-k]).mean())
            data[f"{name}, {k} rows late"] = {"forecast": error, "last": last}
            text = f"{printed.LATE[name, k]:.3f}"
            lines.append(
                [name, str(k), formatted(last), formatted(error), f"{error / last:.3f}", text]
            )
    header = ("stream", "rows late", "last value", "forecaster", "ratio", "of the text")
    return Table("Targets that come later", header, lines, "Errors from row `horizon` on.")


def first_of(X: Numbers, y: Numbers, k: int) -> Numbers:
    """Errors of the first forecasts, k rows ahead, over those of the last value, by start."""
    rows, found = k + FIRST, []
    last_start = len(y) - rows - k
    for start in range(0, last_start, max(1, last_start // STARTS)):
        targets = y[start + k :][:rows]
        learner = learner_of(X.shape[1], history=True, horizon=k, D=0)
        f = np.empty(rows)
        for t in range(rows):
            if t >= k:
                learner.tell_one(targets[t - k])
            f[t] = learner.ask_one(X[start + t])
        found.append(error_of(f, targets, k) / error_of(targets[:-k], targets[k:], 0))
    return np.array(found)


def _first(data: dict[str, Any]) -> Table:
    lines = []
    for stream, steps in STARTING.items():
        for step in steps:
            X, y = (part[::step] for part in rows_of(stream))
            name = stream if step == 1 else f"{stream}, every {step}th row"
            for k in AHEAD:
                ratios = first_of(X, y, k)
                found = {
                    "median": float(np.median(ratios)),
                    "nine_of_ten": float(np.quantile(ratios, 0.9)),
                    "worst": float(ratios.max()),
                }
                data[f"{name}, {k} rows ahead"] = found
                cells = [f"{v:.2f}" for v in found.values()]
                lines.append([name, str(k), str(len(ratios)), *cells])
    header = ("stream", "rows ahead", "starts", "median", "nine of ten", "worst")
    note = (
        f"Each row forecasts the target of that many rows later, without a kernel: the error of the"
        f" first {FIRST} forecasts that have a history, over that of the last value."
    )
    return Table("First forecasts of longer horizons", header, lines, note)


def _as_the_text_had_it(X: Numbers, y: Numbers, D: int, seed: int) -> Numbers:
    """Errors of plain `sorf` whose width is that of its first 100 rows."""
    scaler = RunningScaler(X.shape[1], clip=5.0)
    Z = np.array([scaler.learn_transform_one(x) for x in X])
    learner = learner_of(X.shape[1], seed=seed, D=D, scale=None, gamma="auto", drift=False)
    return np.abs(learner.learn_many(Z, y) - y)


def _shuffled(data: dict[str, Any]) -> Table:
    lines, means = [], []
    for name in streams.SHUFFLED:
        each, sizes = [], []
        for seed in range(SEEDS):
            X, y = streams.shuffled(name, seed)
            made = [learner_of(X.shape[1], history=h, seed=seed) for h in (False, True)]
            plain, own = (np.abs(learner.learn_many(X, y) - y) for learner in made)
            same_size = _errors(X, y, seed=seed, D=made[1].budget)
            restarted = _as_the_text_had_it(X, y, made[0].budget, seed)
            early = float((own - plain)[1:LATER].sum() / plain[1:].sum())
            each.append([
                plain[1:].mean(), own[1:].mean(), own[1:].mean() / plain[1:].mean(),
                own[LATER:].mean() / plain[LATER:].mean(), 100.0 * early,
                same_size[1:].mean() / plain[1:].mean(), own[1:].mean() / restarted[1:].mean(),
            ])  # fmt: skip
            sizes = [str(learner.budget) for learner in made]
        plain_error, own_error, *ratios = (float(v) for v in np.mean(each, axis=0))
        means.append(ratios)
        data[f"{name}, shuffled"] = {
            "plain": plain_error, "forecast": own_error, "ratio": ratios[0], "early": ratios[2],
            "alike": ratios[3], "begun_anew": ratios[4],
        }  # fmt: skip
        cells = [f"{ratios[0]:.3f}", f"{printed.SHUFFLED[name]:.3f}", *_of_ratios(ratios)]
        lines.append(
            [name, str(len(y)), *sizes, formatted(plain_error), formatted(own_error), *cells]
        )
    mean = [fmean(column) for column in zip(*means, strict=True)]
    text = f"{fmean(printed.SHUFFLED.values()):.3f}"
    lines.append(["mean", *[""] * 5, f"{mean[0]:.3f}", text, *_of_ratios(mean)])
    note = (
        f"Mean of {SEEDS} orders of the whole sets, 4 KiB in all for either learner; where there is"
        f" no time, what the history costs. Before row {LATER}: how much of the error over all"
        " rows is lost there. Fewer frequencies: plain `sorf` with those of the forecaster, over"
        " plain `sorf` of 4 KiB."
    )
    note += (
        " Begun anew: the ratio to plain `sorf` as it was when the text was written, with a width"
        " from the first 100 rows, and then started anew with an answer of 0."
    )
    header = (
        *("set", "rows", "plain D", "its D", "plain `sorf`", "forecaster", "ratio", "of the text"),
        *(f"ratio from row {LATER} on", f"lost before row {LATER}, %", "fewer frequencies"),
        "begun anew",
    )
    return Table("Random order", header, lines, note)


def _of_ratios(ratios: list[float]) -> list[str]:
    return [f"{ratios[1]:.3f}", f"{ratios[2]:.2f}", f"{ratios[3]:.3f}", f"{ratios[4]:.3f}"]


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The tables and the numbers behind them."""
    data: dict[str, Any] = {}
    design = tuple(name for name in (*streams.DESIGN, "mg") if not names or name in names)
    aside = tuple(name for name in streams.ASIDE if not names or name in names)
    make: list[Callable[[], Table]] = [
        lambda: _of_streams("Streams that the design was chosen on", design, data),
        lambda: printed.of_streams(data, design),
        lambda: _of_streams("Streams kept aside", aside, data),
        lambda: printed.of_aside(data, aside),
        lambda: _intervals((*design, *aside), data),
    ]
    make.append(lambda: widths.of_streams((*design, *aside), data))
    if not names:
        make += [
            lambda: _horizons(data),
            lambda: _first(data),
            lambda: _shuffled(data),
            lambda: widths.of_shuffled(data),
        ]
    return [table() for table in make], data
