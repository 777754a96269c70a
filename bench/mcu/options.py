"""What options of exported learners cost on boards; a table of results/mcu.md."""

from __future__ import annotations

import sys
from typing import Any

import edgeolk as ek
from bench.mcu.page import rows_asked, show, told
from bench.table import Table
from edgeolk.configuration.config import settings_of
from edgeolk.export.costs import FLAGS, stacks_of
from firmware_sim.mcu import BOARDS, Board
from firmware_sim.mcu.counting import drawn
from firmware_sim.mcu.learning import learn_on, packed

INPUTS = 8
_PLAIN: dict[str, Any] = {"algorithm": "sorf", "D": 384, "gamma": "auto", "scale": "standard",
                          "drift": True, "relevance": True, "memory": 0}  # fmt: skip
_TIME: dict[str, Any] = {"D": 384, "history": True}
#: Learners of 8 inputs and 384 frequencies, the first as it is recommended.
CASES: dict[str, dict[str, Any]] = {
    "two classes": _PLAIN,
    "no drift": {**_PLAIN, "drift": False},
    "one width, relevance shared": {**_PLAIN, "relevance": "shared"},
    "fixed width, no relevance": {**_PLAIN, "relevance": False},
    "memory of 40 rows": {**_PLAIN, "memory": 40},
    "memory of 160 rows": {**_PLAIN, "memory": 160},
    "three classes": {**_PLAIN, "n_classes": 3},
    "regression": {**_PLAIN, "loss": "square"},
    "forecast": {**_TIME, "loss": "square"},
    "novelty, 8 channels": {**_TIME, "loss": "novelty"},
}
#: A board of each core, in the arithmetic that it is best at; one in double.
ASKED = (
    *(("microbit", "whole"), ("lm3s6965evb", "whole"), ("mps2-an386", "single")),
    *(("mps2-an386", "double"), ("mps2-an500", "single"), ("mps2-an505", "single")),
)
HEADER = (
    *("board", "arithmetic", "learner", "state", "flash KiB", "stack", "bound", "score k"),
    *("learn k", "longest k"),
)


def measure(board: Board, how: str, name: str, rows: int) -> list[str]:
    """A row of the table: a learner whose memory is full, and that starts empty otherwise."""
    options = dict(CASES[name])
    learner = ek.Learner(options.pop("algorithm", None), n_features=INPUTS, **options)
    before = int(settings_of(learner.config).values["row_memory"])
    X, y = drawn(learner, before + rows)
    if before:
        learner.learn_many(X[:before], y[:before])
    rows_left = packed(X[before:], y[before:])
    program, ran = learn_on(board, learner, rows_left, FLAGS[how].split())
    return [
        f"{board.name}, {board.core}", how, name, f"{learner.nbytes:,}",
        f"{program.flash / 1024:.1f}", f"{ran.stack:,}", f"{stacks_of(learner)[how]:,}",
        *(f"{n / 1e3:,.0f}" for n in (ran.scored.mean, ran.learned.mean, ran.learned.most)),
    ]  # fmt: skip


def main() -> int:
    """Run them all; 2 where there is no emulator."""
    rows = rows_asked("bench.mcu.options", __doc__, 400)
    lines = told(measure(BOARDS[board], how, name, rows) for board, how in ASKED for name in CASES)
    table = Table(
        "What options cost",
        HEADER,
        lines,
        f"{INPUTS} Gaussian inputs and 384 frequencies, int8; {rows:,} rows whose label is"
        " the sign (regression, forecast: the value) of the product of two inputs, which surprises"
        " for long, gcc -O2. State is the bytes of the whole learner, which is its RAM; flash the"
        " whole program; the stack is painted and measured, some 100 bytes of the test program in"
        " it, and bound is what the exported folder says for a call. Thousands of instructions a"
        " row: to score, to learn (the mean), the longest. The memory is full before the first row;"
        " a row of a forecaster is answered and learned in one call.",
        left=3,
    )
    show(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
