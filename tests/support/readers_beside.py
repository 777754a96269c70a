"""Threads that score concurrently, for ThreadSanitizer: ``make tsan`` runs it.

Every algorithm, with and without lookahead, scaled, shortened and sparse rows: the scores equal
those of a single thread, and the sanitizer ends the process if one thread writes what another uses.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
from helpers import EVERY, LIVELY
from synthetic import random_stream

import edgeolk as ek

D, ROWS, THREADS, TIMES = 20, 1200, 3, 2
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"lookahead": 7},
    {"sparse": True},
    {"scale": "standard"},
    {"clip_rows": 2.0},
    {"n_classes": 3},
    {"loss": "square", "gaussian_process": 9},
)


def built(name: str, **options: Any) -> ek.Learner | None:
    """The learner, or None if the options are incompatible."""
    size = {"D": 70} if name in ("fogd", "sorf") else {"budget": 60}
    try:
        return ek.Learner(name, n_features=D, **{**LIVELY.get(name, {}), **size, **options})
    except (TypeError, ValueError):
        return None


def read_beside(learner: ek.Learner, X: np.ndarray) -> None:
    expected = learner.scores(X)
    wrong: list[int] = []

    def read() -> None:
        for _ in range(TIMES):
            wrong.extend(np.flatnonzero((learner.scores(X) != expected).any(axis=1)))

    threads = [threading.Thread(target=read) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise SystemExit(f"{learner!r}: other scores than those of one thread alone")


def main(names: list[str]) -> None:
    X, y = random_stream(5, ROWS, D)
    X[np.abs(X) < 0.5] = 0.0
    read = 0
    for name in names or EVERY:
        for options in OPTIONS:
            learner = built(name, **options)
            if learner is None:
                continue
            labels = np.arange(ROWS) % 3 if "n_classes" in options else y
            learner.learn_many(X[:300], labels[:300])
            read_beside(learner, X)
            read += 1
    print(f"{read} learners read by {THREADS} threads each")


if __name__ == "__main__":
    main(sys.argv[1:])
