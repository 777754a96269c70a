"""What the calibration of a classifier sees: scores from before a row was learned, and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.calibration import Calibration, two_columns
from edgeolk.sklearn import OnlineKernelClassifier


@pytest.fixture(scope="module")
def rows() -> Any:
    X = np.random.default_rng(0).normal(size=(300, 2))
    return X, np.where(X[:, 0] > 0.0, 1, 0)


def _calibrated(rows: Any, classes: int, weight: Any = None) -> tuple[Any, Any]:
    """A classifier that was taught once, and a calibration made of the same scores by hand."""
    X, y = rows
    labels = np.arange(len(y)) % classes
    model = OnlineKernelClassifier(random_state=0, gamma=0.5)
    model.partial_fit(X, labels, classes=list(range(classes)), sample_weight=weight)
    again, by_hand = ek.Learner(model.learner_.config), Calibration()
    for start in range(0, len(y), 32):
        some = slice(start, start + 32)
        counts = None if weight is None else weight[some]
        scores = again.scores(X[some]) if classes > 2 else None
        told = labels[some].astype(float) if classes > 2 else 2.0 * labels[some] - 1.0
        f = again.learn_many(X[some], told, weight=counts)
        by_hand.learn(two_columns(f) if scores is None else scores, labels[some], counts)
    return model.calibration_, by_hand


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighed", [False, True])
def test_the_calibration_follows_scores_and_weights(classes: int, weighed: bool, rows: Any) -> None:
    weight = np.random.default_rng(1).choice([0.25, 3.0], len(rows[1])) if weighed else None
    made, by_hand = _calibrated(rows, classes, weight)
    assert (made.slope, made.floor) == (by_hand.slope, by_hand.floor)
    assert (made.slope, made.floor) != (Calibration().slope, Calibration().floor)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_calibration_sees_a_row_before_it_was_learned_only(classes: int, rows: Any) -> None:
    X, y = rows
    labels = np.arange(len(y)) % classes
    once, often = (
        OnlineKernelClassifier(random_state=0, epochs=epochs).fit(X, labels).calibration_
        for epochs in (1, 4)
    )
    assert (once.slope, once.floor) == (often.slope, often.floor)
