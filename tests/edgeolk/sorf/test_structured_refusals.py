"""What a learner on structured features refuses: rows, labels, states and configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from structured_cases import ALL_TASKS, BUDGET, D, every_type, learner_of, sealed, stream

import edgeolk as ek
from edgeolk.files import live

# ---- what is refused changes nothing -------------------------------------------------------------


@every_type
@pytest.mark.parametrize(("task", "name"), ALL_TASKS)
@pytest.mark.spread(6)
def test_huge_rows_are_scored_or_refused(task: str, name: str, dtype: str) -> None:
    """A refused row changes nothing, and every state on the way is one that can be loaded."""
    X, y = stream(task, 240)
    learner = learner_of(task, dtype, name)
    learner.learn_many(X, y)
    top = 1e300 if dtype == "float64" else 1e38
    taken = refused = 0
    for power in (2, 4, 8, 16, 24, 30, 38, 100, 200, 300):
        for row in (X[1] * 10.0**power, np.full(D, 10.0**power), -np.eye(D)[0] * 10.0**power):
            row = np.clip(row, -top, top)
            before = sealed(learner)
            try:
                score = learner.learn_one(row, y[1])
            except ValueError:
                assert sealed(learner) == before
                refused += 1
                continue
            taken += 1
            assert np.isfinite(score)
            again = ek.Learner._from_block(sealed(learner))
            scores = again.scores(X[:5]) if task == "classes" else again.decision_function(X[:5])
            assert np.isfinite(scores).all()
    assert taken > 0
    assert refused > 0


@pytest.mark.parametrize("expert", ["linear", "linear_group"])
def test_rows_beyond_the_range_of_an_expert_are_refused(expert: str) -> None:
    """Far below where sums overflow; the sum of all inputs counts."""
    bound = 1e12
    X, y = stream("two", 60)
    learner = learner_of("two", "float32", **{expert: True})
    learner.learn_many(X, y)
    learner.learn_one(np.full(D, 0.99 * bound / D), 1.0)
    before = sealed(learner)
    for row in (np.full(D, 1.01 * bound / D), np.eye(D)[2] * 1e4 * bound):
        for call in (
            lambda row=row: learner.learn_one(row, 1.0),
            lambda row=row: learner.decision_one(row),
            lambda row=row: learner.learn_many(row[None], [1.0]),
        ):
            with pytest.raises(ek.BadRowError, match="overflows for this row"):
                call()
        assert sealed(learner) == before


def test_huge_targets_are_refused() -> None:
    X, y = stream("regression", 60)
    learner = learner_of("regression")
    learner.learn_many(X, y)
    before = sealed(learner)
    for target in (1e101, -1e300):
        with pytest.raises(ValueError, match="x"):
            learner.learn_one(X[0], target)
        assert sealed(learner) == before
    learner.learn_one(X[0], 1e100)
    assert np.isfinite(learner.decision_one(X[0]))
    ek.Learner._from_block(sealed(learner))


# ---- states that learning does not lead to -------------------------------------------------------

HOSTILE: list[tuple[str, str, str, str, int, float]] = [
    ("two", "plain", "float64", "weights", 3, np.nan),
    ("two", "plain", "float64", "mean_weights", 0, np.inf),
    ("two", "plain", "float32", "weights", -1, -np.inf),
    ("two", "plain", "int8", "weights", 2, -128),
    ("two", "plain", "int8", "mean_weights", -1, -128),
    ("novelty", "plain", "int8", "mean_weights", 5, -128),
    ("two", "plain", "int8", "blend", 0, -1.0),
    ("two", "plain", "int8", "blend", 1, np.nan),
    ("two", "plain", "int8", "blend", 3, 1e10),
    ("two", "plain", "int8", "blend", -1, 0.5),
    ("two", "plain", "int8", "blend", -1, 4097.0),
    ("two", "groups", "int8", "blend", -2, np.nan),
    ("novelty", "plain", "int8", "novelty", 0, -1.0),
    ("novelty", "plain", "int8", "novelty", 1, np.nan),
    ("novelty", "plain", "int8", "novelty", 0, np.inf),
    ("regression", "plain", "int8", "target", 0, np.nan),
    ("regression", "plain", "int8", "target", 1, -1.0),
    ("regression", "plain", "int8", "target", 1, np.inf),
    ("two", "linear", "int8", "linear", 0, np.nan),
    ("two", "linear", "int8", "linear", D + 1, 1.5),
    ("two", "linear", "int8", "linear", -1, -0.5),
    ("two", "relevance", "int8", "relevance", 0, 2.5),
    ("two", "relevance", "int8", "relevance", 1, np.nan),
    ("two", "relevance", "int8", "relevance", -1, -1.0),
    ("two", "relevance", "int8", "gradient_steps", 0, -1),
    ("two", "relevance", "int8", "gradient_steps", 0, 10**6),
    ("two", "last label", "int8", "last_label", 0, np.nan),
    ("two", "last label", "int8", "last_label", 0, 3.0),
    ("classes", "last label", "int8", "last_label", 0, 9.0),
    ("classes", "last label", "int8", "last_label", 0, 0.5),
]


@pytest.mark.parametrize(("task", "name", "dtype", "region", "at", "value"), HOSTILE, ids=str)
def test_hostile_states_are_refused(
    task: str, name: str, dtype: str, region: str, at: int, value: float
) -> None:
    X, y = stream(task, 230)
    learner = learner_of(task, dtype, name)
    learner.learn_many(X, y)
    block = memoryview(bytearray(memoryview(learner._engine.arena)))
    state = [r for r in learner.plan.regions if r.is_state]
    live.check(learner._config, state, block)
    live.numbers(next(r for r in state if r.name == region), block)[at] = value
    with pytest.raises(ValueError, match="the model is inconsistent"):
        live.check(learner._config, state, block)


# ---- configurations ------------------------------------------------------------------------------


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"linear": True, "n_classes": 3}, "linear"),
    ({"loss": "novelty", "linear": True}, "novelty|NOVELTY"),
    ({"loss": "novelty", "groups": 2}, "novelty|NOVELTY"),
    ({"loss": "novelty", "relevance": True}, "novelty|NOVELTY"),
    ({"loss": "novelty", "n_classes": 3}, "classes|columns"),
    ({"loss": "square", "n_classes": 3}, "classes|columns"),
    ({"dtype": "float16"}, "stores weights as int8, float32 or float64"),
    ({"sparse": True}, "sparse"),
    ({"kernel": ek.Laplacian(0.3)}, "Gaussian"),
    ({"coefficients": "float32"}, "coefficients"),
    ({"blends": (0.0, 0.5)}, "blends"),
    ({"widths": ()}, "widths"),
    ({"widths": (-1.0,)}, "widths"),
    ({"widths": ((1.0,), (2.0,)), "groups": 3}, "widths"),
    ({"cmin": 50.0, "cmax": 40.0}, "cmin"),
    ({"groups": 4}, "widths|groups"),
    ({"D": 64, "groups": 2}, "groups"),
    ({"delta": 1.0}, "delta"),
    ({"budget": 5}, "D=|budget"),
]


@pytest.mark.parametrize(("options", "why"), REFUSED, ids=str)
def test_what_cannot_be(options: dict[str, Any], why: str) -> None:
    with pytest.raises((TypeError, ValueError), match=why):
        ek.Learner("sorf", **{"n_features": D, "D": BUDGET, **options})


def test_no_vectors_and_no_coefficients() -> None:
    learner = learner_of("two")
    with pytest.raises(AttributeError, match="no vectors"):
        _ = learner.support_vectors_
    with pytest.raises(AttributeError, match="no dual coefficients"):
        _ = learner.dual_coef_
    assert learner.n_support == 0
    with pytest.raises(AttributeError, match="no weights"):
        _ = ek.Learner("rbp", n_features=2, budget=3).weights_
