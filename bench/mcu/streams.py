"""Whole streams on emulated boards beside the host; a table of results/mcu.md."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import edgeolk as ek
from bench.mcu.page import put
from bench.mcu.rows import packed, stream
from bench.table import Table
from firmware_sim.mcu import BOARDS, Board, build, lacking, run
from firmware_sim.mcu.program import HERE

STREAMS = ("occupancy", "robot", "office")
TITLE = "Whole streams"


def measure(board: Board, name: str, rows: int) -> list[str]:
    """A row of the table: a learner that starts empty, 4 KiB."""
    X, y = stream(name, rows, d=1000)
    learner = ek.Learner(n_features=X.shape[1], ram="4KiB")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ek.export_c(learner, folder)
        sources = [HERE / "stream.c", folder / "edgeolk.c", folder / "model.c"]
        program = build(board, sources, folder / "board.elf", include=[folder])
        told = run(program, packed(X, y), folder, seconds=7200)
    learner.learn_many(X, y)
    same = told.state == bytes(learner.__reduce__()[1][0])
    return [
        f"{board.name}, {board.core}", name, f"{told.steps:,}", str(told.mistakes),
        str(learner.mistakes), "equal" if same else "DIFFERENT", f"{told.learned.mean / 1e3:,.0f}",
        f"{told.scored.mean / 1e3:,.0f}", f"{board.clock / told.learned.mean:,.1f}",
    ]  # fmt: skip


def main() -> int:
    """Run them all; 2 where there is no emulator, 1 where a board differs from the host."""
    parser = argparse.ArgumentParser(prog="python -m bench.mcu.streams", description=__doc__)
    parser.add_argument("--rows", type=int, default=5000, help="rows of each (%(default)s)")
    parser.add_argument("--boards", default="microbit,lm3s6965evb,mps2-an386,mps2-an500,mps2-an505")
    options = parser.parse_args()
    if reason := lacking():
        print(reason, file=sys.stderr)
        return 2
    rows = []
    for board in options.boards.split(","):
        for name in STREAMS:
            rows.append(measure(BOARDS[board], name, options.rows))
            print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    table = Table(
        TITLE,
        ("board", "stream", "rows", "mistakes", "host's", "state", "learn k", "score k", "rows/s"),
        rows,
        "A learner of 4 KiB that starts empty on the board; its mistakes and every byte of its"
        " state at the end beside the host's. Thousands of instructions a row, the mean over the"
        " stream; rows a second at the board's clock are an ESTIMATE: one instruction a cycle.",
        left=2,
    )
    print(table.markdown())
    put(table)
    return int(any("DIFFERENT" in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
