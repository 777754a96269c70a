"""Programs on emulated boards, and their results."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from firmware_sim.mcu.program import ARM, Board, Program

#: The struct ``outcome`` of c/stream.c, and what follows in it with STREAM_CALLS.
_RECORD = struct.Struct("<2Q 4Q 2d Q3I4x Q3I4x 2I")
_ASKED = struct.Struct("<Q3I4x")


def lacking(board: Board | None = None) -> str:
    """Return why a board (by default those of Arm) cannot be emulated here; empty if it can."""
    return (board.chain if board else ARM).lacking()


@dataclass(frozen=True)
class Cost:
    """Instructions per row: number of rows, mean, minimum and maximum."""

    rows: int
    mean: float
    least: float
    most: float


@dataclass(frozen=True)
class Run:
    """The result of a program on a board.

    Attributes
    ----------
    steps, mistakes, updates, skipped : int
        Counters of the learner.
    refused : int
        Rows that the learner refused.
    score, label : float
        Score and label of the last row, scored again.
    learned, scored : Cost
        Instructions per row, with the resolution of the timer.
    stack : int
        Bytes of stack used.
    state : bytes
        The model file at the end; empty for a program that does not learn.
    asked : Cost
        Instructions per forecast row that then waits for its target.
    """

    steps: int
    mistakes: int
    updates: int
    skipped: int
    refused: int
    score: float
    label: float
    learned: Cost
    scored: Cost
    stack: int
    state: bytes
    asked: Cost = Cost(0, 0.0, 0.0, 0.0)


def execute(program: Program, folder: Path, seconds: float) -> int:
    """Run a program on its board, in a folder with its files; return its exit code.

    Raises RuntimeError: it did not end in time.
    """
    board = program.board
    chain = board.chain
    command = [chain.emulator_in(folder)]
    if chain.is_compiled:
        command += [*board.options, str(program.path.resolve())]
    else:
        command += ["-M", board.machine or board.name, *chain.options, *board.options]
        command += ["-kernel", str(program.path.resolve())]
    try:
        ran = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{board.name}: no end after {seconds:g} s") from None
    return ran.returncode


def run(program: Program, rows: bytes, folder: Path, seconds: float = 600.0) -> Run:
    """Run c/stream.c on its board over rows.

    Parameters
    ----------
    program : Program
        Built with c/stream.c.
    rows : bytes
        The numbers of each row, followed by its label as a double.
    folder : Path
        Folder for the files of the run.
    seconds : float
        Timeout.

    Raises
    ------
    RuntimeError
        The program faulted (as after a stack overflow), or did not end in time.
    """
    (folder / "rows.bin").write_bytes(rows)
    for name in ("state.bin", "counts.bin"):
        (folder / name).unlink(missing_ok=True)
    code = execute(program, folder, seconds)
    if code:
        why = "a fault: the stack may be too small" if code == 99 else f"exit code {code}"
        raise RuntimeError(f"{program.board.name}: {why}")
    written = (folder / "counts.bin").read_bytes()
    known = _RECORD.unpack(written[: _RECORD.size])
    asked = written[_RECORD.size :]
    instructions, ticks, steps, mistakes, updates, skipped, score, label = known[:8]
    each = instructions / ticks

    def cost(total: int, count: int, least: int, most: int) -> Cost:
        return Cost(count, each * total / max(count, 1), each * least, each * most)

    state = folder / "state.bin"
    return Run(
        steps, mistakes, updates, skipped, known[-1], score, label,
        cost(*known[8:12]), cost(*known[12:16]), known[-2],
        state.read_bytes() if state.exists() else b"",
        cost(*(_ASKED.unpack(asked) if asked else (0, 0, 0, 0))),
    )  # fmt: skip
