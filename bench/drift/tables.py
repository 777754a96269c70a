"""Ours beside river on streams that change, every row answered before it is learned."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

import edgeolk as ek
from bench.drift.streams import STREAMS, Drifting
from bench.table import Table
from bench.timing import timed
from firmware_sim.metrics.curve import recovery

SIZES = (1, 4, 16)
ROWS = 10_000
#: Of a row: whether it was answered wrongly.
Wrong = Any


def ours(X: Any, y: Any, kib: int) -> tuple[Wrong, float]:
    """Which rows were answered wrongly, microseconds of a row; NaN where no learner fits."""
    try:
        learner = ek.Learner(n_features=X.shape[1], ram=f"{kib}KiB", seed=1)
    except ValueError:
        return np.full(len(y), np.nan), math.nan
    answers, seconds = timed(lambda: learner.learn_many(X, y))
    return (np.asarray(answers) * y <= 0.0).astype(float), 1e6 * seconds / len(y)


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


def run(names: Iterable[str] = ()) -> tuple[list[Table], dict[str, Any]]:
    """Ours compared with river's."""
    from bench.drift.peers import MODELS, ask

    errors, recovered, costs = [], [], []
    columns = [*(f"ours, {kib} KiB" for kib in SIZES), *MODELS]
    for name in names or STREAMS:
        stream = STREAMS[name](ROWS)
        found = []
        for kib in SIZES:
            wrong, microseconds = ours(stream.X, stream.y, kib)
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
              f"The first {ROWS:,} rows. Inputs come as they are."),
        Table("Beside river: rows until recovery", ["stream", *columns], recovered,
              "Until the error over 200 rows is within 2 points of its later level, in the mean of"
              " the changes; - where it never is."),
        Table(
            "Beside river: what they take", ["", *columns],
            [["bytes at the end, in the mean", *packed], ["microseconds a row", *times]],
            "Of river's the bytes of the pickled model; ours everything. Processor time.",
        ),
    ], {}  # fmt: skip
