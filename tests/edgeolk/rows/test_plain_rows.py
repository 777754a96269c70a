"""Rows of plain Python go in as arrays do: the same bits, the same words where one is refused."""

from __future__ import annotations

import array
import itertools
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import edgeolk as ek


class Listed(list[Any]):
    """A list that is not read number by number: numpy converts it."""


class Lent(np.ndarray[Any, Any]):
    """An array that numpy converts."""


def slow(row: Any) -> Any:
    """The same row by the way of numpy."""
    return row.view(Lent) if isinstance(row, np.ndarray) else Listed(row)


def made(dtype: str = "float64", scale: str | None = None, n_features: int = 2) -> ek.Learner:
    own = {"feature_range": (-1e20, 1e20)} if dtype == "int8" else {}
    learner = ek.Learner(
        "pa1", n_features=n_features, budget=8, dtype=dtype, scale=scale, kernel_gamma=0.5, **own
    )
    learner.learn_one(np.linspace(0.5, 1.0, n_features), 1)
    return learner


def told(call: Any) -> str:
    """What a call returns or raises."""
    try:
        return repr(call())
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


NUMBERS = [3.0, -7.0]
TYPES = "bhilqBHILQfd"


def named(row: Any) -> str:
    """The same in every process: a memoryview shows an address."""
    shown = list(row) if isinstance(row, memoryview) and row.ndim == 1 else row
    return f"{type(row).__name__} {shown!r}"[:40].split(" at 0x")[0]


@pytest.mark.parametrize(
    "row",
    [
        NUMBERS,
        [3, -7],
        [True, 1.5],
        [np.float64(3), -7],
        tuple(NUMBERS),
        *(array.array(code, [3, 7]) for code in TYPES),
        *(np.array([3, 7], code) for code in TYPES + "e?"),
        np.array([65504.0, -6e-8], np.float16),
        np.array([3.0, 0.0, -7.0, 0.0])[::2],
        np.array([3, 0, -7, 0], np.int16)[::2],
        memoryview(array.array("h", [3, 0, -7, 0]))[::2],
        memoryview(np.array(NUMBERS)),
        # Read the slow way.
        Listed(NUMBERS),
        np.array([3, -7], ">i2"),
        [np.float32(3), np.float32(-7)],
        [2**63, 1],
    ],
    ids=named,
)
def test_the_numbers_are_the_same(row: Any) -> None:
    plain = np.asarray(row).astype(np.float64)
    for case in itertools.product(("float64", "float32", "int8"), (None, "standard")):
        one, other = made(*case), made(*case)
        for ask in ("decision_one", "predict_one", "wants_label"):
            assert getattr(one, ask)(row) == getattr(other, ask)(plain), case
        assert one.learn_one(row, -1) == other.learn_one(plain, -1), case
        assert one.__reduce__()[1] == other.__reduce__()[1], case
        assert one.steps == 2


@pytest.mark.parametrize(
    "row",
    [
        [1.0, "x"], ["1", "2"], [1.0, [2.0]], [[1.0], [2.0, 3.0]], [1.0, math.nan], (math.inf, 1),
        [1, 2, 3], (1,), [], [None, 1.0], [1j, 1.0], [2**70, 1], [10**400, 1.0], [Decimal(1), 2.0],
        [1e39, 1.0], array.array("d", [1, math.nan]), array.array("d", [1, 2, 3]),
        np.array([1, 2, 3], np.int16), np.array([[1, 2]], np.int16),
        np.array([1, math.nan], np.float16), memoryview(b"abc"),
    ],
    ids=named,
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_what_is_refused_is_refused_in_the_same_words(row: Any, dtype: str) -> None:
    for ask in ("learn_one", "decision_one", "predict_one"):
        is_refused_in_the_same_words(row, ask, dtype)


def is_refused_in_the_same_words(row: Any, ask: str, dtype: str) -> None:
    learner = made(dtype)
    before = learner.__reduce__()[1]
    label = (1,) if ask == "learn_one" else ()
    said = told(lambda: getattr(learner, ask)(row, *label))
    by_numpy = slow(np.asarray(row)) if isinstance(row, (array.array, memoryview)) else slow(row)
    assert said == told(lambda: getattr(learner, ask)(by_numpy, *label))
    assert "Error" in said
    assert learner.__reduce__()[1] == before


def test_a_released_memoryview_is_refused() -> None:
    row = memoryview(array.array("d", NUMBERS))
    row.release()
    with pytest.raises((TypeError, ValueError)):
        made().learn_one(row, 1)


@pytest.mark.parametrize("n_features", [255, 256, 257, 600])
def test_rows_of_any_length(n_features: int) -> None:
    """Longer rows than the C stack has room for go by numpy."""
    row = np.random.default_rng(0).normal(size=n_features)
    one, other = made(n_features=n_features), made(n_features=n_features)
    assert one.learn_one(row.tolist(), -1) == other.learn_one(row, -1)
    assert one.decision_one(tuple(row.tolist())) == other.decision_one(row)
