"""Whatever ``save`` writes, ``load`` takes: after rows of any size, of every algorithm and type."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from helpers import EVERY, LIVELY, by_pairs

import edgeolk as ek
from edgeolk.parts.bases import max_gamma

#: The width is known after a third of the stream, the ring full after two thirds.
FEATURES, BUDGET, ROWS, GAMMA_ROWS = 5, 12, 36, 12
DTYPES = ("float32", "float64", "float16", "int8")
SIZES = [10.0**e for e in (-307, -160, -153, -45, -39, -19, -7, -5, -4, -3, 0, 4, 12, 19, 37, 150)]
SIZES.append(1e307)
KERNELS = (None, ek.Laplacian(0.3), ek.Polynomial(3, 0.5, 1.0), ek.Linear(), ek.Sigmoid(0.1, 0.2))
INTAKES: tuple[dict[str, Any], ...] = (
    {},
    {"scale": "standard"},
    {"clip_rows": 2.0},
    {"scale": "minmax", "freeze_after": 20},
)


def rows_of(size: float, mixed: bool) -> np.ndarray:
    """Rows of one size, or of every size up to it."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(ROWS, FEATURES))
    X *= (10.0 ** rng.uniform(-3.0, 0.0, (ROWS, 1)) if mixed else 1.0) * size
    X[7] = 0.0
    return np.clip(X, -1.7e308, 1.7e308)


def built(name: str, **options: Any) -> ek.Learner | None:
    """The learner, or None where the options do not go together."""
    asked = {key: value for key, value in options.items() if value is not None}
    if asked["dtype"] == "int8" and name != "sorf":
        asked["feature_range"] = (-1.0, 1.0)
    if name == "krls_auto":  # which scales itself, and has no kernel to choose
        wide = asked["dtype"] == "float64"
        asked = {"dtype": "float64" if wide else "float32"}
    try:
        return ek.Learner(
            name, n_features=FEATURES, seed=3, on_bad_row="skip",
            **{"D" if name in ("fogd", "sorf") else "budget": BUDGET, **asked},
        )  # fmt: skip
    except ValueError:
        return None


def goes_through_a_file(learner: ek.Learner) -> None:
    data = pickle.dumps(learner)
    again = pickle.loads(data)
    assert pickle.dumps(again) == data
    np.testing.assert_array_equal(answer(again), answer(learner))


def answer(learner: ek.Learner) -> Any:
    """The score of a row, or why it has none: it may be far from all that was learned."""
    try:
        return learner.scores(np.ones((1, FEATURES)))
    except ValueError as refusal:
        return str(refusal)


def width_of_rows(name: str, count: int) -> dict[str, Any]:
    """A width from the first rows, as the algorithm's parameters let it be called."""
    alias = "kernel_gamma" if name in ("bogd", "bogd++", "olru") else "gamma"
    return {alias: "auto", "gamma_rows": count}


@pytest.mark.filterwarnings("ignore:a reading lies outside")
@pytest.mark.parametrize(
    ("name", "first", "each"),
    [
        *((name, number % 9, 9) for number, name in enumerate(EVERY)),
        *(pytest.param(name, 0, 1, marks=pytest.mark.slow) for name in EVERY),
    ],
)
@pytest.mark.spread(6)
def test_after_rows_of_any_size(name: str, first: int, each: int) -> None:
    """By day a ninth of the cases."""
    walked, found = 0, []
    cases = itertools.product(SIZES, DTYPES, ("auto", "given"), (False, True))
    for at, (size, dtype, width, mixed) in list(enumerate(cases))[first::each]:
        options: dict[str, Any] = {**LIVELY.get(name, {}), "dtype": dtype, **INTAKES[at // 3 % 4]}
        if width == "auto":
            options.update(width_of_rows(name, GAMMA_ROWS))
        elif at % 5:
            options["kernel"] = KERNELS[at % 5]
        else:
            options["kernel"] = ek.Gaussian(float(np.clip(0.1 / size / size, 1e-300, 1e300)))
        if at % 7 == 0:
            options["coefficients"] = "float32"
        options["n_classes"] = 3 if at % 4 == 3 else None
        learner = built(name, **options)
        if learner is None:
            continue
        walked += 1
        X = rows_of(size, mixed)
        y = np.arange(ROWS) % 3 if options["n_classes"] else np.where(X[:, 0] > 0.0, 1.0, -1.0)
        try:
            for row, label in zip(X, y, strict=True):
                learner.learn_one(row, label)
            goes_through_a_file(learner)
        except (ValueError, AssertionError) as error:
            found.append(f"{size:g} {learner!r}: {str(error)[:200]}")
    assert found == []
    assert walked > 100 / each - 10


@pytest.mark.parametrize(
    ("size", "dtype", "name"),
    by_pairs(
        [1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-20, 1e-39, 1e-41, 1e-153],
        DTYPES,
        ["fogd", "sorf", "rbp", "nogd"],
    ),
)
def test_rows_like_those_of_the_width_are_learned(name: str, dtype: str, size: float) -> None:
    """A width that features cannot be made with is not taken: the one before it stays."""
    learner = built(name, dtype=dtype, **width_of_rows(name, GAMMA_ROWS))
    if learner is None:
        pytest.skip("no such storage")
    X = rows_of(size, False)
    X[7] = X[6]
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    assert np.isfinite(learner.learn_many(X, y)).all()
    assert learner.n_skipped == 0
    assert np.isfinite(learner.decision_function(X)).all()
    goes_through_a_file(learner)


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
@pytest.mark.parametrize("size", [1e-150, 1e-160, 1e-161, 1e-162, 1e-163, 1e-300, 1e99])
def test_targets_of_any_size(dtype: str, size: float) -> None:
    """Of the smallest the variance is not a number: they count as they are."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, FEATURES)), size * rng.normal(size=300)
    learner = ek.Learner("sorf", n_features=FEATURES, D=20, loss="square", dtype=dtype)
    assert np.isfinite(learner.learn_many(X, y)).all()
    assert np.isfinite(learner.decision_function(X)).all()
    goes_through_a_file(learner)


@pytest.mark.parametrize("name", ["fogd", "sorf"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_largest_width_of_features(name: str, dtype: str) -> None:
    """Up to there all frequencies are numbers in storage; beyond it the kernel is refused."""
    if built(name, dtype=dtype) is None:
        pytest.skip("no such storage")
    most = max_gamma(ek.Config("fogd", n_features=1, D=1, dtype=dtype)._settings.storage.most)
    if dtype != "float64":
        most = min(most, 1e37)  # of any kernel
    options = {"n_features": 200, "D": 300, "dtype": dtype}
    learner = ek.Learner(name, kernel=ek.Gaussian(most), **options)
    if name == "fogd":
        assert np.isfinite(learner.support_vectors_).all()
    assert learner.learn_one(np.zeros(200), 1.0) == 0.0
    assert pickle.dumps(pickle.loads(pickle.dumps(learner))) == pickle.dumps(learner)
    with pytest.raises(ValueError, match="gamma must"):
        ek.Learner(name, kernel=ek.Gaussian(1.01 * most), **options)
