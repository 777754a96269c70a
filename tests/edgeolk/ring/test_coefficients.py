"""Coefficients in float32: fewer bytes, the same learning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import KERNELS, LIVELY, RINGS, fitting, in_turn, targets_of
from synthetic import random_stream

import edgeolk as ek


def update_in(name: str, coefficients: str) -> ek.Update | None:
    """The update of an algorithm with such coefficients, None if it refuses them."""
    try:
        return ek.Learner(name, n_features=3, budget=6, coefficients=coefficients).parts.get(
            "update"
        )
    except ValueError as error:
        assert "coefficients must be float64 for" in str(error)  # noqa: PT017
        return None


#: `krls_auto` has coefficients of the type of its rows.
CHOOSING = [name for name in RINGS if name != "krls_auto"]
#: The algorithms that keep float64 with their default options; docs/learners.md names them all.
REFUSED = [name for name in CHOOSING if update_in(name, "float32") is None]
#: Those that take the same steps in either type. Where the update is another one, that is compared
#: with a reference of its own (`ring/filters/test_agreement.py`).
TAKEN = [name for name in CHOOSING if update_in(name, "float32") == update_in(name, "float64")]


def both(name: str | None, **options: Any) -> tuple[ek.Learner, ek.Learner]:
    return (
        ek.Learner(name, **options),
        ek.Learner(name, **options, coefficients="float32"),
    )


@pytest.mark.parametrize("name", REFUSED)
def test_who_refuses(name: str) -> None:
    for face in (ek.plan, ek.Learner, ek.Config):
        with pytest.raises(ValueError, match="coefficients must be float64 for"):
            face(name, n_features=3, budget=6, coefficients="float32")
    assert ek.Learner(name, n_features=3, budget=6, coefficients="float64").nbytes > 0


def test_an_option_may_refuse() -> None:
    """BSGD merges or removes in either type; projecting solves a system."""
    options: dict[str, Any] = {"n_features": 3, "budget": 6, "coefficients": "float32"}
    ek.plan("bsgd", maintenance="remove", **options)
    with pytest.raises(ValueError, match="coefficients must be float64 for"):
        ek.plan("bsgd", maintenance="project", **options)


@pytest.mark.parametrize("given", [np.float32, np.dtype("f4"), "FLOAT32"], ids=str)
def test_forms_of_a_type(given: Any) -> None:
    learner = ek.Learner("rbp", n_features=2, budget=3, coefficients=given)
    assert learner.coefficients == "float32"
    assert ek.Learner("rbp", n_features=2, budget=3).coefficients == "float64"


@pytest.mark.parametrize("given", ["float16", "int8", 3, "wide"])
def test_types_that_are_none(given: Any) -> None:
    with pytest.raises(ValueError, match="coefficients must be one of float32, float64, got"):
        ek.Learner("rbp", n_features=2, budget=3, coefficients=given)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_all_in_one_type(dtype: str) -> None:
    other = {"float32": "float64", "float64": "float32"}[dtype]
    options: dict[str, Any] = {"n_features": 2, "budget": 3, "dtype": dtype}
    assert ek.Learner("krls_auto", **options).coefficients == dtype
    assert ek.Learner("krls_auto", **options, coefficients=dtype).coefficients == dtype
    with pytest.raises(ValueError, match="coefficients= of the same type"):
        ek.Learner("krls_auto", **options, coefficients=other)


@pytest.mark.parametrize(("name", "dtype"), in_turn(TAKEN, ["float32", "float64"]))
def test_scores_are_close(name: str, dtype: str) -> None:
    """On a stream without ties, no decision differs: rounding is all."""
    X, y = random_stream(11, 250, 4)
    X = X + 1e-3 * np.random.default_rng(1).normal(size=X.shape)
    for kernel in ("gaussian", "polynomial"):
        function = fitting(name, kernel)
        wide, narrow = both(name, n_features=4, budget=20, dtype=dtype, seed=3,
                            kernel=KERNELS[function][0], **LIVELY.get(name, {}))  # fmt: skip
        targets = targets_of(name, y)
        f, g = wide.learn_many(X, targets), narrow.learn_many(X, targets)
        size = 1.0 + np.abs(f).max() + np.abs(wide.dual_coef_).sum()
        assert np.abs(f - g).max() <= 3e-5 * size
        assert (wide.updates, wide.mistakes) == (narrow.updates, narrow.mistakes)
        assert np.array_equal(wide.support_vectors_, narrow.support_vectors_) or name == "bsgd"
        shown = narrow.dual_coef_
        assert shown.dtype == np.float64
        np.testing.assert_allclose(shown, wide.dual_coef_, atol=3e-5 * size)
        if wide.parts["averaging"] == ek.Averaging.MEAN:
            means = [learner.averaged.decision_function(X) for learner in (wide, narrow)]
            assert np.abs(means[0] - means[1]).max() <= 3e-5 * size
