"""A label that surprises for long, on every board, each arithmetic; a table of results/mcu.md."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

import edgeolk as ek
from bench.mcu.page import put
from bench.mcu.rows import Array, packed
from bench.table import Table
from edgeolk.export.costs import FLAGS, stacks_of
from edgeolk.export.instructions import instructions_of
from firmware_sim.mcu import BOARDS, Board, build, lacking, run
from firmware_sim.mcu.program import HERE

#: Before the stack of a call had a bound: bytes painted on an mps2-an386 at -O2, in double.
BEFORE = "11,228"
HEADER = (
    *("board", "arithmetic", "flash KiB", "RAM KiB", "stack", "bound", "score k", "estimate"),
    *("learn k", "estimate", "longest k", "estimate", "mistakes", "state"),
)
#: The core whose estimates are another's: the same instructions.
ALIKE = {"Cortex-M0+": "Cortex-M0", "Cortex-M7": "Cortex-M4F", "Cortex-M33": "Cortex-M4F"}


def products(rows: int) -> tuple[Array, Array]:
    """Six Gaussian inputs; the label is the sign of the product of the first two."""
    X = np.random.default_rng(0).standard_normal((rows, 6)).astype(np.float32)
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)


def measure(board: Board, how: str, rows: int) -> list[str]:
    """A row of the table: a learner of 4 KiB that starts empty."""
    X, y = products(rows)
    learner = ek.Learner(n_features=6, ram="4KiB")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ek.export_c(learner, folder)
        sources = [HERE / "stream.c", folder / "edgeolk.c", folder / "model.c"]
        program = build(
            board, sources, folder / "board.elf", include=[folder],
            flags=["-O2", *FLAGS[how].split()],
        )  # fmt: skip
        told = run(program, packed(X, y), folder, seconds=7200)
    core = ALIKE.get(board.core, board.core)
    estimates = [row[2:] for row in instructions_of(learner) if row[:2] == (core, how)]
    costs = [n / 1e3 for n in (told.scored.mean, told.learned.mean, told.learned.most)]
    learner.learn_many(X, y)
    same = "as here" if told.state == bytes(learner.__reduce__()[1][0]) else "another"
    return [
        f"{board.name}, {board.core}", how, f"{program.flash / 1024:.1f}",
        f"{program.ram / 1024:.1f}", f"{told.stack:,}", f"{stacks_of(learner)[how]:,}",
        *(text for i, n in enumerate(costs)
          for text in (f"{n:,.0f}", f"{estimates[0][i]:,.0f}" if estimates else "-")),
        f"{told.mistakes} ({learner.mistakes} here)", same,
    ]  # fmt: skip


def main() -> int:
    """Run them all; 2 where there is no emulator, 1 where a board in double differs from here."""
    parser = argparse.ArgumentParser(prog="python -m bench.mcu.surprises", description=__doc__)
    parser.add_argument("--rows", type=int, default=2000, help="(%(default)s)")
    options = parser.parse_args()
    if reason := lacking():
        print(reason, file=sys.stderr)
        return 2
    rows = []
    for board in BOARDS.values():
        for how in FLAGS:
            rows.append(measure(board, how, options.rows))
            print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    table = Table(
        "A label that surprises",
        HEADER,
        rows,
        f"Six Gaussian inputs, the label is the sign of the product of two; {options.rows:,} rows,"
        " a learner of 4 KiB that starts empty, gcc -O2. The stack is painted and measured, what"
        " the test program takes around a call in it (some 100 bytes); bound is what the exported"
        f" folder says for a call. Before, painted on an mps2-an386 in double: {BEFORE} bytes,"
        " which ended in a fault with 10 KiB. Thousands of instructions a row, each beside the"
        " estimate in the README of the exported folder (cores with a unit for single precision"
        " gain little by whole numbers: there is none). In double the state"
        " is the library's, byte for byte; other arithmetic rounds otherwise.",
        left=2,
    )
    print(table.markdown())
    put(table)
    return int(any(row[1] == "double" and row[-1] != "as here" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
