"""What is not quite an example: accepted and right, or refused by name, the model as it was."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from forms import BAD, FORMS, GOOD, misaligned, read_only
from helpers import Owned
from synthetic import random_stream

import edgeolk as ek

D = 3


def trained(dtype: str = "float32", name: str = "spa", **options: Any) -> Owned:
    """A learner that has seen something and keeps an average."""
    params = {"beta": 1.0} if name == "spa" else {}
    owned = Owned(name, n_features=D, budget=40, dtype=dtype, **{**params, **options})
    owned.learner.learn_many(*random_stream(2, 30, D))
    return owned


ROW_CALLS: dict[str, Callable[[ek.Learner, Any], Any]] = {
    "learn_one": lambda m, x: m.learn_one(x, 1),
    "decision_one": lambda m, x: m.decision_one(x),
    "predict_one": lambda m, x: m.predict_one(x),
    "averaged.decision_one": lambda m, x: m.averaged.decision_one(x),
    "averaged.predict_one": lambda m, x: m.averaged.predict_one(x),
}
MATRIX_CALLS: dict[str, Callable[[ek.Learner, Any], Any]] = {
    "learn_many": lambda m, X: m.learn_many(X, np.ones(len(X))),
    "decision_function": lambda m, X: m.decision_function(X),
    "predict": lambda m, X: m.predict(X),
    "averaged.decision_function": lambda m, X: m.averaged.decision_function(X),
    "averaged.predict": lambda m, X: m.averaged.predict(X),
}
dtypes = pytest.mark.parametrize("dtype", ["float32", "float64"])


def refused(owned: Owned, call: Callable[[], Any], name: str) -> None:
    """It raises ValueError or TypeError with the argument in the message, and no byte changes."""
    before = owned.bytes()
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b") as caught:
        call()
    assert isinstance(caught.value, (ValueError, TypeError))
    assert owned.bytes() == before


# ---- rows ----------------------------------------------------------------------------------------


@dtypes
def test_bad_rows(dtype: str) -> None:
    owned = trained(dtype)
    for (kind, row), call in itertools.product(BAD.items(), ROW_CALLS.values()):
        if dtype == "float32" or kind not in ("1e308", "beyond float32"):
            refused(owned, partial(call, owned.learner, row), "x")


@pytest.mark.parametrize("storage", [np.float32, np.float64])
@dtypes
def test_a_bad_number_is_found_wherever_it_is(dtype: str, storage: Any) -> None:
    for d, bad in itertools.product([1, 7, 8, 9, 17], [np.nan, np.inf, -np.inf]):
        owned = Owned("rbp", n_features=d, budget=2, dtype=dtype)
        for j in range(d):
            x = np.ones(d, storage)
            x[j] = bad
            why = f"must be finite.*feature {j}"
            refused(owned, partial(owned.learner.learn_one, x, 1), f"x {why}")
            rows = np.stack([np.ones(d, storage), x])
            refused(owned, partial(owned.learner.decision_function, rows), rf"X\[1\] {why}")


#: Half a unit above the largest float32; a tie goes up.
MOST = math.nextafter(float(np.finfo(np.float32).max) + 2.0**103, 0.0)


@pytest.mark.parametrize(
    ("dtype", "most", "least"),
    [("float32", MOST, math.nextafter(MOST, math.inf)), ("float16", 65519.0, 65520.0)],
)
def test_numbers_beyond_the_storage_type(dtype: str, most: float, least: float) -> None:
    owned = trained(dtype)
    for call in ROW_CALLS.values():
        call(trained(dtype).learner, np.array([0.0, -most, 0.0]))
        for value in (least, -10 * least, 1e300):
            x = np.array([0.0, value, 0.0])
            refused(
                owned,
                partial(call, owned.learner, x),
                "x must fit the storage type, got .* feature 1",
            )
            refused(owned, partial(call, owned.learner, x.tolist()), "x")
        assert call(trained("float64").learner, np.array([0.0, 1e300, 0.0])) in (0.0, 1)


# ---- matrices ------------------------------------------------------------------------------------


@dtypes
@pytest.mark.parametrize("form", FORMS)
def test_other_forms_of_a_matrix(form: str, dtype: str) -> None:
    def stacked(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [value, value]
        if form.startswith("unaligned"):
            return misaligned(np.tile(np.asarray(value), 2)).reshape(2, D)
        out = np.stack([np.asarray(value)] * 2).astype(np.asarray(value).dtype)
        if form == "a column":
            return np.asfortranarray(out)
        if form == "strided":
            return np.repeat(out, 2, axis=1)[:, ::2]
        out.flags.writeable = not form.startswith("read-only")
        return out

    plain = np.array([FORMS[form]()] * 2, float)
    for name, call in MATRIX_CALLS.items():
        value = stacked(FORMS[form]())
        expected, owned = trained(dtype), trained(dtype)
        assert np.array_equal(call(owned.learner, value), call(expected.learner, plain)), name
        assert owned.learner.learn_one(GOOD, -1) == expected.learner.learn_one(GOOD, -1), name
        assert owned.state() == expected.state(), name


BAD_MATRICES: dict[str, Any] = {
    "1-d": GOOD,
    "3-d": np.ones((1, 2, D)),
    "wide": np.ones((2, D + 1)),
    "narrow": np.ones((2, D - 1)),
    "no columns": np.ones((2, 0)),
    "complex": np.ones((2, D), complex),
    "object": np.ones((2, D), object),
    "str": np.full((2, D), "1"),
    "ragged": [[1.0, 2.0], [3.0]],
    "empty": [],
}


def test_bad_matrices() -> None:
    owned = trained()
    for X in BAD_MATRICES.values():
        refused(owned, partial(owned.learner.learn_many, X, np.ones(2)), "X")
        for name in ("decision_function", "predict", "averaged.predict"):
            refused(owned, partial(MATRIX_CALLS[name], owned.learner, X), "X")


# ---- labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [[1, 1], [1, 1, 1, 1], [[1, 1, 1]], 1, None, "111", [1, None, 1], []])
def test_bad_label_vectors(y: Any) -> None:
    owned = trained()
    refused(owned, lambda: owned.learner.learn_many(np.tile(GOOD, (3, 1)), y), "y")


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", ">f8", ">i2", "float16"])
def test_forms_of_a_label_vector(dtype: str) -> None:
    X, y = random_stream(4, 30, D)
    expected, owned = trained(), trained()
    strided = np.repeat(y.astype(dtype), 2)[::2]
    found = owned.learner.learn_many(X, strided)
    assert np.array_equal(found, expected.learner.learn_many(X, y))
    assert owned.state() == expected.state()


@pytest.mark.parametrize(
    "target", [np.nan, np.inf, None, "a", 10**400], ids=["nan", "inf", "none", "text", "huge"]
)
def test_bad_targets_in_regression(target: Any) -> None:
    owned = Owned("olrd", n_features=D, budget=4, loss="square")
    owned.learner.learn_one(GOOD, 0.25)
    refused(owned, lambda: owned.learner.learn_one(GOOD, target), "y")
    refused(owned, lambda: owned.learner.learn_many(GOOD[None], [target]), "y")


# ---- out -----------------------------------------------------------------------------------------

BAD_OUT = {
    "short": np.empty(2),
    "long": np.empty(4),
    "2-d": np.empty((3, 1)),
    "float32": np.empty(3, np.float32),
    "int": np.empty(3, int),
    "read-only": read_only(np.empty(3)),
    "strided": np.empty(6)[::2],
    "byte-swapped": np.empty(3, np.dtype(float).newbyteorder()),
    "misaligned": misaligned(np.zeros(3)),
    "list": [0.0, 0.0, 0.0],
    "bytearray": bytearray(24),
}


@pytest.mark.parametrize("kind", BAD_OUT)
def test_bad_out(kind: str) -> None:
    owned, X = trained(), np.tile(GOOD, (3, 1))
    out = BAD_OUT[kind]
    refused(owned, lambda: owned.learner.learn_many(X, np.ones(3), out=out), "out")
    refused(owned, lambda: owned.learner.decision_function(X, out=out), "out")
    refused(owned, lambda: owned.learner.averaged.decision_function(X, out=out), "out")


@pytest.mark.parametrize("what", ["X", "y"])
def test_out_over_the_examples(what: str) -> None:
    """Scores written over rows or labels still to come: refused, or right all the same."""
    X, y = random_stream(4, 30, 1)
    memory = np.append(X[:, 0] if what == "X" else y, 0.0)
    options = {"n_features": 1, "budget": 20, "dtype": "float64"}
    expected, owned = ek.Learner("pa1", **options), Owned("pa1", **options)
    scores = expected.learn_many(X, y)
    before = owned.bytes()
    rows, labels = (memory[:30, None], y) if what == "X" else (X, memory[:30])
    try:
        found = owned.learner.learn_many(rows, labels, out=memory[1:])
    except ValueError as error:
        found, why = None, str(error)
    if found is None:
        assert "out" in why
        assert owned.bytes() == before
    else:
        assert np.array_equal(found, scores)
