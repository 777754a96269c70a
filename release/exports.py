"""Every export of the agreement list: what its C says over the rows, beside the library's numbers.

``python -m release.exports write FOLDER`` exports every learner of ``release.agreement`` that there
is C for, compiles it here in each arithmetic and keeps what it answers; it ends with 1 where the
library with ``EDGEOLK_SIMD=scalar`` says something else. ``python -m release.exports compare FOLDER
OTHER`` says what two versions answer differently.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from edgeolk.export import check_exportable
from release.agreement import HALF, cases, stream

FLAGS = {"double": (), "single": ("-DEK_SINGLE",), "whole": ("-DEK_FIXED",)}
#: Bytes of an arena beyond the block: what calls work with there, if asked for.
ROOM = 4096
Array = NDArray[Any]


class Board:
    """A learner's C as a shared library, and an arena."""

    def __init__(self, learner: ek.Learner, folder: Path, flags: Sequence[str]) -> None:
        library = folder / f"learner{''.join(flags)}.so"
        sources = [str(folder / name) for name in ("edgeolk.c", "model.c")]
        command = ["cc", "-std=c99", "-Og", "-fPIC", "-shared", *flags, "-o", str(library)]
        subprocess.run([*command, *sources], check=True)
        self._c = ctypes.CDLL(str(library))
        self._number = np.float64 if learner.dtype == "float64" else np.float32
        self._memory = np.zeros((learner.nbytes + ROOM) // 8 + 1)
        self._arena = ctypes.c_void_p(self._memory.ctypes.data)
        self._c.ek_start(self._arena)

    def _row(self, x: Array) -> tuple[Array, ctypes.c_void_p]:
        row = np.ascontiguousarray(x, self._number)
        return row, ctypes.c_void_p(row.ctypes.data)

    def learn(self, x: Array, y: float) -> float:
        """The score before."""
        row, at = self._row(x)
        score = ctypes.c_double()
        code = self._c.ek_learn(self._arena, at, ctypes.c_double(y), ctypes.byref(score))
        if code:
            raise RuntimeError(f"row {row} is refused: {code}")
        return score.value

    def score(self, x: Array) -> float:
        """What a row is answered with."""
        row, at = self._row(x)
        score = ctypes.c_double()
        code = self._c.ek_scores(self._arena, at, ctypes.byref(score))
        if code:
            raise RuntimeError(f"row {row} is refused: {code}")
        return score.value

    def state(self, nbytes: int) -> Array:
        """Its file."""
        self._c.ek_file.restype = ctypes.c_void_p
        return np.frombuffer(ctypes.string_at(self._c.ek_file(self._arena), nbytes), np.uint8)


def _learning(options: dict[str, Any], where: str) -> Iterator[tuple[str, Array, Array]]:
    """One that learns there: its scores and its state in each arithmetic; the library's first."""
    X, y = stream()
    learner, given = ek.Learner(**options), ek.Learner(**options)
    scores = learner.learn_many(X, y)
    state = np.frombuffer(learner.__reduce__()[1][0], np.uint8)
    yield "library", scores, state
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ek.export_c(given, folder, scratch=where)
        for how, flags in FLAGS.items():
            if how == "double" or learner.dtype == "int8":
                board = Board(learner, folder, flags)
                said = np.array([board.learn(*row) for row in zip(X, y, strict=True)])
                yield how, said, board.state(len(state))


def _scoring(options: dict[str, Any]) -> Iterator[tuple[str, Array, Array]]:
    """One that learned half of the rows here and stays as it is there: its scores of the others."""
    X, y = stream()
    learner = ek.Learner(**options)
    learner.learn_many(X[:HALF], y[:HALF])
    nothing = np.empty(0, np.uint8)
    yield "library", np.array([learner.decision_one(x) for x in X[HALF:]]), nothing
    with tempfile.TemporaryDirectory() as made:
        ek.export_c(learner, made)
        board = Board(learner, Path(made), ())
        yield "double", np.array([board.score(x) for x in X[HALF:]]), nothing


def write(folder: Path, said: list[str], only: Collection[str] = ()) -> list[str]:
    """Keep what every export answers; return what is not the library's.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    said : list of str
        Gets a line of what was found, and one of each learner that there is no C for.
    only : collection of str
        Names of learners; none: all.

    Raises
    ------
    RuntimeError
        The library is not its plain variant, whose numbers the C has.
    """
    if ek.simd() != "scalar":
        raise RuntimeError(f"EDGEOLK_SIMD must be scalar, got {ek.simd()}")
    folder.mkdir(parents=True, exist_ok=True)
    kept: dict[str, Array] = {}
    wrong, refused, count = [], [], 0
    for name, options in cases():
        if only and name not in only:
            continue
        try:
            check_exportable(ek.Learner(**options))
        except ValueError as error:
            refused.append(f"{name}: {error}")
            continue
        count += 1
        learns = options["algorithm"] == "sorf"
        for where in ("stack", "arena") if learns else ("stack",):
            found = _learning(options, where) if learns else _scoring(options)
            _, scores, state = next(found)
            for how, told, file in found:
                kept[f"{name}/{how}/{where}"] = told
                kept[f"{name}/{how}/{where}/state"] = file
                if how == "double" and not (
                    np.array_equal(told, scores) and np.array_equal(file, state)
                ):
                    wrong.append(f"{name}, {where}: another than the library")
                if where == "arena" and not np.array_equal(told, kept[f"{name}/{how}/stack"]):
                    wrong.append(f"{name}, {how}: another where calls work in the arena")
    np.savez(folder / "exports.npz", **kept)  # type: ignore[arg-type]
    answers = sum(len(told) for name, told in kept.items() if not name.endswith("/state"))
    said.append(
        f"{count} learners exported, {len(kept) // 2} programs, {answers:,} answers;"
        f" {len(wrong)} differ; no C for {len(refused)}"
    )
    said.extend(refused)
    return wrong


def compare(folder: Path, other: Path, said: list[str]) -> list[str]:
    """Compare what two versions answered; return what differs.

    said: gets a line of what was found.
    """
    with np.load(folder / "exports.npz") as found, np.load(other / "exports.npz") as theirs:
        here, there = dict(found), dict(theirs)
    both = [name for name in here if name in there]
    alone = sorted(set(here) ^ set(there))
    wrong = [name for name in both if not np.array_equal(here[name], there[name])]
    said.append(f"{len(both) - len(wrong)} of {len(both)} arrays identical to the bit")
    if alone:
        said.append(f"in one of them only: {', '.join(alone)}")
    return wrong


def main() -> int:
    """Write or compare; 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m release.exports", description=__doc__)
    parser.add_argument("task", choices=("write", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="of learners")
    given = parser.parse_args()
    said: list[str] = []
    if given.task == "compare":
        wrong = compare(given.folder, given.other, said)
    elif os.environ.get("EDGEOLK_SIMD") != "scalar":
        parser.error("EDGEOLK_SIMD=scalar must be set: the C has the numbers of that variant")
    else:
        wrong = write(given.folder, said, given.only)
    print(*said, *wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
