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
    for label, score in stream:
        metrics.add(label, score)
    label = np.array([row[0] for row in stream])
    before = np.concatenate([[0], np.cumsum(label)[:-1]])
    answers = {
        "learner": np.where(np.array([row[1] for row in stream]) >= 0, 1, -1),
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
    for _ in range(3):
        metrics.add(-1, -1.0)
    assert metrics.learner.kappa is None  # one class only
    assert metrics.learner.f1 is None
    assert metrics.learner.error == 0.0


def test_kappa_is_exact_at_its_ends() -> None:
    assert Confusion(3, 0, 7, 0).kappa == 1.0
    assert Confusion(0, 0, 7, 3).kappa == 0.0  # always the same answer: chance


@given(st.lists(st.booleans(), max_size=400), st.integers(2, 16))
@settings(deadline=None)
def test_curve_keeps_exact_counts(wrong: list[bool], points: int) -> None:
    curve = Curve(points)
    total = np.cumsum(wrong)
    for count in total:
        curve.add(int(count), 0, 2 * int(count))
    rows, table = curve.table()
    assert len(rows) <= points + 1
    assert np.all(np.diff(rows) > 0)
    if wrong:
        assert rows[-1] == len(wrong)
        assert len(rows) >= min(len(wrong), points // 2)
    assert np.all(np.diff(rows[:-1]) == curve.step)
    np.testing.assert_array_equal(table[:, 0], total[rows - 1] if wrong else [])
    np.testing.assert_array_equal(table[:, 2], 2 * table[:, 0])


@given(st.lists(st.booleans(), min_size=1, max_size=400), st.integers(1, 100))
@settings(deadline=None)
def test_window_is_a_moving_average(wrong: list[bool], asked: int) -> None:
    curve = Curve(32)
    for count in np.cumsum(wrong):
        curve.add(int(count), int(count), int(count))
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


def test_curve_memory_does_not_grow() -> None:
    curve = Curve(8)
    for row in range(10_000):
        curve.add(row, row, row)
    assert curve._sums.shape == (8, 3)
    assert len(curve.table()[0]) <= 9


def test_baselines_wait_for_labels_that_are_late() -> None:
    metrics = Prequential()
    for _ in range(3):
        metrics.add(-1.0, 1.0, known=False)
    assert (metrics.majority.wrong, metrics.no_change.wrong) == (3, 3)
    metrics.observe(-1.0)
    metrics.add(-1.0, 1.0, known=False)
    assert (metrics.majority.wrong, metrics.no_change.wrong) == (3, 3)
