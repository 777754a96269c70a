"""Every instruction-set variant gives the same scores, and those are numpy's."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import KERNELS, by_variant, few_first, python

import edgeolk as ek

DIMENSIONS = (1, 2, 3, 4, 5, 16, 123)
MOST = 130
VARIANTS = ek.available_simd()
DTYPES = ("float32", "float64")


def rows(d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Support vectors of length about 1, exact in float32; weights of either sign; a query."""
    rng = np.random.default_rng(d)
    X = (rng.standard_normal((MOST + 1, d)) / np.sqrt(d)).astype(np.float32).astype(np.float64)
    return X[:-1], rng.uniform(0.1, 2.0, MOST) * rng.choice([-1, 1], MOST), X[-1]


def depths() -> np.ndarray:
    """t with t^2 from 0 through what exp(-t^2) turns into subnormals and zeros."""
    ends = [0.0, 1e-200, 1e-20, 1e3, 1e10, 1e19, 1e150, 1e300]
    return np.concatenate([np.sqrt(np.linspace(1e-6, 800.0, 4001)), ends])


def in_child(target: str) -> None:
    """What one variant computes: scores for every number of support vectors, k(x, x), exp."""
    found: dict[str, Any] = {"simd": ek.simd()}
    for dtype in DTYPES:
        for d in DIMENSIONS:
            X, weights, query = rows(d)
            for name, (kernel, _) in KERNELS.items():
                options = {"n_features": d, "dtype": dtype, "kernel": kernel}
                # With eta = 1 and the square loss a row enters with weight y - f.
                grown = ek.Learner(
                    update="gradient", loss="square", eta=1.0, budget=MOST, **options
                )
                scores = []
                for x, a in zip(X, weights, strict=True):
                    grown.learn_one(x, grown.decision_one(x) + a)
                    scores.append(grown.decision_one(query))
                first = ek.Learner("pa", budget=1, **options)
                first.learn_one(query, 1)
                found[f"{name} {d} {dtype}"] = np.array(scores)
                found[f"alpha {name} {d} {dtype}"] = grown.dual_coef_
                found[f"self {name} {d} {dtype}"] = 1.0 / first.dual_coef_
        single = ek.Learner(
            "perceptron", n_features=1, budget=1, dtype=dtype, kernel=ek.Gaussian(1.0)
        )
        single.learn_one(np.zeros(1), 1)
        reach = 1e19 if dtype == "float32" else 1e300
        found[f"exp {dtype}"] = [single.decision_one(np.array([t])) for t in depths() if t <= reach]
    np.savez(target, **found)


def computed(variant: str, folder: Path) -> dict[str, np.ndarray]:
    return by_variant(__file__, variant, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("simd")


#: By day the plainest and the widest.
variants = pytest.mark.parametrize("variant", few_first(VARIANTS, (VARIANTS[0], VARIANTS[-1])))


def magnitudes(kernel: str, X: np.ndarray, x: np.ndarray) -> np.ndarray:
    """What the rounding error of k(s_i, x) is relative to: its terms without their signs."""
    inner = np.abs(X) @ np.abs(x)
    return {
        "gaussian": np.ones(len(X)),
        "laplacian": np.ones(len(X)),
        "linear": inner,
        "polynomial": 2.0 * (0.5 * inner + 1.0) ** 2,
        "homogeneous": 3.0 * (0.3 * inner) ** 3,
        "sigmoid": 0.4 * inner + 0.2,
    }[kernel]


@variants
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("dtype", "bound"), [("float32", 1e-6), ("float64", 1e-14)])
@pytest.mark.spread(3)
def test_scores_are_those_of_numpy(
    variant: str, kernel: str, dtype: str, bound: float, folder: Path
) -> None:
    found = computed(variant, folder)
    assert found["simd"] == variant
    for d in DIMENSIONS:
        X, weights, query = rows(d)
        alpha = found[f"alpha {kernel} {d} {dtype}"]
        assert alpha == pytest.approx(weights, rel=1e-9)
        expected = np.cumsum(alpha * KERNELS[kernel][1](X, query))
        allowed = bound * np.cumsum(np.abs(alpha) * magnitudes(kernel, X, query))
        assert np.all(np.abs(found[f"{kernel} {d} {dtype}"] - expected) <= allowed)
        own = KERNELS[kernel][1](query[None], query)[0]
        assert found[f"self {kernel} {d} {dtype}"] == pytest.approx(own, rel=3 * bound)


@variants
def test_exp_float64(variant: str, folder: Path) -> None:
    """Relative 1e-13 where the result is normal, one unit of the last place where subnormal."""
    t = depths()
    found = computed(variant, folder)["exp float64"]
    with np.errstate(over="ignore", under="ignore"):
        squares = t * t
    expected = np.array([math.exp(-a) for a in np.minimum(squares, 1e6)])
    assert np.all(np.abs(found - expected) <= 1e-13 * expected + 5e-324)
    assert np.all(found[squares < 744.0] > 0)
    assert np.all(found[squares > 746.0] == 0.0)
    assert found[0] < 1.0
    assert found[t == 0.0] == 1.0


@variants
def test_exp_float32(variant: str, folder: Path) -> None:
    """Relative 1e-6 of exp of the float32 exponent, which is exact here."""
    t = depths()[depths() <= 1e19].astype(np.float32)
    found = computed(variant, folder)["exp float32"]
    with np.errstate(over="ignore", under="ignore"):
        squares = (t * t).astype(np.float64)
    expected = np.array([math.exp(-a) for a in np.minimum(squares, 1e6)])
    # NEON of 32-bit ARM takes numbers below 1.2e-38 for zero.
    least, last = (1.2e-38, 87.0) if variant == "neon" else (1.5e-45, 103.0)
    assert np.all(np.abs(found - expected) <= 1e-6 * expected + least)
    assert np.all(found[squares < last] > 0)
    assert np.all(found[squares > 105.0] == 0.0)
    assert np.all(found.astype(np.float32) == found)


def test_one_is_chosen_and_can_be_forced() -> None:
    assert VARIANTS[0] == "scalar"
    assert len(set(VARIANTS)) == len(VARIANTS)
    assert ek.simd() in VARIANTS
    free = python("import edgeolk; print(edgeolk.simd())", EDGEOLK_SIMD="")
    assert free.stdout.strip() == VARIANTS[-1]


@pytest.mark.parametrize("name", ["avx9", "BASELINE", "v3 "])
def test_an_unknown_variant_is_refused_by_name(name: str) -> None:
    ran = python("from edgeolk import Learner", EDGEOLK_SIMD=name)
    assert ran.returncode != 0
    assert "ImportError: EDGEOLK_SIMD must be one of " + ", ".join(VARIANTS) in ran.stderr
    assert repr(name) in ran.stderr
