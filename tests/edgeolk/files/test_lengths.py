"""Stored vectors that no step would have taken: k(s, s) is beyond the range of rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.files import live
from edgeolk.files.invariants import lengths_hold

D = 3
#: Kernel and options -> the largest |x|^2 that docs/rows.md states.
LONGEST: list[tuple[ek.Kernel, dict[str, Any], float]] = [
    (ek.Linear(), {"dtype": "float64"}, 1e100),
    (ek.Linear(), {"dtype": "float64", "coefficients": "float32"}, 1e30),
    (ek.Linear(), {"dtype": "float32"}, 3.4e38),
    (ek.Polynomial(2, 4.0, 1.0), {"dtype": "float64"}, 2.5e49),
    (ek.Sigmoid(1e-30), {"dtype": "float64"}, 1e100),
    (ek.Sigmoid(1e-30), {"dtype": "float32"}, 1e36),
    (ek.Polynomial(25), {"dtype": "float16"}, 1e4),
]


def held(kernel: ek.Kernel, x: list[float], **options: Any) -> tuple[Any, ...]:
    """What ``lengths_hold`` asks for, of a learner that has learned one row of zeros, and x put in
    that row's place."""
    learner = ek.Learner("rbp", n_features=D, budget=4, kernel=kernel, **options)
    learner.learn_one([0.0] * D, 1)
    region = next(r for r in learner.plan.regions if r.name == "support_vectors")
    numbers = live.numbers(region, memoryview(bytearray(memoryview(learner._engine.arena))))
    stride = len(numbers) // D
    for j, value in enumerate(x):
        half = options["dtype"] == "float16"
        numbers[j * stride] = int(np.float16(value).view(np.uint16)) if half else value
    return learner._config, numbers, learner.n_support, None


@pytest.mark.parametrize("along", ["one feature", "all features"])
@pytest.mark.parametrize(("kernel", "options", "longest"), LONGEST, ids=repr)
def test_as_long_as_rows_may_be(
    kernel: ek.Kernel, options: dict[str, Any], longest: float, along: str
) -> None:
    def row(square: float) -> list[float]:
        if along == "one feature":
            return [0.0, -math.sqrt(square), 0.0]
        return [math.sqrt(square / D)] * D

    assert lengths_hold(*held(kernel, row(0.99 * longest), **options))
    if not (options["dtype"] == "float32" and longest > 1e38 and along == "one feature"):
        assert not lengths_hold(*held(kernel, row(1.1 * longest), **options))


def test_distances_take_any_vector() -> None:
    assert lengths_hold(*held(ek.Gaussian(1.0), [1.7e308] * D, dtype="float64"))


def test_slots_that_hold_nothing_are_not_looked_at() -> None:
    config, numbers, used, _ = held(ek.Linear(), [1.0] * D, dtype="float64")
    numbers[used] = 1e60
    assert lengths_hold(config, numbers, used, None)
    assert not lengths_hold(config, numbers, used + 1, None)


def test_int8_is_as_long_as_its_levels_make_it() -> None:
    learner = ek.Learner("rbp", n_features=1, budget=4, kernel=ek.Polynomial(2), dtype="int8",
                         feature_range=(-1e12, 1e12))  # fmt: skip
    numbers = memoryview(bytearray(8)).cast("b")
    levels = memoryview(np.array([1e24, 0.0], np.float32))
    assert lengths_hold(learner._config, numbers, 8, levels)
    numbers[3] = 127
    assert lengths_hold(learner._config, numbers, 3, levels)
    assert not lengths_hold(learner._config, numbers, 4, levels)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_file_with_a_longer_one_is_refused(dtype: str) -> None:
    learner = ek.Learner("rbp", n_features=D, budget=4, kernel=ek.Polynomial(3), dtype=dtype)
    learner.learn_one([1.0] * D, 1)
    learner._engine.view("support_vectors")[0, 0] = 1e25
    with pytest.raises(ValueError, match="support_vectors: the norm of a vector is too large"):
        ek.Learner._from_block(bytes(learner._sealed()))
