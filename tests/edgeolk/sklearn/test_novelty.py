"""Novelty at scikit-learn's desk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import edgeolk as ek
from edgeolk.sklearn import OnlineKernelNovelty


@pytest.fixture(scope="module")
def machine() -> Any:
    """Rows of two states of a machine, and rows of neither."""
    random = np.random.default_rng(0)
    states = np.array([[0.0, 0.0, 1.0], [4.0, 4.0, -1.0]])
    normal = states[random.integers(0, 2, 2000)] + random.normal(0.0, 0.5, (2000, 3))
    return normal, random.uniform((-2.0, -2.0, 2.0), (6.0, 6.0, 10.0), (200, 3))


def test_novel_rows_are_told_apart(machine: Any) -> None:
    normal, novel = machine
    model = OnlineKernelNovelty(ram="2KiB", random_state=0).fit(normal)
    scores = model.score_samples(np.vstack((normal, novel)))
    truth = np.repeat([1, 0], [len(normal), len(novel)])
    assert roc_auc_score(truth, scores) > 0.95
    assert model.learner_.nbytes <= 2048


def test_scores_and_the_threshold(machine: Any) -> None:
    normal, novel = machine
    model = OnlineKernelNovelty(random_state=0).fit(normal)
    f = model.decision_function(novel)
    np.testing.assert_allclose(model.score_samples(novel) - model.offset_, f, atol=1e-12)
    assert (model.predict(novel) == np.where(f >= 0.0, 1, -1)).all()


def test_a_ring_tells_novelty_too(machine: Any) -> None:
    normal, novel = machine
    params = {
        "update": ek.Update.GRADIENT, "loss": ek.Loss.NOVELTY, "policy": ek.Policy.OLDEST,
        "eta": 0.1, "lam": 0.01,
    }  # fmt: skip
    model = OnlineKernelNovelty(None, params=params, random_state=0).fit(normal)
    assert np.median(model.decision_function(normal)) > np.median(model.decision_function(novel))


def test_a_first_call_that_is_refused_leaves_nothing(machine: Any) -> None:
    normal, _ = machine
    model = OnlineKernelNovelty(scale=None, gamma=1.0, params={"dtype": "float32"})
    before = dict(vars(model))
    with pytest.raises(ValueError, match="storage type"):
        model.partial_fit(normal * 1e200)
    assert vars(model) == before


def test_rows_in_the_order_of_time() -> None:
    """partial_fit with history=True is novelty in time, bit for bit; fit refuses it."""
    r = np.random.default_rng(0)
    X = np.cumsum(r.normal(size=(900, 3)), axis=0)
    model = OnlineKernelNovelty(history=True, ram="2KiB", random_state=0)
    model.partial_fit(X[:500]).partial_fit(X[500:])
    made = model.learner_
    assert made._config.reports_events
    assert made.parameters["nu"] == 0.02
    own = ek.Learner(n_features=3, ram="2KiB", loss="novelty", history=True, seed=made.config.seed)
    own.learn_many(X)
    assert own.threshold == made.threshold == model.offset_
    assert model.decision_function(X[-5:]).tolist() == own.decision_function(X[-5:]).tolist()
    assert OnlineKernelNovelty(random_state=0).fit(X).learner_.parameters["nu"] == 0.05
    with pytest.raises(ValueError, match="partial_fit"):
        OnlineKernelNovelty(history=True).fit(X)
    with pytest.raises(TypeError, match="history must be True or False"):
        OnlineKernelNovelty(history="yes").partial_fit(X)
