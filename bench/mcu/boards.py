"""Learners that continue on emulated boards, compared with the same learners here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import edgeolk as ek
from bench.mcu.rows import Array, stream
from bench.table import Table
from edgeolk.configuration.config import settings_of
from edgeolk.export.costs import FLAGS, instructions_of, stacks_of
from firmware_sim.mcu import BOARDS, Board
from firmware_sim.mcu.counting import drawn, learn_on, packed, same_state

HEADER = (
    *("flash KiB", "RAM KiB", "stack", "bound", "score k", "learn k", "longest k", "rows/s"),
    *("mistakes", "here", "state"),
)
NOTE = (
    " gcc -O2. Flash is the whole program, RAM its variables; the stack is painted and measured,"
    " some 100 bytes of the test program in it, and bound is what the exported folder says for a"
    " call. Thousands of instructions a row, as QEMU counts them: to score, to learn (the mean),"
    " the longest. Rows a second at the board's clock are an ESTIMATE: one instruction a cycle."
    " Mistakes count from the learner's first row, there and here; in the library's arithmetic every"
    " byte of the state is the library's, whole numbers round otherwise."
)
#: Words for a board's state that equals, or differs from, the library's.
EQUAL, ANOTHER = "equal", "another"


class Case(NamedTuple):
    """A learner on a board in an arithmetic; ``before`` rows are learned here."""

    board: Board
    how: str
    words: list[str]
    learner: ek.Learner
    X: Array
    y: Array
    before: int = 0


def cells(case: Case) -> list[str]:
    """The costs of the board's rows, and this machine's result on the same rows."""
    learner, X, y = case.learner, case.X, case.y
    learner.learn_many(X[: case.before], y[: case.before])
    rows = packed(X[case.before :], y[case.before :])
    flags = FLAGS[case.how].split()
    try:
        program, ran = learn_on(case.board, learner, rows, flags, seconds=7200)
    except RuntimeError as error:
        if "will not fit" in str(error) or "overflowed" in str(error):
            return [*["-"] * (len(HEADER) - 1), "does not fit"]
        raise
    learner.learn_many(X[case.before :], y[case.before :])
    costs = (ran.scored.mean, ran.learned.mean, ran.learned.most)
    return [
        *(f"{n / 1024:.1f}" for n in (program.flash, program.ram)),
        *(f"{ran.stack:,}", f"{stacks_of(learner)[case.how]:,}"),
        *(f"{n / 1e3:,.0f}" for n in costs),
        *(f"{case.board.clock / ran.learned.mean:,.1f}", str(ran.mistakes), str(learner.mistakes)),
        EQUAL if same_state(ran, learner) else ANOTHER,
    ]


def _table(title: str, words: tuple[str, ...], cases: Iterable[Case], note: str) -> Table:
    lines = []
    for case in cases:
        name = f"{case.board.name}, {case.board.core}"
        lines.append([name, case.how, *case.words, *cells(case)])
        print("  ".join(lines[-1]), file=sys.stderr, flush=True)
    header = ("board", "arithmetic", *words, *HEADER)
    return Table(title, header, lines, note + NOTE, left=2 + len(words))


#: The same cores as other boards'; and boards that whole numbers are for.
SAME, WITHOUT_FPU = ("netduinoplus2", "rp2040", "rp2350"), ("microbit", "lm3s6965evb")


def sizes() -> Table:
    """The recommended learner in several sizes, after the first rows."""

    def cases() -> Iterator[Case]:
        for how in FLAGS:
            for board in BOARDS.values():
                if board.name in SAME or (how == "whole" and board.name not in WITHOUT_FPU):
                    continue
                for d, name in ((5, "occupancy"), (22, "robot")):
                    X, y = stream(name, 170, d)
                    for D in (150, 928, 4000):
                        learner = ek.Learner(n_features=d, budget=D)
                        yield Case(board, how, [str(d), str(D)], learner, X, y, 120)

    note = (
        "Learners that had seen 120 rows were exported and went on for 50 on the board: the 5"
        " inputs of `occupancy`, the first 22 of `robot`; int8. Most of these rows, the first"
        " after the width is known, change weights; later a row costs little more than two scores;"
    )
    return _table("Sizes", ("d", "D"), cases(), note)


def streams() -> Table:
    """Whole streams, learners that start empty."""

    def cases() -> Iterator[Case]:
        for board in ("microbit", "lm3s6965evb", "mps2-an386", "mps2-an500", "mps2-an505"):
            for name in ("occupancy", "robot", "office"):
                X, y = stream(name, 5000, d=1000)
                learner = ek.Learner(n_features=X.shape[1], ram="4KiB")
                yield Case(BOARDS[board], "library", [name, f"{len(y):,}"], learner, X, y)

    note = "A learner of 4 KiB that starts empty on the board;"
    return _table("Whole streams", ("stream", "rows"), cases(), note)


#: The core whose estimates are another's: the same instructions.
ALIKE = {"Cortex-M0+": "Cortex-M0", "Cortex-M7": "Cortex-M4F", "Cortex-M33": "Cortex-M4F"}


def _estimated(learner: ek.Learner, board: Board, how: str) -> str:
    """The figures for a row in the README of the exported folder."""
    core = ALIKE.get(board.core, board.core)
    found = [row[2:] for row in instructions_of(learner) if row[:2] == (core, how)]
    return " / ".join(f"{n:,.0f}" for n in found[0]) if found else "-"


def surprises() -> Table:
    """A label that surprises for long, on every board, in each arithmetic."""
    X = np.random.default_rng(0).standard_normal((2000, 6)).astype(np.float32)
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)

    def cases() -> Iterator[Case]:
        for board in BOARDS.values():
            for how in FLAGS:
                learner = ek.Learner(n_features=6, ram="4KiB")
                yield Case(board, how, [_estimated(learner, board, how)], learner, X, y)

    note = (
        f"Six Gaussian inputs, the label is the sign of the product of two; {len(y):,} rows, a"
        " learner of 4 KiB that starts empty. Estimated: score, learn and longest in the README of"
        " the exported folder (cores with a unit for single precision gain little by whole numbers:"
        " there is none);"
    )
    return _table("A label that surprises", ("estimated, k",), cases(), note)


INPUTS, D = 8, 384
_PLAIN: dict[str, Any] = {"algorithm": "sorf", "D": D, "gamma": "auto", "scale": "standard",
                          "drift": True, "relevance": True, "memory": 0}  # fmt: skip
_TIME: dict[str, Any] = {"D": D, "history": True}
#: Learners, the first as it is recommended.
OPTIONS: dict[str, dict[str, Any]] = {
    "two classes": _PLAIN,
    "no drift": {**_PLAIN, "drift": False},
    "one width, relevance shared": {**_PLAIN, "relevance": "shared"},
    "fixed width, no relevance": {**_PLAIN, "relevance": False},
    "memory of 40 rows": {**_PLAIN, "memory": 40},
    "memory of 160 rows": {**_PLAIN, "memory": 160},
    "three classes": {**_PLAIN, "n_classes": 3},
    "regression": {**_PLAIN, "loss": "square"},
    "forecast": {**_TIME, "loss": "square"},
    "novelty": {**_PLAIN, "loss": "novelty", "drift": False, "relevance": False},
    "novelty in time, 8 channels": {**_TIME, "loss": "novelty"},
}
#: A board of each core, in the arithmetic that it is best at; one without a unit in the library's too.
ASKED = (
    *(("microbit", "whole"), ("lm3s6965evb", "whole"), ("microbit", "library")),
    *(("mps2-an386", "library"), ("mps2-an500", "library"), ("mps2-an505", "library")),
)


def options() -> Table:
    """What options of the learner cost."""

    def cases() -> Iterator[Case]:
        for board, how in ASKED:
            for name, given in OPTIONS.items():
                chosen = dict(given)
                learner = ek.Learner(chosen.pop("algorithm", None), n_features=INPUTS, **chosen)
                before = int(settings_of(learner.config).values["memory"])
                X, y = drawn(learner, before + 400)
                words = [name, f"{learner.nbytes:,}"]
                yield Case(BOARDS[board], how, words, learner, X, y, before)

    note = (
        f"{INPUTS} Gaussian inputs and {D} frequencies, int8; 400 rows whose label is the sign"
        " (regression, forecast: the value) of the product of two inputs, which surprises for long."
        " State is the bytes of the whole learner. The memory is full before the first row; a row"
        " of a forecaster is answered and learned in one call;"
    )
    return _table("What options cost", ("learner", "state B"), cases(), note)
