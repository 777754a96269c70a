"""Learning on emulated boards, and instructions per row on each kind of core."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import fill as fill_text
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from edgeolk.hosting import FLAGS, Row, costs_of, to_bytes, traits_of
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds import kind_of_learner
from firmware_sim.mcu.emulator import Run, lacking, run
from firmware_sim.mcu.program import BOARDS, HERE, Board, Program, build

#: A board for each kind of core, with enough memory for most models.
BOARD_OF = {"Cortex-M0": "rp2040", "Cortex-M3": "lm3s6965evb", "Cortex-M4F": "mps2-an386"}
#: Rows that a new learner learns there: enough to include the first choice of the width, and the
#: rare rows whose rounding float cannot decide.
ROWS = 400
#: Batches of as many rows as a memory of rows holds, after which it is full or stays as it is.
_FILLING = 32
_Rows = tuple[NDArray[Any], NDArray[Any]]
#: The calls of a forecaster, in the order of the enum of c/stream.c.
CALLS = ("learn", "ask", "tell", "restart")
CALL_FLAGS = ("-DSTREAM_CALLS=1",)


class Call(NamedTuple):
    """A call of a learner: its name, one of CALLS, a row, and a label, target or time.

    A target belongs to an earlier row; ``row`` is then the last one with a forecast.
    """

    name: str
    row: NDArray[Any]
    number: float = math.nan


def drawn(learner: ek.Learner, rows: int) -> _Rows:
    """Return Gaussian inputs, labelled by the product of the first and last: hard to learn."""
    number = np.float64 if learner.dtype == "float64" else np.float32
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, max(learner.n_features, 1)))
    product = X[:, 0] * X[:, -1] if X.shape[1] > 1 else np.abs(X[:, 0]) - 0.7
    y = kind_of_learner(learner).from_numbers(product, traits_of(learner.config).n_scores)
    return X[:, : learner.n_features].astype(number), y


def counts(learner: ek.Learner, cores: Sequence[str], kinds: Sequence[str]) -> Iterator[Row]:
    """Yield the costs of rows by core and arithmetic; boards that are too small are left out."""
    flags = {how: FLAGS[how].split() for how in kinds}
    traits = traits_of(learner.config)
    learns = traits.learns_on_board
    given = ek.Learner(learner.config) if learns else learner
    X, y = drawn(learner, ROWS)
    if learns and traits.memory:
        X, y = fill(given, traits.memory)
    rows, about = packed(X, y), about_memory(given)
    for core in cores:
        for how, given_flags in flags.items():
            try:
                _, run_result = learn_on(BOARDS[BOARD_OF[core]], given, rows, given_flags)
            except RuntimeError as error:
                if "fit" in str(error) or "overflow" in str(error):
                    continue  # the board is too small
                raise
            found = run_result.learned
            mean, most = (found.mean / 1e3, found.most / 1e3) if learns else (0.0, 0.0)
            yield Row(core, how, run_result.scored.mean / 1e3, mean, most, about)


def fill(learner: ek.Learner, memory: int) -> _Rows:
    """Learn rows until a row memory is full; return the ROWS rows that follow.

    Only rows that are hard to learn enter the memory, so this takes several times its size.
    """
    X, y = drawn(learner, _FILLING * memory + ROWS)
    at = 0
    while at < _FILLING * memory and learner.n_remembered < memory:
        learner.learn_many(X[at : at + memory], y[at : at + memory])
        at += memory
    return X[at : at + ROWS], y[at : at + ROWS]


def about_memory(learner: ek.Learner) -> str:
    """Return how rows were counted for a learner with a row memory; "" for one without."""
    if not traits_of(learner.config).memory:
        return ""
    about = (
        "COUNTED on emulated boards (gcc -O2) for a learner of this configuration, not for the "
        f"exported state: its memory held {learner.n_remembered:,} of "
        f"{traits_of(learner.config).memory:,} rows when the {ROWS} counted rows began. Inputs are "
        "Gaussian, and labels are the sign of a product of two inputs, which takes long to learn: "
        "many rows change weights. Learn is the mean over these rows, and the longest step is "
        "among them."
    )
    return fill_text(about, 100)


def counted(learner: ek.Learner) -> list[Row]:
    """Return the costs of rows of this model, for ``export_c(..., counted=)``.

    Raises SimulatorError: no board can be emulated here.
    """
    if reason := lacking():
        raise SimulatorError(f"instructions cannot be counted here: {reason}")
    return list(counts(learner, tuple(BOARD_OF), tuple(costs_of(learner))))


def packed(X: Iterable[Any], y: Iterable[Any]) -> bytes:
    """Return rows and labels in the format of c/stream.c."""
    return b"".join(x.tobytes() + np.float64(v).tobytes() for x, v in zip(X, y, strict=True))


def packed_calls(calls: Iterable[Call]) -> bytes:
    """Return calls in the format of c/stream.c with CALL_FLAGS."""
    return b"".join(
        call.row.tobytes() + np.float64(call.number).tobytes() + bytes([CALLS.index(call.name)])
        for call in calls
    )


def learn_on(
    board: Board,
    learner: ek.Learner,
    rows: bytes,
    flags: Sequence[str] = (),
    *,
    stack: int = 0,
    seconds: float = 3600.0,
) -> tuple[Program, Run]:
    """Export a learner, and learn rows with it on a board.

    board: the board.
    learner: the initial state; it is not changed.
    rows: the result of `packed`, or with CALL_FLAGS of `packed_calls`.
    flags: compiler flags besides the board's.
    stack: bytes of the stack, 0 for the board's.
    seconds: timeout.
    Raises RuntimeError: the program does not fit the board, faulted, or did not end in time.
    Raises ValueError: the learner cannot be exported.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ek.export_c(learner, folder, scratch=board.scratch)
        sources = [HERE / "stream.c", folder / "edgeolk.c", folder / "model.c"]
        program = build(
            board, sources, folder / "board.elf", include=[folder], flags=[board.level, *flags],
            stack=stack or board.stack,
        )  # fmt: skip
        return program, run(program, rows, folder, seconds)


def same_state(run_result: Run, learner: ek.Learner) -> bool:
    """Whether a board's final state equals that of a learner, byte for byte."""
    return run_result.state == to_bytes(learner)
