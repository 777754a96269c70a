"""Windows of samples on emulated boards, with the learner of their rows."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from firmware_sim.mcu.emulator import execute
from firmware_sim.mcu.program import HERE, Board, Program, build

#: The struct ``outcome`` of c/samples.c.
_RECORD = struct.Struct("<5Q 4I")


@dataclass(frozen=True)
class Sampled:
    """What a board made of samples.

    Attributes
    ----------
    rows : ndarray of shape (n, n_features)
        The rows of features.
    state : bytes
        The learner's file at the end.
    per_sample, per_row, per_step : float
        Instructions of a sample that completes no row, of one that does, and of learning a row.
    refused : int
        Samples and rows that were refused.
    stack : int
        Bytes of stack used.
    program : Program
        With its flash and RAM.
    """

    rows: NDArray[np.float32]
    state: bytes
    per_sample: float
    per_row: float
    per_step: float
    refused: int
    stack: int
    program: Program


def sample_on(
    board: Board,
    learner: ek.Learner,
    windows: ek.Windows,
    samples: NDArray[Any],
    labels: Sequence[float] | NDArray[Any],
    flags: Sequence[str] = (),
    *,
    stack: int = 0,
    seconds: float = 3600.0,
) -> Sampled:
    """Take samples on a board, and learn each row with the label of its last sample.

    labels: one for each sample.
    flags: compiler flags besides the board's.
    stack: bytes of the stack, 0 for the board's.
    Raises RuntimeError: the program does not fit the board, faulted, or did not end in time.
    Raises ValueError: the learner cannot be exported with these windows.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ek.export_c(learner, folder, windows=windows, scratch=board.scratch)
        sources = [HERE / "samples.c"]
        sources += [folder / name for name in ("edgeolk.c", "model.c", "samples.c")]
        program = build(
            board, sources, folder / "board.elf", include=[folder],
            flags=[board.level, *flags], stack=stack or board.stack,
        )  # fmt: skip
        data = (
            sample.tobytes() + np.float64(label).tobytes()
            for sample, label in zip(samples, labels, strict=True)
        )
        (folder / "samples.bin").write_bytes(b"".join(data))
        if code := execute(program, folder, seconds):
            why = "a fault: the stack may be too small" if code == 99 else f"exit code {code}"
            raise RuntimeError(f"{board.name}: {why}")
        known = _RECORD.unpack((folder / "counts.bin").read_bytes())
        instructions, ticks, sampling, completing, learning, n, rows, refused, used = known
        each = instructions / ticks
        made = np.frombuffer((folder / "rows.bin").read_bytes(), "<f4")
        return Sampled(
            made.reshape(-1, learner.n_features).astype(np.float32),
            (folder / "state.bin").read_bytes(),
            *(each * sampling / max(n, 1), each * completing / max(rows, 1)),
            each * learning / max(rows, 1),
            refused,
            used,
            program,
        )
