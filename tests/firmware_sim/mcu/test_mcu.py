"""Exported learners on emulated microcontrollers: what the host says, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled, signs, stream

import edgeolk as ek
from edgeolk.export.costs import stacks_of
from firmware_sim.mcu import BOARDS, Program, Run, build, lacking, run
from firmware_sim.mcu.program import HERE, STACK

pytestmark = [pytest.mark.mcu, pytest.mark.skipif(bool(lacking()), reason=lacking())]

#: A learner that fits 16 KiB beside its stack.
OPTIONS: dict[str, Any] = {"ram": "4KiB"}


def program(
    board: str, learner: ek.Learner, folder: Path, scratch: str = "stack", **how: Any
) -> Program:
    ek.export_c(learner, folder, scratch=scratch)
    sources = [HERE / "stream.c", folder / "edgeolk.c", folder / "model.c"]
    return build(BOARDS[board], sources, folder / "board.elf", include=[folder], **how)


def packed(X: np.ndarray, y: np.ndarray) -> bytes:
    return b"".join(x.tobytes() + label.tobytes() for x, label in zip(X, y, strict=True))


def learned(board: str, name: str, rows: int, folder: Path) -> tuple[Run, ek.Learner, np.ndarray]:
    """A board that starts empty, over the first rows of a stream; and the learner beside it."""
    X, y = stream(name, rows)
    assert len(X) == rows
    y = signs(y)
    learner = ek.Learner(n_features=X.shape[1], **OPTIONS)
    made = run(program(board, learner, folder), packed(X, y), folder)
    learner.learn_many(X, y)
    return made, learner, X


@pytest.mark.parametrize("board", BOARDS)
def test_learns_from_nothing_as_the_host_does(board: str, tmp_path: Path) -> None:
    """Through the end of the provisional width and on; int8 weights are those of any variant."""
    made, learner, X = learned(board, "occupancy", 400, tmp_path)
    assert made.refused == 0
    assert (made.steps, made.mistakes, made.updates) == (400, learner.mistakes, learner.updates)
    assert learner.mistakes > 3
    assert made.state == learner.__reduce__()[1][0]
    assert made.label == learner.predict_one(X[-1])
    host = Compiled(tmp_path, learner)
    assert host.load(made.state) == 0
    assert made.score == host.scores(X[-1])[0]
    assert 1000 < made.stack < STACK
    assert 0 < made.scored.least <= made.scored.mean < made.learned.mean < made.learned.most


@pytest.mark.slow
@pytest.mark.parametrize("name", ["occupancy", "robot", "office"])
@pytest.mark.parametrize("board", ["microbit", "lm3s6965evb", "mps2-an386", "mps2-an500",
                                   "mps2-an505"])  # fmt: skip
def test_whole_streams(board: str, name: str, tmp_path: Path) -> None:
    made, learner, _ = learned(board, name, 5000, tmp_path)
    assert made.mistakes == learner.mistakes > 3
    assert made.state == learner.__reduce__()[1][0]


@pytest.mark.parametrize("board", ["microbit", "mps2-an386"])
def test_whole_numbers_are_those_of_the_host(board: str, tmp_path: Path) -> None:
    flag = "-DEK_FIXED"
    X, y = stream("occupancy", 300)
    y = signs(y)
    learner = ek.Learner(n_features=5, **OPTIONS)
    made = run(program(board, learner, tmp_path, flags=("-O2", flag)), packed(X, y), tmp_path)
    host = Compiled(tmp_path, learner, flags=(flag,))
    for row in zip(X, y, strict=True):
        host.learn(*row)
    assert made.state == host.file(len(made.state))
    assert made.score == host.scores(X[-1])[0]


def test_counts_repeat_exactly(tmp_path: Path) -> None:
    X, y = stream("occupancy", 60)
    made = program("mps2-an386", ek.Learner(n_features=5, **OPTIONS), tmp_path)
    first, again = (run(made, packed(X, signs(y)), tmp_path) for _ in range(2))
    assert first == again


def test_bad_rows_are_refused_there(tmp_path: Path) -> None:
    X, y = stream("occupancy", 40)
    X = X.copy()
    X[7, 2] = np.nan
    learner = ek.Learner(n_features=5, **OPTIONS)
    made = run(program("lm3s6965evb", learner, tmp_path), packed(X, signs(y)), tmp_path)
    assert (made.steps, made.refused) == (39, 1)


def test_a_stack_too_small_faults(tmp_path: Path) -> None:
    """It lies at the bottom of RAM: beyond it is nothing to write over."""
    X, y = stream("occupancy", 40)
    made = program("lm3s6965evb", ek.Learner(n_features=5, **OPTIONS), tmp_path, stack=3072)
    with pytest.raises(RuntimeError, match="stack may be too small"):
        run(made, packed(X, signs(y)), tmp_path, seconds=60)


#: What c/stream.c takes of the stack around a call.
AROUND = 512


@pytest.mark.parametrize(
    ("board", "rows"),
    [*((board, 30) for board in BOARDS), pytest.param("mps2-an386", 2000, marks=pytest.mark.slow)],
)
def test_the_stack_that_is_printed_is_enough(board: str, rows: int, tmp_path: Path) -> None:
    """Six Gaussian inputs, a label that surprises: roundings that float cannot decide."""
    X = np.random.default_rng(0).standard_normal((rows, 6)).astype(np.float32)
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    learner = ek.Learner(n_features=6, **OPTIONS)
    stack = stacks_of(learner)["library"] + AROUND
    made = run(program(board, learner, tmp_path, stack=stack), packed(X, y), tmp_path)
    learner.learn_many(X, y)
    assert made.state == learner.__reduce__()[1][0]
    assert stack // 2 < made.stack < stack <= 6 * 1024


@pytest.mark.parametrize(("board", "flag"), [("microbit", "-DEK_FIXED"), ("rp2350", ""),
                                             ("mps2-an386", "")])  # fmt: skip
def test_the_stack_of_calls_that_work_in_the_arena(board: str, flag: str, tmp_path: Path) -> None:
    X = np.random.default_rng(0).standard_normal((30, 6)).astype(np.float32)
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    learner = ek.Learner(n_features=6, **OPTIONS)
    how = {"": "library", "-DEK_FIXED": "whole"}[flag]
    flags = ("-O2", *([flag] if flag else []))
    stack = stacks_of(learner, "arena")[how] + AROUND
    usual, beside = (
        run(program(board, learner, tmp_path / scratch, scratch, flags=flags, stack=bytes_),
            packed(X, y), tmp_path / scratch)
        for scratch, bytes_ in (("stack", STACK), ("arena", stack))
    )  # fmt: skip
    assert beside.state == usual.state
    assert beside.stack < stack < 4 * 1024
    assert beside.stack < usual.stack - 600


def test_a_model_too_large_is_not_linked(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="RAM"):
        program("microbit", ek.Learner(n_features=5, ram="16KiB"), tmp_path)
