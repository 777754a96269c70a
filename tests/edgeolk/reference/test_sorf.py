"""Properties of the reference implementation of structured features."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from synthetic import random_stream, regression_stream

from edgeolk.reference import sorf as ts
from edgeolk.reference.sorf_features import Features, rounded
from edgeolk.reference.sorf_novelty import SorfNovelty


def sorf(d=3, D=70, gamma=0.4, **options):
    return ts.Sorf(d, D, gamma, seed=5, **{"drift": False, **options})


def after(model, n=120, d=3, seed=1):
    X, y = random_stream(seed, n, d)
    for a, b in zip(X, y, strict=True):
        model.step(a, b)
    return model, X, y


@pytest.mark.parametrize("d", [2, 20, 90])
def test_features_give_the_mean_of_the_kernels(d):
    D, widths, gamma = 4096, (0.3, 1.0, 3.0), 0.5 / d
    phi = Features(d, D, gamma, [widths], 11)
    rng = np.random.default_rng(d)
    for _ in range(5):
        x, z = rng.standard_normal((2, d))
        kernel = np.mean([math.exp(-gamma * m * np.sum((x - z) ** 2)) for m in widths])
        assert np.sum(phi(x) * phi(z)) / D == pytest.approx(kernel, abs=4 / math.sqrt(D))
        assert np.sum(phi(x) ** 2) / D == pytest.approx(1.0, abs=1e-14)


def test_a_smaller_learner_has_the_first_features():
    x = np.arange(5.0)
    large, small = (Features(5, D, 0.3, [[0.3, 1, 3]], 2)(x) for D in (200, 75))
    assert np.array_equal(large[:75], small)


def test_groups_take_whole_blocks_and_widths_of_their_own():
    one = Features(4, 300, 0.3, [[1.0]], 2)
    two = Features(4, 300, 0.3, [[1.0], [4.0, 9.0]], 2)
    assert list(two.first) == [0, 3, 5]
    assert (two.size(0), two.size(1), one.size(0)) == (192, 128, 300)
    assert np.array_equal(two.omega[:3], one.omega[:3])
    assert np.allclose(two.omega[3:].ravel()[:4] / one.omega[0, 0], [2, 3, 2, 3])


def test_rounding_is_unbiased_and_clamped():
    class Every:
        def __init__(self):
            self.word = -1

        def next_u32(self):
            self.word += 1
            return self.word << 16 | self.word

    for level, change in ((0, 0.0), (0, 0.3), (1, -3.75), (5, 0.999), (-127, 0.0), (120, 6.5)):
        v = level + change
        levels = np.full((65536, 2), level, dtype=np.int8)
        values = rounded(levels, np.full((65536, 2), change, dtype=np.float32), Every())
        assert values.mean() == pytest.approx(v, abs=2**-17)
        assert set(np.unique(values)) <= {math.floor(v), math.floor(v) + 1}
    far = np.array([[300.0, -1e9]], dtype=np.float32)
    assert rounded(np.zeros((1, 2), np.int8), far, Every()).tolist() == [[127, -127]]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8"])
def test_ranges_draws_and_windows(dtype):
    model = sorf(dtype=dtype)
    X, y = random_stream(4, 400, 3)
    start = model.rounding.state
    for a, b in zip(X, y, strict=True):
        model.step(a, b)
        E, alpha, betas = model.shares()
        assert E[0] + betas[0] == pytest.approx(1.0)
        assert 0.0 <= alpha[0] <= 1.0
        assert model.L.max() <= 1.0 / (1.0 - 0.999)
        assert 1.0 <= model.n[0] <= model.t / 8 + 1
    assert (model.rounding.state == start) == (dtype != "int8")


def test_the_score_does_not_see_a_common_scale():
    one, X, _ = after(sorf(gamma=0.4))
    two = sorf(gamma=0.4 / 16)
    X2, y = random_stream(1, 120, 3)
    for a, b in zip(4.0 * X2, y, strict=True):
        two.step(a, b)
    assert one.decision(X[0]) == pytest.approx(two.decision(4.0 * X[0]), abs=1e-12)


# --- options --------------------------------------------------------------------------


def test_two_classes_as_columns_are_opposite():
    model = sorf(n_classes=2, constant=False)
    X, y = random_stream(3, 150, 3)
    for a, b in zip(X, (y > 0).astype(int), strict=True):
        model.step(a, b)
        f = model.scores(a)
        assert f.sum() == pytest.approx(0.0, abs=1e-12)


def test_permuted_classes_permute():
    X, y = random_stream(3, 200, 3)
    labels = np.where(y > 0, 2, np.where(X[:, 0] > 0, 1, 3))
    one, two = (sorf(n_classes=5, constant=False) for _ in range(2))
    order = np.array([4, 0, 3, 1, 2])
    # Ties of empty columns fall to the smallest class, so both runs begin where there is none.
    one.w.v[:], one.a.v[:] = 0.01 * np.random.default_rng(0).standard_normal((2, *one.w.v.shape))
    two.w.v[:, order], two.a.v[:, order] = one.w.v, one.a.v
    for a, b in zip(X, labels, strict=True):
        assert one.step(a, b) == pytest.approx(two.step(a, order[b]), abs=1e-10)
    assert np.allclose(two.scores(X[0])[order], one.scores(X[0]), atol=1e-10)


def test_regression_scales_its_targets():
    X, y = regression_stream(2, 300, 3)
    plain, moved = (sorf(loss="square") for _ in range(2))
    one = [plain.step(a, b) for a, b in zip(X, y, strict=True)]
    two = [moved.step(a, 50.0 + 3.0 * b) for a, b in zip(X, y, strict=True)]
    assert two[0] == one[0] == 0.0
    assert np.allclose(two[1:], 50.0 + 3.0 * np.array(one[1:]), atol=1e-8)
    assert plain.mean == pytest.approx(y.mean())
    assert plain.sd() == pytest.approx(y.std(ddof=1))
    late = np.array(one[150:])
    assert np.mean((late - y[150:]) ** 2) < 0.8 * np.var(y[150:])
    assert plain.updates == 299


@pytest.mark.parametrize("loss", ["hinge", "square"])
def test_a_weight_of_one_changes_nothing_and_a_large_one_asks_for_more(loss):
    X, y = (random_stream if loss == "hinge" else regression_stream)(6, 80, 3)
    plain, heavy = sorf(loss=loss), sorf(loss=loss)
    for a, b in zip(X, y, strict=True):
        assert plain.step(a, b) == heavy.step(a, b, weight=1.0)
    f = heavy.models(X[0])[0][0, 0]
    heavy.step(X[0], y[0], weight=9.0)
    now = heavy.models(X[0])[0][0, 0]
    if loss == "hinge":
        assert y[0] * now == pytest.approx(y[0] * f + (3 - y[0] * f) / 1.03, abs=1e-12)
    else:
        assert now == pytest.approx((y[0] - heavy.mean) / heavy.sd(), abs=1e-9)
    assert heavy.L[0, 0] <= 0.999 * plain.L[0, 0] + 9.0 * 4.0


def test_the_linear_candidate_learns_a_line():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3))
    y = np.sign(X @ [1.0, -2.0, 0.5] + 0.3)
    model = sorf(gamma=40.0, linear=True)
    errors = [y[i] * model.step(X[i], y[i]) <= 0 for i in range(600)]
    assert np.mean(errors[300:]) < 0.05
    assert model.shares()[2][0] > 0.9
    assert (model.linear.Sl > 0.0).all()


@pytest.mark.parametrize("groups", [[(0.3, 1.0, 3.0)], [(0.3, 1.0), (2.0, 5.0)]])
def test_relevance_follows_the_derivative_of_the_blend(groups):
    """Of the blend of all groups; of one group without the weights of other experts."""

    def blend(model):
        fw, fa = model.models(x)
        E, alpha, betas = model.shares()
        assert betas[0] > 0.01
        return float((fa[0] if len(groups) == 1 else E @ fa)[0] + (alpha @ (fw - fa))[0])

    X, y = random_stream(3, 260, 70)
    model = ts.Sorf(70, 128, 0.01, seed=5, groups=groups, relevance=True, linear=True, drift=False)
    for a, b in zip(X, y, strict=True):
        model.step(a, b)
    assert model.u > 0
    x = X[0]
    scaled = model.inputs(x)
    q = model.gradient(scaled, model.phi(scaled), {0: 1.0}, [True] * len(groups))
    for i in (0, 5, 64, 69):
        ends = []
        for step in (1e-5, -1e-5):
            other = copy.deepcopy(model)
            other.lam[i] += step
            ends.append(blend(other))
        assert q[i] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-7, rel=1e-6)


def test_a_group_learns_on_its_own_loss():
    X, y = random_stream(3, 100, 3)
    model = sorf(D=128, groups=[(0.3, 1.0), (3.0,)])
    alone = sorf(D=64, groups=[(0.3, 1.0)])
    for a, b in zip(X, y, strict=True):
        model.step(a, b)
        alone.step(a, b)
    assert np.allclose(model.w.v[:64], alone.w.v, atol=1e-12)
    E, alpha, betas = model.shares()
    assert E.sum() + sum(betas) == pytest.approx(1.0)
    assert (alpha <= E).all()


# --- novelty --------------------------------------------------------------------------


def test_the_average_of_novelty_is_the_mean_feature():
    model = SorfNovelty(3, 64, 0.5, seed=1)
    X = np.random.default_rng(0).standard_normal((33, 3))
    for x in X:
        model.step(x)
    seen = np.mean([model.phi(x) for x in X[::8]], axis=0)
    assert np.allclose(model.a.v[:, 0], seen, atol=1e-12)
