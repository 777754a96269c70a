"""The library's scores under one variant, in a process of its own: the choice is made at import.

As a program it makes the learners, says how many scores a run is, and then times one run for each
line it reads.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.datasets import ROOT
from bench.roofs.peak import DTYPES
from bench.roofs.roof import SHAPES, Shape, key_of
from bench.timing import Case

ROWS = 1000


def rows_of(shape: Shape, dtype: str, n: int, seed: int) -> NDArray[Any]:
    """Normal rows, dense arrays all; of a sparse one all but some numbers are zeros."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, shape.features)).astype(dtype)
    if shape.nonzeros is not None:
        order = rng.permuted(np.tile(np.arange(shape.features), (n, 1)), axis=1)
        X[order >= shape.nonzeros] = 0.0
    return X


def full_learner(shape: Shape, dtype: str) -> ek.Learner:
    """A learner whose ring is full."""
    learner = ek.Learner(
        "stoptron",
        n_features=shape.features,
        budget=shape.budget,
        kernel=ek.Gaussian(1.0 / shape.terms),
        dtype=dtype,
        sparse=shape.nonzeros is not None,
    )
    # Labels by chance: about half of the rows are mistakes, which is what fills a ring.
    X = rows_of(shape, dtype, 10 * shape.budget, 1)
    learner.learn_many(X, np.random.default_rng(2).choice([-1.0, 1.0], len(X)))
    if learner.n_support != shape.budget:
        raise RuntimeError(f"{shape.title}: {learner.n_support} support vectors, ring not full")
    return learner


class Scores:
    """Scores of one shape and type in bulk."""

    def __init__(self, shape: Shape, dtype: str, seconds: float) -> None:
        self.learner = full_learner(shape, dtype)
        self.X = rows_of(shape, dtype, ROWS, 3)
        self.out = np.empty(ROWS)
        self.repeats = 1
        once = min(self.seconds() for _ in range(3))
        self.repeats = max(round(seconds / once), 1)

    def seconds(self) -> float:
        """Seconds of one run, of ``repeats`` calls."""
        bulk, X, out = self.learner.decision_function, self.X, self.out
        began = process_time()
        for _ in range(self.repeats):
            bulk(X, out=out)
        return process_time() - began


class Child:
    """A process with one variant forced."""

    def __init__(self, variant: str, seconds: float) -> None:
        self.variant = variant
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(seconds)],
            env={**os.environ, "EDGEOLK_SIMD": variant},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self) -> list[Case]:
        """Wait until it is ready; what it can be asked to time."""
        message = self._line()
        if message["variant"] != self.variant:
            raise RuntimeError(f"asked for variant {self.variant}, got {message['variant']}")
        return [
            Case(key, key, n, partial(self.seconds, key)) for key, n in message["scores"].items()
        ]

    def seconds(self, key: str) -> float:
        """Seconds of one run."""
        assert self.process.stdin is not None
        print(key, file=self.process.stdin, flush=True)
        return float(self._line())

    def close(self) -> None:
        """End it."""
        self.process.communicate()

    def _line(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process for variant {self.variant} ended: see above")
        return json.loads(line)


def main(seconds: float) -> None:
    """Be the child."""
    every = {
        key_of(shape, dtype, ek.simd()): Scores(shape, dtype, seconds)
        for shape in SHAPES
        for dtype in DTYPES
    }
    counts = {key: ROWS * scores.repeats for key, scores in every.items()}
    print(json.dumps({"variant": ek.simd(), "scores": counts}), flush=True)
    for line in sys.stdin:
        print(every[line.rstrip("\n")].seconds(), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]))
