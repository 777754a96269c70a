"""Exported anomalies of a stream: verdicts, times, missing readings, other arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from exported import Compiled
from watched import made, rows, watch

import edgeolk as ek
from edgeolk.sorf.faces import PARTS


def compiled(learner: ek.Learner, folder: Path, *flags: str) -> Compiled:
    ek.export_c(learner, folder)
    try:
        return Compiled(folder, learner, flags=flags)
    except FileNotFoundError as missing:
        pytest.skip(f"no {missing}")


def times() -> np.ndarray:
    """A row every 10 minutes, some of them of an unknown time."""
    t = 600.0 * np.arange(len(rows()))
    t[::50] = np.nan
    return t


@pytest.mark.parametrize(
    ("dtype", "clock"), [("int8", True), ("int8", False), ("float32", False), ("float64", True)]
)
@pytest.mark.spread(4)
def test_verdicts_are_those_of_the_library(dtype: str, clock: bool, tmp_path: Path) -> None:
    learner = made(dtype=dtype, clock=clock)
    board = compiled(learner, tmp_path)
    for x, seconds in zip(rows(), times() if clock else np.full(len(rows()), np.nan), strict=True):
        found = watch(board, x, seconds)
        learner.learn_one(x, time=float(seconds) if clock else None)
        assert found.score == pytest.approx(learner.anomaly, rel=1e-4, abs=1e-4)
        flags = (found.novel, found.alarm, found.event, found.rare)
        assert flags == (learner.novel, learner.alarm, learner.event, learner.rare)
        assert (PARTS[found.part], found.channel) == learner.why
        assert found.alarms == learner.alarms
    assert learner.alarms > 0
    assert board.untouched()


def test_the_common_call_learns_without_a_time(tmp_path: Path) -> None:
    learner = made(clock=True)
    size = len(learner._sealed())
    board = compiled(learner, tmp_path)
    said = [board.learn(x) for x in rows()[:600]]
    state = board.file(size)
    board.c.ek_start(board.arena)
    found = [watch(board, x) for x in rows()[:600]]
    assert board.file(size) == state
    expected = [0.5 - one.score if t >= 200 or one.novel else 0.0 for t, one in enumerate(found)]
    assert said == pytest.approx(expected, abs=1e-6)


def test_whole_numbers_decide_alike(tmp_path: Path) -> None:
    """Channels are followed as in the library; features are rounded otherwise."""
    learner = made()
    board = compiled(learner, tmp_path, "-DEK_FIXED")
    X = rows()
    said = np.array([board.learn(x) for x in X])
    expected = learner.learn_many(X)
    assert np.abs(said - expected).max() < 0.2
    assert np.mean((said < 0.0) != (expected < 0.0)) < 0.001
    assert abs(int(watch(board, X[0]).alarms) - learner.alarms) <= 1


def test_a_state_that_nothing_leads_to_is_refused(tmp_path: Path) -> None:
    learner = made(clock=True)
    board = compiled(learner, tmp_path)
    learner.learn_many(rows()[:400])
    assert board.load(learner.__reduce__()[1][0]) == 0
    for region, at, value in (
        ("channels", 2, -1.0), ("channels", 16, np.nan), ("clock_bytes", 0, 64),
        ("watch_scores", 0, 0.1), ("watch", 2, 1 << 43),
    ):  # fmt: skip
        broken = made(clock=True)
        broken.learn_many(rows()[:400])
        np.asarray(broken._engine.view(region)).reshape(-1)[at] = value
        assert board.load(bytes(broken._sealed())) == -3
