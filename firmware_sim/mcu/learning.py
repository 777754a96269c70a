"""An exported learner that goes on learning on an emulated board."""

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
    """Return rows and labels as c/stream.c reads them."""
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
    """Export a learner, and have the board learn rows with it.

    board: where.
    learner: as it is now; it does not learn here.
    rows: as `packed` gives them.
    flags: of the compiler, beside -O2.
    stack: bytes of it.
    seconds: the longest it may take.
    Raises RuntimeError: it does not fit the board, faulted, or did not come to its end in time.
    Raises ValueError: there is no C for such a learner.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ek.export_c(learner, folder)
        sources = [HERE / "stream.c", folder / "edgeolk.c", folder / "model.c"]
        program = build(
            board, sources, folder / "board.elf", include=[folder], flags=["-O2", *flags],
            stack=stack,
        )  # fmt: skip
        return program, run(program, rows, folder, seconds)


def as_here(told: Run, learner: ek.Learner) -> bool:
    """Whether a board ended with the state of a learner, byte for byte."""
    return told.state == bytes(learner.__reduce__()[1][0])
