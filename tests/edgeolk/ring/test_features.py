"""Gradient steps on features whose frequencies are not stored: structured ones, and drawn again."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from helpers import python
from synthetic import random_stream, regression_stream

import edgeolk as ek
from edgeolk.core.variants import available_simd
from edgeolk.reference import LEARNERS
from edgeolk.reference.base import gaussian
from edgeolk.reference.normals import standard_normals
from edgeolk.reference.sorf import Features

GAMMA, SEED = 0.2, 2**40 + 7
seldom = pytest.mark.parametrize("frequencies", ["structured", "drawn"])


def learner_of(d: int, D: int, **more: Any) -> ek.Learner:
    options = {"n_features": d, "D": D, "kernel": ek.Gaussian(GAMMA), "seed": SEED, "eta": 0.4}
    return ek.Learner("fogd", **{**options, **more})


def stream(loss: str, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = (regression_stream if loss == "square" else random_stream)(3, n, d)
    return X.astype(np.float32).astype(float), y


def plain_of(d: int, D: int, **more: Any) -> Any:
    """Plain gradient descent on the reference's structured features."""
    plain = LEARNERS["fogd"](gaussian(GAMMA), seed=SEED, D=D, eta=0.4, **more)
    made = Features(d, D, GAMMA, ((1.0,),), SEED)
    plain.features = lambda x: made(np.asarray(x, dtype=float)).T.ravel() / np.sqrt(D)
    return plain


@pytest.mark.parametrize("loss", ["hinge", "logistic", "square"])
@pytest.mark.parametrize(("d", "D"), [(3, 1), (5, 70), (64, 128), (70, 130)])
def test_structured_features_are_those_of_the_reference(d: int, D: int, loss: str) -> None:
    X, y = stream(loss, 150, d)
    learner = learner_of(d, D, loss=loss, lam=0.1, dtype="float64", frequencies="structured")
    plain = plain_of(d, D, loss=loss, lam=0.1)
    expected = [plain.step(a, b) for a, b in zip(X, y, strict=True)]
    np.testing.assert_allclose(learner.learn_many(X, y), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(learner.dual_coef_, plain.w, rtol=1e-9, atol=1e-9)
    mean = learner.averaged.decision_one(X[7])
    assert mean == pytest.approx(plain.averaged(X[7]), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("coefficients", ["float32", "float64"])
@seldom
def test_single_precision_is_near_double(frequencies: str, coefficients: str) -> None:
    X, y = stream("logistic", 200, 9)
    options = {"loss": "logistic", "frequencies": frequencies}
    near = learner_of(9, 100, dtype="float32", coefficients=coefficients, **options)
    exact = learner_of(9, 100, dtype="float64", **options)
    np.testing.assert_allclose(near.learn_many(X, y), exact.learn_many(X, y), atol=2e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", [{"kernel": ek.Gaussian(0.7)}, {"gamma": "auto"}])
def test_drawn_frequencies_are_those_that_are_stored(dtype: str, kernel: dict[str, Any]) -> None:
    """With a width that is found on the way, from the row on that it is found at too."""
    X, y = stream("logistic", 250, 6)
    drawn, stored = (
        learner_of(6, 33, loss="logistic", dtype=dtype, frequencies=where, **kernel)
        for where in ("drawn", "stored")
    )
    near = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(drawn.learn_many(X, y), stored.learn_many(X, y), atol=near)
    np.testing.assert_allclose(drawn.dual_coef_, stored.dual_coef_, atol=near)


@seldom
def test_no_byte_goes_to_frequencies(frequencies: str) -> None:
    """A feature of a row costs its place in scratch, and nothing beside each frequency."""
    few, many = (learner_of(d, 500, frequencies=frequencies) for d in (16, 272))
    assert many.nbytes - few.nbytes == 256 * 4
    assert learner_of(272, 500).nbytes - many.nbytes > 272 * 500 * 4
    with pytest.raises(AttributeError, match="no vectors"):
        _ = few.support_vectors_
    with pytest.raises(AttributeError, match="no weights"):
        _ = few.weights_


@seldom
def test_saved_in_the_middle_the_rest_is_the_same(frequencies: str) -> None:
    X, y = stream("hinge", 120, 7)
    learner = learner_of(7, 90, frequencies=frequencies)
    learner.learn_many(X[:60], y[:60])
    again = pickle.loads(pickle.dumps(learner))
    assert np.array_equal(again.learn_many(X[60:], y[60:]), learner.learn_many(X[60:], y[60:]))
    assert bytes(again._sealed()) == bytes(learner._sealed())
    assert repr(again) == repr(learner)


@seldom
@pytest.mark.parametrize("size", [1e3, 1e12, 1e37])
def test_any_row_has_features_of_length_1(frequencies: str, size: float) -> None:
    """What one step adds is eta |z|^2, however large the angles are."""
    learner = learner_of(3, 64, frequencies=frequencies)
    x = np.array([size, -size, size / 3.0])
    learner.learn_one(x, 1)
    assert learner.decision_one(x) == pytest.approx(0.4, rel=1e-5)


def test_other_updates_on_structured_features() -> None:
    """Passive-aggressive: y f after the step is what the rule says."""
    X, y = stream("hinge", 80, 4)
    learner = ek.Learner(
        n_features=4, D=64, update="pa2", basis="structured", kernel=ek.Gaussian(GAMMA), C=2.0,
        dtype="float64",
    )  # fmt: skip
    for a, b in zip(X, y, strict=True):
        f = learner.learn_one(a, b)
        loss = max(0.0, 1.0 - b * f)
        assert learner.decision_one(a) == pytest.approx(f + b * loss / 1.25, abs=1e-12)


@pytest.mark.parametrize(
    ("seed", "D", "d", "dtype"),
    [(7, 300, 300, "float64"), (0, 1, 1, "float64"), (2**32, 70, 9, "float32"),
     (2**64 - 1, 33, 3, "float16"), (2**63 + 5, 64, 64, "float32")],
)  # fmt: skip
def test_frequencies_are_those_of_the_reference(seed: int, D: int, d: int, dtype: str) -> None:
    """Bit for bit; the first case draws from the centre and from both tails."""
    draws = standard_normals(seed, (D, d))
    learner = learner_of(d, D, dtype=dtype, seed=seed, kernel=ek.Gaussian(0.7))
    expected = (draws * np.sqrt(2.0 * 0.7)).astype(dtype)
    assert np.array_equal(learner.support_vectors_, expected)


IN_A_SET = """
import numpy as np, edgeolk as ek
X = np.random.default_rng(0).normal(size=(120, 3))
y = np.sign(X[:, 0])
fourier = ek.Learner("fogd", n_features=3, budget=40, coefficients="float32", eta=0.1)
fourier.learn_many(X, y)
classes = ek.Learner("sorf", n_features=3, D=64, n_classes=3, dtype="float32")
classes.learn_many(X, np.arange(120) % 3)
print(*fourier.decision_function(X[:9]), *classes.scores(X[:9]).ravel())
"""


def test_float32_features_are_alike_in_every_set_of_instructions() -> None:
    made = {}
    for name in available_simd():
        ran = python(IN_A_SET, EDGEOLK_SIMD=name)
        assert ran.returncode == 0, ran.stderr
        made[name] = np.array(ran.stdout.split(), float)
    assert len(made["scalar"]) == 9 + 27
    for name in made:
        np.testing.assert_allclose(made[name][:9], made["scalar"][:9], rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(made[name][9:], made["scalar"][9:])
