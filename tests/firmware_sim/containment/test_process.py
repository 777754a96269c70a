"""The learner's process: how its end is told, and that nobody waits for ever."""

from __future__ import annotations

import errno
import os
import pickle
import select
import signal
import struct
import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.containment import process
from firmware_sim.containment.process import ProcessLearner
from firmware_sim.errors import LearnerDiedError, SimulatorError
from firmware_sim.replaying.loop import Replay
from firmware_sim.report import to_text

SETTINGS = {"algorithm": "rbp", "budget": 20}
LIMITS = ("cgroup", "seccomp", "rlimit")


def started(limit: str = "auto", n_features: int = 3, patience: float = 60.0) -> ProcessLearner:
    try:
        return ProcessLearner(n_features, SETTINGS, limit, patience=patience)
    except SimulatorError as error:
        pytest.skip(str(error))


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    return np.random.default_rng(0).normal(size=(n, d)), np.ones(n)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("name", ["SIGTERM", "SIGSEGV", "SIGKILL"])
@pytest.mark.spread(3)
def test_end_by_another_hand_is_not_called_memory(limit: str, name: str) -> None:
    learner = started(limit)
    learner.learn(*rows(5, 3))
    os.kill(learner._child.pid, signal.Signals[name])
    learner._child.wait()
    with pytest.raises(LearnerDiedError, match=f"was ended: {name}$"):
        learner.learn(*rows(5, 3))
    learner.close()


@pytest.mark.parametrize("n_features", [3, 4000])  # the second fills the pipe while it is written
def test_stopped_child_is_given_up(n_features: int) -> None:
    learner = started(n_features=n_features, patience=0.3)
    os.kill(learner._child.pid, signal.SIGSTOP)
    with pytest.raises(LearnerDiedError, match=r"did not answer for 0\.3 s.*it was stopped"):
        learner.learn(*rows(64, n_features))
    learner.close()
    assert learner._child.returncode is not None


class Group:
    """Stands for a control group where none can be had."""

    removed = 0

    def remove(self) -> None:
        self.removed += 1


@pytest.mark.parametrize("call", ["subprocess.Popen", "os.set_blocking"])
def test_a_process_that_is_not_started_leaves_no_group(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise BlockingIOError("no more of them")

    def started_here(*words: Any, **how: Any) -> subprocess.Popen[bytes]:
        children.append(start(*words, **how))
        return children[-1]

    def entered(limit: str, pid: int) -> tuple[Group, str]:
        groups.append(Group())
        return groups[-1], ""

    start = subprocess.Popen
    groups: list[Group] = []
    children: list[subprocess.Popen[bytes]] = []
    monkeypatch.setattr(process, "_group_for", entered)
    monkeypatch.setattr(subprocess, "Popen", started_here)
    monkeypatch.setattr(call, fails)
    with pytest.raises(BlockingIOError, match="no more of them") as held:  # no __del__ helps
        ProcessLearner(3, SETTINGS, "cgroup")
    assert held.tb is not None
    assert [group.removed for group in groups] == [1] * len(children)
    assert len(children) == (call == "os.set_blocking")
    assert all(child.returncode is not None for child in children)


@pytest.mark.parametrize("limit", ["auto", "rlimit"])
def test_report_of_a_replay_whose_learner_died(limit: str) -> None:
    try:
        replay = Replay(
            ReplayConfig("occupancy", enforce="process", limit_by=limit, limit=2000, gamma=0.2)
        )
    except SimulatorError as error:
        pytest.skip(str(error))
    process = replay.device._process  # type: ignore[attr-defined]
    result = replay.run(on_rows=lambda _: os.kill(process._child.pid, signal.SIGTERM))
    assert result.status == "died"
    assert "SIGTERM" in result.detail
    assert "memory" not in result.detail
    assert to_text(result).startswith("DIED: rows ")


def test_without_poll_no_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(select, "poll")
    with pytest.raises(SimulatorError, match="--enforce process"):
        ProcessLearner(3, SETTINGS)


def test_a_learner_that_is_refused_is_one_line() -> None:
    with pytest.raises(SimulatorError, match=r"^--enforce process: .*budget") as refused:
        ProcessLearner(3, {"algorithm": "rbp", "budget": 0})
    assert "\n" not in str(refused.value)


def test_a_row_that_is_refused_is_not_the_end() -> None:
    learner = started()
    learner.learn(*rows(5, 3))
    bad = np.array([0.0, np.nan, 1.0])
    with pytest.raises(ValueError, match="the learner rejects the row"):
        learner.decide(bad)
    assert learner.counters()["steps"] == 5
    assert np.isfinite(learner.decide(rows(1, 3)[0][0]))
    learner.close()


@pytest.fixture
def greeted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ProcessLearner]:
    """A learner whose process says only its greeting."""

    def greet(limit: str, group: Any = None) -> ProcessLearner:
        learner = object.__new__(ProcessLearner)
        learner._group = group
        said = {"reasons": "none here", "limit": limit, "nbytes": 8, "width": 1, "experts": ()}
        answer = pickle.dumps(said)
        parts = [bytearray(struct.pack("=q", len(answer))), bytearray(answer)]
        monkeypatch.setattr(learner, "_read", lambda nbytes: parts.pop(0), raising=False)
        learner._read_greeting("cgroup: closed")
        return learner

    return greet


def test_a_process_without_any_limit_is_refused(greeted: Callable[..., ProcessLearner]) -> None:
    with pytest.raises(SimulatorError, match=r"limited here: cgroup: closed; none here$"):
        greeted("none")


def test_a_group_that_takes_no_limit_is_an_error(greeted: Callable[..., ProcessLearner]) -> None:
    class Full(Group):
        def close(self) -> None:
            raise OSError(errno.EBUSY, "Device or resource busy")

    with pytest.raises(SimulatorError, match="no memory control group: Device or resource busy"):
        greeted("cgroup", Full())


@pytest.mark.parametrize(
    ("code", "told"), [(77, "MemoryError"), (1, "exit code 1"), (-9, "SIGKILL")]
)
def test_the_end_is_told_by_the_code_of_the_process(code: int, told: str) -> None:
    learner: Any = object.__new__(ProcessLearner)
    learner._stdin = SimpleNamespace(close=lambda: None)
    learner._child = SimpleNamespace(wait=lambda: code)
    assert learner._end() == told


def test_a_process_that_is_gone_has_no_status() -> None:
    learner = started()
    assert learner._status(r"State:\s*(\w)") in "RSD"
    learner.close()
    assert learner._status(r"State:\s*(\w)") == ""
