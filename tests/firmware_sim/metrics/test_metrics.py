"""Prequential metrics against formulas written out in numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_sim.metrics import Confusion, Prequential
from firmware_sim.metrics.curve import Curve

labels = st.sampled_from([-1, 1])
streams = st.lists(st.tuples(labels, st.floats(-2, 2)), min_size=1, max_size=200)


def expected(label: np.ndarray, answer: np.ndarray) -> dict[str, float | None]:
    """Accuracy, kappa and F1 from their definitions."""
    accuracy = np.mean(label == answer)
    chance = sum(np.mean(label == c) * np.mean(answer == c) for c in (-1, 1))
    hits = np.sum((label == 1) & (answer == 1))
    out = {"error": 1 - accuracy, "kappa": None, "f1": None}
    if chance < 1 - 1e-12:
        out["kappa"] = (accuracy - chance) / (1 - chance)
    if np.any(label == 1) or np.any(answer == 1):
        out["f1"] = 2 * hits / (np.sum(label == 1) + np.sum(answer == 1))
    return out


def close(a: float | None, b: float | None) -> bool:
    return a is b is None or (
        a is not None and b is not None and math.isclose(a, b, abs_tol=1e-9, rel_tol=1e-9)
    )


@given(streams)
@settings(deadline=None)
def test_against_formulas(stream: list[tuple[int, float]]) -> None:
    metrics = Prequential()
    label, scores = np.array(stream, float).T
    metrics.add_block(label, scores)
    before = np.concatenate([[0], np.cumsum(label)[:-1]])
    answers = {
        "learner": np.where(scores >= 0, 1, -1),
        "majority": np.where(before >= 0, 1, -1),
        "no_change": np.concatenate([[1], label[:-1]]),
    }
    summary = metrics.summary()
    no_change_accuracy = np.mean(answers["no_change"] == label)
    for name, answer in answers.items():
        want, got = expected(label, answer), summary[name]
        for key in ("error", "kappa", "f1"):
            assert close(got[key], want[key]), (name, key, got, want)
        assert got["wrong"] == np.sum(answer != label)
        assert got["true_positive"] == np.sum((answer == 1) & (label == 1))
        assert got["false_positive"] == np.sum((answer == 1) & (label == -1))
        assert got["true_negative"] == np.sum((answer == -1) & (label == -1))
        assert got["false_negative"] == np.sum((answer == -1) & (label == 1))
        temporal = None
        if no_change_accuracy < 1:
            temporal = (np.mean(answer == label) - no_change_accuracy) / (1 - no_change_accuracy)
        assert close(got["kappa_no_change"], temporal)


def test_undefined_is_none() -> None:
    metrics = Prequential()
    assert all(value in (None, 0) for value in metrics.summary()["learner"].values())
    metrics.add_block(-np.ones(3), -np.ones(3))
    assert metrics.learner.kappa is None  # one class only
    assert metrics.learner.f1 is None
    assert metrics.learner.error == 0.0


def test_kappa_is_exact_at_its_ends() -> None:
    right, constant, labels = Confusion(), Confusion(), np.repeat([1, -1], [3, 7])
    right.add_block(labels, labels)
    constant.add_block(labels, -np.ones(10))
    assert (right.kappa, constant.kappa) == (1.0, 0.0)  # always the same answer: chance


@given(st.lists(st.booleans(), min_size=1, max_size=400), st.integers(1, 100))
@settings(deadline=None)
def test_window_is_a_moving_average(wrong: list[bool], asked: int) -> None:
    curve = Curve(32)
    curve.add_block(np.cumsum(wrong)[:, None] * np.ones(3, int))
    rows, error, window = curve.windowed(asked)
    assert window % curve.step == 0
    for row, value in zip(rows, error[:, 0], strict=True):
        assert math.isclose(value, np.mean(wrong[row - window : row]), abs_tol=1e-12)


def test_curve_of_nothing() -> None:
    curve = Curve()
    assert len(curve.cumulative()[0]) == 0
    assert len(curve.windowed()[0]) == 0
    with pytest.raises(ValueError, match="2 points"):
        Curve(1)
