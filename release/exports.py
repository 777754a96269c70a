"""Every export of the agreement list: answers of its C code, compared with the library.

``python -m release.exports write FOLDER`` exports every exportable learner of
``release.agreement``, compiles it here in each arithmetic and stores its answers; it exits with 1
if the library with ``EDGEOLK_SIMD=scalar`` gives other answers. ``python -m release.exports compare
FOLDER OTHER`` prints the differences between two versions.
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
from edgeolk.export.kinds import module_of
from release.agreement import HALF, cases, stream

FLAGS = {"library": (), "whole": ("-DEK_FIXED",)}
#: Bytes of an arena beyond the block: scratch memory of calls, if it is in the arena.
SCRATCH_BYTES = 4096
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
        self._memory = np.zeros((learner.nbytes + SCRATCH_BYTES) // 8 + 1)
        self._arena = ctypes.c_void_p(self._memory.ctypes.data)
        self._c.ek_start(self._arena)

    def _row(self, x: Array) -> tuple[Array, ctypes.c_void_p]:
        row = np.ascontiguousarray(x, self._number)
        return row, ctypes.c_void_p(row.ctypes.data)

    def learn(self, x: Array, y: float) -> float:
        """Learn a row; return the score before the update."""
        row, at = self._row(x)
        score = ctypes.c_double()
        code = self._c.ek_learn(self._arena, at, ctypes.c_double(y), ctypes.byref(score))
        if code:
            raise RuntimeError(f"row {row} is refused: {code}")
        return score.value

    def score(self, x: Array) -> float:
        """Return the score of a row."""
        row, at = self._row(x)
        score = ctypes.c_double()
        code = self._c.ek_scores(self._arena, at, ctypes.byref(score))
        if code:
            raise RuntimeError(f"row {row} is refused: {code}")
        return score.value

    def state(self, nbytes: int) -> Array:
        """Return its model file."""
        self._c.ek_file.restype = ctypes.c_void_p
        return np.frombuffer(ctypes.string_at(self._c.ek_file(self._arena), nbytes), np.uint8)


def learners() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the agreement list, and Gaussian processes in single precision, with other C."""
    for name, options in cases():
        yield name, options
        if options["algorithm"] in ("krls_t", "sogp") and options["dtype"] == "float32":
            yield f"{name}-coefficients", {**options, "coefficients": "float32"}


def _learning(options: dict[str, Any], where: str) -> Iterator[tuple[str, Array, Array]]:
    """Yield scores and state of an export that learns, by arithmetic; the library's first."""
    X, y = stream()
    learner, given = ek.Learner(**options), ek.Learner(**options)
    scores = learner.learn_many(X, y)
    state = np.frombuffer(learner.__reduce__()[1][0], np.uint8)
    yield "library", scores, state
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ek.export_c(given, folder, scratch=where)
        for how, flags in FLAGS.items():
            if how == "library" or learner.dtype == "int8":
                board = Board(learner, folder, flags)
                lines = np.array([board.learn(*row) for row in zip(X, y, strict=True)])
                yield how, lines, board.state(len(state))


def _scoring(options: dict[str, Any]) -> Iterator[tuple[str, Array, Array]]:
    """Yield scores of an export that does not learn, on the second half of the rows."""
    X, y = stream()
    learner = ek.Learner(**options)
    learner.learn_many(X[:HALF], y[:HALF])
    empty = np.empty(0, np.uint8)
    yield "library", np.array([learner.decision_one(x) for x in X[HALF:]]), empty
    with tempfile.TemporaryDirectory() as scratch:
        ek.export_c(learner, scratch)
        board = Board(learner, Path(scratch), ())
        yield "library", np.array([board.score(x) for x in X[HALF:]]), empty


def write(folder: Path, lines: list[str], only: Collection[str] = ()) -> list[str]:
    """Store the answers of every export; return differences from the library.

    Parameters
    ----------
    folder : Path
        Created if it does not exist.
    lines : list of str
        A line with the result, and one for each learner that cannot be exported, are appended.
    only : collection of str
        Names of learners; empty: all.

    Raises
    ------
    RuntimeError
        The library does not run its scalar variant, whose numbers the C code has.
    """
    if ek.simd() != "scalar":
        raise RuntimeError(f"EDGEOLK_SIMD must be scalar, got {ek.simd()}")
    folder.mkdir(parents=True, exist_ok=True)
    kept: dict[str, Array] = {}
    wrong, refused, count = [], [], 0
    for name, options in learners():
        if only and name not in only:
            continue
        learner = ek.Learner(**options)
        try:
            check_exportable(learner)
        except ValueError as error:
            refused.append(f"{name}: {error}")
            continue
        count += 1
        kind = module_of(learner)
        for where in ("stack", "arena") if kind.MOVES_SCRATCH else ("stack",):
            found = _learning(options, where) if kind.LEARNS else _scoring(options)
            _, scores, state = next(found)
            for how, answers, file in found:
                kept[f"{name}/{how}/{where}"] = answers
                kept[f"{name}/{how}/{where}/state"] = file
                if how == "library" and not (
                    np.array_equal(answers, scores) and np.array_equal(file, state)
                ):
                    wrong.append(f"{name}, {where}: differs from the library")
                if where == "arena" and not np.array_equal(answers, kept[f"{name}/{how}/stack"]):
                    wrong.append(f"{name}, {how}: differs with scratch memory in the arena")
    np.savez(folder / "exports.npz", **kept)  # type: ignore[arg-type]
    n_answers = sum(len(answers) for name, answers in kept.items() if not name.endswith("/state"))
    lines.append(
        f"{count} learners exported, {len(kept) // 2} programs, {n_answers:,} answers;"
        f" {len(wrong)} differ; no C for {len(refused)}"
    )
    lines.extend(refused)
    return wrong


def compare(folder: Path, other: Path, lines: list[str]) -> list[str]:
    """Compare the answers of two versions; return the differences.

    lines: a line with the result is appended.
    """
    with np.load(folder / "exports.npz") as found, np.load(other / "exports.npz") as theirs:
        here, there = dict(found), dict(theirs)
    both = [name for name in here if name in there]
    only_in_one = sorted(set(here) ^ set(there))
    wrong = [name for name in both if not np.array_equal(here[name], there[name])]
    lines.append(f"{len(both) - len(wrong)} of {len(both)} arrays identical to the bit")
    if only_in_one:
        lines.append(f"in one of them only: {', '.join(only_in_one)}")
    return wrong


def main() -> int:
    """Write or compare; return 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m release.exports", description=__doc__)
    parser.add_argument("task", choices=("write", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="of learners")
    given = parser.parse_args()
    lines: list[str] = []
    if given.task == "compare":
        wrong = compare(given.folder, given.other, lines)
    elif os.environ.get("EDGEOLK_SIMD") != "scalar":
        parser.error("EDGEOLK_SIMD=scalar must be set: the C has the numbers of that variant")
    else:
        wrong = write(given.folder, lines, given.only)
    print(*lines, *wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
