"""What is spent on speed where nothing is said: norms for zeros, rows looked ahead."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from helpers import Csr

import edgeolk as ek
from edgeolk.parts import Rows

#: Bytes of a stored number.
ITEM = {"float32": 4, "float64": 8, "float16": 2}


def config(**options: Any) -> ek.Config:
    return ek.Config("rbp", **options)


def region(plan: ek.Plan, name: str) -> int:
    """Bytes of a region, 0 where there is none."""
    return sum(r.nbytes for r in plan.regions if r.name == name)


@pytest.mark.parametrize("dtype", ITEM)
@pytest.mark.parametrize("n_features", [8, 40, 70, 123, 300])
@pytest.mark.parametrize("budget", [16, 100, 400, 1350])
def test_norms_are_kept_where_they_cost_little(dtype: str, n_features: int, budget: int) -> None:
    options = {"n_features": n_features, "budget": budget, "dtype": dtype, "lookahead": 0}
    usual, kept, none = (ek.plan("rbp", sparse=said, **options) for said in (None, True, False))
    share = (kept.nbytes - none.nbytes) / region(none, "support_vectors")
    if abs(share - 0.03) > 0.002:  # regions are padded
        assert usual.nbytes == (kept if share < 0.03 else none).nbytes


@pytest.mark.parametrize(
    "options",
    [{"dtype": "int8"}, {"scale": "standard"}, {"algorithm": "fogd"}, {"algorithm": "sorf"}],
    ids=str,
)
def test_what_cannot_skip_zeros_is_dense(options: dict[str, Any]) -> None:
    options = {"algorithm": "rbp", "n_features": 123, "budget": 200, **options}
    assert ek.Config(**options)._settings.parts["rows"] == Rows.DENSE


def learner(sparse: bool | None, **options: Any) -> ek.Learner:
    options = {"n_features": 80, "budget": 200, "kernel": ek.Gaussian(0.02), **options}
    return ek.Learner("rbp", seed=2, sparse=sparse, **options)


def rows(share: float, n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which that share is not zero."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((n, 80)) < share, rng.normal(size=(n, 80)), 0.0)
    return X, np.where(X[:, :10].sum(axis=1) + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def test_full_rows_are_scored_by_norms_and_products() -> None:
    """To the bound of loops/tiles.h, a tenth of which is never reached by chance."""
    X, y = rows(0.9)
    usual, dense = learner(None), learner(False)
    assert usual._config.parts["rows"] == Rows.EITHER
    usual.learn_many(X, y)
    dense.learn_many(X, y)
    assert (usual.mistakes, usual.n_support) == (dense.mistakes, dense.n_support)
    f, g = usual.decision_function(X), dense.decision_function(X)
    lengths = np.sqrt((X**2).sum(1)), np.sqrt((usual.support_vectors_**2).sum(1))
    reach = (lengths[0][:, None] + lengths[1]) ** 2
    bound = 0.1 * 0.02 * (80 + 3) * 2.0**-24 * reach @ np.abs(usual.dual_coef_)
    assert (f != g).any()
    assert (np.abs(f - g) <= bound).all()


@pytest.mark.parametrize("dtype", ITEM)
def test_a_vector_learned_is_at_distance_nothing(dtype: str) -> None:
    X, y = rows(1.0, 40)
    model = learner(None, dtype=dtype)
    model.learn_many(X, y)
    assert model.n_support > 5
    for vector in model.support_vectors_:
        assert model.familiarity_one(vector) == 1.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_full_rows_far_from_the_origin_are_read_by_differences(dtype: str) -> None:
    """Blocks of near rows, far rows and both: each is as it is one by one."""
    X, y = rows(1.0)
    far = np.arange(len(X)) % 5 == 3
    X[far] += 1000.0
    X[200:260] += 1000.0
    usual, exact = (learner(said, dtype=dtype) for said in (None, False))
    for model in (usual, exact):
        model.learn_many(X, y)
    np.testing.assert_array_equal(usual.decision_function(X), [usual.decision_one(x) for x in X])
    X = X + (3000.0 if dtype == "float32" else 3e6)
    again = learner(None, dtype=dtype), learner(False, dtype=dtype)
    f, g = (model.learn_many(X, y) for model in again)
    np.testing.assert_array_equal(f, g)


def test_rows_of_zeros_are_read_by_their_nonzeros() -> None:
    X, y = rows(0.1)
    usual, sparse, dense, csr = learner(None), learner(True), learner(False), learner(None)
    f = usual.learn_many(X, y)
    np.testing.assert_array_equal(f, sparse.learn_many(X, y))
    np.testing.assert_array_equal(f, csr.learn_many(Csr(X), y))
    g = dense.learn_many(X, y)
    assert (f != g).any()  # another order of additions
    assert np.abs(f - g).max() < 1e-3


def test_rows_far_from_the_origin_keep_their_digits() -> None:
    X, y = rows(1.0)
    X[:, :30] += 3000.0
    X[:, 30:] = 0.0
    f, exact, lost = (learner(said).learn_many(X, y) for said in (None, False, True))
    np.testing.assert_array_equal(f, exact)
    assert np.abs(lost - exact).max() > 0.01


@pytest.mark.parametrize(
    ("options", "remedy"),
    [({"sparse": False}, "sparse=True"), ({"dtype": "int8"}, "float16"),
     ({"scale": "standard"}, "scale=")],
)  # fmt: skip
def test_zeros_that_are_read_are_told_of_once(options: dict[str, Any], remedy: str) -> None:
    X, y = rows(0.1)
    model = ek.Learner("rbp", n_features=80, budget=300, **options)
    model.learn_many(X, y)
    model.learn_many(Csr(X[:0]), y[:0])
    with pytest.warns(UserWarning, match=f"mostly zeros.*{remedy}"):
        model.learn_many(Csr(X), y)
    model.learn_many(Csr(X), y)
    model.decision_function(Csr(X))


def test_nothing_is_told_where_zeros_are_skipped_or_few() -> None:
    X, y = rows(0.1)
    learner(None, budget=300).learn_many(Csr(X), y)
    learner(False, budget=300).learn_many(Csr(rows(0.5)[0]), y)
    learner(False, budget=30).learn_many(Csr(X), y)


def test_a_file_says_how_rows_are_read() -> None:
    X, y = rows(0.1)
    for said in (None, True, False):
        made = learner(said)
        made.learn_many(X, y)
        again = pickle.loads(pickle.dumps(made))
        assert again.config == made.config
        assert repr(again) == repr(made)
        np.testing.assert_array_equal(again.learn_many(X, y), made.learn_many(X, y))


def test_large_rings_look_ahead() -> None:
    assert config(n_features=123, budget=1350)._settings.lookahead == 6
    assert config(n_features=16, budget=1350)._settings.lookahead == 0
    assert config(n_features=16, budget=8000)._settings.lookahead == 0
    assert config(n_features=123, ram="700KiB")._settings.lookahead == 0
    assert config(n_features=123, ram="700KiB", lookahead=6)._settings.lookahead == 6


def test_several_columns_look_ahead_sooner() -> None:
    assert config(n_features=16, budget=500, n_classes=10)._settings.lookahead == 6
    assert config(n_features=16, budget=500, n_classes=2)._settings.lookahead == 0
    assert config(n_features=16, budget=350, n_classes=10)._settings.lookahead == 0
    assert config(n_features=12, budget=500, n_classes=20)._settings.lookahead == 0
    assert config(n_features=16, budget=1350, n_classes=3)._settings.lookahead == 0
    assert config(n_features=16, ram="128KiB", n_classes=10)._settings.lookahead == 0


@pytest.mark.parametrize(("dtype", "item"), [("float32", 4), ("float64", 8), ("int8", 4)])
@pytest.mark.parametrize("n_features", [16, 37])
def test_rows_ahead_are_in_the_plan(dtype: str, item: int, n_features: int) -> None:
    options = {"n_features": n_features, "budget": 256, "dtype": dtype}
    plan = ek.plan("rbp", lookahead=8, **options)
    assert region(plan, "rows_ahead") == -(-8 * n_features * item // 64) * 64
    assert region(plan, "values_ahead") == 8 * 256 * item
    none = ek.plan("rbp", lookahead=0, **options)
    names = ("header", "rows_ahead", "values_ahead")
    assert plan.nbytes - none.nbytes == sum(region(plan, n) - region(none, n) for n in names)
    assert none == ek.plan("rbp", **options)
    # Kernels without an exponential have values in double.
    linear = ek.plan("rbp", lookahead=8, kernel=ek.Linear(), **options)
    assert region(linear, "values_ahead") == 8 * 256 * 8


def test_a_map_to_features_is_read_for_many_rows() -> None:
    options = {"n_features": 123, "budget": 1350}
    assert ek.Config("nogd", **options)._settings.lookahead == 24
    assert ek.Config("nogd", n_features=16, budget=600)._settings.lookahead == 6
    assert ek.Config("nogd", n_features=16, budget=100)._settings.lookahead == 0
    options["budget"] = 512
    plan = ek.plan("nogd", lookahead=3, k=64, **options)
    assert region(plan, "features_ahead") == 3 * 64 * 8
    assert region(plan, "values_ahead") == 3 * 512 * 8
    assert region(ek.plan("nogd", lookahead=0, **options), "features_ahead") == 0


@pytest.mark.parametrize(
    "options",
    [{"algorithm": "bsgd"}, {"algorithm": "bpa_nn"}, {"algorithm": "fogd"},
     {"algorithm": "sorf"}, {"scale": "standard"}, {"clip_rows": 2.0}],
    ids=str,
)  # fmt: skip
def test_what_cannot_look_ahead_does_not(options: dict[str, Any]) -> None:
    options = {"algorithm": "rbp", "n_features": 123, "budget": 1350, **options}
    assert ek.Config(**options, lookahead=8)._settings.lookahead == 0
    assert ek.Config(**options)._settings.lookahead == 0


@pytest.mark.parametrize("said", [{}, {"lookahead": 0}, {"lookahead": 3}])
def test_a_configuration_says_how_far(said: dict[str, int]) -> None:
    made = config(n_features=123, budget=700, **said)
    assert eval(repr(made), {"ek": ek}) == made
    assert ("lookahead" in repr(made)) == bool(said)
    model = ek.Learner(made)
    assert pickle.loads(pickle.dumps(model)).plan == model.plan


@pytest.mark.parametrize("bad", [-1, 65, 1.5, "6", True])
def test_bad_lookahead(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="lookahead"):
        config(n_features=3, budget=4, lookahead=bad)
