"""One pass of every algorithm over some rows, by each method: run by ``make valgrind``."""

from __future__ import annotations

from typing import Any

import numpy as np
from helpers import LIVELY, Csr

import edgeolk as ek

D, B, N = 5, 9, 60
RNG = np.random.default_rng(0)
X = np.where(RNG.random((N, D)) < 0.4, 0.0, RNG.normal(size=(N, D)))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=N) > 0.0, 1.0, -1.0)


def kinds(name: str) -> list[dict[str, Any]]:
    """Storage types and kinds of rows; those that an algorithm rejects are skipped by its plan."""
    made = [{"dtype": dtype} for dtype in ("float64", "float32", "float16", "int8")]
    return [*made, {"sparse": True}, {"coefficients": "float32"}]


def one_pass(name: str, options: dict[str, Any]) -> int:
    buffer = bytearray(ek.plan(name, n_features=D, budget=B, **options).nbytes)
    learner = ek.Learner(name, n_features=D, budget=B, buffer=buffer, **options)
    for x, y in zip(X[:20], Y[:20], strict=True):
        learner.learn_one(x, y)
    learner.learn_many(X[20:40].astype(np.float32), Y[20:40])
    learner.learn_many(Csr(X[40:]), Y[40:])
    learner.decision_function(X)
    learner.wants_label(X[0])
    if learner.parts.get("averaging") == ek.Averaging.MEAN:
        learner.averaged.decision_function(X)
    again = ek.Learner._from_block(bytes(learner._sealed()))
    assert np.array_equal(again.decision_function(X), learner.decision_function(X))
    return 1


def main() -> None:
    passes = 0
    for row in ek.algorithms():
        for options in kinds(row.name):
            try:
                ek.plan(row.name, n_features=D, budget=B, **options)
            except ValueError:
                continue
            passes += one_pass(row.name, {**LIVELY.get(row.name, {}), **options})
    for more in ({"n_classes": 3}, {"loss": "square"}, {"linear": True, "relevance": True}):
        learner = ek.Learner("sorf", n_features=D, budget=70, **more)
        labels = np.arange(N) % 3 if "n_classes" in more else Y
        learner.learn_many(X, labels)
        learner.predict(X)
        passes += 1
    print(f"{passes} passes")


if __name__ == "__main__":
    main()
