"""What the calibration of a classifier sees: scores from before a row was learned, and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.probabilities import Probabilities
from edgeolk.sklearn import OnlineKernelClassifier


@pytest.fixture(scope="module")
def rows() -> Any:
    X = np.random.default_rng(0).normal(size=(300, 2))
    return X, np.where(X[:, 0] > 0.0, 1, 0)


def _calibrated(rows: Any, classes: int, weight: Any = None) -> tuple[Any, Any]:
    """A classifier that was taught once, and probabilities made of the same scores by hand."""
    X, y = rows
    labels = np.arange(len(y)) % classes
    model = OnlineKernelClassifier(random_state=0, gamma=0.5)
    model.partial_fit(X, labels, classes=list(range(classes)), sample_weight=weight)
    again, by_hand = ek.Learner(model.learner_.config), Probabilities(classes, classes == 2)
    for start in range(0, len(y), 32):
        some = slice(start, start + 32)
        counts = None if weight is None else weight[some]
        told = labels[some].astype(float) if classes > 2 else 2.0 * labels[some] - 1.0
        parts = np.empty((len(told), 3)) if classes == 2 else None
        scores = again.scores(X[some]) if classes > 2 else None
        f = again._learn_many(X[some], told, counts, None, parts)
        found = np.column_stack((f, parts)) if scores is None else scores
        by_hand.learn(found, labels[some], counts)
    return model.probabilities_, by_hand


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighed", [False, True])
def test_the_calibration_follows_scores_and_weights(classes: int, weighed: bool, rows: Any) -> None:
    weight = np.random.default_rng(1).choice([0.25, 3.0], len(rows[1])) if weighed else None
    made, by_hand = _calibrated(rows, classes, weight)
    assert made.__getstate__() == by_hand.__getstate__()
    assert made.__getstate__() != Probabilities(classes, classes == 2).__getstate__()


def test_weights_of_classes_reach_the_calibration(rows: Any) -> None:
    """As those of another world, in which classes are as frequent as they weigh."""
    X, y = rows
    given = {"random_state": 0, "gamma": 0.5, "epochs": 1}
    mean = [
        OnlineKernelClassifier(class_weight=weight, **given).fit(X, y).predict_proba(X)[:, 1].mean()
        for weight in ({0: 5.0, 1: 1.0}, None, {0: 1.0, 1: 5.0})
    ]
    assert mean == sorted(mean)
    model = OnlineKernelClassifier(class_weight={0: 5.0, 1: 1.0}, **given).fit(X, y)
    assert model.probabilities_.shares[1] < 0.3


@pytest.mark.parametrize("classes", [2, 3])
def test_the_calibration_sees_a_row_before_it_was_learned_only(classes: int, rows: Any) -> None:
    X, y = rows
    labels = np.arange(len(y)) % classes
    once, often = (
        OnlineKernelClassifier(random_state=0, epochs=epochs).fit(X, labels).probabilities_
        for epochs in (1, 4)
    )
    assert once.__getstate__() == often.__getstate__()
