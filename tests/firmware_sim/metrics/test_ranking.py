"""Areas under curves and thresholds, from the scores of two classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import average_precision_score, fbeta_score, roc_auc_score

from firmware_sim.metrics.ranking import Goal, Ranking
from firmware_sim.streams import Row

#: Few different scores, so that many are equal.
SCORES = arrays(float, 40, elements=st.integers(-6, 6).map(lambda n: n / 4))
LABELS = arrays(float, 40, elements=st.sampled_from([-1.0, 1.0])).filter(
    lambda y: len(set(y.tolist())) == 2
)


def ranking(labels: Row, scores: Row, at: int = 17) -> Ranking:
    found = Ranking()
    found.add_block(labels[:at], scores[:at])
    found.add_block(labels[at:], scores[at:])
    return found


@given(LABELS, SCORES)
def test_areas_are_exact(labels: Row, scores: Row) -> None:
    found = ranking(labels, scores)
    assert found.auc == pytest.approx(roc_auc_score(labels, scores))
    assert found.average_precision == pytest.approx(average_precision_score(labels > 0, scores))


def cost(labels: Row, answers: Row) -> float:
    missed = np.count_nonzero((labels > 0) & (answers < 0))
    return 7.0 * missed + np.count_nonzero((labels < 0) & (answers > 0))


@given(LABELS, SCORES)
def test_no_threshold_is_better(labels: Row, scores: Row) -> None:
    def answers(threshold: float) -> Row:
        return np.where(scores >= threshold, 1.0, -1.0)

    every = [*np.unique(scores).tolist(), float(scores.max()) + 1.0]
    chosen = ranking(labels, scores).threshold(Goal(cost=7.0))
    assert chosen is not None
    assert cost(labels, answers(chosen)) == min(cost(labels, answers(one)) for one in every)
    chosen = ranking(labels, scores).threshold(Goal(beta=2.0))
    assert chosen is not None
    best = max(fbeta_score(labels, answers(one), beta=2.0, zero_division=0) for one in every)
    assert fbeta_score(labels, answers(chosen), beta=2.0) == pytest.approx(best)


def test_the_threshold_is_between_two_scores() -> None:
    labels, scores = np.array([-1.0, -1.0, 1.0, 1.0]), np.array([0.0, 1.0, 2.0, 3.0])
    assert ranking(labels, scores, 2).threshold(Goal()) == 1.5


def test_nothing_is_answered_if_that_is_cheapest() -> None:
    labels = np.array([-1.0] * 9 + [1.0])
    found = ranking(labels, np.zeros(10)).threshold(Goal(cost=0.1))
    assert found is not None
    assert 0.0 < found < 1e-300


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_rows_of_one_class_have_none(label: float) -> None:
    found = ranking(np.full(4, label), np.arange(4.0), 2)
    assert found.auc is found.average_precision is found.threshold(Goal()) is None


def test_a_sample_is_close_to_all() -> None:
    draws = np.random.default_rng(0)
    labels = np.where(draws.random(40_000) < 0.1, 1.0, -1.0)
    scores = draws.normal(size=40_000) + labels
    found = Ranking(sampled=2_000)
    found.add_block(labels, scores)
    assert found.is_sampled
    assert found.auc == pytest.approx(roc_auc_score(labels, scores), abs=0.01)
    assert found.average_precision == pytest.approx(
        average_precision_score(labels > 0, scores), abs=0.03
    )
    exact = Ranking()
    exact.add_block(labels, scores)
    assert not exact.is_sampled
    assert found.threshold(Goal(2.0)) == pytest.approx(exact.threshold(Goal(2.0)), abs=0.3)
