"""The reference implementations compared with independent results: Gaussian processes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from against_formulas import KERNELS, joint_gram, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import regression_stream

from edgeolk.reference import LEARNERS, WhitenedKrlsT, WhitenedSogp
from edgeolk.reference import base as tb

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=8, deadline=None, database=None)
FORMS = {
    "krls_t": LEARNERS["krls_t"],
    "sogp": LEARNERS["sogp"],
    "whitened krls_t": WhitenedKrlsT,
    "whitened sogp": WhitenedSogp,
}
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
of_krls_t = pytest.mark.parametrize("form", [LEARNERS["krls_t"], WhitenedKrlsT])
PROBES = np.random.default_rng(0).standard_normal((4, 3))


# --- exact, while every row is held ---------------------------------------------------


def exact(gram, cross, self_kernel, y, noise):
    """Mean and variance of f(x) of a Gaussian process."""
    if not len(y):
        return 0.0, self_kernel
    solved = np.linalg.solve(gram + noise * np.eye(len(y)), np.column_stack([y, cross]))
    return float(cross @ solved[:, 0]), float(self_kernel - cross @ solved[:, 1])


@every_form
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sn2", [0.01, 0.3])
@pytest.mark.spread(6)
def test_mean_and_variance_of_the_exact_process(form, kernel, sn2):
    jitter = 1e-4
    X, y = regression_stream(1, 40, 3)
    model, squares = form(kernel, 40, sn2=sn2, jitter=jitter), []
    for t, (a, b) in enumerate(zip(X, y, strict=True)):
        gram = joint_gram(kernel, [*X[:t], a])
        mean, variance = exact(gram[:t, :t], gram[t, :t], gram[t, t] + jitter, y[:t], sn2 + jitter)
        assert model.step(a, b) == pytest.approx(mean, rel=1e-7, abs=1e-7)
        squares.append((b - mean) ** 2 / (sn2 + variance))
    scale = np.mean(squares)
    for p in PROBES:
        cross = kernel(X, p)
        self_kernel = float(kernel(p[None, :], p)[0]) + jitter
        gram = joint_gram(kernel, X)
        mean, variance = exact(gram, cross, self_kernel, y, sn2 + jitter)
        assert model.decision(p) == pytest.approx(mean, rel=1e-7, abs=1e-7)
        assert model.variance_one(p) == pytest.approx(scale * (sn2 + variance), rel=1e-6)
    assert np.array_equal(model.variance(PROBES), [model.variance_one(p) for p in PROBES])


@of_krls_t
@pytest.mark.parametrize("lam", [0.99, 0.7])
def test_forgetting_is_a_process_in_time(form, lam):
    """The function drifts: f(x) now and f(x') n rows ago have the covariance lam^(n/2) k(x, x')."""
    kernel, sn2, jitter = tb.gaussian(0.5), 0.05, 1e-4
    X, y = regression_stream(2, 40, 3)
    model, num, den = form(kernel, 40, sn2=sn2, jitter=jitter, lam=lam), 0.0, 0.0
    for t, (a, b) in enumerate(zip(X, y, strict=True)):
        times = np.arange(t + 1)
        gram = joint_gram(kernel, X[: t + 1])
        gram = gram * lam ** (np.abs(times[:, None] - times) / 2.0)
        mean, variance = exact(gram[:t, :t], gram[t, :t], gram[t, t] + jitter, y[:t], sn2 + jitter)
        f = model.step(a, b)
        # The answer is that of the moment before, without this row's forgetting.
        assert f * math.sqrt(lam) == pytest.approx(mean, rel=1e-8, abs=1e-8)
        weight = lam if t else 1.0
        num += weight * (b - mean) ** 2 / (sn2 + variance)
        den += weight
    assert (model.num, model.den) == (pytest.approx(num), pytest.approx(den))


# --- a full model, by the published form with the means and covariances at the vectors -


class Dense:
    """Mean and covariance of the function at the vectors; what leaves is struck out."""

    def __init__(self, kernel, B, of_sogp, lam=1.0, sn2=0.01, jitter=1e-6):
        self.kernel, self.B, self.of_sogp = kernel, B, of_sogp
        self.lam, self.sn2, self.jitter = lam, sn2, jitter
        self.S, self.mean, self.covariance = [], np.zeros(0), np.zeros((0, 0))

    def gram(self, rows):
        return joint_gram(self.kernel, rows).reshape(len(rows), len(rows)) + (
            self.jitter * np.eye(len(rows))
        )

    def step(self, x, y):
        n = len(self.S)
        k = np.array([float(self.kernel(s[None, :], x)[0]) for s in self.S])
        K = self.gram(self.S)
        q = np.linalg.solve(K, k) if n else k
        answer = float(q @ self.mean)
        mean = math.sqrt(self.lam) * self.mean
        covariance = self.lam * self.covariance + (1.0 - self.lam) * K
        kxx = float(self.kernel(x[None, :], x)[0]) + self.jitter
        h = covariance @ q
        sf2 = kxx - k @ q + q @ h
        mean = np.append(mean, q @ mean)
        covariance = np.block([[covariance, h[:, None]], [h[None, :], np.array([[sf2]])]])
        gain = covariance[:, n] / (self.sn2 + sf2)
        mean = mean + gain * (y - mean[n])
        covariance = covariance - np.outer(gain, covariance[n])
        rows = [*self.S, x]
        if n == self.B:
            Q = np.linalg.inv(self.gram(rows))
            a = Q @ mean
            sogp, krls_t = a**2 / np.diag(Q @ covariance @ Q), np.abs(a) / np.diag(Q)
            gone = int(np.argmin(sogp if self.of_sogp else krls_t))
            order = np.arange(n)
            if gone < n:
                order[gone] = n
            mean, covariance = mean[order], covariance[np.ix_(order, order)]
            rows = [rows[i] for i in order]
        self.S, self.mean, self.covariance = rows, mean, covariance
        return answer


@every_form
@pytest.mark.parametrize("B", [1, 2, 9])
@pytest.mark.parametrize("lam", [1.0, 0.98])
@pytest.mark.spread(3)
def test_what_leaves_is_struck_out(form, B, lam):
    of_sogp = "Sogp" in form.__name__
    if of_sogp and lam < 1.0:
        with pytest.raises(ValueError, match="no option"):
            form(KERNELS[0], B, lam=lam)
        return
    options = {"sn2": 0.05, "jitter": 1e-4} | ({} if of_sogp else {"lam": lam})
    X, y = regression_stream(3, 150, 3)
    model, dense = form(KERNELS[0], B, **options), Dense(KERNELS[0], B, of_sogp, **options)
    answers, expected = run(model, X, y), run(dense, X, y)
    assert np.allclose(answers, expected, rtol=0.0, atol=1e-8)
    held, expected_rows = sorted(map(tuple, model.sv)), sorted(map(tuple, dense.S))
    assert held == expected_rows
    if "Whitened" not in form.__name__:
        assert np.array_equal(model.sv, dense.S)
    assert len({tuple(s) for s in model.sv} & {tuple(x) for x in X[:B]}) < B


@modest
@given(seeds, st.sampled_from([1, 3, 12]), st.sampled_from([(1e-6, 1e-7), (1e-4, 1e-9)]))
def test_both_forms_agree(seed, B, bounds):
    jitter, most = bounds
    X, y = regression_stream(seed, 200, 3)
    for form, whitened in ((FORMS["krls_t"], WhitenedKrlsT), (FORMS["sogp"], WhitenedSogp)):
        one, other = form(KERNELS[0], B, jitter=jitter), whitened(KERNELS[0], B, jitter=jitter)
        assert np.allclose(run(one, X, y), run(other, X, y), rtol=0.0, atol=most)
        assert np.allclose(one.variance(PROBES), other.variance(PROBES), rtol=1e-5)


@pytest.mark.parametrize("form", [WhitenedKrlsT, WhitenedSogp])
def test_whitened_coordinates_bear_a_wide_kernel_without_noise(form):
    """Q and C overflow here within 40 rows."""
    t = np.arange(700)
    series = np.sin(0.1 * t) + np.sin(0.237 * t)
    X = np.lib.stride_tricks.sliding_window_view(series, 4)[:-1]
    y = series[4:]
    answers = run(form(tb.gaussian(0.01), 25, sn2=1e-6, jitter=1e-8), X, y)
    assert np.mean((answers - y)[100:] ** 2) < 1e-5


def test_the_matrices_stay_what_they_are():
    X, y = regression_stream(5, 300, 3)
    for form in (FORMS["krls_t"], FORMS["sogp"]):
        model = form(KERNELS[0], 10, jitter=1e-4)
        run(model, X, y)
        inverse = np.linalg.inv(model.gram() + 1e-4 * np.eye(10))
        assert np.allclose(model.Q, inverse, rtol=1e-6, atol=1e-6)
        assert np.allclose(model.C, model.C.T, rtol=0.0, atol=1e-8)
    for whitened in (WhitenedKrlsT, WhitenedSogp):
        model = whitened(KERNELS[0], 10, jitter=1e-4)
        run(model, X, y)
        K = model.gram() + 1e-4 * np.eye(10)
        assert np.allclose(model.M @ K @ model.M.T, np.eye(10), atol=1e-9)
        assert np.allclose(np.triu(model.M, 1), 0.0, atol=1e-12)
        assert np.all(np.linalg.eigvalsh(model.P) > 0.0)


# --- variance -------------------------------------------------------------------------


@every_form
def test_variance_is_unknown_before_the_first_row(form):
    model = form(KERNELS[0], 3)
    assert model.variance_one(np.zeros(2)) == math.inf
    assert model.interval_one(np.zeros(2)) == (-math.inf, math.inf)
    model.step(np.zeros(2), 2.0)
    # One row: its square over its variance is the scale.
    jitter, sn2 = 1e-6, 0.01
    scale = 4.0 / (1.0 + jitter + sn2)
    assert model.variance_one(np.full(2, 1e3)) == pytest.approx(scale * (1.0 + jitter + sn2))
    near = sn2 + 1.0 + jitter - 1.0 / (1.0 + jitter + sn2)
    assert model.variance_one(np.zeros(2)) == pytest.approx(scale * near)


@every_form
@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.spread(2)
def test_intervals_hold_what_they_promise(form, level):
    rng = np.random.default_rng(7)
    X = rng.uniform(-2.0, 2.0, (900, 1))
    y = 30.0 * (np.sin(2.0 * X[:, 0]) + 0.2 * rng.standard_normal(900))
    # The noise has a tenth of the variance of the signal, in whatever units.
    model, inside = form(tb.gaussian(0.5), 15, sn2=0.1), []
    for t, (a, b) in enumerate(zip(X, y, strict=True)):
        if t >= 200:
            low, high = model.interval_one(a, level)
            assert low + high == pytest.approx(2.0 * model.decision(a))
            inside.append(low <= b <= high)
        model.step(a, b)
    assert np.mean(inside) == pytest.approx(level, abs=0.08)


@of_krls_t
def test_without_data_the_posterior_becomes_the_prior(form):
    model = form(KERNELS[0], 5, lam=0.9)
    X, y = regression_stream(8, 50, 2)
    run(model, X, y + 3.0)
    near = model.sv[0]
    assert abs(model.decision(near)) > 1.0
    far = np.full(2, 1e3)
    for i in range(400):
        model.step(far * (i + 1), 0.0)
    assert abs(model.decision(near)) < 1e-6
    scale = model.num / model.den
    assert model.variance_one(near) == pytest.approx(scale * (1.0 + 1e-6 + 0.01), rel=1e-6)


# --- rows of any kind -----------------------------------------------------------------


@every_form
@pytest.mark.parametrize("B", [1, 3])
def test_rows_that_see_no_vector(form, B):
    model = form(KERNELS[0], B)
    assert run(model, 1e3 * np.arange(6)[:, None], np.ones(6)).tolist() == [0.0] * 6
    assert model.m == B
    assert np.all(np.isfinite(model.alpha))


@every_form
def test_duplicates_fill_the_ring(form):
    model = form(KERNELS[0], 4, jitter=1e-4)
    run(model, np.ones((60, 2)), np.full(60, 3.0))
    assert model.m == 4
    assert model.decision(np.ones(2)) == pytest.approx(3.0, abs=0.01)


@every_form
def test_a_row_is_learned_without_an_error(form):
    model = form(KERNELS[0], 3)
    model.step(np.zeros(1), 1.0)
    for i in range(20):
        a = np.full(1, 0.1 * i)
        before, f = model.variance_one(a), model.decision(a)
        scale = model.num / model.den
        model.step(a, f)
        assert model.decision(a) == pytest.approx(f, abs=1e-6)
        assert model.variance_one(a) / (model.num / model.den) < before / scale
        assert model.den == i + 2


@every_form
def test_zeros_under_the_linear_kernel(form):
    model = form(tb.linear(), 3, jitter=1e-4)
    X = np.array([[0.0], [0.0], [1.0], [2.0], [-1.0], [0.0]])
    run(model, X, 2.0 * X[:, 0])
    assert model.decision(np.ones(1)) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("form", [WhitenedKrlsT, WhitenedSogp])
def test_a_row_within_the_span_is_learned_without_entering(form):
    """With so little jitter that rounding hides it."""
    model = form(KERNELS[0], 5, sn2=0.1, jitter=1e-18)
    X, y = np.array([[0.0], [1.0], [0.0], [0.0]]), np.array([1.0, -1.0, 0.4, 0.7])
    run(model, X, y)
    assert model.sv[:, 0].tolist() == [0.0, 1.0]
    gram = joint_gram(KERNELS[0], X)
    mean, _ = exact(gram, gram[0], 1.0, y, 0.1)
    assert model.decision(X[0]) == pytest.approx(mean, abs=1e-6)


def test_rows_of_which_nothing_stays_leave_the_prior():
    """With so much noise and so little memory that what a vector told underflows."""
    model = LEARNERS["krls_t"](KERNELS[0], 3, sn2=1e200, lam=1e-100)
    X, y = regression_stream(2, 30, 2)
    run(model, 5.0 * X, y)
    assert model.m == 3
    assert np.abs(model.C).max() <= 1e-200
    assert model.decision(X[0]) == pytest.approx(0.0, abs=1e-100)
    assert model.variance_one(X[0]) == pytest.approx(model.num / model.den * 1e200)
