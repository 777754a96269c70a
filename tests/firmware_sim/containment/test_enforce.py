"""Caps that hold: a leak ends whoever leaks, in every mode this machine has."""

from __future__ import annotations

import json
import platform
import signal
import struct
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import USUAL, few_first

import edgeolk as ek
from firmware_sim.cli import main
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.containment import seccomp
from firmware_sim.containment.cgroup import MemoryGroup
from firmware_sim.containment.memory import PAGE, GuardedBlock
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.forecast import Forecasting
from firmware_sim.replaying.loop import Replay, replay
from firmware_sim.replaying.result import ReplayResult

LIMITS = ("cgroup", "seccomp", "rlimit")
BARE = [row.name for row in ek.algorithms() if row.name != "fogd"]


def run(**changes: object) -> ReplayResult:
    settings = {"ram": "16KiB", "algorithm": "rbp", "limit": 640, "gamma": 0.2, **changes}
    return replay(ReplayConfig(**{"stream": "occupancy", **settings}))  # type: ignore[arg-type]


def limited(by: str, **changes: object) -> ReplayResult:
    """A replay under this limit, skipped with the system's reason where it has no such limit."""
    try:
        return run(enforce="process", limit_by=by, **changes)
    except SimulatorError as error:
        pytest.skip(str(error))


FORECAST = {"stream": "house", "kind": "regression", "algorithm": "", "gamma": None}
#: What is the same in a process; by day every fifth.
SAME: dict[str, dict[str, Any]] = {
    "usual": {},
    # The queue is in the plan; the learner in its process is asked and taught row by row.
    "late": {"label_delay": 30, "label_queue": 40},
    "late, missing, cut": {"label_delay": 7, "label_missing": 0.2, "power_cut": "every=300"},
    "asked": {"ask": True, "algorithm": "ogd", "params": {"loss": "ramp"}},
    "watched": {"stream": "office", "kind": "novelty", "algorithm": "", "gamma": None},
    "classes of features": {"kind": "multiclass", "algorithm": ""},
    "novelty": {"kind": "novelty", "algorithm": "sorf", "params": {"history": False}},
    "classes": {"ask": True, "label_delay": 5, "kind": "multiclass", "algorithm": "bpa_s"},
    "numbers": {"stream": "house", "label_delay": 12, "kind": "regression", "algorithm": "ogd"},
    "experts of late labels": {
        "kind": "multiclass",
        "algorithm": "",
        "label_delay": 5,
        "params": {"delay": 5, "last_label": True},
    },
    "untuned": {**FORECAST, "algorithm": "krls_auto"},
    "untuned, lags": {**FORECAST, "algorithm": "krls_auto", "params": {"lags": 2}},
    "last value": {"missing": "last", "faults": ("dropout:p=0.2",)},
    "mean": {"missing": "mean", "faults": ("dropout:p=0.2",)},
    "cut": {"power_cut": "every=333", "checkpoint_every": 200},
    "cut, none kept": {"power_cut": "at=50", "checkpoint_every": 200, "scale": "none"},
    "cut, scaled inside": {
        "power_cut": "random=0.006",
        "checkpoint_every": 200,
        "algorithm": "",
        "gamma": None,
    },
    "cut, numbers": {
        "stream": "house",
        "kind": "regression",
        "algorithm": "ogd",
        "power_cut": "every=400",
        "checkpoint_every": 200,
    },
    "forecast": {**FORECAST},
    "forecast, late": {**FORECAST, "label_delay": 4},
    "forecast, late by a time": {**FORECAST, "label_delay": "1800s", "label_queue": 3},
    "forecast, missing, cut": {
        **FORECAST,
        "label_delay": 7,
        "label_missing": 0.2,
        "power_cut": "every=150",
        "checkpoint_every": 40,
    },
    "forecast, gap": {**FORECAST, "gap": 600.0},
    "forecast, another horizon": {**FORECAST, "params": {"horizon": 3}},
    "float16": {"dtype": "float16"},
    "float64": {"dtype": "float64"},
    "int8": {"dtype": "int8"},
    "int8, minmax": {"dtype": "int8", "scale": "minmax"},
    "frequencies": {"algorithm": "fogd", "budget": 20},  # drawn without numpy
}


@pytest.mark.parametrize(
    ("limit", "what"),
    few_first(
        product(LIMITS, SAME),
        [*product(LIMITS, ["usual"]), *product(["seccomp"], SAME)],  # the strictest
    ),
)
@pytest.mark.spread(5)
def test_the_same_in_a_process(limit: str, what: str) -> None:
    changes = SAME[what]
    here, there = run(**changes), limited(limit, **changes)
    ended = "stopped" if "another horizon" in what else "complete"
    assert there.status == here.status == ended, there.detail
    assert there.detail == here.detail
    assert there.learner == here.learner
    assert there.metrics.summary() == here.metrics.summary()
    if isinstance(here.metrics, Forecasting):  # forecasts, intervals, shares of candidates
        assert there.metrics.timeline.rows == here.metrics.timeline.rows
        for ours, theirs in zip(
            there.metrics.timeline.recent, here.metrics.timeline.recent, strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)
        assert there.metrics.timeline.mean_shares() == here.metrics.timeline.mean_shares()
    assert (there.rows, there.layout, there.power) == (here.rows, here.layout, here.power)
    if here.config.is_eventful:
        assert there.labels == here.labels
    assert here.peak_resident is None
    assert there.peak_resident is not None
    assert 1e6 < there.peak_resident < 25e6


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("size", [64, 100_000])
@pytest.mark.spread(3)
def test_leak_in_a_process_is_caught(limit: str, size: int) -> None:
    result = limited(limit, leak=size, limit=None)
    assert result.status == "killed"
    assert "the learner's process asked for more memory and was ended" in result.detail
    death = {"cgroup": "SIGKILL", "seccomp": "SIGSYS", "rlimit": "MemoryError"}[limit]
    assert death in result.detail
    assert result.rows.used < 20_000
    assert result.peak_resident is not None


@pytest.mark.parametrize("limit", LIMITS)
def test_no_group_and_no_process_is_left(limit: str) -> None:
    try:
        waiting = Replay(
            ReplayConfig("occupancy", enforce="process", limit_by=limit, gamma=1.0, limit=10)
        )
    except SimulatorError as error:
        pytest.skip(str(error))
    process = waiting.device._process  # type: ignore[attr-defined]
    group = process._group
    waiting.run()
    assert process._child.returncode is not None
    assert group is None or not group.folder.exists()
    process.close()  # again


@pytest.mark.parametrize("algorithm", few_first(BARE, USUAL))
@pytest.mark.spread(3)
def test_every_algorithm_runs_under_the_strictest_limit(algorithm: str) -> None:
    """No step asks for memory, so none is killed."""
    result = limited("seccomp", algorithm=algorithm, budget=20)
    assert (result.status, result.detail) == ("complete", "")


def test_refusals_are_one_line() -> None:
    with pytest.raises(SimulatorError, match="limit-by is for --enforce process"):
        run(limit_by="rlimit")
    with pytest.raises(SimulatorError, match="enforce is 'hope'"):
        run(enforce="hope")
    with pytest.raises(SimulatorError, match="int8 needs scaled readings"):
        run(dtype="int8", scale="none")


@pytest.mark.parametrize("scale", ["standard", "minmax"])
def test_int8_in_the_arena(scale: str) -> None:
    wrong = run(dtype="int8", scale=scale).metrics.learner.wrong
    assert wrong <= 2 * run(scale=scale).metrics.learner.wrong + 5


def test_a_stop_inside_a_block_counts_rows_as_the_arena_does(tmp_path: Path) -> None:
    lines = [f"{i % 7},{(i * i) % 11},{int(i % 3 == 0)}" for i in range(150)]
    lines[100] = "1,,0"
    path = tmp_path / "gap.csv"
    path.write_text("a,b,alarm\n" + "\n".join(lines) + "\n")
    cases: list[dict[str, object]] = [
        {"missing": "stop"},
        {"algorithm": "perceptron", "budget": 9, "params": {"full": "raise"}},
    ]
    for case in cases:
        settings = {"target": "alarm", "ram": "16KiB", "algorithm": "rbp", "gamma": 1.0, **case}
        here, there = (
            replay(ReplayConfig(str(path), enforce=mode, **settings))  # type: ignore[arg-type]
            for mode in ("arena", "process")
        )
        assert here.status == there.status == "stopped"
        assert here.rows == there.rows
        assert here.detail.split(":")[0] == there.detail.split(":")[0]
        assert here.metrics.summary() == there.metrics.summary()


def command(out: Path, *more: str) -> list[str]:
    return [
        *("replay", "occupancy", "--ram", "16KiB", "--algorithm", "rbp", "--out", str(out)),
        *("--quiet", "--limit", "2000", "--gamma", "0.2", *more),
    ]


def test_arena_leak_from_the_command_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    refusal = GuardedBlock(64).refusal
    if refusal:
        pytest.skip(refusal)
    assert main(command(tmp_path, "--inject", "leak=64B")) == 3
    last = capfd.readouterr().err.strip().splitlines()[-1]
    died = "firmware_sim: caught: the device wrote beyond its cap and died: "
    assert last.startswith((died + "SIG", died + "access violation"))


def test_process_leak_from_the_command_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(command(tmp_path, "--enforce", "process", "--inject", "leak=4KiB")) == 3
    last = capfd.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("firmware_sim: killed: rows ")
    assert "limit: " in last
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert data["status"] == "killed"
    assert data["memory"]["enforce"] == "process"
    assert data["host"]["learner_process_peak_bytes"] < 25e6


def test_options_that_make_no_sense(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("--inject", "leak"), ("--inject", "leak=-1"), ("--inject", "fault=64B")):
        with pytest.raises(SystemExit):
            main(command(tmp_path, *words))
        assert "leak=64B" in capsys.readouterr().err
    assert main(command(tmp_path, "--inject", "leak=64B", "--budget", "0")) == 2
    assert "budget" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["end - 1", "end", "start", "start - 1"])
@pytest.mark.parametrize("nbytes", [100, PAGE, PAGE + 1])
@pytest.mark.spread(3)
def test_first_byte_outside_kills_and_last_inside_does_not(place: str, nbytes: int) -> None:
    if GuardedBlock(64).refusal:
        pytest.skip(GuardedBlock(64).refusal)
    program = f"""
import ctypes
from firmware_sim.containment.memory import GuardedBlock
block = GuardedBlock({nbytes})
block.view(0, {nbytes})[:] = bytes({nbytes})
start, end = block.address - block.slack, block.address + {nbytes}
ctypes.memset({place}, 1, 1)
"""
    code = subprocess.run([sys.executable, "-c", program], check=False).returncode
    # On Windows ctypes makes an exception of the access.
    death = 1 if sys.platform == "win32" else -signal.SIGSEGV
    assert code == (death if place in ("end", "start - 1") else 0)


@pytest.mark.parametrize("machine", seccomp.SYSCALLS)
def test_filter_decides_as_written(machine: str) -> None:
    """The program is run by a small interpreter, so that both machines are tested on either."""
    arch, new_map, remap, brk = seccomp.SYSCALLS[machine]
    limit = 0x5555_0001_2000
    code = [
        struct.unpack("=HBBI", line)
        for line in (
            seccomp.growth_filter(machine, limit)[i : i + 8]
            for i in range(0, 8 * len(seccomp.growth_filter(machine, limit)) // 8, 8)
        )
    ]

    def allowed(number: int, argument: int = 0, machine_number: int = arch) -> bool:
        data = struct.pack("=iIQQ", number, machine_number, 0, argument)
        held, at = 0, 0
        while True:
            kind, yes, no, k = code[at]
            if kind == 0x20:
                held = struct.unpack_from("=I", data, k)[0]
            elif kind == 0x06:
                return k == 0x7FFF0000
            else:
                at += yes if (held == k if kind == 0x15 else held > k) else no
            at += 1

    assert not allowed(new_map)
    assert not allowed(remap)
    assert allowed(0)
    assert not allowed(0, machine_number=1)
    for argument in (0, limit - 1, limit, limit - (1 << 32)):
        assert allowed(brk, argument)
    for argument in (limit + 1, limit + (1 << 32), (1 << 64) - 1):
        assert not allowed(brk, argument)


def test_filter_knows_this_machine_or_says_so() -> None:
    if platform.machine() in seccomp.SYSCALLS:
        assert seccomp.growth_filter(platform.machine(), 0)
    with pytest.raises(OSError, match="no system call numbers for abacus"):
        seccomp.growth_filter("abacus", 0)


def test_groups_of_both_versions_are_found(tmp_path: Path) -> None:
    """Ordinary folders stand for the file systems: version 1 without a controller, then 2."""
    one, two = tmp_path / "one", tmp_path / "two"
    (one / "mine").mkdir(parents=True)
    (two / "slice" / "scope").mkdir(parents=True)
    mounts, own = tmp_path / "mounts", tmp_path / "own"
    mounts.write_text(
        f"30 1 0:1 / {one} rw - cgroup cgroup rw,memory\n"
        f"31 1 0:2 / {two} rw - cgroup2 cgroup2 rw\n32 1 0:3 / /tmp rw - tmpfs tmpfs rw\n"
    )
    own.write_text("4:memory:/mine\n0::/slice/scope\n")
    with pytest.raises(OSError, match=r"no memory controller in version 1; .* in version 2"):
        MemoryGroup(str(mounts), str(own))
    assert list((one / "mine").iterdir()) == list((two / "slice" / "scope").iterdir()) == []
    mounts.write_text("")
    with pytest.raises(OSError, match="no memory control groups are mounted"):
        MemoryGroup(str(mounts), str(own))


@pytest.mark.parametrize("what", ["asked", "forecast, gap"])
def test_questions_and_gaps_reach_the_process(what: str) -> None:
    test_the_same_in_a_process("seccomp", what)
