"""Exported novelty of rows in the order of time: verdicts, missing readings, other arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from exported import Compiled
from watched import made, rows, verdict

import edgeolk as ek
from edgeolk.sorf.faces import PARTS, WHATS


def compiled(learner: ek.Learner, folder: Path, *flags: str) -> Compiled:
    ek.export_c(learner, folder)
    try:
        return Compiled(folder, learner, flags=flags)
    except FileNotFoundError as missing:
        pytest.skip(f"no {missing}")


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
def test_verdicts_are_those_of_the_library(dtype: str, tmp_path: Path) -> None:
    learner = made(dtype=dtype)
    board = compiled(learner, tmp_path)
    for x in rows():
        said, expected = board.learn(x), learner.learn_one(x)
        assert said == pytest.approx(expected, rel=1e-4, abs=1e-4)
        found = verdict(board)
        assert (bool(found.novel), bool(found.event)) == (learner.novel, learner.event)
        assert (PARTS[found.part], found.channel, WHATS[found.what]) == learner.why
        assert found.threshold == pytest.approx(learner.threshold, rel=1e-6)
    assert verdict(board).alarms == learner.alarms > 0
    assert board.untouched()


def test_whole_numbers_decide_alike(tmp_path: Path) -> None:
    """Channels are followed as in the library; features are rounded otherwise."""
    learner = made()
    board = compiled(learner, tmp_path, "-DEK_FIXED")
    X = rows()
    said = np.array([board.learn(x) for x in X])
    expected = learner.learn_many(X)
    assert np.abs(said - expected).max() < 0.2
    assert np.mean((said < 0.0) != (expected < 0.0)) < 0.001
    assert abs(int(verdict(board).alarms) - learner.alarms) <= 1


def test_a_state_that_nothing_leads_to_is_refused(tmp_path: Path) -> None:
    learner = made()
    board = compiled(learner, tmp_path)
    learner.learn_many(rows()[:400])
    assert board.load(learner.__reduce__()[1][0]) == 0
    for region, at, value in (("channels", 1, -1.0), ("deviations", 0, 0.1), ("watch", 2, 1 << 20)):
        broken = made()
        broken.learn_many(rows()[:400])
        np.asarray(broken._engine.view(region)).reshape(-1)[at] = value
        assert board.load(bytes(broken._sealed())) == -3
