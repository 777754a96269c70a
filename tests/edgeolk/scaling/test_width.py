"""Rows on their way in: the width of the kernel, from the first of them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import EVERY, targets_of
from preprocessings import D, options_of, rows_and_labels

import edgeolk as ek


@pytest.mark.parametrize("scale", [None, "standard"])
def test_the_width_is_that_of_the_first_rows(scale: str | None) -> None:
    draws = np.random.default_rng(4)
    X = draws.normal(size=(90, D)) * [1.0, 2.0, 3.0, 0.0] + 50.0
    learner = ek.Learner(
        "ogd", n_features=D, budget=9, dtype="float64", gamma="auto", gamma_rows=60, scale=scale
    )
    seen = X
    if scale:
        scaler = ek.RunningScaler(D)
        seen = np.array([scaler.learn_transform_one(x) for x in X])
    provisional = learner.kernel
    assert provisional == ek.Gaussian(1.0 / D)
    learner.learn_many(X[:59], np.ones(59))
    assert learner.kernel == provisional
    learner.learn_one(X[59], 1)
    assert isinstance(learner.kernel, ek.Gaussian)
    assert learner.kernel.gamma == pytest.approx(0.5 / seen[:60].var(axis=0).sum(), rel=1e-12)
    fixed = learner.kernel
    learner.learn_many(X[60:], np.ones(30))
    assert learner.kernel == fixed
    if scale:  # which goes on from the rows before the width
        np.testing.assert_array_equal(learner.scaler.mean_, scaler.mean_)
        np.testing.assert_array_equal(learner.scaler.scale_, scaler.scale_)


def test_the_width_of_a_laplacian_kernel() -> None:
    X = np.random.default_rng(4).normal(size=(4000, D))
    learner = ek.Learner(
        "ogd", n_features=D, budget=9, kernel=ek.Laplacian(0.1), gamma="auto", gamma_rows=4000
    )
    learner.learn_many(X, np.ones(4000))
    between = np.abs(X[:2000] - X[2000:]).sum(axis=1).mean()
    assert isinstance(learner.kernel, ek.Laplacian)
    assert learner.kernel.gamma == pytest.approx(1.0 / between, rel=0.03)


#: The widths of krls_auto are its own.
@pytest.mark.parametrize("name", [name for name in EVERY if name != "krls_auto"])
def test_the_model_starts_anew_with_the_width(name: str) -> None:
    X, y = rows_and_labels()
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), targets_of(name, y)
    auto = {"gamma": "auto"}
    options = options_of(name, scale=None)
    learner = ek.Learner(name, gamma_rows=40, **auto, **options)
    first = learner.learn_many(X[:40], y[:40])
    assert learner.kernel != ek.Learner(name, **options).kernel
    before = (learner.steps, learner.mistakes, learner.updates)
    assert before[0] == 40
    assert before[1] == (0 if learner.is_regression else np.sum(y[:40] * first <= 0))
    fresh = ek.Learner(name, **{**options, "kernel": learner.kernel})
    assert learner.learn_many(X[40:], y[40:]).tolist() == fresh.learn_many(X[40:], y[40:]).tolist()
    after = (learner.steps, learner.mistakes, learner.updates)
    counted = (fresh.steps, fresh.mistakes, fresh.updates)
    assert after == tuple(a + b for a, b in zip(before, counted, strict=True))


def test_rows_left_out_before_the_width_is_known_stay_counted() -> None:
    options = {"gamma": "auto", "gamma_rows": 5, "scale": "standard", "clip_rows": 0.5}
    learner = ek.Learner("ogd", n_features=2, budget=5, on_bad_row="skip", **options)
    rows = np.random.default_rng(0).normal(size=(6, 2))
    rows[2] = np.nan
    learner.learn_many(rows, np.ones(6))
    assert learner.kernel != ek.Gaussian(0.5)
    assert (learner.steps, learner.n_skipped) == (5, 1)
    assert learner.n_shortened > 0


def test_rows_that_are_all_alike_leave_the_provisional_width() -> None:
    learner = ek.Learner("ogd", n_features=2, budget=5, gamma="auto", gamma_rows=5)
    for _ in range(7):
        learner.learn_one([1.0, 2.0], 1)
    assert learner.kernel == ek.Gaussian(0.5)
    assert learner.steps == 7
