"""Comparisons and choices for streams whose target has a history."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import in_turn

import edgeolk as ek
from firmware_sim import ReplayConfig, replay
from firmware_sim.comparison.program import program
from firmware_sim.comparison.rows import as_season, prepare, rows_of_day
from firmware_sim.comparison.run import compare
from firmware_sim.comparison.tuning import report_of, tune
from firmware_sim.comparison.work import DEFAULT
from firmware_sim.device.planning import learner_settings, make_learner, plan_device
from firmware_sim.kinds import Setup
from firmware_sim.kinds.base import WITHOUT_KERNEL
from firmware_sim.kinds.forecast import Forecasts
from firmware_sim.streams import Stream

N, DAY = 1200, 24


def frozen_at(memory: bytearray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A forecaster with constant weights from a copy of the memory of one."""
    return Forecasts(Setup()).frozen(ek.attach(bytearray(memory)), (0.0, 1.0))


def rows() -> tuple[np.ndarray, np.ndarray]:
    """Rows of an hour; the target has a day, whose shape changes half way."""
    r = np.random.default_rng(0)
    X = np.round(np.cumsum(r.normal(size=(N, 2)), axis=0), 3)
    hours = np.arange(N)
    shape = np.where(hours % DAY < 6, 8.0, 0.0) + 2.0 * np.sin(hours / 3.0)
    y = shape + np.where(hours < N // 2, 1.0, -1.0) * X[:, 0] + r.normal(size=N)
    return X, np.round(y, 3)


def written(folder: Path, gaps: bool = False) -> str:
    X, y = rows()
    cells = [[str(3600 * t), *map(repr, X[t].tolist()), repr(float(y[t]))] for t in range(N)]
    for t in range(100, N, 50) if gaps else ():
        cells[t][1 + t // 50 % 2] = ""
    path = folder / ("gaps.csv" if gaps else "stream.csv")
    path.write_text("\n".join(["seconds,a,b,target", *map(",".join, cells), ""]))
    return str(path)


def configured(stream: str, **options: object) -> ReplayConfig:
    known = {"kind": "regression", "target": "target", "time": "seconds", "ram": "4KiB"}
    return ReplayConfig(stream, **{**known, **options})  # type: ignore[arg-type]


def test_the_value_of_a_season_ago_and_a_forecast_without_a_kernel_are_rows(tmp_path: Path) -> None:
    X, y = rows()
    found = prepare(configured(written(tmp_path)).outside())
    names = list(found.baselines)
    assert names[2:] == [f"value {DAY} rows ago", WITHOUT_KERNEL, "linear (RLS)"]
    assert found.trivial == tuple(names[:3])
    last = np.concatenate([[0.0], y[: DAY - 1], y[:-DAY]])
    assert found.baselines[names[2]] == pytest.approx(np.abs(last - y).mean())
    own = ek.Learner("sorf", n_features=2, D=0, loss="square", history=True).learn_many(X, y)
    assert found.baselines[WITHOUT_KERNEL] == pytest.approx(np.abs(own - y).mean())
    named = prepare(configured(written(tmp_path)).outside(), 48)
    assert "value 48 rows ago" in named.baselines


def test_the_program_of_a_forecaster_without_a_kernel_learns_as_it_did(tmp_path: Path) -> None:
    found = compare(
        configured(written(tmp_path)), ["4KiB"], ["ogd"], folder=tmp_path / "c", seeds=1, workers=1
    )
    X, y = rows()
    scope: dict[str, Any] = {"rows": [*zip(X.tolist(), y.tolist(), strict=True)], "scores": []}
    exec("\n".join([*program(found, WITHOUT_KERNEL, 0), "    scores.append(score)"]), scope)
    loss = np.abs(np.array(scope["scores"]) - y).mean()
    assert loss == pytest.approx(found.rows.baselines[WITHOUT_KERNEL], rel=1e-6)


def test_the_rows_of_a_day_are_counted() -> None:
    """Sensors that report together, gaps and a day that is cut off do not change their number."""
    hours = 3600.0 * np.arange(24 * 20 + 7) + 1.7e9
    assert rows_of_day(hours) == 24
    three = np.sort(np.concatenate([hours, hours + 3.0, hours + 9.0]))
    assert rows_of_day(three) == 72
    assert rows_of_day(np.delete(three, slice(300, 700))) == 72
    assert rows_of_day(np.where(np.arange(len(hours)) % 7, hours, np.nan)) in (20, 21)
    assert rows_of_day(hours[::-1]) == 24
    assert rows_of_day(hours, 900.0) == 96
    for few in (hours[:24], hours[:0], np.full(9, np.nan)):
        assert rows_of_day(few) == 0
    assert as_season(24, 72) == 24
    assert as_season(24, 71) == as_season(1, 99) == as_season(0, 99) == 0


def test_the_season_of_sensors_that_report_together_is_a_day(tmp_path: Path) -> None:
    X, y = rows()
    lines = [
        f"{3600 * t + late},{X[t, 0]},{X[t, 1]},{y[t]}" for t in range(N) for late in (0, 3, 9)
    ]
    path = tmp_path / "three.csv"
    path.write_text("\n".join(["seconds,a,b,target", *lines, ""]))
    found = prepare(configured(str(path)).outside())
    assert f"value {3 * DAY} rows ago" in found.baselines


def test_rows_with_gaps_are_compared_as_they_are_replayed(tmp_path: Path) -> None:
    """None is dropped: the default is told of gaps, the others get the last reading."""
    config = configured(written(tmp_path, gaps=True))
    result = replay(config)
    assert result.rows.used == N
    found = compare(config, ["4KiB"], ["ogd"], folder=tmp_path, workers=1, seeds=1)
    assert len(found.rows.y) == N
    assert any("lack a reading" in note for note in found.rows.notes)
    ours = result.metrics.mean_loss("learner")
    assert found.cell(DEFAULT, 4096).error == pytest.approx(ours, rel=1e-9)
    assert found.cell("ogd", 4096).done
    assert np.isfinite(found.rows.X).all()
    told, stood_in = (
        np.concatenate([block.rows for block in one.blocks()])
        for one in (found.rows.evaluator.stream, found.rows.evaluator.filled)
        if isinstance(one, Stream)
    )
    gone = np.isnan(told)
    assert gone.any(axis=1).sum() == len(range(100, N, 50))
    assert np.array_equal(told[~gone], stood_in[~gone])
    assert stood_in[gone].tolist() == told[:-1][gone[1:]].tolist()  # what was read an hour before


def test_a_forecaster_frozen_after_the_first_rows(tmp_path: Path) -> None:
    """What it knows stays, the history of its target goes on: in a replay and a comparison."""
    after = 300
    config = configured(written(tmp_path), frozen_after=after)
    result = replay(config)
    assert result.frozen is not None
    assert result.frozen.rows == N - after
    assert result.frozen.loss > result.frozen.learner  # the world has changed
    found = compare(config, ["4KiB"], ["ogd"], folder=tmp_path, workers=1, seeds=1)
    assert found.cell(DEFAULT, 4096).means("frozen") == pytest.approx(
        [result.frozen.loss, result.frozen.learner], rel=1e-6
    )
    # A learner that goes on and one that is frozen give the same first answer.
    X, y = rows()
    options = {"n_features": 2, "ram": "4KiB", "loss": "square", "history": True}
    memory = bytearray(ek.plan(**options).nbytes + 64)
    learner = ek.Learner(**options, buffer=memory)
    learner.learn_many(X[:after], y[:after])
    said = frozen_at(memory)(X[after:], y[after:])
    assert said[0] == learner.learn_one(X[after], y[after])
    assert said[1] != learner.learn_one(X[after + 1], y[after + 1])
    # It knows the last target all the same: it is nearer than the target before that.
    before = np.abs(said[1:] - y[after:-1]).mean(), np.abs(said[1:] - y[after - 1 : -2]).mean()
    assert before[0] < before[1]


@pytest.mark.parametrize(
    ("more", "dtype"),
    in_turn([{}, {"season": 12}, {"D": 0}, {"freeze_after": 250}], ["int8", "float64"]),
    ids=str,
)
@pytest.mark.spread(4)
def test_a_frozen_forecaster_is_one_whose_memory_is_put_back(
    dtype: str, more: dict[str, Any]
) -> None:
    """Bit for bit, with readings and targets that are missing: all but the target's history."""
    X, y = rows()
    X, y = X[:700].copy(), y[:700].copy()
    X[320:400:7, 0] = np.nan
    y[330:420:11] = np.nan
    options = {"n_features": 2, "loss": "square", "history": True, "dtype": dtype, "seed": 3}
    options |= {"D": 64, **more}
    memory = bytearray(ek.plan(**options).nbytes + 64)
    ek.Learner(**options, buffer=memory).learn_many(X[:300], y[:300])
    frozen, block = frozen_at(memory), bytearray(memory)
    regions = ek.attach(block).plan.regions  # which moves the block to its boundary
    start = block.find(b"eolk")
    held = [(start + r.offset, r.nbytes) for r in regions if r.name in ("history", "season")]
    expected = []
    for row, target in zip(X[300:], y[300:].tolist(), strict=True):
        before = bytes(block)
        expected.append(ek.attach(block).learn_one(row, target))
        now = [(at, bytes(block[at : at + size])) for at, size in held]
        block[:] = before
        for at, data in now:
            block[at : at + len(data)] = data
    found = [frozen(X[at : at + 50], y[at : at + 50]) for at in range(300, len(X), 50)]
    np.testing.assert_array_equal(np.concatenate(found), expected)


def test_a_choice_tries_seasons_and_forecasts_ahead(tmp_path: Path) -> None:
    found = tune(configured(written(tmp_path)), rows=400, candidates=8)
    assert dict(found.chosen.params).get("season") == DAY
    assert f"season={DAY}" in found.options
    assert "season" in report_of(found).to_text()
    config = configured(written(tmp_path), params={"horizon": 3})
    late = tune(config, rows=400, candidates=4)
    X, y = rows()
    learner = make_learner(2, learner_settings(config, None, plan_device(config, 2, None)[1]))
    said = np.empty(N)
    for t in range(N):
        if t >= 3:
            learner.tell_one(y[t - 3])
        said[t] = learner.ask_one(X[t])
    assert late.replayed == pytest.approx(np.abs(said - y).mean(), rel=1e-6)
