"""Whole streams on emulated boards beside the host; a table of results/mcu.md."""

from __future__ import annotations

import sys

import edgeolk as ek
from bench.mcu.page import rows_asked, show, told
from bench.mcu.rows import stream
from bench.table import Table
from firmware_sim.mcu import BOARDS, Board
from firmware_sim.mcu.learning import as_here, learn_on, packed

STREAMS = ("occupancy", "robot", "office")
ON = ("microbit", "lm3s6965evb", "mps2-an386", "mps2-an500", "mps2-an505")
TITLE = "Whole streams"


def measure(board: Board, name: str, rows: int) -> list[str]:
    """A row of the table: a learner that starts empty, 4 KiB."""
    X, y = stream(name, rows, d=1000)
    learner = ek.Learner(n_features=X.shape[1], ram="4KiB")
    _, ran = learn_on(board, learner, packed(X, y), seconds=7200)
    learner.learn_many(X, y)
    return [
        f"{board.name}, {board.core}", name, f"{ran.steps:,}", str(ran.mistakes),
        str(learner.mistakes), "equal" if as_here(ran, learner) else "DIFFERENT",
        f"{ran.learned.mean / 1e3:,.0f}", f"{ran.scored.mean / 1e3:,.0f}",
        f"{board.clock / ran.learned.mean:,.1f}",
    ]  # fmt: skip


def main() -> int:
    """Run them all; 2 where there is no emulator, 1 where a board differs from the host."""
    rows = rows_asked("bench.mcu.streams", __doc__, 5000)
    lines = told(measure(BOARDS[board], name, rows) for board in ON for name in STREAMS)
    table = Table(
        TITLE,
        ("board", "stream", "rows", "mistakes", "host's", "state", "learn k", "score k", "rows/s"),
        lines,
        "A learner of 4 KiB that starts empty on the board; its mistakes and every byte of its"
        " state at the end beside the host's. Thousands of instructions a row, the mean over the"
        " stream; rows a second at the board's clock are an ESTIMATE: one instruction a cycle.",
        left=2,
    )
    show(table)
    return int(any("DIFFERENT" in row for row in lines))


if __name__ == "__main__":
    sys.exit(main())
