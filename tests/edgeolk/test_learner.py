"""The learner as a user sees it: same numbers whichever way in, copies out, files that go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import KERNELS, LIVELY, RINGS, Owned, fitting
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.streams import random_stream

import edgeolk as ek

modest = settings(max_examples=10, deadline=None, database=None)
seeds = st.integers(0, 2**64 - 1)
kernels = st.sampled_from(["gaussian", "polynomial", "linear", "laplacian", "sigmoid"])
dtypes = st.sampled_from(["float32", "float64", "float16"])

#: Compositions that keep state the published algorithms do not.
COMPOSED: list[dict[str, Any]] = [
    {"update": "gradient", "lam": 0.3, "averaging": "mean", "projection": "ball", "U": 1.0},
    {"update": "gradient", "loss": "logistic", "policy": "oldest", "schedule": "sqrt", "lam": 0.1},
    {"update": "sparse_pa", "sampling": "loss", "beta": 2.0, "policy": "unbiased"},
]
SUBJECTS = [(name, LIVELY.get(name, {})) for name in RINGS] + [(None, parts) for parts in COMPOSED]
subjects = pytest.mark.parametrize(
    ("name", "params"), SUBJECTS, ids=[str(name or next(iter(p.values()))) for name, p in SUBJECTS]
)


def options(kernel: str, dtype: str, seed: int, budget: int, **params: Any) -> dict[str, Any]:
    shared = {"n_features": 4, "kernel": KERNELS[kernel][0], "dtype": dtype, "budget": budget}
    return {**shared, "seed": seed, **params}


def same_model(a: ek.Learner, b: ek.Learner) -> bool:
    """Bit for bit: everything a result can depend on."""
    counts = ("steps", "mistakes", "updates", "capacity_hits", "squared_error", "norm2", "nbytes")
    counts += ("labels_asked", "halvings")
    return (
        all(getattr(a, name) == getattr(b, name) for name in counts)
        and (a.algorithm, a.parts, a.parameters) == (b.algorithm, b.parts, b.parameters)
        and (a.kernel, a.dtype, a.seed, a.plan) == (b.kernel, b.dtype, b.seed, b.plan)
        and a.support_vectors_.tobytes() == b.support_vectors_.tobytes()
        and a.dual_coef_.tobytes() == b.dual_coef_.tobytes()
    )


@subjects
@modest
@given(seed=seeds, kernel=kernels, dtype=dtypes, budget=st.integers(2, 20))
def test_same_seed_same_bits(
    *, name: str | None, params: dict[str, Any], seed: int, kernel: str, dtype: str, budget: int
) -> None:
    """Learning in bulk is the loop; a second learner with this seed is the first one."""
    X, y = random_stream(seed % 2**32, 80, 4)
    setting = options(fitting(name, kernel), dtype, seed, budget, **params)
    one, many = Owned(name, **setting), Owned(name, **setting)
    single = np.array([one.learner.learn_one(a, b) for a, b in zip(X, y, strict=True)])
    out = np.empty(len(X))
    assert many.learner.learn_many(X, y, out=out) is out
    assert single.tobytes() == out.tobytes()
    assert one.state() == many.state()
    assert same_model(one.learner, many.learner)


@modest
@given(seed=seeds, kernel=kernels, dtype=dtypes)
def test_scores_agree_whichever_way_in(seed: int, kernel: str, dtype: str) -> None:
    X, y = random_stream(seed % 2**32, 60, 4)
    learner = ek.Learner("spa", **options(kernel, dtype, 1, 30, beta=1.0))
    learner.learn_many(X, y)
    for view in (learner, learner.averaged):
        scores = view.decision_function(X)
        labels = view.predict(X)
        assert labels.dtype == np.int8
        assert np.array_equal(labels, np.where(scores >= 0, 1, -1))
        for x, f, label in zip(X, scores, labels, strict=True):
            assert view.decision_one(x) == f
            assert view.predict_one(x) == label
        out = np.full(len(X), np.nan)
        assert view.decision_function(X, out=out) is out
        assert np.array_equal(out, scores)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("budget", [1, 5])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_a_learner_shows_is_a_copy(d: int, budget: int, dtype: str) -> None:
    owned = Owned("spa", n_features=d, budget=budget, beta=1.0, eta=9.0, dtype=dtype)
    rows = 100.0 * np.arange(1, budget + 1)[:, None] * np.ones(d)
    owned.learner.learn_many(rows, np.ones(budget))
    assert owned.learner.n_support == budget
    before = owned.state()
    for shown in ("support_vectors_", "dual_coef_"):
        array = getattr(owned.learner, shown)
        assert array.flags.c_contiguous
        array[...] = 7.0
    owned.learner.averaged.dual_coef_[...] = 7.0
    owned.learner.parts.clear()
    owned.learner.parameters.clear()
    assert owned.state() == before
    assert np.array_equal(owned.learner.support_vectors_, rows)


def test_empty_model_scores_zero() -> None:
    for name in RINGS:
        learner = ek.Learner(name, n_features=2, budget=4)
        assert learner.decision_one(np.ones(2)) == 0.0
        assert learner.predict_one(np.ones(2)) == 1
        assert not learner.dual_coef_.any()
        frequencies = 4 if name == "fogd" else 0
        assert learner.support_vectors_.shape == (frequencies, 2)
        assert learner.dual_coef_.shape == (2 * frequencies,)


def test_no_rows() -> None:
    owned = Owned("rbp", n_features=2, budget=4)
    before = owned.bytes()
    assert owned.learner.learn_many(np.empty((0, 2)), []).shape == (0,)
    assert owned.learner.decision_function(np.empty((0, 2))).shape == (0,)
    assert owned.learner.predict(np.empty((0, 2))).shape == (0,)
    assert owned.bytes() == before


def test_regression_predicts_scores() -> None:
    X, y = random_stream(5, 60, 4)
    learner = ek.Learner("olrd", n_features=4, budget=20, loss="square", U=20.0)
    f = learner.learn_many(X, 3.5 * y)
    assert learner.is_regression
    assert learner.mistakes == 0
    assert learner.squared_error == pytest.approx(np.sum((3.5 * y - f) ** 2), rel=1e-12)
    assert np.array_equal(learner.predict(X), learner.decision_function(X))
    assert learner.predict_one(X[0]) == learner.decision_one(X[0])


def test_no_average_where_none_is_kept() -> None:
    with pytest.raises(AttributeError, match="rbp keeps no averaged model"):
        _ = ek.Learner("rbp", n_features=1, budget=1).averaged


def test_repr_says_what_it_is() -> None:
    text = repr(ek.Learner("rbp", n_features=3, budget=9))
    assert all(word in text for word in ("rbp", "3", "0", "9", "bytes"))


def test_a_model_in_memory_of_the_caller(tmp_path: Path) -> None:
    """Any start address serves, nothing outside is touched, and an array or a mapping will do."""
    X, y = random_stream(1, 50, 4)
    setting = options("gaussian", "float32", 3, 10)
    plain = ek.Learner("rbp", **setting)
    plain.learn_many(X, y)
    size = plain.nbytes
    for start in (0, 1, 7, 63):
        memory = bytearray(b"\xa5" * (size + 200))
        learner = ek.Learner("rbp", buffer=memoryview(memory)[start:], **setting)
        learner.learn_many(X, y)
        assert same_model(plain, learner)
        assert memory[:start] == b"\xa5" * start
        assert memory[start + size :] == b"\xa5" * (200 - start)
        with pytest.raises(BufferError):
            memory.append(0)  # held while the learner lives
        del learner
        memory.append(0)
    mapped = np.memmap(tmp_path / "memory", np.uint8, "w+", shape=size)
    learner = ek.Learner("rbp", buffer=mapped, **setting)
    learner.learn_many(X, y)
    assert same_model(plain, learner)
