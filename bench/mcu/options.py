"""What options of exported learners cost on boards; a table of results/mcu.md."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import edgeolk as ek
from bench.mcu.page import put
from bench.mcu.rows import packed
from bench.table import Table
from edgeolk.configuration.config import settings_of
from edgeolk.export.costs import FLAGS, stacks_of
from firmware_sim.mcu import BOARDS, Board, build, lacking, run
from firmware_sim.mcu.counting import drawn
from firmware_sim.mcu.program import HERE

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
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ek.export_c(learner, folder)
        sources = [HERE / "stream.c", folder / "edgeolk.c", folder / "model.c"]
        program = build(
            board, sources, folder / "board.elf", include=[folder],
            flags=["-O2", *FLAGS[how].split()],
        )  # fmt: skip
        told = run(program, packed(X[before:], y[before:]), folder, seconds=3600)
    return [
        f"{board.name}, {board.core}", how, name, f"{learner.nbytes:,}",
        f"{program.flash / 1024:.1f}", f"{told.stack:,}", f"{stacks_of(learner)[how]:,}",
        *(f"{n / 1e3:,.0f}" for n in (told.scored.mean, told.learned.mean, told.learned.most)),
    ]  # fmt: skip


def main() -> int:
    """Run them all; 2 where there is no emulator."""
    parser = argparse.ArgumentParser(prog="python -m bench.mcu.options", description=__doc__)
    parser.add_argument("--rows", type=int, default=400, help="(%(default)s)")
    options = parser.parse_args()
    if reason := lacking():
        print(reason, file=sys.stderr)
        return 2
    rows = []
    for board, how in ASKED:
        for name in CASES:
            rows.append(measure(BOARDS[board], how, name, options.rows))
            print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    table = Table(
        "What options cost",
        HEADER,
        rows,
        f"{INPUTS} Gaussian inputs and 384 frequencies, int8; {options.rows:,} rows whose label is"
        " the sign (regression, forecast: the value) of the product of two inputs, which surprises"
        " for long, gcc -O2. State is the bytes of the whole learner, which is its RAM; flash the"
        " whole program; the stack is painted and measured, some 100 bytes of the test program in"
        " it, and bound is what the exported folder says for a call. Thousands of instructions a"
        " row: to score, to learn (the mean), the longest. The memory is full before the first row;"
        " a row of a forecaster is answered and learned in one call.",
        left=3,
    )
    print(table.markdown())
    put(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
