"""Forecasts of logs in which rows are missing: replay, compare and tune judge the same rows."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.comparison import compare
from firmware_sim.comparison.tuning import tune
from firmware_sim.comparison.work import DEFAULT

ROWS, CAP = 720, 4096
#: Rows that are not in the log: in its middle, next to both of its ends, more than are filled in.
GAPS = {"middle": {100, 101}, "ends": {1, 2, 717, 718}, "long": {*range(300, 380)}, "cells": {90}}
CASES = [*itertools.product(GAPS, (1, 12))]


def room(folder: Path, gap: str) -> str:
    """Ten-minute rows of a room; those of "cells" also lack readings, targets, and are damaged."""
    r = np.random.default_rng(3)
    at = np.arange(ROWS)
    temp = 15 + 8 * np.sin(2 * np.pi * at / 144) + r.normal(size=ROWS) / 2
    lines = {
        t: [f"2025-03-{1 + t // 144:02} {t // 6 % 24:02}:{t % 6}0", f"{temp[t]:.2f}", str(t % 7)]
        for t in range(ROWS)
        if t not in GAPS[gap]
    }
    if gap == "cells":
        for t in range(60, ROWS, 83):
            lines[t][2] = ""
        for t in range(170, ROWS, 217):
            lines[t][1] = ""
        lines[400], lines[500][1] = ["2025;?"], "broken"
    path = folder / "room.csv"
    path.write_text("\n".join(["time,temp,other", *map(",".join, lines.values()), ""]))
    return str(path)


def configured(folder: Path, gap: str, horizon: int, **more: Any) -> fs.ReplayConfig:
    return fs.ReplayConfig(room(folder, gap), forecast="temp", horizon=horizon, ram=CAP, **more)


@pytest.mark.parametrize(("gap", "horizon"), CASES)
def test_a_comparison_judges_the_rows_of_a_replay(tmp_path: Path, gap: str, horizon: int) -> None:
    config = configured(tmp_path, gap, horizon)
    result = fs.replay(config)
    assert result.rows.filled or gap == "long"
    metrics = result.metrics
    found = compare(config, [CAP], ["ogd"], folder=tmp_path / "out", workers=1, seeds=1)
    assert len(found.rows.y) == metrics.rows
    assert found.cell(DEFAULT, CAP).error == metrics.mean_loss("learner")
    losses = {what: metrics.mean_loss(who) for who, what in metrics.baselines.items()}
    assert {what: found.rows.baselines[what] for what in losses} == losses
    (run,) = found.cell("ogd", CAP).runs
    assert run.status == "done"
    # Each row has its own target, not that of a row that was filled in.
    lines = Path(str(config.stream)).read_text().splitlines()[1:]
    read = [line.split(",")[1] if "," in line else "" for line in lines]
    numbers = found.rows.evaluator.numbers
    assert found.rows.y.tolist() == [float(read[number - 1]) for number in numbers.tolist()]


@pytest.mark.parametrize(("gap", "horizon"), CASES)
@pytest.mark.parametrize("algorithm", ["", "ogd"])
def test_a_choice_judges_the_rows_of_a_replay(
    tmp_path: Path, gap: str, horizon: int, algorithm: str
) -> None:
    config = configured(tmp_path, gap, horizon, algorithm=algorithm)
    found = tune(config, rows=240, candidates=2)
    width = {"gamma": found.start.gamma} if algorithm else {}
    metrics = fs.replay(configured(tmp_path, gap, horizon, algorithm=algorithm, **width)).metrics
    assert found.replayed == metrics.mean_loss("learner")
    assert found.tuned_on + found.judged_on == metrics.rows
    assert np.isfinite([found.before, found.after]).all()
    assert (found.default is None) == (not algorithm)


def test_a_reading_that_is_filled_in_by_the_device_is_judged_alike(tmp_path: Path) -> None:
    config = configured(tmp_path, "cells", 12, missing="last")
    found = compare(config, [CAP], ["ogd"], folder=tmp_path / "out", workers=1, seeds=1)
    metrics = fs.replay(config).metrics
    assert found.cell(DEFAULT, CAP).error == metrics.mean_loss("learner")
    assert len(found.rows.y) == metrics.rows
