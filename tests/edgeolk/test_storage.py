"""Narrow storage: float16 and int8 support vectors, read back exactly and computed in float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import KERNELS
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import random_stream

import edgeolk as ek
from edgeolk.parts.storage import ELEMENTS

#: Some rows leave the range of int8 levels; they count as its ends.
pytestmark = pytest.mark.filterwarnings("ignore:a reading lies outside")

NARROW = ("float16", "int8")
narrow = pytest.mark.parametrize("dtype", NARROW)
#: What a float32 row may be off by, relative to 1 + sum |alpha| R sqrt(k(x, x)).
BOUND = 4e-6


def stored(X: np.ndarray, dtype: str, ends: tuple[Any, Any] = (-4.0, 4.0)) -> np.ndarray:
    """What a learner sees of some rows, in float32."""
    X = np.asarray(X, dtype=np.float32)
    if dtype == "float16":
        return X.astype(np.float16).astype(np.float32)
    low, high = (np.asarray(end, dtype=np.float64) for end in ends)
    scale = ((high - low) / 255.0).astype(np.float32)
    offset = (low + 128.0 * (high - low) / 255.0).astype(np.float32)
    return np.clip(np.rint((X - offset) / scale), -128, 127).astype(np.float32) * scale + offset


# ---- numbers -------------------------------------------------------------------------------------


def read_back(row: np.ndarray, dtype: str, **options: Any) -> np.ndarray:
    """A row after it has been stored as a support vector."""
    learner = ek.Learner("perceptron", n_features=len(row), budget=1, dtype=dtype, **options)
    learner.learn_one(row, 1)
    return learner.support_vectors_[0]


def finite_halves() -> np.ndarray:
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    return halves[np.isfinite(halves)]


def test_every_half_is_stored_as_itself() -> None:
    halves = finite_halves()
    assert len(halves) == 63_488
    for row in (halves, halves.astype(np.float32), halves.astype(np.float64)):
        assert read_back(row, "float16").tobytes() == halves.tobytes()


def test_between_two_halves_the_nearer_one_is_stored() -> None:
    """Ties to even, subnormals included, as numpy rounds."""
    halves = np.sort(np.unique(finite_halves())).astype(np.float32)
    ties = (halves[1:] + halves[:-1]) / 2  # exact: a half more bit
    rng = np.random.default_rng(0)
    scattered = rng.standard_normal(20_000) * 10.0 ** rng.integers(-9, 4, 20_000)
    above, below = np.nextafter(ties, np.float32(1e9)), np.nextafter(ties, np.float32(-1e9))
    for row in (ties, above, below, scattered.astype(np.float32)):
        expected = row.astype(np.float16)
        assert np.array_equal(read_back(row, "float16"), expected)
        assert read_back(row, "float16").tobytes() == expected.tobytes()


RANGES: list[tuple[Any, Any]] = [(-4.0, 4.0), (0.0, 1.0), (-1e-3, 250.0), (20.0, 21.0), (-9, -1)]


@pytest.mark.parametrize("ends", RANGES, ids=str)
def test_every_level_is_stored_as_itself(ends: tuple[float, float]) -> None:
    step = (ends[1] - ends[0]) / 255.0
    levels = ends[0] + step * np.arange(256)
    kept = read_back(levels, "int8", feature_range=ends)
    assert kept.dtype == np.float32
    assert np.array_equal(kept, stored(levels, "int8", ends))
    assert kept == pytest.approx(levels, abs=1e-3 * step + 1e-6 * np.abs(levels).max())
    assert len(np.unique(kept)) == 256
    assert np.array_equal(read_back(kept, "int8", feature_range=ends), kept)
    assert read_back(levels + 0.4 * step, "int8", feature_range=ends)[:-1] == pytest.approx(
        kept[:-1], abs=0.0
    )


def test_a_reading_beyond_the_range_counts_as_its_end() -> None:
    options = {"n_features": 2, "budget": 4, "dtype": "int8", "feature_range": (-1.0, 2.0)}
    beyond, at_end = (ek.Learner("rbp", **options) for _ in range(2))
    for y, far, near in [(1, [9.0, -7.0], [2.0, -1.0]), (-1, [-1e30, 1e30], [-1.0, 2.0])]:
        assert beyond.learn_one(far, y) == at_end.learn_one(near, y)
        assert beyond.decision_one(far) == beyond.decision_one(near)
    assert (beyond.n_out_of_range, at_end.n_out_of_range) == (4, 0)
    assert np.array_equal(beyond.support_vectors_, at_end.support_vectors_)
    assert beyond.support_vectors_ == pytest.approx(np.array([[2.0, -1.0], [-1.0, 2.0]]), rel=1e-6)


@pytest.mark.parametrize(("levels", "counted"), [(0.4, 0), (0.6, 2)])
def test_half_a_level_beyond_an_end_is_in_range(levels: float, counted: int) -> None:
    learner = ek.Learner("rbp", n_features=2, budget=4, dtype="int8", feature_range=(-1.0, 2.0))
    beyond = levels * 3.0 / 255.0
    learner.learn_one([2.0 + beyond, -1.0 - beyond], 1)
    assert learner.n_out_of_range == counted


def test_each_feature_has_its_range() -> None:
    low, high = np.array([0.0, -50.0, 10.0]), np.array([1.0, 50.0, 11.0])
    row = np.array([0.3, 17.0, 10.25])
    kept = read_back(row, "int8", feature_range=(low, high))
    assert np.array_equal(kept, stored(row, "int8", (low, high)))
    assert np.all(np.abs(kept - row) <= (high - low) / 255.0 / 2 * 1.001)


BAD_RANGES: dict[str, Any] = {
    "one end": (1.0,),
    "three ends": (0.0, 1.0, 2.0),
    "number": 4.0,
    "text": ("low", "high"),
    "reversed": (1.0, -1.0),
    "empty": (2.0, 2.0),
    "nan": (np.nan, 1.0),
    "infinite": (-np.inf, 1.0),
    "huge": (-1e300, 1e300),
    "wrong length": ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
    "one reversed": ([0.0, 0.0], [1.0, -1.0]),
    "none": (None, 1.0),
    "complex": (0.0, 1j),
}


@pytest.mark.parametrize("kind", BAD_RANGES)
def test_bad_ranges(kind: str) -> None:
    with pytest.raises((TypeError, ValueError), match="feature_range must be"):
        ek.Learner("rbp", n_features=2, budget=3, dtype="int8", feature_range=BAD_RANGES[kind])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_range_where_none_is_used(dtype: str) -> None:
    with pytest.raises(TypeError, match="feature_range is for dtype='int8' only"):
        ek.Learner("rbp", n_features=2, budget=3, dtype=dtype, feature_range=(0.0, 1.0))


# ---- models --------------------------------------------------------------------------------------


@narrow
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("d", [1, 5, 33])
def test_scores_are_those_of_numpy(dtype: str, kernel: str, d: int) -> None:
    X, y = random_stream(d, 120, d)
    function = KERNELS[kernel][1]
    learner = ek.Learner("pa1", n_features=d, budget=40, kernel=KERNELS[kernel][0], dtype=dtype,
                         full="random")  # fmt: skip
    learner.learn_many(X, y)
    S, alpha = learner.support_vectors_.astype(np.float64), learner.dual_coef_
    seen = stored(X, dtype).astype(np.float64)
    root = np.sqrt(np.abs([function(s[None], s)[0] for s in S])).max()
    for x, f in zip(seen, learner.decision_function(X), strict=True):
        size = root * np.sqrt(abs(function(x[None], x)[0]))
        allowed = BOUND * (1.0 + np.abs(alpha).sum() * size)
        assert abs(f - alpha @ function(S, x)) <= allowed
    rows = {row.tobytes() for row in stored(X, dtype)}
    assert {s.astype(np.float32).tobytes() for s in learner.support_vectors_} <= rows


@narrow
@settings(max_examples=25, deadline=None, database=None)
@given(row=st.lists(st.floats(-3.9, 3.9), min_size=1, max_size=20))
def test_a_duplicate_is_at_distance_0(dtype: str, row: list[float]) -> None:
    """The example is seen as it is stored, or a row would be no copy of itself."""
    learner = ek.Learner(
        "perceptron", n_features=len(row), budget=3, kernel=ek.Gaussian(5.0), dtype=dtype
    )
    learner.learn_one(row, 1)
    assert learner.decision_one(row) == 1.0
    learner.learn_one(row, -1)  # a score of 1 is a mistake for -1
    assert learner.decision_one(row) == 0.0


def test_half_precision_is_read_from_its_bits() -> None:
    """A memoryview supports no such numbers."""
    numbers = np.array([1.0, -2.5, 6e-8, 65504.0, np.inf], dtype=np.float16)
    read = ELEMENTS["e"].read
    assert read is not None
    assert read(memoryview(numbers.view(np.uint16))) == tuple(map(float, numbers))


def test_the_ends_of_any_range_are_levels() -> None:
    draws = np.random.default_rng(0)
    for _ in range(100):
        low, high = np.sort(draws.normal(size=2) * 10.0 ** draws.uniform(-3, 3))
        learner = ek.Learner("perceptron", n_features=1, budget=2, dtype="int8",
                             kernel=ek.Gaussian(1.0), feature_range=(low, high))  # fmt: skip
        learner.learn_one([low], 1)
        assert learner.support_vectors_[0, 0] == pytest.approx(low, abs=(high - low) / 254)
