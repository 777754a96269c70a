"""An exported learner that continues to learn on an emulated board."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.mcu.boards import Board
from firmware_sim.mcu.emulator import Run, run
from firmware_sim.mcu.program import HERE, STACK, Program, build


def packed(X: Iterable[Any], y: Iterable[Any]) -> bytes:
    """Return rows and labels in the format of c/stream.c."""
    return b"".join(x.tobytes() + np.float64(v).tobytes() for x, v in zip(X, y, strict=True))


def learn_on(
    board: Board,
    learner: ek.Learner,
    rows: bytes,
    flags: Sequence[str] = (),
    *,
    stack: int = STACK,
    seconds: float = 3600.0,
) -> tuple[Program, Run]:
    """Export a learner, and learn rows with it on a board.

    board: the board.
    learner: the initial state; it is not changed.
    rows: the result of `packed`.
    flags: compiler flags besides -O2.
    stack: bytes of the stack.
    seconds: timeout.
    Raises RuntimeError: the program does not fit the board, faulted, or did not end in time.
    Raises ValueError: the learner cannot be exported.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ek.export_c(learner, folder)
        sources = [HERE / "stream.c", folder / "edgeolk.c", folder / "model.c"]
        program = build(
            board, sources, folder / "board.elf", include=[folder], flags=["-O2", *flags],
            stack=stack,
        )  # fmt: skip
        return program, run(program, rows, folder, seconds)


def same_state(run_result: Run, learner: ek.Learner) -> bool:
    """Whether a board's final state equals that of a learner, byte for byte."""
    return run_result.state == bytes(learner.__reduce__()[1][0])
