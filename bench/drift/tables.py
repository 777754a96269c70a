"""Ours with and without the alarm on long streams, and where nothing changes; beside river on short
ones. Every row is answered before it is learned; inputs come as they are."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes.sets import load
from bench.drift.streams import STREAMS, Drifting
from bench.table import Table
from firmware_sim.metrics.curve import recovery

SIZES = (1, 4, 16)
#: Rows of ours alone, and of all models.
LONG, SHORT = 100_000, 10_000
#: Sets in which nothing changes (section 12 of docs/sorf.md), and seeds there.
STILL = (
    *("a9a_train", "ijcnn1_train", "phishing", "spambase", "covtype10k", "usps_train", "phoneme"),
    *("banana", "ring", "w8a", "elec2", "insects_gradual", "weather_rain", "wall_following"),
    *("occupancy", "eeg_eye_state", "arem_activity", "fan_vibration", "skab_pump", "mushrooms"),
    *("twonorm", "svmguide3"),
)
SEEDS = 3
#: Of a row: whether it was answered wrongly, in the mean of the seeds.
Wrong = Any


def ours(X: Any, y: Any, kib: int, seeds: int = 1, **options: Any) -> tuple[Wrong, float, int]:
    """Which rows were answered wrongly, microseconds of a row, alarms; in the mean of the seeds.
    NaN where so few bytes hold no learner."""
    try:
        ek.plan(n_features=X.shape[1], ram=f"{kib}KiB", **options)
    except ValueError:
        return np.full(len(y), np.nan), float("nan"), 0
    wrong, seconds, alarms = np.zeros(len(y)), 0.0, 0
    for seed in range(1, seeds + 1):
        learner = ek.Learner(n_features=X.shape[1], ram=f"{kib}KiB", seed=seed, **options)
        began = time.process_time()
        answers = np.asarray(learner.learn_many(X, y))
        seconds += time.process_time() - began
        wrong += answers * y <= 0.0
        alarms += learner.alarms
    return wrong / seeds, 1e6 * seconds / seeds / len(y), alarms


def back(stream: Drifting, wrong: Wrong) -> str:
    """Rows until recovery, the mean over the changes; "-" where there is none."""
    if not stream.changes or np.isnan(wrong).any():
        return ""
    found = [recovery(wrong, *part) for part in pairwise((*stream.changes, len(wrong)))]
    known = [rows for rows in found if rows is not None]
    return f"{np.mean(known):,.0f}" if len(known) == len(found) else "-"


def _percent(wrong: Wrong) -> str:
    mean = float(np.mean(wrong))
    return "" if math.isnan(mean) else f"{100.0 * mean:.2f}"


class Comparison:
    """Ours without the alarm and with it, at some sizes."""

    def __init__(self, sizes: Sequence[int], seeds: int) -> None:
        self.sizes, self.seeds = sizes, seeds
        self.ratios: list[float] = []

    @property
    def header(self) -> list[str]:
        """The columns of `cells`."""
        return [f"{kib} KiB {what}" for kib in self.sizes for what in ("without", "with", "alarms")]

    def cells(self, X: Any, y: Any) -> tuple[list[str], list[Wrong]]:
        """Wrong answers in % and alarms, and the answers, without and with, size by size."""
        cells, answers = [], []
        for kib in self.sizes:
            found, _, alarms = ours(X, y, kib, self.seeds)
            without, _, _ = ours(X, y, kib, self.seeds, drift=False)
            cells += [_percent(without), _percent(found), str(alarms)]
            answers += [without, found]
            if kib == 4 and not np.isnan(without).any():  # it fits
                self.ratios.append(float(found.mean() / max(without.mean(), 1e-9)))
        return cells, answers

    @property
    def mean(self) -> float:
        """The geometric mean of with / without at 4 KiB."""
        return math.exp(np.mean(np.log(self.ratios))) if self.ratios else 1.0


def run_long(names: Iterable[str] = ()) -> tuple[list[Table], dict[str, Any]]:
    """Ours on long streams, with and without the alarm."""
    errors, recovered, comparison = [], [], Comparison(SIZES, 1)
    for name in names or STREAMS:
        stream = STREAMS[name](LONG)
        cells, answers = comparison.cells(stream.X, stream.y)
        errors.append([name, f"{len(stream.y):,}", *cells])
        recovered.append([name, *(back(stream, wrong) for wrong in answers)])
    both = [f"{kib} KiB {what}" for kib in SIZES for what in ("without", "with")]
    return [
        Table(
            "Ours, wrong answers in %, without the alarm and with it",
            ["stream", "rows", *comparison.header],
            errors,
            f"Geometric mean of with / without at 4 KiB over all of them: {comparison.mean:.3f}.",
        ),
        Table(
            "Ours, rows until recovery",
            ["stream", *both],
            recovered,
            "Until the error over 200 rows is within 2 points of its later level, in the mean of"
            " the changes; - where it never is.",
        ),
    ], {}


def run_still(names: Iterable[str] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The cost of the alarm without drift."""
    lines, comparison = [], Comparison((4, 16), SEEDS)
    for name in names or STILL:
        lines.append([name, *comparison.cells(*load(name, SHORT, raw=True))[0]])
        print(lines[-1], flush=True)
    return [
        Table(
            "Where nothing changes: wrong answers in %, without the alarm and with it",
            ["set", *comparison.header],
            lines,
            f"First {SHORT:,} rows, mean of {SEEDS} seeds; alarms of all seeds. Geometric mean of"
            f" with / without at 4 KiB: {comparison.mean:.4f},"
            f" at most {max(comparison.ratios):.3f}.",
        )
    ], {}


def run_river(names: Iterable[str] = ()) -> tuple[list[Table], dict[str, Any]]:
    """Ours compared with river's."""
    from bench.drift.peers import MODELS, ask

    errors, recovered, costs = [], [], []
    columns = [*(f"ours, {kib} KiB" for kib in SIZES), *MODELS]
    for name in names or STREAMS:
        stream = STREAMS[name](SHORT)
        found = []
        for kib in SIZES:
            wrong, microseconds, _ = ours(stream.X, stream.y, kib)
            found.append((wrong, kib * 1024, microseconds))
        found += [ask(model, stream.X, stream.y) for model in MODELS]
        errors.append([name, *(_percent(wrong) for wrong, _, _ in found)])
        recovered.append([name, *(back(stream, wrong) for wrong, _, _ in found)])
        costs.append([one[1:] for one in found])
        print(errors[-1], recovered[-1], flush=True)
    packed, times = (
        [f"{number:,.0f}" for number in np.nanmean([[one[i] for one in row] for row in costs], 0)]
        for i in range(2)
    )
    return [
        Table("Beside river: wrong answers in %", ["stream", *columns], errors,
              f"The first {SHORT:,} rows."),
        Table("Beside river: rows until recovery", ["stream", *columns], recovered),
        Table(
            "Beside river: what they take", ["", *columns],
            [["bytes at the end, in the mean", *packed], ["microseconds a row", *times]],
            "Of river's the bytes of the pickled model; ours everything. Processor time.",
        ),
    ], {}  # fmt: skip
