"""Baselines counted a block at a time are those counted row by row, wherever the blocks end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.fleet.scores import ClassBaselines, ClassScores, NumberBaselines, NumberScores
from firmware_sim.metrics.binary import Prequential
from firmware_sim.metrics.regression import Regression

SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=12)


def blocks(values: np.ndarray, sizes: list[int]) -> list[np.ndarray]:
    return np.split(values, np.cumsum(sizes)[:-1])


@given(SIZES, st.data())
def test_of_two_classes(sizes: list[int], data: st.DataObject) -> None:
    n = sum(sizes)
    y = np.array(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    said = np.array(data.draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=n, max_size=n)))
    baselines, learner, plain = ClassBaselines(), ClassScores(), Prequential()
    for labels, scores in zip(blocks(y, sizes), blocks(said, sizes), strict=True):
        baselines.add(labels)
        learner.add(labels, scores)
    for label, score in zip(y.tolist(), said.tolist(), strict=True):
        plain.add(label, score)
    assert learner.count == plain.learner
    assert baselines.majority.count == plain.majority
    assert baselines.no_change.count == plain.no_change
    own = learner.figures()
    assert own == {name: plain.summary()["learner"][name] for name in own}
    assert baselines.figures() == {
        "majority_error": plain.majority.error,
        "no_change_error": plain.no_change.error,
    }
    assert baselines.loss(own) == plain.learner.error


@given(SIZES, st.data())
def test_of_real_numbers(sizes: list[int], data: st.DataObject) -> None:
    n = sum(sizes)
    numbers = st.lists(st.integers(-9, 9).map(float), min_size=n, max_size=n)
    y, said = np.array(data.draw(numbers)), np.array(data.draw(numbers))
    baselines, learner, plain = NumberBaselines(), NumberScores(), Regression()
    for labels, scores in zip(blocks(y, sizes), blocks(said, sizes), strict=True):
        baselines.add(labels)
        learner.add(labels, scores)
    for label, score in zip(y.tolist(), said.tolist(), strict=True):
        plain.add(label, score)
    assert learner.count == plain.learner
    assert baselines.last_value.count == plain.last_value
    assert baselines.figures() == {"last_value_mae": plain.last_value.mae}
    own, last = plain.learner.mae, plain.last_value.mae
    assert own is not None
    expected = own / last if last else None
    assert baselines.loss(learner.figures()) == pytest.approx(expected)
