"""Probabilities from all scores of a row, and decisions by them."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

from edgeolk.calibration import Calibration
from edgeolk.probabilities import AllScores, Probabilities


def _behind(t: int) -> tuple[float, float, float, float]:
    """Scores that follow a formula: f, f_a, f_w, g."""
    fa = math.sin(0.7 * t)
    fw, g = math.sin(1.3 * t) + fa, 0.5 * math.cos(0.4 * t)
    return 0.6 * fa + 0.2 * fw + 0.2 * g, fa, fw, g


def _label(t: int) -> int:
    _, fa, _, g = _behind(t)
    return int(fa + 0.3 * g - 0.9 + 0.4 * math.sin(11 * t * t) > 0.0)


def _before_the_shares(model: Probabilities, scores: Any) -> float:
    """The probability before it is mixed with the share of the class."""
    margin, share = model.margins(np.array([scores]), balanced=True)[0], model.shares[1]
    return 1.0 / (1.0 + math.exp(-margin) * (1.0 - share) / share)


def test_values_of_the_specification() -> None:
    expected = {
        1: 0.802704200, 2: 0.585933645, 10: 0.530904374, 100: 0.264643090, 1000: 0.114814228,
    }  # fmt: skip
    model = Probabilities(has_parts=True)
    for t in range(1, 1001):
        if t in expected:
            assert _before_the_shares(model, _behind(t)) == pytest.approx(expected[t], abs=1e-8)
        model.learn_one(_behind(t), _label(t))


class _Plain:
    """Sections 1 of the probabilities and their mixture with the shares, in numpy."""

    def __init__(self) -> None:
        self.alone = Calibration()
        self.b, self.A = np.array([0.0, 1.5, 0.75, 0.4, 0.4]), 0.5 * np.eye(5)
        self.E = self.D = 0.0
        self.n = np.zeros(2)

    def members(self, scores: Any) -> tuple[float, float, float, float]:
        """p_1, p_2, their mixture, the share of the second class."""
        one = self.alone.probabilities_of_two(scores[0])[1]
        two = 1.0 / (1.0 + math.exp(-float(self.b @ self.inputs(scores))))
        u = 1.0 / (1.0 + math.exp(-self.E))
        return one, two, (1.0 - u) * one + u * two, (self.n[1] + 0.5) / (self.n.sum() + 1.0)

    @staticmethod
    def inputs(scores: Any) -> Any:
        return np.concatenate(([1.0], np.clip(scores, -3.0, 3.0)))

    def answer(self, scores: Any) -> float:
        *_, p, share = self.members(scores)
        first = 1.0 / (1.0 + math.exp(-self.D))
        return first * p + (1.0 - first) * share

    def learn(self, scores: Any, y: int, v: float = 1.0) -> None:
        def of(p: float) -> float:
            held = min(max(p, 1e-6), 1.0 - 1e-6)
            return math.log(held if y else 1.0 - held)

        one, two, p, share = self.members(scores)
        z, k = self.inputs(scores), math.exp(-1e-4)
        self.E = 0.999 * self.E + v * (of(two) - of(one))
        self.D = 0.999 * self.D + v * (of(p) - of(share))
        self.A = k * self.A + v * max(two * (1.0 - two), 1e-4) * np.outer(z, z)
        self.A += 0.5 * (1.0 - k) * np.eye(5)
        self.b += np.clip(np.linalg.solve(self.A, v * (y - two) * z), -1.0, 1.0)
        self.n[y] += v
        self.n *= min(1.0, 4096.0 / self.n.sum())


@pytest.mark.parametrize("scale", [1.0, 6.0])
def test_it_is_what_numpy_computes(scale: float) -> None:
    """Scores of 6 are held at 3; 5,000 rows fade the count of labels."""
    model, plain = Probabilities(has_parts=True), _Plain()
    for t in range(1, 5001):
        scores, y = tuple(scale * one for one in _behind(t)), _label(t)
        if t % 7 == 0:
            p = model.probabilities_one(scores)
            assert p[1] == pytest.approx(plain.answer(scores), abs=1e-9)
            assert sum(p) == 1.0
        plain.learn(scores, y)
        plain.alone.learn_one(scores[0], bool(y))
        model.learn_one(scores, y)
    assert model.shares[1] == pytest.approx((plain.n[1] + 0.5) / (plain.n.sum() + 1.0), rel=1e-12)


def test_many_rows_are_learned_in_order() -> None:
    """As one by one, but for the calibration, which takes a step for 32 rows."""
    random = np.random.default_rng(2)
    scores = random.normal(size=(32, 4))
    labels, weight = random.integers(2, size=32), random.uniform(0.5, 3.0, 32)
    model, plain = Probabilities(has_parts=True), _Plain()
    model.learn(scores, labels, weight)
    for row, y, v in zip(scores, labels.tolist(), weight.tolist(), strict=True):
        plain.learn(row, y, v)
    plain.alone.learn_two(scores[:, 0], labels, weight)
    found = model.probabilities(scores)
    np.testing.assert_allclose(found[:, 1], [plain.answer(row) for row in scores], atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_in_noise_it_is_no_worse_than_the_shares() -> None:
    random = np.random.default_rng(5)
    labels = (random.uniform(size=6000) < 0.1).astype(int)
    scores = random.normal(size=(6000, 4))
    model = Probabilities(has_parts=True)
    loss = own = 0.0
    for row, y in zip(scores, labels.tolist(), strict=True):
        p, share = model.probabilities_one(row)[1], model.shares[1]
        loss -= math.log(p if y else 1.0 - p)
        own -= math.log(share if y else 1.0 - share)
        model.learn_one(row, y)
    assert loss < 1.003 * own


def test_balanced_decisions_compare_with_the_shares() -> None:
    model, random = Probabilities(), np.random.default_rng(6)
    labels = (random.uniform(size=4000) < 0.05).astype(int)
    scores = (random.normal(size=4000) + 1.5 * labels - 2.0)[:, None]
    model.learn(scores, labels)
    plain, balanced = (model.margins(scores, balanced=way) > 0.0 for way in (False, True))
    rare = labels == 1
    assert plain[rare].mean() < 0.35
    assert balanced[rare].mean() > 0.65
    assert balanced[~rare].mean() < 0.35
    p = np.array([_before_the_shares(model, row) for row in scores[:50]])
    assert ((p > model.shares[1]) == balanced[:50]).all()
    assert ((model.probabilities(scores)[:, 1] > 0.5) == plain).all()
    each = [model.label_one(float(row[0]), True) for row in scores[:50]]
    assert each == balanced[:50].astype(int).tolist()


def test_balanced_decisions_among_several_classes() -> None:
    model, random = Probabilities(3), np.random.default_rng(6)
    labels = random.choice(3, size=4000, p=[0.9, 0.07, 0.03])
    scores = random.normal(size=(4000, 3)) + np.eye(3)[labels] + [2.0, 0.0, -1.0]
    model.learn(scores, labels)
    found = {way: model.margins(scores, balanced=way).argmax(axis=1) for way in (False, True)}
    recalls = {
        way: [np.mean(found[way][labels == k] == k) for k in range(3)] for way in (False, True)
    }
    assert np.mean(recalls[True]) > np.mean(recalls[False]) + 0.1
    ratios = model.probabilities(scores) / model.shares
    assert (found[True] == ratios.argmax(axis=1)).all()
    assert (found[False] == scores.argmax(axis=1)).all()
    assert model.label_one(scores[0], True, 3) == found[True][0]


def test_log_odds_stay_as_they_are() -> None:
    model = Probabilities(2, is_calibrated=False)
    model.learn(np.array([[0.3], [-2.0], [1.0]]), np.array([1, 0, 0]))
    assert model.calibration is None
    assert model.probabilities_one(0.7)[1] == pytest.approx(1.0 / (1.0 + math.exp(-0.7)))
    assert model.margins(np.array([[0.7]]))[0] == 0.7
    share = 1.5 / 4.0
    assert model.margins(np.array([[0.7]]), balanced=True)[0] == pytest.approx(
        0.7 - math.log(share / (1.0 - share))
    )


@pytest.mark.parametrize(
    "given", [{"has_parts": True}, {}, {"n_classes": 3}, {"is_calibrated": False}], ids=str
)
def test_probabilities_are_kept(given: dict[str, Any]) -> None:
    model, random = Probabilities(**given), np.random.default_rng(3)
    scores = random.normal(size=(90, model.columns))
    labels = random.integers(given.get("n_classes", 2), size=90)
    model.learn(scores[:60], labels[:60])
    before = model.probabilities(scores)
    for kept in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(kept.probabilities(scores), before)
        kept.learn(scores[60:], labels[60:])
        assert (kept.probabilities(scores) != before).any() or not given.get("is_calibrated", True)
        np.testing.assert_array_equal(model.probabilities(scores), before)


def test_scores_that_are_not_finite_teach_nothing_but_the_shares() -> None:
    model, clean = Probabilities(has_parts=True), Probabilities(has_parts=True)
    scores = np.random.default_rng(3).normal(size=(20, 4))
    labels = np.arange(20) % 2
    for one in (model, clean):
        one.learn(scores, labels)
    model.learn(np.full((3, 4), np.nan), np.ones(3, dtype=int))
    state, wanted = model.__getstate__(), clean.__getstate__()
    assert state["labels"] == (10.0, 13.0)
    assert (state["all_scores"], state["over_shares"]) == (
        wanted["all_scores"], wanted["over_shares"],
    )  # fmt: skip


def test_what_probabilities_refuse() -> None:
    model = Probabilities(has_parts=True)
    for call, message in (
        (lambda: Probabilities(1), "two classes"),
        (lambda: Probabilities(3, has_parts=True), "two classes"),
        (lambda: model.learn(np.zeros((2, 3)), [0, 1]), r"of shape \(n, 4\)"),
        (lambda: model.probabilities(np.zeros((2, 3))), r"of shape \(n, 4\)"),
        (lambda: model.margins(np.zeros((2, 1))), r"of shape \(n, 4\)"),
        (lambda: model.learn(np.zeros((2, 4)), [0, 2]), "labels must be from 0 to 1"),
        (lambda: model.learn(np.zeros((2, 4)), [0]), "labels and weight"),
        (lambda: model.learn_one((0.0,) * 4, 2), "label must be below 2"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert model.__getstate__() == Probabilities(has_parts=True).__getstate__()


def test_all_scores_come_back_from_a_pickle() -> None:
    model = AllScores()
    model.__setstate__([0.1 * k for k in range(21)])
    again = pickle.loads(pickle.dumps(model))
    assert again.__getstate__() == model.__getstate__() == tuple(0.1 * k for k in range(21))
    with pytest.raises(ValueError, match="the state must be 21 numbers, got 2"):
        model.__setstate__((1.0, 2.0))


@pytest.mark.parametrize(
    "scores", [[math.nan, 1.0, 2.0], [1.0, math.nan, 2.0], [1.0, 3.0, math.nan], [0.0, 2.0, 2.0]]
)
def test_a_label_is_the_argmax_of_numpy(scores: list[float]) -> None:
    assert Probabilities(3).label_one(scores, known=3) == np.argmax(scores)


def test_classes_have_a_score_each() -> None:
    with pytest.raises(ValueError, match="there are 2 scores for 3 classes"):
        Probabilities(3).label_one([1.0, 2.0], known=3)
