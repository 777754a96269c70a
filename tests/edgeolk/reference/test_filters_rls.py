"""The reference implementations compared with independent results: recursive least squares."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from against_formulas import KERNELS, joint_gram, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import regression_stream

from edgeolk.reference import LEARNERS
from edgeolk.reference import base as tb

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=8, deadline=None, database=None)
NAMES = ("krls", "sw_krls", "fb_krls")
PROBES = np.random.default_rng(0).standard_normal((4, 2))


def at(model, points):
    return np.array([model.decision(p) for p in points])


# --- krls -----------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("B", "nu"), [(60, 1e-2), (60, 0.3), (5, 1e-2), (1, 1e-2)])
def test_krls_is_least_squares_on_projected_rows(kernel, B, nu):
    """Every row is projected on the vectors held at its time; all rows are fitted together."""
    X, y = regression_stream(1, 60, 2)
    model, projected = LEARNERS["krls"](kernel, B, nu=nu), []
    for t, (a, b) in enumerate(zip(X, y, strict=True)):
        model.step(a, b)
        gram = joint_gram(kernel, model.sv)
        projected.append(np.linalg.solve(gram, kernel(model.sv, a)))
        rows = np.array([np.append(p, np.zeros(model.m - len(p))) for p in projected])
        fitted = np.linalg.lstsq(rows @ gram, y[: t + 1], rcond=1e-12)[0]
        expected = [float(kernel(model.sv, p) @ fitted) for p in PROBES]
        assert np.allclose(at(model, PROBES), expected, rtol=1e-6, atol=1e-6)
    assert model.m <= B


@modest
@given(seeds)
def test_krls_takes_what_is_not_linearly_dependent(seed):
    X, y = regression_stream(seed, 60, 2)
    model, kernel = LEARNERS["krls"](tb.gaussian(0.3), 12, nu=0.05), tb.gaussian(0.3)
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        model.step(a, b)
        k = kernel(old.sv, a) if old.m else np.zeros(0)
        missed = 1.0 - k @ np.linalg.solve(old.gram(), k) if old.m else 1.0
        assert (model.m > old.m) == (missed > 0.05 and old.m < 12)


def test_krls_that_holds_every_row_interpolates():
    X, y = regression_stream(3, 25, 3, duplicates=0.0, zeros=0.0)
    model = LEARNERS["krls"](tb.gaussian(1.0), 25, nu=1e-9)
    run(model, X, y)
    assert model.m == 25
    assert np.allclose(model.alpha, np.linalg.solve(model.gram(), y), rtol=1e-8)
    assert np.allclose(at(model, X), y, atol=1e-9)


def test_krls_with_the_linear_kernel_is_linear_least_squares():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((40, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.standard_normal(40)
    model = LEARNERS["krls"](tb.linear(), 9, nu=1e-9)
    run(model, X, y)
    assert model.m == 3
    weights = np.linalg.lstsq(X, y, rcond=None)[0]
    assert np.allclose(at(model, np.eye(3)), weights, atol=1e-10)


def test_krls_ignores_rows_that_are_zero_in_the_feature_space():
    model = LEARNERS["krls"](tb.linear(), 3)
    run(model, np.zeros((2, 1)), np.ones(2))
    assert (model.m, model.updates) == (0, 0)
    run(model, np.array([[2.0], [0.0]]), np.array([1.0, 9.0]))
    assert model.m == 1
    assert model.decision(np.ones(1)) == pytest.approx(0.5)


# --- sw_krls and fb_krls --------------------------------------------------------------


def primal(kernel, S, targets, c, x):
    """Ridge regression by explicit vectors of the feature space."""
    gram = joint_gram(kernel, [*S, x])
    values, vectors = np.linalg.eigh(gram)
    phi = vectors * np.sqrt(np.maximum(values, 0.0))
    held, asked = phi[:-1], phi[-1]
    return asked @ np.linalg.solve(held.T @ held + c * np.eye(len(phi)), held.T @ targets)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("c", [0.01, 0.5])
@pytest.mark.parametrize("B", [1, 6])
def test_sw_krls_is_ridge_regression_on_the_last_rows(kernel, c, B):
    X, y = regression_stream(5, 40, 2)
    model = LEARNERS["sw_krls"](kernel, B, c=c)
    for t, (a, b) in enumerate(zip(X, y, strict=True)):
        last = slice(max(0, t - B), t)
        f = model.step(a, b)
        expected = primal(kernel, X[last], y[last], c, a) if t else 0.0
        assert f == pytest.approx(expected, rel=1e-8, abs=1e-8)


@modest
@given(seeds, st.integers(1, 8))
def test_fb_krls_drops_the_row_that_the_others_foretell_best(seed, B):
    """The criterion is the error of leaving a row out."""
    X, y = regression_stream(seed, 40, 2, duplicates=0.0)
    kernel, c = tb.gaussian(0.5), 0.1
    model = LEARNERS["fb_krls"](kernel, B, c=c)
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        model.step(a, b)
        rows, targets = [*old.sv, a], np.append(old.targets, b)
        if old.m == B:
            left_out = [
                abs(
                    targets[i]
                    - primal(kernel, rows[:i] + rows[i + 1 :], np.delete(targets, i), c, rows[i])
                )
                for i in range(B + 1)
            ]
            gone = int(np.argmin(left_out))
            if np.sort(left_out)[1] - min(left_out) < 1e-9:
                return
            last, last_target = rows.pop(), targets[-1]
            targets = targets[:-1].copy()
            if gone < B:
                rows[gone], targets[gone] = last, last_target
        assert np.array_equal(model.sv, rows)
        assert np.array_equal(model.targets, targets)
        expected = [primal(kernel, rows, targets, c, p) for p in PROBES]
        assert np.allclose(at(model, PROBES), expected, rtol=1e-8, atol=1e-8)


class Updated:
    """The inverse of K + c I as the compiled filters keep it: bordered, and shrunk."""

    def __init__(self, kernel, c):
        self.kernel, self.c = kernel, c
        self.rows, self.targets, self.inverse = [], [], np.zeros((0, 0))

    def join(self, x, y):
        k = np.array([float(self.kernel(s[None, :], x)[0]) for s in self.rows])
        u = self.inverse @ k
        corner = float(self.kernel(x[None, :], x)[0]) + self.c - k @ u
        v = np.append(-u, 1.0)
        self.inverse = np.pad(self.inverse, (0, 1)) + np.outer(v, v) / corner
        self.rows.append(x)
        self.targets.append(y)

    def leave(self, i):
        column = np.delete(self.inverse[:, i], i)
        kept = np.delete(np.delete(self.inverse, i, 0), i, 1)
        self.inverse = kept - np.outer(column, column) / self.inverse[i, i]
        del self.rows[i], self.targets[i]

    @property
    def alpha(self):
        return self.inverse @ np.array(self.targets)

    def answer(self, x):
        k = np.array([float(self.kernel(s[None, :], x)[0]) for s in self.rows])
        return float(self.alpha @ k) if self.rows else 0.0


@pytest.mark.parametrize("name", ["sw_krls", "fb_krls"])
@pytest.mark.parametrize("c", [0.01, 0.001])
def test_an_updated_inverse_gives_the_same_answers(name, c):
    B, kernel = 12, tb.gaussian(0.5)
    X, y = regression_stream(7, 300, 3)
    updated, answers = Updated(kernel, c), []
    for a, b in zip(X, y, strict=True):
        answers.append(updated.answer(a))
        updated.join(a, b)
        if len(updated.rows) > B:
            costs = np.abs(updated.alpha) / np.diag(updated.inverse)
            updated.leave(0 if name == "sw_krls" else int(np.argmin(costs)))
    solved = run(LEARNERS[name](kernel, B, c=c), X, y)
    assert np.allclose(answers, solved, rtol=0.0, atol=1e-8 * np.abs(solved).max())


# --- all ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_learned_without_an_error(name):
    """A row whose answer is right still says something: later answers change less there."""
    model, ignorant = LEARNERS[name](KERNELS[0], 3), LEARNERS[name](KERNELS[0], 3)
    for _ in range(2):
        assert model.step(np.zeros(1), 0.0) == 0.0
    for each in (model, ignorant):
        each.step(np.full(1, 0.01), 1.0)
    assert abs(model.decision(np.zeros(1))) < 0.9 * abs(ignorant.decision(np.zeros(1)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("B", [1, 3])
def test_rows_that_see_no_vector(name, B):
    model = LEARNERS[name](KERNELS[0], B)
    assert run(model, 1e3 * np.arange(6)[:, None], np.ones(6)).tolist() == [0.0] * 6
    assert model.m == B
    assert np.all(np.isfinite(model.alpha))


@pytest.mark.parametrize("name", NAMES)
def test_duplicates(name):
    model = LEARNERS[name](KERNELS[0], 4)
    run(model, np.ones((50, 2)), np.full(50, 3.0))
    assert model.m == (1 if name == "krls" else 4)
    assert model.decision(np.ones(2)) == pytest.approx(3.0, abs=0.01)
