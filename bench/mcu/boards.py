"""Learners that continue on emulated boards, compared with the same learners here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import edgeolk as ek
from bench.mcu.energy import microjoules, note
from bench.mcu.rows import Array, stream
from bench.table import Table
from edgeolk.configuration.config import settings_of
from edgeolk.export.costs import FLAGS, costs_of, stacks_of
from firmware_sim.mcu import BOARDS, Board
from firmware_sim.mcu.counting import drawn, learn_on, packed, same_state

HEADER = (
    *("flash KiB", "RAM KiB", "stack", "bound", "score k", "learn k", "longest k", "rows/s"),
    *("energy µJ", "mistakes", "here", "state"),
)
NOTE = (
    " gcc -O2; the Uno -Os -flto -mcall-prologues -mrelax -mstrict-X, scratch in the arena. Flash"
    " is the whole program, RAM its variables; the stack is painted and measured, some 100 bytes of"
    " the test program in it, and bound is what the exported folder says for a call. Thousands of"
    " instructions a row, as QEMU counts them (cycles on the Uno, as simavr does): to score, to"
    " learn (the mean), the longest. Rows a second at the board's clock are an ESTIMATE: one"
    " instruction a cycle. So is the energy to learn a row, by the figures below the first table."
    " Mistakes count from the learner's first row, there and here; in the library's arithmetic"
    " every byte of the state is the library's, whole numbers round otherwise."
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
        *(f"{ran.stack:,}", f"{stacks_of(learner, case.board.scratch)[case.how]:,}"),
        *(f"{n / 1e3:,.0f}" for n in costs),
        f"{case.board.clock / ran.learned.mean:,.1f}",
        f"{microjoules(case.board.name, ran.learned.mean):,.1f}",
        *(str(ran.mistakes), str(learner.mistakes)),
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


#: The same cores as other boards'; and boards on which whole numbers are measured.
SAME, WHOLE = ("netduinoplus2", "rp2040", "rp2350"), ("microbit", "lm3s6965evb")


def sizes() -> Table:
    """The recommended learner in several sizes, after the first rows."""

    def cases() -> Iterator[Case]:
        for how in FLAGS:
            for board in BOARDS.values():
                if board.name in (*SAME, "uno") or (how == "whole" and board.name not in WHOLE):
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


#: Rows of each stream by board: as many as some minutes of emulation allow.
STREAMED = {"mps2-an386": 2000, "uno": 1000}


def streams() -> Table:
    """Streams, learners that start empty."""

    def cases() -> Iterator[Case]:
        for name in ("occupancy", "robot", "office"):
            for board, rows in STREAMED.items():
                small = board == "uno"
                X, y = stream(name, rows, d=4 if small else 1000)
                given = SMALL if small else {"ram": "4KiB"}
                learner = ek.Learner(n_features=X.shape[1], **given)
                yield Case(BOARDS[board], "library", [name, f"{len(y):,}"], learner, X, y)

    note = (
        "A learner that starts empty on the board: of 4 KiB, of the Uno the small one over the"
        " first 4 inputs;"
    )
    return _table("Streams", ("stream", "rows"), cases(), note)


def bytes_of_an_uno() -> Table:
    """The errors of the Uno's learner, which are those of any machine, beside 1 KiB here."""
    lines = []
    usual: dict[str, Any] = {"ram": "1KiB"}
    for name in ("occupancy", "robot", "office"):
        X, y = stream(name, 20_000, 4)
        errors = []
        for given in (SMALL, usual):
            made = [ek.Learner(n_features=X.shape[1], seed=seed, **given) for seed in range(8)]
            for learner in made:
                learner.learn_many(X, y)
            errors.append(100.0 * float(np.mean([each.mistakes for each in made])) / len(y))
        lines.append(
            [name, f"{len(y):,}", str(X.shape[1]), *(f"{e:.2f}" for e in errors),
             f"{100 * (errors[0] / errors[1] - 1):+.0f} %"]
        )  # fmt: skip
    return Table(
        "What an Uno's learner loses",
        ("stream", "rows", "inputs", "Uno, error %", "1 KiB here, error %", "difference"),
        lines,
        "Errors in one pass, the mean of 8 seeds, on this machine: an Uno has the same bits (the"
        " table above). The Uno's learner has 632 bytes of block and 384 of working memory; the"
        " other is the recommended learner of this library in 1 KiB, with learned widths of the"
        " inputs, a width that follows the rows and the drift alarm.",
    )


INPUTS, D = 4, 128
_PLAIN: dict[str, Any] = {"algorithm": "sorf", "D": D, "gamma": "auto", "scale": "standard",
                          "drift": True, "relevance": True, "memory": 0}  # fmt: skip
_TIME: dict[str, Any] = {"D": D, "history": True}
#: What an Uno has room for.
SMALL: dict[str, Any] = {"ram": 640, "relevance": False, "drift": False, "constant": False,
                         "gamma": 0.125}  # fmt: skip
#: Learners, the first as it is recommended.
KINDS: dict[str, dict[str, Any]] = {
    "two classes": _PLAIN,
    "two classes, small": SMALL,
    "linear alone": {"algorithm": "sorf", "D": 0, "linear_group": True, "scale": "standard"},
    "memory of 40 rows": {**_PLAIN, "memory": 40},
    "three classes": {**_PLAIN, "n_classes": 3},
    "regression": {**_PLAIN, "loss": "square"},
    "regression, 8 KiB": {"algorithm": "sorf", "ram": "8KiB", "loss": "square"},
    "krls_auto, 8 KiB": {"algorithm": "krls_auto", "ram": "8KiB"},
    "forecast": {**_TIME, "loss": "square"},
    "novelty": {**_PLAIN, "loss": "novelty", "drift": False, "relevance": False},
    "novelty in time": {**_TIME, "loss": "novelty"},
    "two classes, float64": {**_PLAIN, "dtype": "float64"},
}


def kinds() -> Table:
    """Every board and kind of learner."""

    def cases() -> Iterator[Case]:
        for board in BOARDS.values():
            if board.name in SAME:
                continue
            for name, given in KINDS.items():
                if board.name == "uno" and given is not SMALL:
                    continue  # there is no room
                chosen = dict(given)
                learner = ek.Learner(chosen.pop("algorithm", None), n_features=INPUTS, **chosen)
                before = int(settings_of(learner.config).values.get("memory", 0))
                X, y = drawn(learner, before + ROWS)
                words = [name, f"{learner.nbytes:,}"]
                for how in costs_of(learner) if board.name in WHOLE else ("library",):
                    made = ek.Learner(learner.config)
                    yield Case(board, how, words, made, X, y, before)

    words = (
        f"{INPUTS} Gaussian inputs and {D} frequencies, int8 (the small one: 640 bytes, without"
        " learned widths, drift alarm and a width that follows the rows; those of 8 KiB: what fits,"
        " half of the regression's bytes for a Gaussian process); {rows} rows whose label"
        " is the sign (regression, forecast: the value) of the product of two inputs, which"
        " surprises for long. State is the bytes of the whole learner. The memory is full before"
        " the first row; a row of a forecaster is answered and learned in one call;"
    )
    made = _table(
        "Boards and kinds", ("learner", "state B"), cases(), words.replace("{rows}", str(ROWS))
    )
    return replace(made, note=f"{made.note} {note()}")


#: Rows of each kind.
ROWS = 60
