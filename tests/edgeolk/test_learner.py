"""The learner as a user sees it: copies out, empty models, memory of the caller's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import RINGS, Owned
from synthetic import random_stream

import edgeolk as ek


def test_what_a_learner_shows_is_a_copy() -> None:
    owned = Owned("spa", n_features=2, budget=5, beta=1.0, eta=9.0)
    rows = 100.0 * np.arange(1, 6)[:, None] * np.ones(2)
    owned.learner.learn_many(rows, np.ones(5))
    assert owned.learner.n_support == 5
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


def test_a_model_in_memory_of_the_caller(tmp_path: Path) -> None:
    """Any start address serves, nothing outside is touched, and an array or a mapping will do."""
    X, y = random_stream(1, 50, 4)
    setting: dict[str, Any] = {"n_features": 4, "budget": 10, "seed": 3}
    plain = ek.Learner("rbp", **setting)
    plain.learn_many(X, y)
    size = plain.nbytes
    for start in (0, 1, 7, 63):
        memory = bytearray(b"\xa5" * (size + 200))
        learner = ek.Learner("rbp", buffer=memoryview(memory)[start:], **setting)
        learner.learn_many(X, y)
        assert learner._sealed() == plain._sealed()
        assert memory[:start] == b"\xa5" * start
        assert memory[start + size :] == b"\xa5" * (200 - start)
        with pytest.raises(BufferError):
            memory.append(0)  # held while the learner lives
        del learner
        memory.append(0)
    mapped = np.memmap(tmp_path / "memory", np.uint8, "w+", shape=size)
    learner = ek.Learner("rbp", buffer=mapped, **setting)
    learner.learn_many(X, y)
    assert learner._sealed() == plain._sealed()
