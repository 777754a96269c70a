"""Kernels as records: ranges, fields, and the functions they stand for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from helpers import KERNELS

import edgeolk as ek
from edgeolk.parts import KernelKind
from edgeolk.parts.kernels import kernel_from_fields

ALL = [record for record, _ in KERNELS.values()]


@pytest.mark.parametrize("kernel", ALL, ids=str)
def test_fields_make_the_kernel_again(kernel: ek.Kernel) -> None:
    assert kernel_from_fields(kernel.fields()) == kernel
    assert hash(kernel) == hash(kernel_from_fields(kernel.fields()))
    with pytest.raises(AttributeError):
        kernel.gamma = 3.0  # type: ignore[attr-defined]


def test_every_kind_has_its_record() -> None:
    assert {kernel.kind for kernel in ALL} == set(KernelKind)
    assert {type(kernel) for kernel in ALL} == set(ek.Kernel.__subclasses__())


@pytest.mark.parametrize(
    "fields",
    [
        (0, 0, 1.0, 0.0, 0.0), (6, 0, 1.0, 0.0, 0.0), (-1, 0, 1.0, 0.0, 0.0), (1, 0, 0.0, 0.0, 0.0),
        (1, 0, math.nan, 0.0, 0.0), (1, 0, math.inf, 0.0, 0.0), (1, 0, 1.0, 1.0, 0.0),
        (1, 2, 1.0, 0.0, 0.0), (3, 0, 0.0, 1.0, 1.0), (3, 33, 0.0, 1.0, 1.0),
        (3, 2, 0.0, -1.0, 1.0), (3, 2, 0.0, 1.0, -1.0), (4, 0, 0.0, 1.0, 0.0),
        (5, 0, 0.0, 1.0, math.inf), (5, 0, 0.0, math.nan, 0.0), (4, 0, 0.0, 0.0, math.nan),
    ],
)  # fmt: skip
def test_fields_of_no_kernel(fields: tuple[int, int, float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        kernel_from_fields(fields)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values(kernel: str, dtype: str) -> None:
    """One support vector of weight 1: the score is the kernel."""
    rng = np.random.default_rng(1)
    record, function = KERNELS[kernel]
    for s, x in rng.standard_normal((20, 2, 5)):
        learner = ek.Learner("perceptron", n_features=5, budget=1, kernel=record, dtype=dtype)
        learner.learn_one(s, 1)
        expected = function(s.astype(dtype).astype(float)[None], x.astype(dtype).astype(float))[0]
        bound = 1e-6 if dtype == "float32" else 1e-14
        assert learner.decision_one(x) == pytest.approx(expected, rel=bound, abs=bound * 3)


BAD: list[tuple[type[ek.Kernel], dict[str, Any], str]] = [
    (kind, {"gamma": value}, "gamma")
    for kind in (ek.Gaussian, ek.Laplacian)
    for value in (0, 0.0, -1.0, math.nan, math.inf, "a", "1", True, None, 1j, [1.0], 10**400)
]
BAD += [(ek.Polynomial, {"degree": v}, "degree") for v in (0, -1, 33, 1.5, True, None, "a")]
BAD += [(ek.Polynomial, {"degree": v}, "degree") for v in (math.nan, math.inf)]
BAD += [(ek.Polynomial, {"scale": v}, "scale") for v in (0, -1.0, math.nan, math.inf, None)]
BAD += [(ek.Polynomial, {"offset": v}, "offset") for v in (-0.1, math.nan, math.inf, "a")]
BAD += [(ek.Sigmoid, {"scale": v}, "scale") for v in (0, -1.0, math.nan)]
BAD += [(ek.Sigmoid, {"offset": v}, "offset") for v in (-math.inf, math.inf, math.nan, None)]


@pytest.mark.parametrize(("kind", "params", "name"), BAD, ids=lambda v: str(v)[:30])
def test_parameters_out_of_range(kind: type[ek.Kernel], params: dict[str, Any], name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        kind(**params)


@pytest.mark.parametrize("kernel", ["gaussian", 1.0, {}, ek.Gaussian, ek.Kernel()], ids=str)
def test_what_is_no_kernel(kernel: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="kernel"):
        ek.Learner("rbp", n_features=2, budget=3, kernel=kernel)


def test_default_width() -> None:
    assert ek.Learner("rbp", n_features=8, budget=3).kernel == ek.Gaussian(0.125)


@pytest.mark.parametrize("gamma", [1e-38, 1e38, 1e-300])
def test_widths_beyond_float32(gamma: float) -> None:
    options = {"n_features": 2, "budget": 3, "kernel": ek.Gaussian(gamma)}
    with pytest.raises(ValueError, match="gamma must be between"):
        ek.Learner("rbp", dtype="float32", **options)
    assert ek.Learner("rbp", dtype="float64", **options).kernel.gamma == gamma


@pytest.mark.parametrize(("dtype", "offset"), [("float64", 1e7), ("float32", 3e3)])
def test_rows_far_from_the_origin_keep_their_distances(dtype: str, offset: float) -> None:
    """Norms would cancel there, to a hundredth of a kernel value and more."""
    rng = np.random.default_rng(0)
    X = (offset + 0.3 * rng.normal(size=(60, 32))).astype(np.float32).astype(float)
    made = {"n_features": 32, "budget": 24, "dtype": dtype, "kernel": ek.Gaussian(0.3)}
    learner = ek.Learner("rbp", sparse=True, **made)  # which stores norms
    learner.learn_many(X, np.sign(rng.normal(size=60)))
    squares = ((X[:, None] - learner.support_vectors_[None]) ** 2).sum(-1)
    expected = np.exp(-0.3 * squares) @ learner.dual_coef_.ravel()
    np.testing.assert_allclose(learner.decision_function(X), expected, rtol=0.0, atol=1e-6)
    alone = [learner.decision_one(x) for x in X]
    np.testing.assert_allclose(alone, expected, rtol=0.0, atol=1e-6)
