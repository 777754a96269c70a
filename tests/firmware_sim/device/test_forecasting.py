"""Forecasters in the main loop: targets at once, late, missing; gaps; power cuts amid the queue."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from firmware_sim import Replay, ReplayConfig, SimulatorError, replay
from firmware_sim.device.forecasting import ForecastSupervision
from firmware_sim.kinds.forecast import ForecastTrainer
from firmware_sim.report import to_dict, to_text

ROWS = 400


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Rows of a minute each, and a stop of an hour after row 250."""
    r = np.random.default_rng(0)
    X = np.cumsum(r.normal(size=(ROWS, 2)), axis=0)
    y = np.cumsum(r.normal(size=ROWS)) + 3.0 * np.sin(np.arange(ROWS) / 4.0) + X[:, 0]
    seconds = 60 * np.arange(ROWS) + np.where(np.arange(ROWS) > 250, 3600, 0)
    path = tmp_path / "stream.csv"
    lines = [
        f"{t},{a!r},{b!r},{c!r}"
        for t, (a, b), c in zip(seconds, X.tolist(), y.tolist(), strict=True)
    ]
    path.write_text("\n".join(["seconds,a,b,target", *lines]) + "\n")
    return path


def configured(table: Path, **options: Any) -> ReplayConfig:
    params = {"history": True, **options.pop("params", {})}
    return ReplayConfig(
        stream=str(table), kind="regression", target="target", time="seconds", ram="4KiB",
        params=params, **options,
    )  # fmt: skip


def readings(table: Path) -> tuple[np.ndarray, np.ndarray]:
    rows = np.loadtxt(table, delimiter=",", skiprows=1)
    return rows[:, 1:3], rows[:, 3]


def own(result: Any, **options: Any) -> ek.Learner:
    return ek.Learner(
        "sorf", n_features=2, budget=result.learner["budget"], loss="square", history=True,
        relevance=True, **options,
    )  # fmt: skip


def test_it_answers_as_the_learner_does_and_its_intervals_are_counted(table: Path) -> None:
    result = replay(configured(table))
    X, y = readings(table)
    said = own(result).learn_many(X, y)
    assert result.metrics.mean_loss("learner") == pytest.approx(np.abs(said - y).mean())
    assert result.metrics.mean_loss("learner") < result.metrics.mean_loss("last_value")
    told = to_dict(result)
    assert 0.8 < told["metrics"]["learner"]["inside"] < 0.98
    assert "fell into their interval" in to_text(result)


def test_late_targets_wait_in_the_learners_queue(table: Path) -> None:
    result = replay(configured(table, label_delay="3"))
    X, y = readings(table)
    learner = own(result, horizon=3)
    said = np.empty(ROWS)
    for t in range(ROWS):
        if t >= 3:
            learner.tell_one(y[t - 3])
        said[t] = learner.ask_one(X[t])
    assert result.metrics.mean_loss("learner") == pytest.approx(np.abs(said - y).mean())
    assert result.labels.learned == ROWS - 3
    assert result.labels.waiting == 3
    assert all(part.name != "label queue" for part in result.layout.parts)


def test_missing_targets_are_told_as_such(table: Path) -> None:
    result = replay(configured(table, label_missing=0.25))
    assert result.labels.missing + result.labels.learned == ROWS
    assert 60 < result.labels.missing < 140
    assert result.rows.used == ROWS


def test_a_gap_in_time_is_a_restart(table: Path) -> None:
    X, y = readings(table)
    result = replay(configured(table, gap=600))
    learner = own(result)
    said = list(learner.learn_many(X[:251], y[:251]))
    learner.restart()
    said += list(learner.learn_many(X[251:], y[251:]))
    expected = np.abs(np.array(said) - y).mean()
    assert result.metrics.mean_loss("learner") == pytest.approx(expected)
    whole = replay(configured(table))
    assert whole.metrics.mean_loss("learner") != pytest.approx(expected)


def test_a_power_cut_loses_what_came_since_the_checkpoint_and_no_row_that_waits(
    table: Path,
) -> None:
    """Row by row as a learner that is put back, its queue with it."""
    result = replay(configured(table, label_delay="5", power_cut="at=93", checkpoint_every=20))
    assert result.status == "complete"
    assert result.power is not None
    assert result.rows.refused == 0
    X, y = readings(table)
    learner, kept = own(result, horizon=5), b""
    said = np.empty(ROWS)
    for t in range(ROWS):
        if t == 92:  # the rows from 80 on are gone
            learner = pickle.loads(kept)
            assert learner.steps == 80
            assert learner.n_waiting == 5
            # Targets of the rows 75 to 79 had come; those of 87 to 91 will find no row.
            for _ in range(5):
                learner.tell_one(None)
        elif t >= 97 or 5 <= t < 92:
            learner.tell_one(y[t - 5])
        said[t] = learner.ask_one(X[t])
        if t + 1 == 80:
            kept = pickle.dumps(learner)
    assert result.metrics.mean_loss("learner") == pytest.approx(np.abs(said - y).mean())
    assert result.labels.cut == 5
    total = result.labels.learned + result.labels.waiting + result.labels.cut + result.labels.lost
    assert total == ROWS


def test_rows_that_wait_at_a_checkpoint_get_their_targets_after_a_cut(table: Path) -> None:
    result = replay(configured(table, label_delay="30", power_cut="at=93", checkpoint_every=20))
    # Of the rows 62 to 91 that waited, 62 to 79 lay in the checkpoint of row 80.
    assert result.labels.cut == 12
    assert result.labels.learned == ROWS - 30 - 12
    assert result.labels.waiting == 30
    often = replay(configured(table, label_delay="30", power_cut="every=60", checkpoint_every=20))
    told = often.labels
    assert told.learned + told.waiting + told.cut + told.lost == ROWS
    assert told.lost == 0


@pytest.mark.parametrize(
    "fault",
    [
        "stuck:column=a,from=100,to=200", "dropout:column=a+b,p=0.2", "spike:column=b,p=0.05",
        "drift:column=a,offset=0.01", "shift:column=a,from=200", "gain:column=a,by=10,from=200",
        "replace:column=a,from=200", "noise:column=b,sd=2", "clip:column=a,low=-1,high=1",
        "quantise:column=a,step=0.5", "swap:column=a+b,from=200", "duplicate:p=0.05",
        "gap:p=0.02,rows=5", "burst:p=0.02,rows=8",
    ],
)  # fmt: skip
def test_faults_of_sensors_leave_it_a_forecaster(table: Path, fault: str) -> None:
    """Whatever breaks, rows are answered, and no worse than by twice the last value's error."""
    result = replay(configured(table, faults=(fault,)))
    assert result.status == "complete"
    assert result.rows.refused == 0
    assert result.rows.used == result.labels.learned
    metrics = result.metrics
    assert metrics.mean_loss("learner") < 2.0 * metrics.mean_loss("last_value")
    if fault.startswith("dropout"):  # readings that are gone are gaps: no row is left out
        assert result.rows.used == ROWS


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"ask": True}, "learns every target"),
        ({"gap": 60, "params": {"history": False}}, "gap is for rows in the order of time"),
    ],
)
def test_what_a_forecaster_cannot_do_is_refused(
    table: Path, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SimulatorError, match=sentence):
        configured(table, **options)


@pytest.mark.parametrize(("delay", "k"), [("1", 1), ("4", 4), ("240s", 4)])
def test_a_late_target_that_is_refused_moves_no_other(table: Path, delay: str, k: int) -> None:
    """The row that it belongs to is dropped; without that the next target would be taken for it.

    A delay in seconds brings several targets at once behind the stop, where the queue has room.
    """
    config = configured(table, label_delay=delay)
    X, y = readings(table)
    beyond = y.copy()
    beyond[[60, 61, 200, 248]] = 1e16, -1e20, 3e15, 1e16
    seconds = np.loadtxt(table, delimiter=",", skiprows=1)[:, 0]
    at_once = delay.endswith("s")
    size = config.queue_rows

    def forecaster() -> ek.Learner:
        return ek.Learner(
            "sorf", n_features=2, budget=64, loss="square", history=True, horizon=size
        )

    learner, expected, told = forecaster(), [], 0
    for at in range(ROWS):
        while seconds[told] <= seconds[at] - 60 * k if at_once else told <= at - k:
            learner.tell_one(None if abs(beyond[told]) > 1e15 else y[told])
            told += 1
        expected.append(learner.ask_one(X[at]))
    supervision, trainer = ForecastSupervision(config, 2), ForecastTrainer(forecaster())
    said = [
        supervision.step(trainer, X[at], float(beyond[at]), at + 1, float(seconds[at]))[0]
        for at in range(ROWS)
    ]
    assert said == expected
    counts = supervision.counts
    assert (counts.missing, counts.learned) == (4, told - 4)


def test_of_a_short_queue_the_oldest_row_is_lost(table: Path) -> None:
    result = replay(configured(table, label_delay="240s", label_queue=2))
    assert result.labels.lost > 0
    told = result.labels
    assert told.learned + told.waiting + told.lost == ROWS


def test_a_row_at_a_time_is_answered_as_a_block(table: Path) -> None:
    """As for a learner whose rows are recorded for a board."""
    config = configured(table)
    expected = replay(config)
    one_by_one, rows = Replay(config), []
    one_by_one.device.wrap_learner(lambda learner: rows.append(learner) or learner)
    result = one_by_one.run()
    assert len(rows) == 1
    assert result.metrics.summary() == expected.metrics.summary()
    assert result.labels.learned == ROWS
