"""Defaults that follow the bytes: norms for zeros, rows looked ahead, the rows of a memory if only
bytes are given (section 7f of docs/sorf.md).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from helpers import Csr

import edgeolk as ek
from edgeolk.parts import Rows
from edgeolk.sorf import defaults as row_memory

TYPES = ("float32", "float64", "float16")
SIZES = (8, 40, 70, 123, 300)


def config(**options: Any) -> ek.Config:
    return ek.Config("rbp", **options)


def region(plan: ek.Plan, name: str) -> int:
    """Bytes of a region, 0 where there is none."""
    return sum(r.nbytes for r in plan.regions if r.name == name)


def test_norms_are_kept_where_they_cost_little() -> None:
    for dtype, n_features, budget in itertools.product(TYPES, SIZES, (16, 100, 400, 1350)):
        options = {"n_features": n_features, "budget": budget, "dtype": dtype, "lookahead": 0}
        usual, kept, none = (ek.plan("rbp", sparse=said, **options) for said in (None, True, False))
        share = (kept.nbytes - none.nbytes) / region(none, "support_vectors")
        if abs(share - 0.03) > 0.002:  # regions are padded
            assert usual.nbytes == (kept if share < 0.03 else none).nbytes


@pytest.mark.parametrize(
    "options",
    [{"dtype": "int8"}, {"scale": "standard"}, {"algorithm": "fogd"}],
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
    """To the bound of c/ring_table.h, a tenth of which is never reached by chance."""
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


@pytest.mark.parametrize(
    ("options", "ahead"),
    [
        ({"n_features": 123, "budget": 1350}, 6), ({"n_features": 16, "budget": 1350}, 0),
        ({"n_features": 16, "budget": 8000}, 0), ({"n_features": 123, "ram": "700KiB"}, 0),
        ({"n_features": 123, "ram": "700KiB", "lookahead": 6}, 6),
        # Several columns look ahead sooner.
        ({"n_features": 16, "budget": 500, "n_classes": 10}, 6),
        ({"n_features": 16, "budget": 500, "n_classes": 2}, 0),
        ({"n_features": 16, "budget": 350, "n_classes": 10}, 0),
        ({"n_features": 12, "budget": 500, "n_classes": 20}, 0),
        ({"n_features": 16, "budget": 1350, "n_classes": 3}, 0),
        ({"n_features": 16, "ram": "128KiB", "n_classes": 10}, 0),
    ],
    ids=str,
)  # fmt: skip
def test_large_rings_look_ahead(options: dict[str, Any], ahead: int) -> None:
    assert config(**options)._settings.lookahead == ahead


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


@pytest.mark.parametrize("bad", [-1, 65, 1.5, "6", True])
def test_bad_lookahead(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="lookahead"):
        config(n_features=3, budget=4, lookahead=bad)


KIB = 1024


def options(d: int, K: int, nbytes: int) -> dict[str, Any]:
    return {"n_features": d, "ram": nbytes, **({"n_classes": K} if K > 1 else {})}


@pytest.mark.parametrize(
    ("d", "K", "nbytes", "rows", "size"),
    [
        (10, 11, 16 * KIB, 1280, 10_480),
        (16, 26, 64 * KIB, 3723, 41_433),
        (5, 1, 16 * KIB, 1536, 6208),
        (36, 6, 16 * KIB, 292, 292 * 21 + 64 + 96),
        (256, 10, 64 * KIB, 187, 187 * 131 + 64 + 160),
        (42, 6, 16 * KIB, 213, 213 * 24 + 64 + 96),  # a row is as long as a frequency
        (5, 1, 40 * KIB, 3072, 12 * KIB + 64),
        (5, 1, 64 * KIB, 4096, 16 * KIB + 64),
        (123, 1, 16 * KIB, 65, 65 * 63 + 64),  # few, and many frequencies
    ],
)
def test_rows_of_the_text(d: int, K: int, nbytes: int, rows: int, size: int) -> None:
    assert row_memory.default_memory_rows(nbytes, d, K) == rows
    made = ek.Config(**options(d, K, nbytes))
    assert made.parameters["memory"] == rows
    assert rows * made._settings.memory_row + 64 + (16 * K if K > 1 else 0) == size
    assert nbytes - 160 - 4 * K < ek.plan(made).nbytes <= nbytes
    assert ek.Config(**made.options) == made
    off = ek.Config(**options(d, K, nbytes), memory=0)
    assert off.parameters["memory"] == 0
    assert off.budget > made.budget >= row_memory.min_frequencies(K, rows)


@pytest.mark.parametrize(
    ("d", "K", "nbytes"),
    [
        (20, 1, 4 * KIB),  # 139 rows, or 93 beside fewer than 1,024 frequencies
        (256, 1, 16 * KIB),  # 31 rows
        (24, 2, 4 * KIB),
        (16, 26, 4 * KIB),  # no 8 frequencies left
        (5, 1, 2000),  # no 256
        (2, 1, KIB),
        (256, 10, 16 * KIB),
        (3, 300, 256 * KIB),
    ],
)
def test_none_where_it_does_not_pay(d: int, K: int, nbytes: int) -> None:
    made = ek.Config(**options(d, K, nbytes))
    assert made.parameters["memory"] == 0
    assert made == ek.Config(**options(d, K, nbytes), memory=False)


@pytest.mark.parametrize(
    "more", [{"loss": "square"}, {"loss": "novelty"}, {"loss": "square", "history": True}]
)
def test_other_tasks_have_none(more: dict[str, Any]) -> None:
    assert ek.Config(n_features=5, ram=16 * KIB, **more).parameters["memory"] == 0


def test_what_is_said_stands() -> None:
    assert ek.Config(n_features=5, D=600).parameters["memory"] == 0
    assert ek.Config(n_features=5, ram=16 * KIB, memory=77).parameters["memory"] == 77
    assert ek.Config(n_features=5, ram=16 * KIB, memory=None).parameters["memory"] == 1536
    large = ek.Config(n_features=5, ram=48 * KIB)
    assert large.budget >= 7000
    assert large.parameters["groups"] == 1 + (large.budget >= 8000)
