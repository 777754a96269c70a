"""Cost of `sorf` on each emulated board, in each arithmetic; saved in results/mcu.md."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import edgeolk as ek
from bench.mcu.page import begin, need_boards, put
from bench.mcu.rows import stream
from bench.table import Table
from firmware_sim.mcu import BOARDS, Board, Run
from firmware_sim.mcu.learning import as_here, learn_on, packed

SIZES: tuple[int, ...] = (150, 928, 4000)
#: Inputs, and the bundled stream that they come from.
INPUTS = {5: "occupancy", 22: "robot"}
#: The same cores as other boards'.
LEFT_OUT = ("netduinoplus2", "rp2040", "rp2350")
STACK = 6144
#: What changes weights: flags of the compiler, and words for the title.
ARITHMETIC = {
    "double": ((), "in double: the library's bits"),
    "float": (("-DEK_SINGLE",), "in float: -DEK_SINGLE"),
    "whole": (("-DEK_FIXED",), "from whole numbers: -DEK_FIXED"),
}
#: Boards that whole numbers are for.
WITHOUT_FPU = ("microbit", "lm3s6965evb")


@dataclass(frozen=True)
class Case:
    """One learner on one board."""

    board: Board
    d: int
    D: int
    arithmetic: str


@dataclass(frozen=True)
class Found:
    """What it cost, and what the host says of the same rows."""

    case: Case
    flash: int
    ram: int
    run: Run
    mistakes: int
    same: bool


def measure(case: Case, before: int, rows: int) -> Found | str:
    """Go on for some rows with a learner that has seen others; or why it cannot be."""
    X, y = stream(INPUTS[case.d], before + rows, case.d)
    learner = ek.Learner(n_features=case.d, budget=case.D)
    learner.learn_many(X[:before], y[:before])
    rows_left = packed(X[before:], y[before:])
    flags = ARITHMETIC[case.arithmetic][0]
    try:
        program, told = learn_on(case.board, learner, rows_left, flags, stack=STACK)
    except RuntimeError as error:
        if "will not fit" in str(error) or "overflowed" in str(error):
            return "does not fit"
        raise
    learner.learn_many(X[before:], y[before:])
    same = as_here(told, learner)
    return Found(case, program.flash, program.ram, told, learner.mistakes, same)


def _kibi(n: float) -> str:
    return f"{n / 1024:.1f}"


def _row(case: Case, found: Found | str) -> list[str]:
    words = [f"{case.board.name}, {case.board.core}", str(case.d), str(case.D)]
    if isinstance(found, str):
        return [*words, *["-"] * (len(HEADER) - 4), found]
    learned, scored = found.run.learned.mean, found.run.scored.mean
    now = [
        _kibi(found.flash), _kibi(found.ram), _kibi(found.run.stack),
        *(f"{n / 1e3:,.0f}" for n in (scored, learned, found.run.learned.most)),
    ]  # fmt: skip
    was = BEFORE.get(f"{case.arithmetic} {case.board.name} {case.d} {case.D}", ["-"] * len(now))
    rate = f"{case.board.clock / learned:,.1f}"
    told = [text for both in zip(was, now, strict=True) for text in both]
    return [*words, *told, rate, str(found.run.mistakes), str(found.mistakes)]


ABOUT = (
    "Learners that had seen {before:,} rows were exported and went on for {rows} on the board: the"
    " 5 inputs of `occupancy`, the first {inputs} of `robot`; int8, width and scaler inside. These"
    " are the first rows after the width is known, when most still change weights; later a row"
    " costs little more than two scores. Flash is the whole program with its start-up and the"
    " learned weights, RAM the arena and variables; the stack is painted and measured. Thousands of"
    " instructions a row: to score, to learn (the mean, and the longest), as QEMU counts them, gcc"
    " -O2. Rows a second are an ESTIMATE: the board's clock over the mean instructions to learn, as"
    " if each took one cycle. Before each number stands what it was when the stack of a call had no"
    " bound; on these rows, which do not reach the deepest way down: that took 11.2 KB in double,"
    " 6.0 in float. Widths that are learned for each input, and changes of the stream that"
    " are noticed, came to the recommended learner since, with their code and work. Mistakes"
    " count from the first row; in the first table every byte of"
    " the board's state was compared with the host's too: "
)
HEADER = (
    *("board", "d", "D", "flash was", "KiB", "RAM was", "KiB", "stack was", "KiB"),
    *("score was", "k", "learn was", "k", "longest was", "k", "rows/s", "mistakes", "host's"),
)
#: What this page said of the same sizes before stacks had a bound.
BEFORE: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("before.json").read_text(encoding="utf-8")
)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mcu", description=__doc__)
    parser.add_argument("--rows", type=int, default=50, help="rows on the board (%(default)s)")
    parser.add_argument("--before", type=int, default=120, help="rows before it is exported")
    parser.add_argument("--only", choices=ARITHMETIC, help="one arithmetic, one table")
    parser.add_argument("--quick", action="store_true", help="one board, one size; saves nothing")
    return parser.parse_args()


def main() -> int:
    """Run the cases; 2 where there is no emulator, 1 where a board differs from the host."""
    options = _arguments()
    need_boards()
    boards = [board for name, board in BOARDS.items() if name not in LEFT_OUT]
    sizes, inputs = SIZES, tuple(INPUTS)
    if options.quick:
        boards, sizes, inputs = [BOARDS["mps2-an386"]], SIZES[:1], inputs[:1]
    tables, differing = [], []
    for arithmetic in [options.only] if options.only else ARITHMETIC:
        rows = []
        for board in boards:
            if arithmetic == "whole" and board.name not in WITHOUT_FPU:
                continue
            for d in inputs:
                for D in sizes:
                    case = Case(board, d, D, arithmetic)
                    found = measure(case, options.before, options.rows)
                    rows.append(_row(case, found))
                    print("  ".join(rows[-1]), file=sys.stderr, flush=True)
                    if isinstance(found, Found) and arithmetic == "double" and not found.same:
                        differing.append(case)
        title = f"What changes weights {ARITHMETIC[arithmetic][1]}"
        tables.append(Table(title, HEADER, rows, left=1))
        print(tables[-1].markdown())
    if options.quick:
        return 1 if differing else 0
    if "double" in (options.only or "double"):
        equal = "all equal." if not differing else f"DIFFERENT in {differing}."
        words = ABOUT.format(before=options.before, rows=options.rows, inputs=max(INPUTS))
        begin("`sorf` on emulated microcontrollers", words + equal)
    for table in tables:
        put(table)
    return 1 if differing else 0


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    sys.exit(main())
