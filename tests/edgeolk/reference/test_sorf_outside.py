"""The commonest label as an expert of the reference implementation of structured features."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from synthetic import random_stream, regression_stream

from edgeolk.reference.sorf import Sorf

TASKS: dict[str, dict[str, Any]] = {
    "two": {}, "classes": {"n_classes": 3}, "regression": {"loss": "square"},
}  # fmt: skip
TYPES = ("float64", "float32", "int8")


def sorf(task: str, **options: Any) -> Sorf:
    return Sorf(3, 70, 0.4, seed=5, **{"drift": False, **TASKS[task], **options})


def stream(task: str, n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    X, y = (regression_stream if task == "regression" else random_stream)(4, n, 3)
    if task == "classes":
        y = np.where(y > 0, 2.0, np.where(X[:, 0] > 0, 1.0, 0.0))
    return X, y


def margin(f: np.ndarray, y: float, task: str) -> float:
    if task == "two":
        return y * float(f[0])
    return float(f[int(y)] - np.delete(f, int(y)).max())


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("more", [{}, {"last_label": True}])
def test_scores_and_losses_are_the_closed_form(task: str, more: dict[str, Any]) -> None:
    """From labels that are counted, and losses that are summed up, row by row."""
    X, y = stream(task)
    model = sorf(task, **more)
    K = model.K
    counts, L, last = np.zeros(max(K, 2)), 0.0, np.zeros(K)
    rho = 0.0 if task == "regression" else 3.0
    for x, label in zip(X, y, strict=True):
        f_c = np.zeros(K)
        if task == "two":
            f_c[0] = np.sign(counts[1] - counts[0])
        elif task == "classes" and counts.any():
            f_c[int(np.argmax(counts))] = 1.0
        assert model.constant is not None
        assert np.array_equal(model.constant.score(x), f_c)
        assert abs(model.constant.L - L) < 1e-12
        fw, fa = model.models(x)
        A = np.array(model.blends)
        e = np.exp(-model.L[0])
        e_c, e_p = math.exp(-L - rho), 0.0
        if model.last_label is not None:
            e_p = math.exp(-model.last_label.L)
        candidates = fa[0] + A[:, None] * (fw[0] - fa[0])
        f = (e @ candidates + e_c * f_c + e_p * last) / (e.sum() + e_c + e_p)
        assert np.allclose(model.scores(x), f, rtol=1e-9, atol=1e-9)
        model.step(x, label)
        if task == "regression":
            z = (label - model.mean) / model.sd()
            L, last = 0.999 * L + min(4.0, z * z), np.array([z])
        else:
            L = 0.999 * L + (margin(f_c, label, task) <= 0.0)
            at = int(label > 0) if task == "two" else int(label)
            counts[at] += 1.0
            last = np.eye(K)[at] if task == "classes" else np.array([label])


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.spread(4)
def test_models_learn_as_without_it(task: str, dtype: str) -> None:
    X, y = stream(task)
    one, two = (sorf(task, dtype=dtype, constant=constant) for constant in (True, False))
    said = [(one.step(*row), two.step(*row)) for row in zip(X, y, strict=True)]
    assert any(a != b for a, b in said)
    for name in ("L", "n", "updates"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert np.array_equal(one.w.v, two.w.v)
    assert np.array_equal(one.a.v, two.a.v)
    assert one.rounding.state == two.rounding.state


@pytest.mark.parametrize("task", ["two", "classes"])
@pytest.mark.parametrize("dtype", TYPES)
def test_it_costs_three_mistakes(task: str, dtype: str) -> None:
    """At the start 1 in 1 + 4 e^3, of four blends; with one mistake fewer e times as much."""
    model = sorf(task, dtype=dtype)
    assert model.shares()[2][0] == pytest.approx(1.0 / (1.0 + 4.0 * math.exp(3.0)), rel=1e-6)
    model.L += model.real(1.0)
    assert model.shares()[2][0] == pytest.approx(1.0 / (1.0 + 4.0 * math.exp(2.0)), rel=1e-6)
    assert sorf("regression", dtype=dtype).shares()[2][0] == pytest.approx(0.2, rel=1e-6)


@pytest.mark.parametrize("dtype", TYPES)
def test_counts_are_halved_and_weighed(dtype: str) -> None:
    model = sorf("classes", dtype=dtype)
    x = np.zeros(3)
    assert model.constant is not None
    for label, weight, counted in ((0, 2048.0, None), (1, 9.0, 1024.0), (2, 2048.0, None)):
        model.step(x, label, weight, counted=counted)
    expected = np.array([2048.0, 1024.0, 2048.0]) * (4096.0 / 5120.0)
    assert model.constant.n.dtype == np.float32
    assert np.allclose(model.constant.n, expected, rtol=1e-6)
    assert np.argmax(model.constant.score(x)) == 0  # the smallest class at a tie
    model.step(x, 2)
    assert np.argmax(model.constant.score(x)) == 2


def test_an_alarm_forgets_its_mistakes_and_no_label() -> None:
    X = np.random.default_rng(1).normal(size=(1120, 3))
    y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0.3, 1.0, -1.0)
    y[1000:] *= -1.0
    model = Sorf(3, 100, 0.125, seed=5)
    rang = False
    for x, label in zip(X, y, strict=True):
        alarms = model.alarms
        model.step(x, label)
        if model.alarms > alarms:
            rang = True
            assert model.constant is not None
            assert model.constant.L == 0.0
            assert model.constant.n.sum() == model.t
    assert rang


@pytest.mark.parametrize("dtype", ["float64", "int8"])
@pytest.mark.spread(2)
def test_noise_is_answered_by_the_commonest_label(dtype: str) -> None:
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(2000, 3)), np.where(draws.random(2000) < 0.7, 1.0, -1.0)
    rows, wrong = list(zip(X, y, strict=True)), {}
    for constant in (True, False):
        model = sorf("two", dtype=dtype, constant=constant)
        wrong[constant] = np.mean([model.step(*row) * row[1] <= 0.0 for row in rows])
    majority = np.mean(y < 0.0)
    assert wrong[True] < majority + 0.012
    assert wrong[False] > majority + 0.016
