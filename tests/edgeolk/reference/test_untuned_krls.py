"""The reference of krls_auto compared with dense Gaussian processes, and on awkward rows."""

from __future__ import annotations

import copy
import math
from itertools import pairwise

import numpy as np
import pytest

from edgeolk.reference import FactoredKrlsAuto, KrlsAuto, untuned_krls

FORMS = [KrlsAuto, FactoredKrlsAuto]
#: Of what each computes in its own way; what both answer is compared once.
every_form = pytest.mark.parametrize("form", FORMS)
NOISE = 0.1
BUDGET = 25  # 4 KiB at three inputs


def stream(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three inputs, a curve and a slope, and noise with the deviation NOISE."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] + NOISE * rng.standard_normal(n)


def rms(model: KrlsAuto, X: np.ndarray, y: np.ndarray) -> float:
    """The error of the second half of the rows."""
    error = model.learn_many(X, y) - y
    return float(np.sqrt(np.mean(error[len(y) // 2 :] ** 2)))


def covariance(model: KrlsAuto) -> np.ndarray:
    """P, of either form."""
    return model.W @ model.W.T if isinstance(model, FactoredKrlsAuto) else model.P.copy()


def at_the_vectors(model: KrlsAuto) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the linear part's coefficients, in the units of the targets and raw
    inputs, and of the kernel part at the vectors."""
    n = model.n_linear
    units = np.concatenate([[10.0], math.sqrt(1e4 / model.dim) * np.exp(-model.ls0 / 2.0)])
    A = np.zeros((model.w.size, model.w.size))
    A[:n, :n] = np.diag(units)
    A[n:, n:] = np.linalg.inv(model.M)
    return A @ model.w, model.s02 * A @ covariance(model) @ A.T


# --- one model by two ways, and a dense process ----------------------------------------


@pytest.mark.parametrize("budget", [30, 1, 5])
@pytest.mark.spread(4)
def test_the_two_forms_agree(budget):
    X, y = stream(1500)
    full, factored = KrlsAuto(budget), FactoredKrlsAuto(budget)
    assert full.learn_many(X, y) == pytest.approx(factored.learn_many(X, y), abs=1e-8)
    assert covariance(full) == pytest.approx(covariance(factored), abs=1e-8)
    assert full.variance(X[:20]) == pytest.approx(factored.variance(X[:20]), rel=1e-7)
    assert np.array_equal(full.sv, factored.sv)
    assert np.array_equal(np.triu(factored.W, 1), np.zeros_like(factored.W))
    assert full.m == budget


@every_form
def test_the_dense_process_while_the_prior_remains(form, monkeypatch):
    monkeypatch.setattr(untuned_krls, "EXCHANGE", math.inf)
    monkeypatch.setattr(untuned_krls, "DRIFT", 0.0)
    X, y = stream(43, seed=1)
    model = form(40)
    model.learn_many(X[:3], y[:3])
    model.ls0 = np.log([1.0, 4.0, 0.25])
    X, y = X[3:], y[3:]
    u, target = X - X[0], y - model.offset

    def prior(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = a * [1.0, 0.5, 2.0], b * [1.0, 0.5, 2.0]  # the widths are 3 / d = 1
        squares = np.sum((a[:, None] - b[None]) ** 2, axis=2)
        return 100.0 + 1e4 / 3.0 * a @ b.T + np.exp(-squares)

    jitter, sn2, num, den = 1e-4, 0.1, model.num, model.den
    for t in range(len(y)):
        gram = prior(u[:t], u[:t]) + (sn2 + jitter) * np.eye(t)
        cross = prior(u[:t], u[t : t + 1])
        solved = np.linalg.solve(gram, np.column_stack([target[:t], cross]))
        mean = float(cross[:, 0] @ solved[:, 0])
        variance = float(prior(u[t : t + 1], u[t : t + 1])[0, 0] - cross[:, 0] @ solved[:, 1])
        variance += sn2 + jitter
        assert model.variance_one(X[t]) == pytest.approx(num / den * variance, rel=1e-6)
        assert model.step(X[t], y[t]) - model.offset == pytest.approx(mean, abs=1e-6)
        num = 0.995 * num + min((target[t] - mean) ** 2 / variance, 900.0 * num / den)
        den = 0.995 * den + 1.0
        assert model.m == t + 1


@every_form
def test_an_exchange_keeps_the_posterior_at_the_vectors(form):
    X, y = stream(400, seed=2)
    model = form(20)
    model.learn_many(X, y)
    model.lg = model.lg + np.array([0.6, -0.9, 0.2])
    model.ls = model.ls + np.array([0.3, 0.0, -0.4])
    model.lsn += 1.2
    old, old_noise = at_the_vectors(model), model.s02 * model.sn2
    model._change_coordinates()
    new = at_the_vectors(model)
    assert new[0] == pytest.approx(old[0], abs=1e-9)
    assert new[1] == pytest.approx(old[1], abs=1e-9 * np.abs(old[1]).max())
    assert model.s02 * model.sn2 == pytest.approx(old_noise)
    assert not model._prior_is_old()
    gram = model.gram() + 1e-4 * np.eye(20)
    assert model.M @ gram @ model.M.T == pytest.approx(np.eye(20), abs=1e-9)
    assert model.gram()[0, 1] == pytest.approx(
        math.exp(-float(np.exp(model.lg - model.ls) @ (model.sv[0] - model.sv[1]) ** 2))
    )


@every_form
def test_the_new_prior_caps_the_posterior(form):
    X, y = stream(400, seed=2)
    model = form(20)
    model.learn_many(X, y)
    model.lg = model.lg - 1.5
    model._change_coordinates()
    before, kernel = covariance(model), slice(model.n_linear, None)
    assert np.max(np.diag(before)[kernel]) > 2.0
    model._cap()
    after = covariance(model)
    assert np.max(np.diag(after)[kernel]) == pytest.approx(1.0, abs=1e-9)
    assert np.linalg.eigvalsh(before - after).min() > -1e-9
    assert np.linalg.eigvalsh(after).min() > 0.0
    model.lg = model.lg - 1.5
    model._exchange()
    assert np.max(np.diag(covariance(model))[kernel]) == pytest.approx(1.0, abs=1e-9)


@every_form
@pytest.mark.parametrize("slot", [0, 7, 11])
def test_the_vector_that_leaves_is_marginalised(form, slot):
    X, y = stream(200, seed=3)
    model = form(12)
    model.learn_many(X, y)
    mean, spread = at_the_vectors(model)
    gram, leaving = model.gram(), model.n_linear + slot
    model._remove(slot)
    kept = np.delete(np.arange(mean.size), leaving)
    new_mean, new_spread = at_the_vectors(model)
    # The sign of a whitened coordinate is free, so K is compared, not L.
    assert np.array_equal(model.gram(), np.delete(np.delete(gram, slot, 0), slot, 1))
    inverse = np.linalg.inv(model.M)
    assert inverse @ inverse.T == pytest.approx(model.gram() + 1e-4 * np.eye(11), abs=1e-10)
    assert new_mean == pytest.approx(mean[kept], abs=1e-9)
    assert new_spread == pytest.approx(spread[np.ix_(kept, kept)], abs=1e-9 * spread.max())


def test_the_vector_that_leaves_changes_the_answer_least():
    X, y = stream(200, seed=4)
    model = KrlsAuto(12)
    model.learn_many(X, y)
    at_vectors = (np.linalg.inv(model.M) @ model.w[model.n_linear :]).tolist()
    changes = []
    for slot, (s, value) in enumerate(zip(model.sv, at_vectors, strict=True)):
        smaller = copy.deepcopy(model)
        smaller._remove(slot)
        z = smaller.M @ smaller.row(s)
        changes.append(abs(value - float(z @ smaller.w[model.n_linear :])))
    assert model._evicted() == int(np.argmin(changes))
    assert model._evicted() != int(np.argmin(np.abs(model.alpha)))


@every_form
def test_one_coordinate_per_row_drifts(form, monkeypatch):
    X, y = stream(300, seed=4)
    model = form(12)
    model.learn_many(X, y)
    m, n = model.w.size, model.n_linear
    drifts, before = [], covariance(model)
    first, mean = model.turn, model.w.copy()
    for _ in range(m):
        model._drift()
        after = covariance(model)
        (changed,) = np.flatnonzero(np.diag(after - before) > 1e-12)
        drifts.append((int(changed), (after - before)[changed, changed]))
        others = after - before
        others[changed, changed] = 0.0
        assert others == pytest.approx(np.zeros((m, m)), abs=1e-12)
        before = after
    assert [i for i, _ in drifts] == [(first + 1 + k) % m for k in range(m)]
    for i, growth in drifts:
        share = 0.01 if i == 0 else 1e-4 if i < n else 1.0
        assert growth == pytest.approx(1e-4 * m * share, rel=1e-6)
    # The means of the vectors shrink once in a turn.
    mean[n:] *= math.sqrt(1.0 - 1e-4 * m)
    assert model.w == pytest.approx(mean, rel=1e-12)
    # It stops at the variance of the prior.
    monkeypatch.setattr(untuned_krls, "DRIFT", 0.05)
    for _ in range(20 * m):
        model._drift()
    assert np.diag(covariance(model))[n:] == pytest.approx(np.ones(m - n), abs=1e-9)


# --- answers ---------------------------------------------------------------------------


def test_the_first_rows_are_answered_by_the_target_before():
    model = KrlsAuto(5)
    assert model.decision(np.zeros(1)) == 0.0
    assert model.variance_one(np.zeros(1)) == math.inf
    assert model.interval_one(np.zeros(1)) == (-math.inf, math.inf)
    rows = [[5.0], [6.0], [1.0]]
    assert model.learn_many(np.array(rows), np.array([4.0, 9.0, 6.0])).tolist() == [0.0, 4.0, 9.0]
    assert (model.offset, model.num, model.den) == (6.0, 4.0, 1.0)
    assert (model.m, model.t, model.updates) == (0, 3, 0)
    assert model.sq_error == 16.0 + 25.0 + 9.0
    assert model.decision(np.ones(1)) == 6.0
    assert model.step(np.array([7.0]), 5.0) == 6.0
    assert model.m == 1
    assert model.sv.tolist() == [[0.0]]


def test_decision_is_the_answer_unless_the_prior_is_exchanged():
    X, y = stream(300)
    model, exchanged = KrlsAuto(15), 0
    for a, b in zip(X, y, strict=True):
        known, widths = model.decision(a), None
        if model.t > 3:
            widths = model.lg0
        f = model.step(a, b)
        if model.t > 5 and widths is not model.lg0:
            exchanged += 1
            continue
        assert f == pytest.approx(known, abs=1e-9) or model.t == 5
    assert 5 < exchanged < 150


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.spread(3)
def test_intervals_hold_what_they_promise(level):
    X, y = stream(1500)
    model, inside = KrlsAuto(BUDGET), []
    for a, b in zip(X, y, strict=True):
        if model.t >= 300:
            low, high = model.interval_one(a, level)
            assert low + high == pytest.approx(2.0 * model.decision(a))
            inside.append(low <= b <= high)
        model.step(a, b)
    assert np.mean(inside) == pytest.approx(level, abs=0.04)
    assert np.array_equal(model.variance(X[:5]), [model.variance_one(a) for a in X[:5]])


def test_widths_and_noise_are_learned():
    X, y = stream(2000)
    model = KrlsAuto(BUDGET)
    assert rms(model, X, y) < 1.3 * NOISE
    assert model.lg[0] > model.lg[2] + 2.0  # the third input says nothing
    assert math.sqrt(model.s02 * model.sn2) == pytest.approx(NOISE, rel=0.25)


@pytest.mark.slow
def test_the_noise_is_learned_as_a_share():
    X, y = stream(1500)
    noise = np.random.default_rng(9).standard_normal(1500)
    models = [KrlsAuto(BUDGET), KrlsAuto(BUDGET)]
    models[0].learn_many(X, np.sin(X[:, 0]))
    models[1].learn_many(X, y + 3.0 * noise)
    assert models[0].sn2 < 0.08  # it starts at 0.1
    assert models[1].sn2 > 0.8


def test_a_slope_needs_no_vectors():
    X, _ = stream(60)
    y = 50.0 * X[:, 0] - 7.0 * X[:, 1]
    f = KrlsAuto(1).learn_many(X * [1.0, 1e-6, 1e6], y)
    assert f[30:] == pytest.approx(y[30:], abs=0.5)


def test_rejected_rows_change_nothing():
    X, y = stream(30)
    for rows in (0, 2, 30):
        model = KrlsAuto(10)
        model.learn_many(X[:rows], y[:rows])
        before = repr(vars(copy.deepcopy(model)) | {"rng": 0, "kernel": 0})
        for bad_x, bad_y in [([0, np.nan, 0], 1.0), ([0, 0, np.inf], 1.0), ([0, 0, 0], np.nan)]:
            with pytest.raises(ValueError, match="not finite"):
                model.step(np.array(bad_x, dtype=float), bad_y)
        assert before == repr(vars(model) | {"rng": 0, "kernel": 0})
    with pytest.raises(ValueError, match="dimension"):
        model.step(np.zeros(4), 1.0)
    with pytest.raises(ValueError, match="budget"):
        KrlsAuto(0)


# --- rows of any kind ------------------------------------------------------------------


def test_a_constant_target_is_answered_exactly():
    X, _ = stream(300)
    model = KrlsAuto(BUDGET)
    f = model.learn_many(X, np.full(300, 7.3))
    assert f[1:].tolist() == [7.3] * 299
    assert model.variance_one(X[0]) == math.inf
    # When it varies at last, it is learned.
    X, y = stream(600, seed=5)
    assert rms(model, X, y) < 3.0 * NOISE


def test_constant_inputs_leave_the_mean():
    y = 5.0 + np.random.default_rng(0).standard_normal(600)
    model = KrlsAuto(10)
    assert rms(model, np.full((600, 2), 3.0), y) == pytest.approx(1.0, abs=0.1)
    assert model.m == 10  # jitter / n remains new in a duplicate
    # An input that begins to vary is not taken for a gigantic one.
    X, y = stream(600)
    X[:300, 1:] = 0.0
    y[:300] = np.sin(2.0 * X[:300, 0])
    f = KrlsAuto(BUDGET).learn_many(X, y)
    assert np.max(np.abs(f)) < 10.0


def test_duplicates():
    X, y = stream(5)
    rows = np.arange(600) % 5
    model = KrlsAuto(10)
    f = model.learn_many(X[rows], y[rows])
    assert f[200:] == pytest.approx(y[rows[200:]], abs=0.01)
    assert model.m <= 10


@pytest.mark.parametrize("row", [0, 3, 4, 300])
@pytest.mark.parametrize("size", [1e4, -1e6])
@pytest.mark.spread(8)
def test_a_glitch_of_the_target(row, size):
    X, y = stream(2000)
    glitched = y.copy()
    glitched[row] += size
    # While the scale is learned, a glitch is forgotten more slowly.
    limit = 1.7 if row in (3, 4) else 1.3
    assert rms(KrlsAuto(BUDGET), X, glitched) < limit * NOISE


@pytest.mark.slow
def test_glitches_of_the_target_do_not_move_the_widths_far():
    X, y = stream(2000)
    glitched = y.copy()
    glitched[[300, 500, 700, 900]] += [1e4, -1e4, 1e4, -1e4]
    model = KrlsAuto(BUDGET)
    assert rms(model, X, glitched) < 1.4 * NOISE
    assert np.max(np.abs(model.lg - model.lg_start)) < 7.0


@pytest.mark.slow
def test_glitches_of_the_inputs():
    X, y = stream(2000)
    X[[200, 400, 600], [0, 1, 2]] = 1e6
    assert rms(KrlsAuto(BUDGET), X, y) < 1.3 * NOISE


def test_units_do_not_matter():
    X, y = stream(400)
    f = KrlsAuto(15).learn_many(X, y)
    assert np.array_equal(KrlsAuto(15).learn_many(X, -y), -f)
    assert KrlsAuto(15).learn_many(X, 2.0**40 * y) == pytest.approx(2.0**40 * f, rel=1e-9)
    other = KrlsAuto(15).learn_many(1e5 * X + 1e7, 1e6 * y + 1e9)
    assert other[4:] == pytest.approx(1e6 * f[4:] + 1e9, abs=1e2)
    turned = KrlsAuto(15).learn_many(X * [1.0, -3.0, 1e-4], y)
    assert turned == pytest.approx(f, abs=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("x_unit", [1e-17, 1.0, 1e18])
@pytest.mark.parametrize("y_unit", [1e-20, 1.0, 1e18])
@pytest.mark.spread(9)
def test_huge_and_tiny_units(x_unit, y_unit):
    X, y = stream(300)
    f = FactoredKrlsAuto(10).learn_many(x_unit * X, y_unit * y) / y_unit
    assert f == pytest.approx(FactoredKrlsAuto(10).learn_many(X, y), abs=1e-6)


@pytest.mark.filterwarnings("error")
@every_form
def test_units_that_change_for_good(form):
    X, y = stream(900)
    scale = np.repeat([1.0, 1e6, 1e-6], 300)
    model = form(10)
    f = model.learn_many(X * scale[:, None], y * scale)
    assert np.all(np.isfinite(f))
    assert np.all(np.isfinite(model.variance(X)))
    assert np.linalg.eigvalsh(covariance(model)).min() > -1e-9


@pytest.mark.slow
def test_the_sign_of_the_target_flips():
    X, y = stream(3000)
    y[1000:] *= -1.0
    assert rms(KrlsAuto(BUDGET), X, y) < 2.0 * NOISE


@pytest.mark.parametrize("d", [1, 8])
@pytest.mark.slow
def test_any_number_of_inputs(d):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((800, d))
    errors = [rms(KrlsAuto(b), X, np.sin(2.0 * X[:, 0])) for b in (2, 10)]
    assert errors[1] < 0.3
    assert all(many < few for few, many in pairwise(errors))


@every_form
def test_a_row_within_the_span_is_learned_without_entering(form, monkeypatch):
    """Only rounding makes its distance so small."""
    X, y = stream(40)
    model = form(BUDGET)
    model.learn_many(X[:-1], y[:-1])
    vectors = model.sv.copy()
    before = abs(y[-1] - model.decision(X[-1]))
    monkeypatch.setattr(model, "_delta", lambda z: untuned_krls.JITTER / 2.0)
    model.step(X[-1], y[-1])
    assert np.array_equal(model.sv, vectors)
    assert abs(y[-1] - model.decision(X[-1])) < before


@every_form
def test_without_vectors_wanted_widths_are_taken_at_once(form):
    model = form(BUDGET)
    X, y = stream(1)
    model.learn_many(X, y)
    model.lg, model.ls = model.lg + 1.0, model.ls - 2.0
    model._exchange()
    assert (model.lg0.tolist(), model.ls0.tolist()) == (model.lg.tolist(), model.ls.tolist())
    model.lg += 1.0
    assert (model.lg0 != model.lg).all()
