"""Every kernel adaptive filter agrees with its reference, and has the published errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from bench.filters import series
from edgeolk.reference import LEARNERS, WhitenedKrlsT, WhitenedSogp, gaussian, laplacian, linear

Numbers = np.ndarray

FILTERS: dict[str, list[dict[str, Any]]] = {
    "klms": [{}, {"full": "oldest"}, {"full": "random"}],
    "qklms": [{}, {"eps": 0.6}, {"eps": 0.0}],
    "knlms": [{}, {"mu0": 0.5, "eps": 0.1, "eta": 0.2}],
    "kapa": [{}, {"p": 1}, {"p": 9, "eta": 0.1}],
    "krls": [{}, {"nu": 0.1}],
    "sw_krls": [{}, {"c": 2.0}],
    "fb_krls": [{}, {"c": 2.0}],
    "krls_t": [{}, {"lam": 0.98}, {"sn2": 0.5, "jitter": 1e-3}],
    "sogp": [{}, {"sn2": 0.5}],
}
CASES = [
    pytest.param(name, options, id="-".join([name, *(f"{k}={v}" for k, v in options.items())]))
    for name, several in FILTERS.items()
    for options in several
]


def rows(n: int, d: int = 3, seed: int = 0) -> tuple[Numbers, Numbers]:
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, -1] ** 2 + 0.05 * r.normal(size=n)


@pytest.mark.parametrize("budget", [1, 7, 30])
@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.spread(4)
def test_answers_are_those_of_the_reference(
    name: str, options: dict[str, Any], budget: int
) -> None:
    X, y = rows(300)
    learner = ek.Learner(name, n_features=3, budget=budget, gamma=0.5, seed=3, **options)
    plain = LEARNERS[name](gaussian(0.5), budget, seed=3, **options)
    np.testing.assert_allclose(learner.learn_many(X, y), plain.learn_many(X, y), atol=1e-8)
    assert (learner.n_support, learner.updates) == (plain.m, plain.updates)
    np.testing.assert_allclose(learner.support_vectors_, plain.sv, atol=0)
    np.testing.assert_allclose(learner.dual_coef_, plain.alpha, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(
    ("kernel", "function"),
    [(ek.Laplacian(0.3), laplacian(0.3)), (ek.Linear(), linear())],
    ids=["laplacian", "linear"],
)
def test_other_kernels(name: str, kernel: ek.Kernel, function: Any) -> None:
    X, y = rows(200, 2)
    X[::7] = 0.0  # zero in the feature space of the linear kernel
    options = {"eta": 0.05} if name in ("klms", "qklms") else {}
    learner = ek.Learner(name, n_features=2, budget=9, kernel=kernel, seed=1, **options)
    plain = LEARNERS[name](function, 9, seed=1, **options)
    # More vectors than inputs make the linear kernel's Gram matrix singular but for the jitter.
    near = 3e-5 if name in ("krls_t", "sogp") else 1e-7
    np.testing.assert_allclose(learner.learn_many(X, y), plain.learn_many(X, y), atol=near)


@pytest.mark.parametrize("name", FILTERS)
def test_duplicates_and_an_error_of_zero_are_legal(name: str) -> None:
    X, y = rows(12)
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    y[:6] = 0.0
    learner = ek.Learner(name, n_features=3, budget=8, gamma=0.5)
    plain = LEARNERS[name](gaussian(0.5), 8)
    np.testing.assert_allclose(learner.learn_many(X, y), plain.learn_many(X, y), atol=1e-5)
    assert np.all(np.isfinite(learner.decision_function(X)))


def assert_follows(
    learner: ek.Learner, plain: Any, X: Numbers, y: Numbers, tolerance: float
) -> None:
    """Answers of every row, and variances after them."""
    np.testing.assert_allclose(learner.learn_many(X, y), plain.learn_many(X, y), atol=tolerance)
    np.testing.assert_allclose(
        learner.variance(X[:30]), plain.variance(X[:30]), rtol=100 * tolerance
    )


@pytest.mark.parametrize(("name", "plain"), [("krls_t", WhitenedKrlsT), ("sogp", WhitenedSogp)])
@pytest.mark.parametrize(
    ("options", "tolerance"),
    [({"sn2": 5e-5}, 1e-9), ({"jitter": 1e-7}, 1e-8), ({"coefficients": "float32"}, 1e-4)],
    ids=["little noise", "small jitter", "float32"],
)
def test_whitened_coordinates_where_the_published_form_is_not_exact_enough(
    name: str, plain: Any, options: dict[str, Any], tolerance: float
) -> None:
    X, y = rows(300)
    learner = ek.Learner(name, n_features=3, budget=20, gamma=0.5, **options)
    assert learner.parts["update"] == ek.Update.WHITENED
    given = {"jitter": 1e-4} if "coefficients" in options else options
    reference = plain(gaussian(0.5), 20, **given)
    assert_follows(learner, reference, X, y, tolerance)


@pytest.mark.parametrize("name", ["krls_t", "sogp"])
def test_rows_within_the_span_are_learned_without_a_vector(name: str) -> None:
    """In single precision, rows in one dimension are soon within the span of others."""
    X, y = rows(200, 1, seed=2)
    made: dict[str, Any] = {"n_features": 1, "budget": 150, "gamma": 1.0, "jitter": 1e-5}
    single, double = (ek.Learner(name, coefficients=c, **made) for c in ("float32", "float64"))
    for learner in (single, double):
        learner.learn_many(X[:150], y[:150])
    assert single.n_support < 100 < double.n_support
    np.testing.assert_allclose(single.scores(X[150:]), double.scores(X[150:]), atol=0.02)


@pytest.mark.parametrize("lam", [0.1, 0.01])
def test_what_is_forgotten_fast_leaves_no_scale_behind(lam: float) -> None:
    """The published form has the product of all rows' factors before its coefficients."""
    X, y = rows(400)
    learner = ek.Learner("krls_t", n_features=3, budget=12, gamma=0.5, lam=lam, jitter=1e-3)
    assert learner.parts["update"] != ek.Update.WHITENED
    assert_follows(learner, LEARNERS["krls_t"](gaussian(0.5), 12, lam=lam, jitter=1e-3), X, y, 1e-9)


@pytest.mark.parametrize("coefficients", ["float64", "float32"])
def test_whitened_coordinates_forget(coefficients: str) -> None:
    """A function that turns round after half of the rows."""
    X, y = rows(300)
    y[150:] *= -1.0
    made = {"n_features": 3, "budget": 20, "gamma": 0.5, "jitter": 1e-4}
    if coefficients == "float64":
        made["jitter"] = 1e-7
    learner = ek.Learner("krls_t", lam=0.95, coefficients=coefficients, **made)
    assert learner.parts["update"] == ek.Update.WHITENED
    reference = WhitenedKrlsT(gaussian(0.5), 20, jitter=made["jitter"], lam=0.95)
    assert_follows(learner, reference, X, y, 1e-8 if coefficients == "float64" else 1e-4)
    lasting = ek.Learner("krls_t", coefficients=coefficients, **made)
    lasting.learn_many(X, y)
    forgot, kept = (np.abs(one.decision_function(X[150:]) - y[150:]) for one in (learner, lasting))
    assert forgot.mean() < kept.mean()


def test_little_noise_does_not_end_in_answers_that_overflow() -> None:
    """Q and C of the published form overflow on this series after 3,783 rows."""
    try:
        X, y = series.standardised("lorenz", 4000)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    learner = ek.Learner("krls_t", n_features=6, budget=40, gamma=0.003, sn2=1e-6)
    assert series.steady_error(learner.learn_many(X, y), y, 1000) < -60.0


#: Algorithm, budget, options; the printed errors in dB on the series of `bench.filters`.
FIGURES = [
    ("klms", 400, {"eta": 0.5}, (-6.47, -3.94, -18.17)),
    ("qklms", 60, {"eta": 0.5, "eps": 0.3}, (-8.93, -9.68, -16.18)),
    ("knlms", 60, {}, (-12.08, -7.70, -12.85)),
    ("kapa", 60, {}, (-14.27, -7.27, -12.56)),
    ("krls", 200, {"nu": 1e-4}, (-37.45, -10.66, -30.82)),
    ("sw_krls", 40, {"c": 1e-3}, (-22.23, -12.56, -14.14)),
    ("fb_krls", 40, {"c": 1e-3}, (-31.86, -6.76, -20.48)),
    ("krls_t", 40, {}, (-29.59, -13.59, -23.60)),
    ("krls_t", 40, {"lam": 0.999}, (-28.50, -15.89, -21.51)),
    ("sogp", 40, {}, (-29.45, -13.82, -22.48)),
]


@pytest.mark.parametrize(("name", "budget", "options", "printed"), FIGURES)
def test_the_printed_errors(
    name: str, budget: int, options: dict[str, Any], printed: tuple[float, ...]
) -> None:
    for file, error in zip(("lorenz", "santafe", "mg30"), printed, strict=True):
        try:
            X, y = series.standardised(file, 1500)
        except FileNotFoundError as missing:
            pytest.skip(str(missing))
        learner = ek.Learner(name, n_features=6, budget=budget, gamma=0.3, **options)
        measured = series.steady_error(learner.learn_many(X, y), y, 500)
        assert measured == pytest.approx(error, abs=0.0101)
