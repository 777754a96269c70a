"""Exported learners compiled for this machine, and the real streams that they learn."""

from __future__ import annotations

import csv
import ctypes
import lzma
import re
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek
from bench.compiled import compiled
from firmware_sim.streams import BUNDLED

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wconversion")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@cache
def stream(name: str, most: int = 10**9) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a bundled stream, float32, and its column of labels as it is."""
    known = BUNDLED[name]
    with lzma.open(known.path, "rt") as file:
        table = csv.DictReader(line for line in file if not line.startswith("#"))
        first = next(table)
        left_out = (known.target, *known.ignore)
        names = [key for key, text in first.items() if key not in left_out and _is_number(text)]
        whole = (
            row for row in chain([first], table) if all(row[k] for k in (*names, known.target))
        )
        rows = list(islice(whole, most))
    X = np.array([[row[key] for key in names] for row in rows], np.float32)
    return X, np.array([row[known.target] for row in rows], np.float64)


def signs(y: np.ndarray) -> np.ndarray:
    """Labels of 0 and 1 as -1 and 1."""
    return np.where(y > 0, 1.0, -1.0)


def _arena_of(folder: Path, compiler: Sequence[str]) -> int:
    """EK_ARENA_BYTES, as the compiler evaluates it."""
    text = '#include "model.h"\nEK_ARENA_BYTES'
    told = subprocess.run([*compiler, f"-I{folder}", "-E", "-P", "-"], input=text, text=True,
                          capture_output=True, check=True).stdout  # fmt: skip
    return sum(int(part) for part in re.findall(r"\d+", told.splitlines()[-1]))


class Compiled:
    """A learner's C as a shared library, with an arena of exactly the plan's bytes."""

    def __init__(
        self,
        folder: Path,
        learner: ek.Learner,
        compiler: str = "cc",
        flags: Iterable[str] = (),
        offset: int = 0,
        names: Sequence[str] = (),
        windows: ek.Windows | None = None,
    ) -> None:
        library = folder / "learner.so"
        sources = [folder / name for name in ("edgeolk.c", "model.c", *names)]
        command = [compiler, *STRICT, "-Og", "-fPIC", *flags]
        # The loops are the same for many learners, and many tests.
        objects = [str(compiled([*command, "-c"], [source], ".o")) for source in sources]
        subprocess.run([compiler, "-shared", "-o", str(library), *objects], check=True)
        self.c = ctypes.CDLL(str(library))
        if hasattr(self.c, "ek_file"):
            self.c.ek_file.restype = ctypes.c_void_p
        self.dtype = np.float64 if learner.dtype == "float64" else np.float32
        self.columns = learner._config.columns
        self.weighs = hasattr(self.c, "ek_learn_weighted")
        self.nbytes = _arena_of(folder, [compiler, *flags])
        behind = "EK_SCRATCH 1" in (folder / "model.h").read_text()
        more = 0 if windows is None else windows.plan.block_bytes
        slack = self.nbytes - learner.nbytes - more
        most = 0 if windows is None else 7  # windows begin at a multiple of 8
        assert behind or 0 <= slack <= most or not hasattr(self.c, "ek_file")
        self._memory = np.full(self.nbytes + 128, 0xA5, np.uint8)
        start = self._memory.ctypes.data
        self._at = -start % 64 + offset
        self.arena = ctypes.c_void_p(start + self._at)
        self.c.ek_start(self.arena)

    def _row(self, x: Any) -> Any:
        return np.ascontiguousarray(x, self.dtype)

    def learn(self, x: Any, y: float = 0.0, weight: float = 1.0) -> float:
        """The score before the update; ValueError with the code if the row was rejected."""
        row, score = self._row(x), ctypes.c_double()
        given = [self.arena, row.ctypes.data_as(ctypes.c_void_p), ctypes.c_double(y)]
        if self.weighs:
            code = self.c.ek_learn_weighted(*given, ctypes.c_double(weight), ctypes.byref(score))
        else:
            code = self.c.ek_learn(*given, ctypes.byref(score))
        if code:
            raise ValueError(code)
        return score.value

    def _asked(self, name: str, x: Any, n: int) -> np.ndarray:
        row, out = self._row(x), np.empty(n)
        code = self.c[name](
            self.arena, row.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p)
        )
        if code:
            raise ValueError(code)
        return out

    def scores(self, x: Any) -> np.ndarray:
        return self._asked("ek_scores", x, self.columns)

    def predict(self, x: Any) -> float:
        return float(self._asked("ek_predict", x, 1)[0])

    def variance(self, x: Any) -> float:
        return float(self._asked("ek_variance", x, 1)[0])

    def probability(self, x: Any) -> np.ndarray:
        return self._asked("ek_probability", x, self.columns)

    def ask_one(self, x: Any) -> float:
        """A forecast, or the score of the first class; ``said`` has what follows too."""
        self.said = self._asked("ek_ask", x, max(self.columns, 9)).tolist()
        return float(self.said[0])

    def tell_one(self, y: float | None) -> None:
        """The target of the oldest row that waits; ValueError with the code if it is refused."""
        code = self.c.ek_tell(self.arena, ctypes.c_double(np.nan if y is None else y))
        if code:
            raise ValueError(code)

    def counts(self) -> list[int]:
        """Steps, mistakes, updates, skipped, alarms, rows in the memory."""
        out = (ctypes.c_uint64 * 6)()
        self.c.ek_count(self.arena, out)
        return list(out)

    def file(self, nbytes: int) -> bytes:
        return ctypes.string_at(self.c.ek_file(self.arena), nbytes)

    def load(self, file: bytes) -> int:
        return int(self.c.ek_load(self.arena, file, ctypes.c_size_t(len(file))))

    def untouched(self) -> bool:
        """Whether every byte around the arena is unchanged."""
        around = np.delete(self._memory, np.s_[self._at : self._at + self.nbytes])
        return bool((around == 0xA5).all())
