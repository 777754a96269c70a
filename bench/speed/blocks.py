"""Scores of many rows against numpy's product and exponential: ``python -m bench.speed.blocks``.

``decision_function`` of a full ring, and the same function in numpy, a thousand rows a batch, as
one writes it down and with all prepared that can be; then structured features: scoring in blocks
beside learning the same rows one by one. Rows are normal; processor time, one thread, the cases
interleaved. A ratio, of our time to theirs, is the median of the ratios within a round.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import edgeolk as ek
from bench.table import Report, Table
from bench.timing import Case, interleave, ratio, seconds_of

#: Rows, features, budget; the ratio to numpy that is aimed at.
RINGS = ((48_842, 123, 1350, 0.6), (48_842, 16, 1350, 0.3), (200_000, 16, 200, 0.35))
#: Rows, features, frequencies; the ratio of scoring to learning that is aimed at.
STRUCTURED = ((10_000, 22, 928, 0.7), (2_000, 123, 4000, 0.7))
BATCH, ROUNDS = 1000, 7


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal rows; labels that a linear function does not know."""
    rng = np.random.default_rng(d)
    X = rng.standard_normal((n, d)).astype(np.float32)
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def full(d: int, budget: int) -> ek.Learner:
    """A learner whose ring is full."""
    X, y = rows(10 * budget, d)
    made = ek.Learner(
        "rbp", n_features=d, budget=budget, kernel=ek.Gaussian(1.0 / d), dtype="float32"
    )
    made.learn_many(X, y)
    if made.n_support != budget:
        raise RuntimeError(f"{made.n_support} support vectors of {budget}: the ring is not full")
    return made


class ByNumpy:
    """The same scores, float32 throughout, a thousand rows at a time."""

    def __init__(self, learner: ek.Learner, gamma: float) -> None:
        self.ring = np.asarray(learner.support_vectors_, dtype=np.float32)
        self.alpha = np.asarray(learner.dual_coef_, dtype=np.float32)
        self.gamma = np.float32(gamma)

    def scores(self, X: np.ndarray, out: np.ndarray) -> np.ndarray:
        """As one writes it down."""
        lengths = (self.ring**2).sum(axis=1)
        for start in range(0, len(X), BATCH):
            part = X[start : start + BATCH]
            products = part @ self.ring.T
            distances = (part**2).sum(axis=1)[:, None] + lengths - 2.0 * products
            out[start : start + BATCH] = np.exp(-self.gamma * distances) @ self.alpha
        return out


class Prepared(ByNumpy):
    """What can be prepared prepared, and in memory used again."""

    def __init__(self, learner: ek.Learner, gamma: float) -> None:
        super().__init__(learner, gamma)
        self.turned = np.ascontiguousarray(2.0 * gamma * self.ring.T, dtype=np.float32)
        self.lengths = np.float32(gamma) * np.einsum("ij,ij->i", self.ring, self.ring)
        self.room = np.empty((BATCH, len(self.ring)), np.float32)

    def scores(self, X: np.ndarray, out: np.ndarray) -> np.ndarray:
        """A product, lengths, exponentials, a weighted sum, each where the last one was."""
        for start in range(0, len(X), BATCH):
            part = X[start : start + BATCH]
            values = np.matmul(part, self.turned, out=self.room[: len(part)])
            values -= self.lengths
            values -= self.gamma * np.einsum("ij,ij->i", part, part)[:, None]
            out[start : start + BATCH] = np.exp(values, out=values) @ self.alpha
        return out


def measured(
    runs: dict[str, Callable[[], Any]], n: int, rounds: int
) -> tuple[dict[str, str], dict[str, str]]:
    """Microseconds a row of each, and the ratios of the first to the others, as printed."""
    cases = [Case(key, key, n, partial(seconds_of, run)) for key, run in runs.items()]
    found = interleave(cases, range(rounds), lambda: None)
    ours = found[cases[0].key]
    return (
        {key: f"{timing.microseconds:.3f}" for key, timing in found.items()},
        {key: f"{ratio(ours, timing):.2f}" for key, timing in found.items()},
    )


def ring_line(n: int, d: int, budget: int, asked: float, rounds: int) -> list[str]:
    """Scores of a ring compared with numpy's."""
    learner = full(d, budget)
    X, _ = rows(n, d)
    peers = {"plain": ByNumpy(learner, 1.0 / d), "prepared": Prepared(learner, 1.0 / d)}
    out, other = np.empty(n), np.empty(n, np.float32)
    learner.decision_function(X, out=out)
    runs: dict[str, Callable[[], Any]] = {"ours": partial(learner.decision_function, X, out=out)}
    for name, peer in peers.items():
        if not np.allclose(peer.scores(X, other), out, rtol=1e-3, atol=1e-3):
            raise RuntimeError("the scores are not the same")
        runs[name] = partial(peer.scores, X, other)
    us, ratios = measured(runs, n, rounds)
    return [
        f"{n:,} x {d}, B = {budget}",
        us["ours"],
        us["plain"],
        ratios["plain"],
        f"{asked:.2f}",
        us["prepared"],
        ratios["prepared"],
    ]


def structured_line(n: int, d: int, D: int, asked: float, rounds: int) -> list[str]:
    """Scoring in blocks compared with learning, on rows of which few change weights."""
    learner = ek.Learner("sorf", n_features=d, D=D, gamma=0.5 / d, scale=None)
    X, _ = rows(n, d)
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    learner.learn_many(X, y)
    before = learner.updates
    learner.learn_many(X, y)
    share = (learner.updates - before) / n
    us, ratios = measured(
        {
            "scored": partial(learner.decision_function, X, out=np.empty(n)),
            "learned": partial(learner.learn_many, X, y),
        },
        n,
        rounds,
    )
    what = f"{n:,} x {d}, D = {D}, {share:.0%} of the rows learned change weights"
    return [what, us["scored"], us["learned"], ratios["learned"], f"{asked:.2f}"]


def main() -> int:
    """Print the tables, and save them unless asked to be quick."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed.blocks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows and rounds, nothing saved")
    quick = parser.parse_args().quick
    share, rounds = (20, 2) if quick else (1, ROUNDS)
    header = ["rows", "us a row", "numpy", "ratio", "goal", "numpy, prepared", "ratio"]
    rings = [ring_line(n // share, d, budget, goal, rounds) for n, d, budget, goal in RINGS]
    learned = [structured_line(n // share, d, D, goal, rounds) for n, d, D, goal in STRUCTURED]
    report = Report(
        "Scores of many rows",
        f"One run of `python -m bench.speed.blocks`, {ek.simd()}, one thread, processor time,"
        f" medians of {rounds} rounds.",
        [
            Table("A full ring beside numpy, float32, Gaussian", header, rings),
            Table(
                "`sorf`: scoring in blocks beside learning",
                ["rows", "us a row, scored", "us a row, learned", "ratio", "goal"],
                learned,
            ),
        ],
    )
    report.publish("blocks", not quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
