"""What ten classes cost beside two on the same ring: ``python -m bench.speed.classes``.

Rows of overlapping clouds, B = 500, d = 16, a full ring. The best of many short runs: others on the
machine only ever make a run longer.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

import edgeolk as ek

BUDGET, FEATURES, ROWS, BLOCK, ROUNDS = 500, 16, 6000, 150, 120
MODELS: dict[str, dict[str, Any]] = {
    "pa1, simple (BPA-S)": {"update": "pa1", "policy": "simple"},
    "gradient, oldest": {"update": "gradient", "policy": "oldest"},
    "perceptron, random": {"update": "perceptron", "policy": "random"},
    "softmax, oldest": {"update": "gradient", "loss": "logistic", "policy": "oldest"},
}


def rows(classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Clouds around a centre a class; one label in five is any, so that every ring fills."""
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, ROWS)
    centres = rng.standard_normal((classes, FEATURES))
    X = centres[y] + 0.8 * rng.standard_normal((ROWS, FEATURES))
    y = np.where(rng.random(ROWS) < 0.2, rng.integers(0, classes, ROWS), y)
    return X.astype(np.float32), y.astype(float)


def microseconds(model: dict[str, Any], classes: int | None) -> tuple[float, float, float]:
    """A score and a step, and the share of steps that updated."""
    X, y = rows(classes or 2)
    extra: dict[str, Any] = {"n_classes": classes} if classes else {}
    learner = ek.Learner(
        n_features=FEATURES, budget=BUDGET, kernel=ek.Gaussian(1 / FEATURES), **model, **extra
    )
    y = y if classes else 2.0 * y - 1.0
    for _ in range(3):
        learner.learn_many(X, y)
    scores = learner.scores if classes else learner.decision_function
    best = [np.inf, np.inf]
    steps, updates = learner.steps, learner.updates
    for turn in range(ROUNDS):
        at = slice(turn * BLOCK % ROWS, turn * BLOCK % ROWS + BLOCK)
        start = perf_counter()
        scores(X[at])
        middle = perf_counter()
        learner.learn_many(X[at], y[at])
        best = [min(best[0], middle - start), min(best[1], perf_counter() - middle)]
    share = (learner.updates - updates) / (learner.steps - steps)
    return best[0] / BLOCK * 1e6, best[1] / BLOCK * 1e6, share


def main() -> None:
    print(f"B = {BUDGET}, d = {FEATURES}, float32, {ek.simd()}; microseconds a row")
    print("| model | classes | score | step | updates | score / two | step / two |")
    print("|---|---|---|---|---|---|---|")
    for name, model in MODELS.items():
        two = microseconds(model, 2)
        for classes in (None, 2, 10):
            score, step, share = two if classes == 2 else microseconds(model, classes)
            label = classes or "-1, +1"
            print(
                f"| {name} | {label} | {score:.2f} | {step:.2f} | {share:.0%} |"
                f" {score / two[0]:.2f} | {step / two[1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
