"""``learn_many`` with rows looked ahead is ``learn_one``, bit for bit: walked over compositions.

Every algorithm with every storage type, kernel, type of coefficients, one column of them and
several; over the walk every number of rows ahead that there is room for comes many times.
"""

from __future__ import annotations

import itertools
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers import EVERY, LIVELY

import edgeolk as ek
from edgeolk.configuration.settings import MOST_AHEAD
from edgeolk.parts.numbers import Basis

#: The ring is full, and long enough to be read in blocks, for most of the stream.
BUDGET, FEATURES, ROWS = 23, 33, 110
DTYPES = ("float32", "float64", "float16", "int8")
COEFFICIENTS = ("float64", "float32")
KERNELS: tuple[ek.Kernel, ...] = (
    ek.Gaussian(0.05),
    ek.Laplacian(0.05),
    ek.Polynomial(3, 0.1, 0.5),
    ek.Linear(),
    ek.Sigmoid(0.1, 0.1),
)


def stream(classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.uniform(-1.0, 1.0, (ROWS, FEATURES))
    for i in range(5, ROWS, 5):  # rows come again
        X[i] = X[i - rng.integers(1, 4)]
    of_class = (X[:, 0] > 0.2) * 1.0 + (X[:, 1] > 0.0)
    return X, of_class if classes else np.where(X[:, 0] * X[:, 1] > 0.0, 1.0, -1.0)


def taken(name: str | None, **options: Any) -> ek.Config | None:
    """A configuration that looks ahead as told, or None where there is none."""
    if options["dtype"] == "int8":
        options["feature_range"] = (-1.0, 1.0)
    try:
        config = ek.Config(name, n_features=FEATURES, budget=BUDGET, seed=3, **options)
    except ValueError:
        return None
    return config if config._settings.can_look_ahead else None


def differs(config: ek.Config) -> bool:
    """Whether rows learned together give other scores, or another model, than one by one."""
    X, y = stream(config._settings.columns > 1)
    many, one = ek.Learner(config), ek.Learner(config)
    scores = many.learn_many(X, y)
    alone = [one.learn_one(x, label) for x, label in zip(X, y, strict=True)]
    return not np.array_equal(scores, alone) or pickle.dumps(many) != pickle.dumps(one)


@pytest.mark.parametrize("classes", [None, 3])
@pytest.mark.parametrize("name", EVERY)
def test_every_algorithm_kernel_and_type(name: str, classes: int | None) -> None:
    found, walked = [], 0
    for dtype, coefficients, kernel in itertools.product(DTYPES, COEFFICIENTS, KERNELS):
        options = dict(LIVELY.get(name, {}), dtype=dtype, coefficients=coefficients, kernel=kernel)
        # 13 and 64 have no common factor, and neither have 13 and the lengths of the products.
        ahead = 1 + (13 * walked + 5 * EVERY.index(name)) % MOST_AHEAD
        config = taken(name, lookahead=ahead, n_classes=classes, **options)
        if config is not None:
            walked += 1
            if differs(config):
                found.append(repr(config))
    assert found == []


@pytest.mark.parametrize("ahead", range(1, MOST_AHEAD + 1))
def test_every_number_of_rows(ahead: int) -> None:
    """Of one column and of several, of a ring and of a map, with what rounds most often."""
    for name, classes, coefficients, dtype in (
        ("rbp", None, "float32", "float32"),
        ("ogd", 3, "float32", "float64"),
        ("pa1", 12, "float64", "float32"),
        ("nogd", None, "float64", "float64"),
    ):
        config = taken(
            name, lookahead=ahead, n_classes=classes, coefficients=coefficients, dtype=dtype,
            kernel=KERNELS[0], **LIVELY.get(name, {}),
        )  # fmt: skip
        assert config is not None
        assert config._settings.lookahead == ahead
        assert not differs(config)


def test_most_algorithms_are_walked() -> None:
    """Those that look ahead nowhere are the ones that say so in their rows."""
    without = Counter(
        row.parts.get("basis", Basis.SUPPORT_VECTORS).name
        for row in ek.algorithms()
        if taken(row.name, dtype="float32", **LIVELY.get(row.name, {})) is None
    )
    assert without == {"FOURIER": 1, "STRUCTURED": 1, "SUPPORT_VECTORS": without["SUPPORT_VECTORS"]}
    assert without["SUPPORT_VECTORS"] <= 4
