"""Programs on emulated boards, and what they tell when they end."""

from __future__ import annotations

import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from firmware_sim.mcu.program import PREFIX, Program

EMULATOR = "qemu-system-arm"
#: ``told`` of c/stream.c.
_TOLD = struct.Struct("<2Q 4Q 2d Q3I4x Q3I4x 2I")


def lacking() -> str:
    """Why no board can be emulated here, "" if one can."""
    for tool in (EMULATOR, f"{PREFIX}gcc"):
        if shutil.which(tool) is None:
            return (
                f"no {tool}: apt install qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi"
            )
    return ""


@dataclass(frozen=True)
class Cost:
    """Instructions a row: of all, the least and the most."""

    rows: int
    mean: float
    least: float
    most: float


@dataclass(frozen=True)
class Run:
    """What a board told.

    Attributes
    ----------
    steps, mistakes, updates, skipped : int
        Counters of the learner.
    refused : int
        Rows that it refused.
    score, label : float
        Of the last row, scored again.
    learned, scored : Cost
        Instructions a row, to the nearest tick of the timer.
    stack : int
        Bytes of stack used.
    state : bytes
        The model file at the end; empty where nothing is learned.
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


def execute(program: Program, folder: Path, seconds: float) -> int:
    """Run a program on its board, in a folder of its files; its exit code.

    Raises RuntimeError: it did not come to an end in time, or there is no emulator.
    """
    board = program.board
    command = [EMULATOR, "-M", board.machine or board.name, *board.options]
    command += ["-nographic", "-monitor", "none"]
    command += ["-serial", "null", "-semihosting-config", "enable=on,target=native"]
    command += ["-icount", "shift=0", "-kernel", str(program.path.resolve())]
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
        Made with c/stream.c.
    rows : bytes
        Each row's numbers, then its label, a double.
    folder : Path
        Where the files of the run lie.
    seconds : float
        The longest it may take.

    Raises
    ------
    RuntimeError
        The program faulted (a stack that overflowed faults), or did not end in time.
    """
    (folder / "rows.bin").write_bytes(rows)
    for name in ("state.bin", "told.bin"):
        (folder / name).unlink(missing_ok=True)
    code = execute(program, folder, seconds)
    if code:
        why = "a fault: the stack may be too small" if code == 99 else f"exit code {code}"
        raise RuntimeError(f"{program.board.name}: {why}")
    known = _TOLD.unpack((folder / "told.bin").read_bytes())
    instructions, ticks, steps, mistakes, updates, skipped, score, label = known[:8]
    each = instructions / ticks

    def cost(first: int) -> Cost:
        total, count, least, most = known[first : first + 4]
        return Cost(count, each * total / max(count, 1), each * least, each * most)

    state = folder / "state.bin"
    return Run(
        steps, mistakes, updates, skipped, known[-1], score, label,
        cost(8), cost(12), known[-2], state.read_bytes() if state.exists() else b"",
    )  # fmt: skip
