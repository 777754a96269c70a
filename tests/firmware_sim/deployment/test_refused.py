"""Models and programs that cannot be written."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.deployment.board_script import write_script


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    replay = fs.Replay(fs.ReplayConfig("occupancy", ram="4KiB", limit=60))
    replay.run()
    with pytest.raises(fs.SimulatorError, match=r"cannot write to .*run.py: No such file"):
        write_script(replay, tmp_path / "none" / "run.py", "m.zip")


def test_a_process_that_has_died_has_no_model(tmp_path: Path) -> None:
    replay = fs.Replay(fs.ReplayConfig("occupancy", ram="8KiB", limit=600, enforce="process"))
    pid = replay.device._process._child.pid  # type: ignore[attr-defined]
    result = replay.run(on_rows=lambda _: os.kill(pid, signal.SIGTERM))
    assert result.status == "died"
    with pytest.raises(fs.SimulatorError, match=r"m.zip: the learner's process has died"):
        fs.save_model(replay, tmp_path / "m.zip")
    assert not (tmp_path / "m.zip").exists()


def test_a_program_of_a_matrix_knows_no_columns(tmp_path: Path) -> None:
    """Its readings are numbers, of which no other mark or word is known."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(90, 3))
    np.savez(tmp_path / "s.npz", X=X, y=np.where(X[:, 0] > 0, 1, -1))
    replay = fs.Replay(fs.ReplayConfig(str(tmp_path / "s.npz"), ram="4KiB"))
    replay.run()
    text = write_script(replay, tmp_path / "run.py", "m.zip").read_text()
    assert "X0" in text
    compile(text, "run.py", "exec")
