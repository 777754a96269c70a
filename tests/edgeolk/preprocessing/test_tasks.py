"""Scaling and width inside the block, for tasks other than two classes."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import edgeolk as ek

D, ROWS, WARM = 4, 240, 60
#: What makes a learner of each task; the ring's and structured features'.
TASKS: dict[str, dict[str, Any]] = {
    "classes": {"algorithm": "bpa_s", "n_classes": 3, "C": 1.0},
    "classes by perceptron": {"algorithm": "rbp", "n_classes": 3},
    "classes sorf": {"algorithm": "sorf", "n_classes": 3},
    "novelty": {"update": "gradient", "loss": "novelty", "policy": "oldest", "nu": 0.2},
    "novelty sorf": {"algorithm": "sorf", "loss": "novelty"},
    "tolerance": {"algorithm": "ogd", "loss": "epsilon"},
    "regression sorf": {"algorithm": "sorf", "loss": "square"},
}
tasks = pytest.mark.parametrize("task", TASKS)


def learner_of(task: str, **more: Any) -> ek.Learner:
    return ek.Learner(**{"n_features": D, "budget": 14, "seed": 3, **TASKS[task], **more})


def rows_of(task: str) -> tuple[np.ndarray, list[Any]]:
    """Readings of unlike sizes with a glitch, and what their learner is told beside each."""
    draws = np.random.default_rng(8)
    z = draws.normal(size=(ROWS, D))
    value = z[:, 0] + 0.5 * z[:, 3] ** 2
    X = z * [1e-2, 1.0, 30.0, 5.0] + [3.0, -1.0, 0.0, 200.0]
    X[ROWS // 2, 1] = 1e8
    if "classes" in task:
        return X, [int(c) for c in np.digitize(value, [0.0, 0.9])]
    if "novelty" in task:
        return X, [None] * ROWS
    return X, [float(v) for v in value]


def learned(learner: ek.Learner, x: np.ndarray, y: Any) -> Any:
    """What ``learn_one`` said, as something that can be compared."""
    return np.asarray(learner.learn_one(x) if y is None else learner.learn_one(x, y)).tolist()


def decided(learner: ek.Learner, x: np.ndarray) -> Any:
    scores = learner.scores_one(x) if learner.n_classes > 2 else learner.decision_one(x)
    return np.asarray(scores).tolist()


@tasks
@pytest.mark.parametrize("method", ["standard", "minmax"])
def test_a_scaler_inside_gives_the_numbers_of_one_before_it(task: str, method: str) -> None:
    X, y = rows_of(task)
    scaler = ek.RunningScaler(D, method=method, compact=method == "standard")
    inner, outer = (learner_of(task, scale=given, gamma=None) for given in (method, None))
    end = 2.5 if task == "classes sorf" and method == "standard" else np.inf  # of features
    said = set()
    for x, label in zip(X, y, strict=True):
        said.add(str(decided(inner, x)))
        seen = np.clip(scaler.transform_one(x), -end, end)
        assert decided(inner, x) == decided(outer, seen)
        seen = np.clip(scaler.learn_transform_one(x), -end, end)
        assert learned(inner, x, label) == learned(outer, seen, label)
    assert len(said) > ROWS // 4
    assert (inner.updates, inner.mistakes) == (outer.updates, outer.mistakes)
    assert pickle.dumps(inner.scaler) == pickle.dumps(scaler)


@tasks
def test_the_model_starts_anew_with_the_width(task: str) -> None:
    """What came before the width was fixed is counted, and otherwise forgotten."""
    X, y = rows_of(task)
    X = (X - X[:WARM].mean(axis=0)) / X[:WARM].std(axis=0)
    learner = learner_of(task, gamma="auto", gamma_rows=WARM, scale=None)
    provisional = learner.kernel
    for x, label in zip(X[:WARM], y, strict=False):
        learned(learner, x, label)
    fixed = learner.kernel
    assert isinstance(fixed, ek.Gaussian)
    assert fixed != provisional
    assert fixed.gamma == pytest.approx(0.5 / D, rel=1e-6)  # of rows in float32
    before = (learner.steps, learner.mistakes, learner.updates)
    fresh = learner_of(task, kernel=fixed, scale=None)
    for x, label in zip(X[WARM:], y[WARM:], strict=True):
        assert learned(learner, x, label) == learned(fresh, x, label)
        assert decided(learner, x) == decided(fresh, x)
    after = (learner.steps, learner.mistakes, learner.updates)
    counted = (fresh.steps, fresh.mistakes, fresh.updates)
    assert after == tuple(a + b for a, b in zip(before, counted, strict=True))
