"""What is not quite an example: accepted and right, or refused by name, the model as it was."""

from __future__ import annotations

import decimal
import fractions
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from forms import BAD, FORMS, GOOD, misaligned, read_only
from helpers import Owned, by_pairs
from twins.streams import random_stream

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
row_calls = pytest.mark.parametrize("call", ROW_CALLS)
matrix_calls = pytest.mark.parametrize("call", MATRIX_CALLS)


def refused(owned: Owned, call: Callable[[], Any], name: str) -> None:
    """It raises ValueError or TypeError with the argument in the message, and no byte changes."""
    before = owned.bytes()
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b") as caught:
        call()
    assert isinstance(caught.value, (ValueError, TypeError))
    assert owned.bytes() == before


# ---- rows ----------------------------------------------------------------------------------------


@dtypes
@pytest.mark.parametrize("form", FORMS)
def test_other_forms_of_a_row(form: str, dtype: str) -> None:
    plain = np.array(FORMS[form](), float)
    for name, call in ROW_CALLS.items():
        value = FORMS[form]()
        expected, owned = trained(dtype), trained(dtype)
        assert call(owned.learner, value) == call(expected.learner, plain), name
        assert owned.learner.learn_one(plain, -1) == expected.learner.learn_one(plain, -1), name
        assert owned.state() == expected.state(), name


@dtypes
@pytest.mark.parametrize("kind", BAD)
def test_bad_rows(kind: str, dtype: str) -> None:
    if dtype == "float64" and kind in ("1e308", "beyond float32"):
        pytest.skip("float64 holds it")
    owned = trained(dtype)
    for call in ROW_CALLS.values():
        refused(owned, lambda call=call: call(owned.learner, BAD[kind]), "x")


@pytest.mark.parametrize(
    ("dtype", "d", "bad", "storage"),
    by_pairs(
        ["float32", "float64"],
        [1, 7, 8, 9, 17],
        [np.nan, np.inf, -np.inf],
        [np.float32, np.float64],
    ),
)
def test_a_bad_number_is_found_wherever_it_is(d: int, bad: float, dtype: str, storage: Any) -> None:
    owned = Owned("rbp", n_features=d, budget=2, dtype=dtype)
    for j in range(d):
        x = np.ones(d, storage)
        x[j] = bad
        refused(owned, lambda x=x: owned.learner.learn_one(x, 1), f"x must be finite.*feature {j}")


@row_calls
@pytest.mark.parametrize(("dtype", "least"), [("float32", 3.5e38), ("float16", 65520.0)])
def test_numbers_beyond_the_storage_type(call: str, dtype: str, least: float) -> None:
    owned = trained(dtype)
    for value in (least, -10 * least, 1e300):
        x = np.array([0.0, value, 0.0])
        why = "x must fit the storage type, got .* feature 1"
        refused(owned, lambda x=x, why=why: ROW_CALLS[call](owned.learner, x), why)
        refused(owned, lambda x=x: ROW_CALLS[call](owned.learner, x.tolist()), "x")
    wide = trained("float64")
    assert ROW_CALLS[call](wide.learner, np.array([0.0, 1e300, 0.0])) in (0.0, 1)


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


@dtypes
@pytest.mark.parametrize("call", [call for call in MATRIX_CALLS if call != "learn_many"])
@pytest.mark.parametrize("storage", [np.float32, np.float64])
def test_one_bad_row_among_many_gives_no_scores(call: str, dtype: str, storage: Any) -> None:
    owned = trained(dtype)
    for row, bad in itertools.product((0, 3, 6), (np.nan, np.inf, 1e300)):
        if bad == 1e300 and (dtype, storage) != ("float32", np.float64):
            continue
        X = np.tile(GOOD, (7, 1)).astype(storage)
        X[row, 1] = bad
        ask = partial(MATRIX_CALLS[call], owned.learner, X)
        refused(owned, ask, rf"X\[{row}\].*feature 1")


@matrix_calls
@pytest.mark.parametrize("kind", BAD_MATRICES)
def test_bad_matrices(call: str, kind: str) -> None:
    owned, X = trained(), BAD_MATRICES[kind]
    if call == "learn_many":
        refused(owned, lambda: owned.learner.learn_many(X, np.ones(2)), "X")
    else:
        refused(owned, lambda: MATRIX_CALLS[call](owned.learner, X), "X")


# ---- labels --------------------------------------------------------------------------------------

GOOD_LABELS = [1, 1.0, True, np.int8(1), np.float32(1), np.bool_(True), np.array(1.0), np.uint64(1)]
GOOD_LABELS += [decimal.Decimal(1), fractions.Fraction(1)]
BAD_LABELS = [0, 2, -2, 0.5, 1 + 1e-15, np.nan, np.inf, None, "a", "", 1j, [1], (), {}, object]
BAD_LABELS += [False, 10**400, -(10**400), fractions.Fraction(10**400), 2**63, np.array([1.0, 1.0])]


@pytest.mark.parametrize("label", GOOD_LABELS, ids=repr)
def test_forms_of_a_label(label: Any) -> None:
    expected, owned = trained(), trained()
    assert owned.learner.learn_one(GOOD, label) == expected.learner.learn_one(GOOD, 1)
    assert owned.state() == expected.state()


@pytest.mark.parametrize("label", BAD_LABELS, ids=lambda v: repr(v)[-20:])
@pytest.mark.parametrize("many", [False, True])
def test_bad_labels(label: Any, many: bool) -> None:
    owned = trained()
    if many:
        X, y = np.tile(GOOD, (3, 1)), [label, 1, -1]
        refused(owned, lambda: owned.learner.learn_many(X, y), "y")
    else:
        refused(owned, lambda: owned.learner.learn_one(GOOD, label), "y")


@pytest.mark.parametrize("label", ["1", b"1", np.str_("1")])
def test_text_is_no_label_in_bulk_nor_alone(label: Any) -> None:
    owned = trained()
    refused(owned, lambda: owned.learner.learn_many(GOOD[None], [label]), "y")
    refused(owned, lambda: owned.learner.learn_one(GOOD, label), "y")


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
