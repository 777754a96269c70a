"""Probabilities from scores by two numbers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from edgeolk.calibration import Calibration, softmax, two_columns


def _drawn(classes: int, slope: float, floor: float, n: int) -> Any:
    """Scores, and labels drawn from the model."""
    random = np.random.default_rng(1)
    if classes == 2:
        scores = two_columns(random.normal(0.0, 1.0, n))
    else:
        scores = random.normal(0.0, 1.0, (n, classes))
    p = (1.0 - floor) * softmax(slope * scores) + floor / classes
    labels = (random.uniform(size=(n, 1)) > p.cumsum(axis=1)).sum(axis=1)
    return scores, labels


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize(("slope", "floor"), [(3.0, 0.1), (0.5, 0.02), (20.0, 0.2)])
def test_it_finds_the_numbers(classes: int, slope: float, floor: float) -> None:
    scores, labels = _drawn(classes, slope, floor, 20000)
    learned = Calibration()
    learned.learn(scores, labels)
    assert learned.slope == pytest.approx(slope, rel=0.35)
    if slope > 1.0:
        assert learned.floor == pytest.approx(floor, abs=0.05)


def test_the_most_probable_class_has_the_highest_score() -> None:
    scores, labels = _drawn(4, 2.0, 0.3, 500)
    learned = Calibration()
    learned.learn(scores, labels)
    p = learned.probabilities(scores)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (p.argmax(axis=1) == scores.argmax(axis=1)).all()


def test_a_weight_of_two_is_two_rows_at_a_time() -> None:
    scores, labels = _drawn(3, 2.0, 0.1, 16)
    weighed, repeated = Calibration(), Calibration()
    weighed.learn(scores, labels, np.full(16, 2.0))
    repeated.learn(np.vstack((scores, scores)), np.concatenate((labels, labels)))
    assert weighed.slope == pytest.approx(repeated.slope, rel=1e-12)
    assert weighed.floor == pytest.approx(repeated.floor, rel=1e-12)


def test_wrong_scores_do_not_make_it_diverge() -> None:
    learned = Calibration()
    scores = two_columns(np.where(np.arange(5000) % 2, 1e6, -1e6))
    learned.learn(scores, np.arange(5000) % 2 ^ 1)
    p = learned.probabilities(scores)
    assert np.isfinite(p).all()
    assert (p > 0.0).all()
    assert learned.slope > 0.0


def test_nothing_is_nothing() -> None:
    learned = Calibration()
    learned.learn(np.empty((0, 2)), np.empty(0, dtype=int))
    assert learned.slope == 1.0


def test_its_state_does_not_grow() -> None:
    learned = Calibration()
    learned.learn(*_drawn(2, 1.0, 0.1, 100))
    size = len(pickle.dumps(learned))
    learned.learn(*_drawn(2, 1.0, 0.1, 10000))
    assert len(pickle.dumps(learned)) == size


def test_a_step_is_newtons() -> None:
    """Where the larger pivot is the one beside the diagonal, too."""
    learned = Calibration()
    learned.__setstate__((0.0, -2.9, 0.1, 0.5, 30.0))
    floor = 1.0 / (1.0 + np.exp(2.9))
    share = 1.0 / (1.0 + np.exp(-1.0))
    likely = (1.0 - floor) * share + floor / 2
    towards = np.array(
        [(1.0 - floor) * share * (1.0 - share), floor * (1.0 - floor) * (0.5 - share)]
    )
    towards /= likely
    learned.learn(np.array([[0.0, 1.0]]), [1])
    log_slope, odds, *known = learned.__getstate__()
    step = np.linalg.solve([[known[0], known[1]], [known[1], known[2]]], towards)
    assert abs(known[1]) > abs(known[0])
    assert (log_slope, odds + 2.9) == pytest.approx(tuple(np.clip(step, -0.5, 0.5)))


def test_scores_are_a_row_for_each_label() -> None:
    with pytest.raises(ValueError, match=r"scores must be of shape \(n, K\), got \(3,\)"):
        softmax([1.0, 2.0, 3.0])
