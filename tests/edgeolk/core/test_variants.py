"""Whole passes by every instruction-set variant: one arithmetic, to the last digits."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import LIVELY, by_variant

import edgeolk as ek

VARIANTS = ek.available_simd()
NAMES = [method.name for method in ek.algorithms()]
#: Neither is a multiple of what any variant takes at once; the ring fills and goes on changing.
BUDGET, FEATURES, ROWS = 45, 7, 260
#: Past a million the angles of a vector are left to the C library.
ANGLES = np.geomspace(1e-9, 1e12, 4001)


def passes() -> dict[str, dict[str, Any]]:
    """Every algorithm in float64; two of them on every kind of row."""
    chosen = {n: {"algorithm": n, "dtype": "float64", **LIVELY.get(n, {})} for n in NAMES}
    for name in ("rbp", "bpa_nn"):
        for dtype in ("float32", "float16"):
            for sparse in (False, True):
                options = {"algorithm": name, "dtype": dtype, "sparse": sparse}
                chosen[f"{name}, {dtype}, {sparse=}"] = options
        chosen[f"{name}, int8"] = {"algorithm": name, "dtype": "int8", "feature_range": (-4.0, 4.0)}
    # A kernel with k(x, x) of any size.
    for name in ("remove_smallest", "bpa_s", "bpa_nn", "bpa_p", "bogd++"):
        lively = LIVELY.get(name, {})
        options = {"algorithm": name, "dtype": "float64", "kernel": ek.Polynomial(2, 0.2, 1.0)}
        chosen[f"{name}, polynomial"] = {**options, **lively}
    return chosen


#: Learners whose arithmetic is defined operation by operation (docs/stable.md).
DEFINED: dict[str, dict[str, Any]] = {
    "sorf": {"algorithm": "sorf", "budget": BUDGET},
    "process, float32": {"algorithm": "krls_auto", "budget": BUDGET},
    "process, float64": {"algorithm": "krls_auto", "budget": BUDGET, "dtype": "float64"},
    "real targets": {"ram": "8KiB", "loss": "square"},
}


def in_child(target: str) -> None:
    """The scores of each pass, and what Fourier features make of angles of any size."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(ROWS, FEATURES)) * (rng.random((ROWS, FEATURES)) < 0.7)
    y = np.where(rng.random(ROWS) < 0.5, -1.0, 1.0)
    found = {}
    for key, options in passes().items():
        options = {"kernel": ek.Gaussian(0.3), **options}
        learner = ek.Learner(n_features=FEATURES, budget=BUDGET, seed=3, **options)
        found[key] = learner.learn_many(X, y)
    for key, options in DEFINED.items():
        learner = ek.Learner(n_features=FEATURES, seed=3, **options)
        found[key] = learner.learn_many(X, y)
        found[f"{key}: file"] = np.frombuffer(learner.__reduce__()[1][0], np.uint8)
    circle = ek.Learner("fogd", n_features=1, budget=19, dtype="float64", kernel=ek.Gaussian(1.0))
    circle.learn_one(np.zeros(1), 1.0)
    found["angles"] = circle.decision_function(ANGLES[:, None])
    found["frequencies"] = circle.support_vectors_[:, 0]
    found["weights"] = circle.dual_coef_
    np.savez(target, **found)


def computed(variant: str, folder: Path) -> dict[str, np.ndarray]:
    return by_variant(__file__, variant, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("variants")


#: What Linux calls the instructions of a level.
LEVELS = {
    "v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
    "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not Path("/proc/cpuinfo").exists(),
    reason="levels of x86-64, as Linux tells them",
)
def test_every_set_that_the_processor_has_is_found() -> None:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    said = next(line for line in lines if line.startswith("flags")).split()
    assert {name: name in VARIANTS for name in LEVELS} == {
        name: needed <= set(said) for name, needed in LEVELS.items()
    }


@pytest.mark.parametrize("variant", VARIANTS[1:])
@pytest.mark.spread(4)
def test_same_scores(variant: str, folder: Path) -> None:
    """Rounding differs between the fused and the plain variants, nothing else does."""
    for key, options in passes().items():
        plain, found = computed(VARIANTS[0], folder)[key], computed(variant, folder)[key]
        bound = 1e-7 if options["dtype"] == "float64" else 1e-4
        assert np.ptp(plain) > 0.1, key
        assert np.abs(plain - found).max() <= bound * np.abs(plain).max(), key


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the baseline has multiply-adds here")
def test_plain_c_gives_the_bits_of_the_baseline(folder: Path) -> None:
    for key in passes():
        # It sums weights in as many parts as two vectors have lanes.
        if not key.startswith("bogd++"):
            plain, found = (computed(name, folder)[key] for name in ("scalar", "baseline"))
            assert np.array_equal(plain, found), key


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_defined_arithmetic_gives_the_same_bits(variant: str, folder: Path) -> None:
    for key in DEFINED:
        for part in (key, f"{key}: file"):
            plain, found = computed(VARIANTS[0], folder)[part], computed(variant, folder)[part]
            assert np.ptp(plain) > 0.1, part
            assert np.array_equal(plain, found), part


@pytest.mark.parametrize("variant", VARIANTS)
def test_angles_of_any_size(variant: str, folder: Path) -> None:
    """Up to where an angle's own last digit is a turn; a product of one feature is exact."""
    found = computed(variant, folder)
    angle = ANGLES[:, None] * found["frequencies"]
    features = np.hstack([np.cos(angle), np.sin(angle)]) / np.sqrt(angle.shape[1])
    expected = features @ found["weights"]
    bound = 1e-14 * np.abs(found["weights"]).sum()
    assert np.abs(found["angles"] - expected).max() <= bound
