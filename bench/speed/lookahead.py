"""Learning with the rows to come in view, beside row by row: ``python -m bench.speed.lookahead``.

The same learner twice, ``lookahead=0`` and ``lookahead=6``, over the same rows from a full ring on.
The scores are compared to the last bit; times are processor time, the ratio is the median of the
ratios within a round. a9a, where it is found, with its rows read in full; else normal rows whose
labels the product of two numbers makes.
"""

from __future__ import annotations

import argparse
import copy
from functools import partial
from time import process_time

import numpy as np

import edgeolk as ek
from bench import datasets
from bench.table import Table
from bench.timing import Case, interleave, ratio

#: Algorithm, budget, features; None for a9a.
SHAPES = (
    ("rbp", 1350, None),
    ("stoptron", 1350, None),
    ("ogd", 1350, None),
    ("rbp", 500, None),
    ("rbp", 1350, 64),
    ("rbp", 1350, 32),
    ("rbp", 1350, 16),
    ("rbp", 200, 16),
)
ROWS, ROUNDS, AHEAD = 20_000, 7, 6


def rows(n_features: int | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Dense float32 rows and labels."""
    if n_features is None:
        a9a = datasets.a9a().permuted(0).head(n)
        return a9a.X, a9a.y
    rng = np.random.default_rng(n_features)
    X = rng.standard_normal((n, n_features)).astype(np.float32)
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def seconds(full: ek.Learner, X: np.ndarray, y: np.ndarray, out: np.ndarray) -> float:
    """Seconds of one pass of a learner made alike."""
    learner = copy.deepcopy(full)
    start = process_time()
    learner.learn_many(X, y, out=out)
    return process_time() - start


def measure(name: str, budget: int, n_features: int | None, n: int, rounds: int) -> list[str]:
    """One line of the table."""
    X, y = rows(n_features, n + 4 * budget)
    first = len(y) - n
    todo, scores, updates = [], {}, 0
    for ahead in (0, AHEAD):
        full = ek.Learner(
            name,
            n_features=X.shape[1],
            budget=budget,
            kernel=ek.Gaussian(0.04 if n_features is None else 1.0 / n_features),
            scale=None,
            sparse=False,
            lookahead=ahead,
        )
        full.learn_many(X[:first], y[:first])
        scores[ahead] = np.zeros(n)
        run = partial(seconds, full, X[first:], y[first:], scores[ahead])
        todo.append(Case(str(ahead), name, n, run))
        after = copy.deepcopy(full)
        after.learn_many(X[first:], y[first:])
        updates = after.updates - full.updates
    timings = interleave(todo, range(rounds), lambda: None)
    if not np.array_equal(scores[0], scores[AHEAD]):
        raise RuntimeError(f"{name}: the scores are not the same")
    plain, ahead_of = timings["0"], timings[str(AHEAD)]
    return [
        name,
        f"{budget}, {X.shape[1]}{' (a9a)' if n_features is None else ''}",
        f"{updates / n:.0%}",
        f"{plain.microseconds:.2f}",
        f"{ahead_of.microseconds:.2f}",
        f"{ratio(ahead_of, plain):.2f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed.lookahead", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows and rounds")
    quick = parser.parse_args().quick
    n, rounds = (2_000, 2) if quick else (ROWS, ROUNDS)
    lines = []
    for name, budget, n_features in SHAPES:
        try:
            lines.append(measure(name, budget, n_features, n, rounds))
        except FileNotFoundError as error:
            print(f"left out: {error}")
    header = ["algorithm", "B, d", "updates", "us a row, plain", "us a row, lookahead", "ratio"]
    print(Table(f"Lookahead of {AHEAD} rows, {ek.simd()}", header, lines, "").markdown())


if __name__ == "__main__":
    main()
