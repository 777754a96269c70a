"""Exported learners on emulated microcontrollers: what the host says, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled, signs, stream

import edgeolk as ek
from bench.mcu.costs import STANDARD
from edgeolk.export.costs import stacks_of
from firmware_sim.mcu import BOARDS, Program, Run, build, lacking, run
from firmware_sim.mcu.emulator import execute
from firmware_sim.mcu.program import HERE, STACK

pytestmark = [pytest.mark.mcu, pytest.mark.skipif(bool(lacking()), reason=lacking())]

#: A learner that fits 16 KiB beside its stack; one that fits 1 KiB with its working memory.
OPTIONS: dict[str, Any] = {"ram": "4KiB"}
SMALL: dict[str, Any] = {"ram": 640, "relevance": False, "drift": False, "constant": False,
                         "gamma": 0.125}  # fmt: skip
#: Boards with RAM for the first.
LARGE = [name for name, board in BOARDS.items() if board.ram[1] >= 16 * 1024]


def program(
    board: str, learner: ek.Learner, folder: Path, scratch: str = "", main: str = "", **how: Any
) -> Program:
    """With c/stream.c, or another source of main()."""
    chosen = BOARDS[board]
    if reason := lacking(chosen):
        pytest.skip(reason)
    ek.export_c(learner, folder, scratch=scratch or chosen.scratch)
    given = HERE / "stream.c"
    if main:
        given = folder / "given.c"
        given.write_text(main)
    sources = [given, folder / "edgeolk.c", folder / "model.c"]
    options = {"flags": (chosen.level,), "stack": chosen.stack, **how}
    return build(chosen, sources, folder / "board.elf", include=[folder], **options)


def packed(X: np.ndarray, y: np.ndarray) -> bytes:
    return b"".join(x.tobytes() + label.tobytes() for x, label in zip(X, y, strict=True))


def learned(board: str, name: str, rows: int, folder: Path) -> tuple[Run, ek.Learner, np.ndarray]:
    """A board that starts empty, over the first rows of a stream; and the learner beside it."""
    X, y = stream(name, rows)
    assert len(X) == rows
    y = signs(y)
    if board not in LARGE:
        X = np.ascontiguousarray(X[:, :4])
    options = OPTIONS if board in LARGE else SMALL
    learner = ek.Learner(n_features=X.shape[1], **options)
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
    assert BOARDS[board].stack // 6 < made.stack < BOARDS[board].stack
    assert 0 < made.scored.least <= made.scored.mean < made.learned.mean < made.learned.most


@pytest.mark.parametrize("options", [{"loss": "square"}, {"algorithm": "krls_auto"}], ids=str)
def test_a_gaussian_process_has_the_bits_of_the_host(
    options: dict[str, Any], tmp_path: Path
) -> None:
    """Beside features too: the vectors are all in use, and one has left for another."""
    X, _ = stream("occupancy", 80)
    y = np.round(np.sin(X[:, 0]) * 100.0 + X[:, 1], 3).astype(float)
    given = dict(options)
    learner = ek.Learner(given.pop("algorithm", None), n_features=5, ram="4KiB", **given)
    made = run(program("mps2-an386", learner, tmp_path), packed(X, y), tmp_path)
    learner.learn_many(X, y)
    assert learner.n_support > 5
    assert made.state == learner.__reduce__()[1][0]
    assert made.score == learner.decision_one(X[-1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["occupancy", "robot", "office"])
@pytest.mark.parametrize("board", ["microbit", "lm3s6965evb", "mps2-an386", "mps2-an500",
                                   "mps2-an505", "uno"])  # fmt: skip
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
    made = program("lm3s6965evb", ek.Learner(n_features=5, **OPTIONS), tmp_path, stack=1024)
    with pytest.raises(RuntimeError, match="stack may be too small"):
        run(made, packed(X, signs(y)), tmp_path, seconds=60)


#: The frames of main() in c/stream.c, 128 bytes on a Cortex-M0, and of what starts it.
AROUND = 160


@pytest.mark.parametrize(
    ("board", "rows"),
    [*((board, 30) for board in LARGE), pytest.param("mps2-an386", 2000, marks=pytest.mark.slow)],
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


#: Learners whose deepest calls differ.
DEEP: dict[str, dict[str, Any]] = {
    "classes": {"ram": "2KiB", "n_classes": 3},
    "regression": {"ram": 900, "loss": "square"},
    "forecast": {"ram": 1400, "loss": "square", "history": True},
    "novelty": {"ram": "1KiB", "loss": "novelty"},
    "in double": {"ram": "2KiB", "dtype": "float64"},
    "process": {"algorithm": "krls_t", "budget": 9},
    "tracker": {"algorithm": "krls_auto", "budget": 9},
}


@pytest.mark.parametrize("board", ["microbit", "mps2-an386"])
@pytest.mark.parametrize("options", DEEP.values(), ids=DEEP)
def test_no_learner_takes_more_stack_than_is_printed(
    board: str, options: dict[str, Any], tmp_path: Path
) -> None:
    X = np.random.default_rng(0).standard_normal((40, 4)).astype(np.float32)
    surprising = X[:, 0] * X[:, 1]
    y = surprising if "algorithm" in options or "loss" in options else np.sign(surprising)
    learner = ek.Learner(n_features=4, **options)
    if learner.n_classes > 2:
        y = y + 1.0
    X = X.astype(learner.dtype if learner.dtype == "float64" else "float32")
    built = program(board, learner, tmp_path, flags=("-Os", STANDARD))
    made = run(built, packed(X, y.astype(float)), tmp_path)
    bound = stacks_of(learner)["library"]
    assert 0.6 * bound < made.stack <= bound + AROUND


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
    assert beside.stack < usual.stack - 200


def test_a_model_too_large_is_not_linked(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="RAM"):
        program("microbit", ek.Learner(n_features=5, ram="16KiB"), tmp_path)


def test_what_an_uno_has_room_for(tmp_path: Path) -> None:
    """A learner of four inputs with its scaler: 1 KiB of arena, 512 B of stack, 16 KiB of flash.

    The program around it included.
    """
    X, y = stream("robot", 60)
    X, y = np.ascontiguousarray(X[:, :4]), signs(y)
    learner = ek.Learner(n_features=4, **SMALL)
    made = program("uno", learner, tmp_path)
    found = run(made, packed(X, y), tmp_path)
    learner.learn_many(X, y)
    assert found.state == learner.__reduce__()[1][0]
    assert learner.nbytes + 384 <= 1024  # its working memory
    assert "#define EK_SCRATCH_BYTES 384u" in (tmp_path / "model.h").read_text()
    assert made.flash <= 16 * 1024
    assert found.stack <= 512


#: Learns rows of a file and loads the state again after each; exits with the number of refusals.
LOADS = """
#include "board.h"
#include "edgeolk.h"

static uint8_t arena[EK_ARENA_BYTES];

int main(void)
{
    ek_number x[EK_FEATURES];
    uint8_t label[8];
    int refused = 0;
    const int rows = board_open("rows.bin", BOARD_READ);
    ek_start(arena);
    while (board_read(rows, x, sizeof x) == sizeof x && board_read(rows, label, 8) == 8) {
        (void)ek_learn(arena, x, board_number(label), NULL);
        refused += ek_load(arena, ek_file(arena), EK_STATE_BYTES) != EK_OK;
    }
    return refused;
}
"""


def test_an_uno_loads_its_own_states(tmp_path: Path) -> None:
    """Doubles of the state, such as a width that follows the rows, are not doubles there."""
    X, y = stream("occupancy", 30)
    learner = ek.Learner(n_features=4, **{**SMALL, "gamma": "auto", "ram": 512})
    made = program("uno", learner, tmp_path, main=LOADS)
    rows = packed(np.ascontiguousarray(X[:, :4]), signs(y))
    (tmp_path / "rows.bin").write_bytes(rows)
    assert execute(made, tmp_path, 60) == 0


def test_an_uno_refuses_a_model_that_computes_in_double(tmp_path: Path) -> None:
    learner = ek.Learner(n_features=4, **SMALL, dtype="float64")
    with pytest.raises(RuntimeError, match="computes in double"):
        program("uno", learner, tmp_path)


def test_a_stack_that_reaches_the_variables_faults_on_an_uno(tmp_path: Path) -> None:
    X, y = stream("occupancy", 8)
    learner = ek.Learner(n_features=4, **{**SMALL, "ram": 1100})
    made = program("uno", learner, tmp_path, stack=64)
    with pytest.raises(RuntimeError, match="stack may be too small"):
        run(made, packed(np.ascontiguousarray(X[:, :4]), signs(y)), tmp_path, seconds=60)
