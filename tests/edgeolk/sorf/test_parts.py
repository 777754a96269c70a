"""The scores behind a score of two classes, and weights that steps alone see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.reference.sorf_memory import RememberingSorf

D, GAMMA, SEED = 3, 0.125, 5
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "candidates": {"linear": True, "last_label": True},
    "groups": {"widths": ((0.3, 1.0, 3.0), (3.0, 5.5))},
    "linear group": {"linear_group": True},
    "no constant": {"constant": False},
}


def stream(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(1).normal(size=(n, D)).astype(np.float32).astype(float)
    return X, np.where(X[:, 0] + 0.3 * X[:, 1] > 0.6, 1.0, -1.0)


def learner_of(kind: str, dtype: str = "float64", **more: Any) -> ek.Learner:
    given = {"n_features": D, "D": 100, "kernel": ek.Gaussian(GAMMA), "scale": None, "seed": SEED}
    fixed = {"relevance": False, "memory": 20, "dtype": dtype}
    return ek.Learner(**{**given, **fixed, **KINDS[kind], **more})


def plain_of(kind: str) -> RememberingSorf:
    options = dict(KINDS[kind])
    if "widths" in options:
        options["groups"] = options.pop("widths")
    return RememberingSorf(D, 100, GAMMA, memory=20, seed=SEED, dtype="float64", **options)


def behind(plain: RememberingSorf, x: np.ndarray) -> list[float]:
    """f_a and f_w of all groups by their shares, g."""
    fw, fa = plain.models(x)
    shares = plain.shares()[0]
    return [*((shares @ f)[0] / shares.sum() for f in (fa, fw)), plain.memory_scores(x)[0][0]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.spread(6)
def test_they_are_those_of_the_reference(kind: str) -> None:
    X, y = stream()
    learner, plain = learner_of(kind), plain_of(kind)
    parts = np.empty((len(X), 3))
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        expected = [float(plain.scores(x)[0]), *behind(plain, x)]
        np.testing.assert_allclose(learner._parts_one(x), expected, rtol=1e-8, atol=1e-8)
        f = learner._learn_many(X[i : i + 1], y[i : i + 1], parts=parts[i : i + 1])
        np.testing.assert_allclose([f[0], *parts[i]], expected, rtol=1e-8, atol=1e-8)
        plain.step(x, label)


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
@pytest.mark.parametrize("memory", [0, 20])
def test_many_rows_have_those_of_one(dtype: str, memory: int) -> None:
    X, y = stream(500)
    learner, silent = (learner_of("plain", dtype, memory=memory) for _ in range(2))
    parts, again = np.empty((400, 3)), np.empty((100, 3))
    f = learner._learn_many(X[:400], y[:400], parts=parts)
    assert f.tolist() == silent.learn_many(X[:400], y[:400]).tolist()
    assert learner._sealed() == silent._sealed()
    scores = learner._score_many(X[400:], again)
    assert scores.tolist() == silent.decision_function(X[400:]).tolist()
    one = np.array([learner._parts_one(x) for x in X[400:]])
    np.testing.assert_allclose(one[:, 0], scores, atol=2e-4)
    np.testing.assert_allclose(one[:, 1:], again, atol=2e-4)
    assert (again[:, 2] != 0.0).any() == bool(memory)
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(X[400:])
    other = np.empty((100, 3))
    learner._score_many(sparse, other)
    np.testing.assert_allclose(other, again, atol=2e-4)


def test_nothing_is_asked_for_afterwards() -> None:
    """The array of an earlier call is left alone, also after one that was refused."""
    X, y = stream(60)
    learner, parts = learner_of("plain"), np.full((30, 3), 7.0)
    learner._learn_many(X[:30], y[:30], parts=parts)
    bad = X[30:].copy()
    bad[5, 0] = np.nan
    late = np.full((30, 3), 7.0)
    with pytest.raises(ValueError, match="finite"):
        learner._learn_many(bad, y[30:], np.full(30, 4.0), np.ones(30), late)
    assert (late[:5] != 7.0).all()
    assert (late[5:] == 7.0).all()
    before, kept = parts.copy(), late.copy()
    learner.learn_many(X[35:], y[35:])
    learner.decision_function(X)
    learner.decision_one(X[0])
    assert (parts == before).all()
    assert (late == kept).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.spread(2)
def test_weights_of_steps_alone_are_those_of_the_reference(kind: str) -> None:
    X, y = stream()
    weight = np.where(y > 0.0, 6.0, 1.0)
    counted = np.where(np.arange(len(y)) % 3, 1.0, 0.5)
    learner, plain = learner_of(kind), plain_of(kind)
    f = learner._learn_many(X, y, weight, counted)
    expected = [
        plain.step(x, label, v, counted=c)
        for x, label, v, c in zip(X, y, weight, counted, strict=True)
    ]
    np.testing.assert_allclose(f, expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(np.stack([plain.w.v, plain.a.v]), learner.weights_, atol=1e-8)
    mistakes = np.asarray(learner._engine.view("memory_mistakes")).ravel()
    np.testing.assert_array_equal(mistakes, plain.L_Q)


def test_counting_as_in_the_step_is_the_default() -> None:
    X, y = stream()
    weight = np.where(y > 0.0, 6.0, 1.0)
    given, default, ones = (learner_of("plain", "int8") for _ in range(3))
    given._learn_many(X, y, weight, weight)
    default.learn_many(X, y, weight=weight)
    ones._learn_many(X, y, weight, np.ones(len(y)))
    assert given._sealed() == default._sealed() != ones._sealed()


def test_several_classes_count_too() -> None:
    X, y = stream()
    learners = [learner_of("plain", n_classes=3) for _ in range(2)]
    labels, weight = (y + 1.0) / 2.0, np.where(y > 0.0, 6.0, 1.0)
    learners[0].learn_many(X, labels, weight=weight)
    learners[1]._learn_many(X, labels, weight, np.ones(len(y)))
    assert learners[0]._sealed() != learners[1]._sealed()


def test_who_has_none() -> None:
    X, y = stream(20)
    for learner in (
        ek.Learner("forgetron", n_features=D, budget=9, kernel=ek.Gaussian(GAMMA)),
        learner_of("plain", n_classes=3),
        ek.Learner(n_features=D, ram="4KiB", loss="square"),
    ):
        with pytest.raises(TypeError, match="only sorf with two classes"):
            learner._parts_one(X[0])
    with pytest.raises(TypeError, match="only sorf with two classes"):
        learner._learn_many(X, y, parts=np.empty((20, 3)))
    strided = np.empty((20, 6))[:, ::2]
    for wrong in (np.empty((19, 3)), np.empty((20, 3), dtype=np.float32), strided):
        with pytest.raises(ValueError, match=r"parts must be a writable float64 array of shape"):
            learner_of("plain")._learn_many(X, y, parts=wrong)
    with pytest.raises(ValueError, match="weight must be"):
        learner_of("plain")._learn_many(X, y, None, np.zeros(20))
