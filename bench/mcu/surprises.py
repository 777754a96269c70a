"""A label that surprises for long, on every board, each arithmetic; a table of results/mcu.md."""

from __future__ import annotations

import sys

import numpy as np

import edgeolk as ek
from bench.mcu.page import rows_asked, show, told
from bench.mcu.rows import Array
from bench.table import Table
from edgeolk.export.costs import FLAGS, stacks_of
from edgeolk.export.instructions import instructions_of
from firmware_sim.mcu import BOARDS, Board
from firmware_sim.mcu.learning import as_here, learn_on, packed

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
    program, ran = learn_on(board, learner, packed(X, y), FLAGS[how].split(), seconds=7200)
    core = ALIKE.get(board.core, board.core)
    estimates = [row[2:] for row in instructions_of(learner) if row[:2] == (core, how)]
    costs = [n / 1e3 for n in (ran.scored.mean, ran.learned.mean, ran.learned.most)]
    learner.learn_many(X, y)
    same = "as here" if as_here(ran, learner) else "another"
    return [
        f"{board.name}, {board.core}", how, f"{program.flash / 1024:.1f}",
        f"{program.ram / 1024:.1f}", f"{ran.stack:,}", f"{stacks_of(learner)[how]:,}",
        *(text for i, n in enumerate(costs)
          for text in (f"{n:,.0f}", f"{estimates[0][i]:,.0f}" if estimates else "-")),
        f"{ran.mistakes} ({learner.mistakes} here)", same,
    ]  # fmt: skip


def main() -> int:
    """Run them all; 2 where there is no emulator, 1 where a board in double differs from here."""
    rows = rows_asked("bench.mcu.surprises", __doc__, 2000)
    lines = told(measure(board, how, rows) for board in BOARDS.values() for how in FLAGS)
    table = Table(
        "A label that surprises",
        HEADER,
        lines,
        f"Six Gaussian inputs, the label is the sign of the product of two; {rows:,} rows,"
        " a learner of 4 KiB that starts empty, gcc -O2. The stack is painted and measured, what"
        " the test program takes around a call in it (some 100 bytes); bound is what the exported"
        f" folder says for a call. Before, painted on an mps2-an386 in double: {BEFORE} bytes,"
        " which ended in a fault with 10 KiB. Thousands of instructions a row, each beside the"
        " estimate in the README of the exported folder (cores with a unit for single precision"
        " gain little by whole numbers: there is none). In double the state"
        " is the library's, byte for byte; other arithmetic rounds otherwise.",
        left=2,
    )
    show(table)
    return int(any(row[1] == "double" and row[-1] != "as here" for row in lines))


if __name__ == "__main__":
    sys.exit(main())
