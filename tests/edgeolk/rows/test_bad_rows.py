"""Rows of every kind, good and bad, with every algorithm: refused with the block as it was, or
accepted and right; the input is never written to."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forms import BAD, FORMS, GOOD, INF, NAN, READINGS
from helpers import BY_DAY, LIVELY, Csr, takes_classes, targets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from synthetic import random_stream

import edgeolk as ek

D, B = 3, 6
X, Y = random_stream(4, 60, D)
every = pytest.mark.parametrize("name", BY_DAY)

MORE: dict[str, dict[str, Any]] = {
    "sorf": {"linear": True, "last_label": True, "relevance": True, "dtype": "float32"},
}


def options(name: str, **more: Any) -> dict[str, Any]:
    shared = {"n_features": D, "budget": B, "dtype": "float32"}
    return {**shared, **LIVELY.get(name, {}), **MORE.get(name, {}), **more}


class Lent:
    """A learner that has seen some rows, in memory whose bytes can be looked at."""

    def __init__(self, name: str, rows: int = 25, **more: Any) -> None:
        made = options(name, **more)
        self.memory = bytearray(ek.plan(name, **made).nbytes)
        self.learner = ek.Learner(name, buffer=self.memory, **made)
        self.y = targets_of(name, Y)
        self.learner.learn_many(X[:rows], self.y[:rows])

    def state(self) -> bytes:
        """Its file: the block without scratch."""
        return bytes(self.learner._sealed())


BAD_LABELS = [
    NAN, INF, -INF, 10**400, None, "1", b"1", 1j, [1], {}, np.array([1.0, 1.0]), np.str_("1"),
    object(),
]  # fmt: skip
#: Real numbers that are no class.
NO_CLASSES = [0, 2, -2, 0.5, 1 + 1e-15, False, np.float32(0.5), np.int8(0), np.bool_(False)]
GOOD_LABELS = [1, 1.0, True, np.int8(1), np.float32(1.0), np.bool_(True), np.array(1.0)]


def bad_labels(name: str) -> list[Any]:
    return [*BAD_LABELS, *(NO_CLASSES if takes_classes(name) else [])]


def unchanged(value: Any) -> Any:
    return value.tobytes() if isinstance(value, np.ndarray) and value.dtype != object else None


def refused(lent: Lent, call: Callable[[], Any]) -> None:
    before = bytes(lent.memory)
    with pytest.raises((ValueError, TypeError), match=r"\b(x|X|y|labels)\b"):
        call()
    assert bytes(lent.memory) == before


@every
def test_bad_rows_change_nothing(name: str) -> None:
    lent = Lent(name)
    for value in BAD.values():
        held = unchanged(value)
        refused(lent, lambda value=value: lent.learner.learn_one(value, 1.0))
        refused(lent, lambda value=value: lent.learner.decision_one(value))
        assert unchanged(value) == held
    assert lent.learner.learn_one(GOOD, 1) == Lent(name).learner.learn_one(GOOD, 1)


@every
def test_every_form_of_a_row_is_right(name: str, tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "row", float, "w+", shape=3)
    mapped[:] = GOOD
    for make in [*FORMS.values(), lambda: mapped]:
        value = make()
        held = unchanged(value)
        plain = np.array(value, dtype=np.float64)
        lent, expected = Lent(name), Lent(name)
        assert lent.learner.decision_one(value) == expected.learner.decision_one(plain)
        try:
            score = expected.learner.learn_one(plain, -1)
        except ek.BudgetError:
            continue
        assert lent.learner.learn_one(value, -1) == score
        assert math.isfinite(score)
        assert unchanged(value) == held
        assert lent.state() == expected.state()


@every
def test_labels(name: str) -> None:
    lent = Lent(name)
    for label in bad_labels(name):
        refused(lent, lambda label=label: lent.learner.learn_one(GOOD, label))
        refused(lent, lambda label=label: lent.learner.learn_many(X[:1], [label]))
    for label in GOOD_LABELS:
        lent, expected = Lent(name), Lent(name)
        assert lent.learner.learn_one(GOOD, label) == expected.learner.learn_one(GOOD, 1.0)
        assert lent.state() == expected.state()


BAD_NUMBERS = [NAN, INF, -INF, 1e308]


@pytest.mark.parametrize("sparse", [False, True])
@every
def test_a_bad_row_among_good_ones(name: str, sparse: bool) -> None:
    """It is named; those before it have been learned, it and those after it have not."""
    for number, bad in enumerate(BAD_NUMBERS):
        at = 7 * number
        rows = X[25:55].copy()
        rows[at, 1] = bad
        given = Csr(rows) if sparse else rows
        lent, expected = Lent(name), Lent(name)
        before = rows.tobytes()
        with pytest.raises(ek.BadRowError, match=rf"X\[{at}\] must .* at feature 1$"):
            lent.learner.learn_many(given, lent.y[25:55])
        assert rows.tobytes() == before
        expected.learner.learn_many(X[25 : 25 + at], lent.y[25 : 25 + at])
        assert lent.learner.steps == 25 + at
        assert lent.state() == expected.state()
        full = bytes(lent.memory)
        with pytest.raises(ek.BadRowError, match=rf"X\[{at}\]"):
            lent.learner.decision_function(given)
        assert bytes(lent.memory) == full


@every
def test_a_bad_label_among_good_ones(name: str) -> None:
    for at, bad in ((0, NAN), (3, 0.0), (11, INF)):
        lent, expected = Lent(name), Lent(name)
        if math.isfinite(bad) and not takes_classes(name):
            continue
        labels = lent.y[25:45].copy()
        labels[at] = bad
        kind = ValueError if math.isfinite(bad) else ek.BadRowError
        with pytest.raises(ValueError, match=rf"y\[{at}\] must be") as caught:
            lent.learner.learn_many(X[25:45], labels)
        assert type(caught.value) is kind
        expected.learner.learn_many(X[25 : 25 + at], lent.y[25 : 25 + at])
        assert lent.state() == expected.state()


# ---- left out ------------------------------------------------------------------------------------


def skipping(name: str, **more: Any) -> Lent:
    return Lent(name, on_bad_row="skip", **more)


@pytest.mark.parametrize("sparse", [False, True])
@every
def test_bad_rows_left_out(name: str, sparse: bool) -> None:
    """The others are learned as if they had come alone; a checkpoint keeps the count."""
    rows, labels = X[25:].copy(), targets_of(name, Y)[25:].copy()
    rows[3, 0], rows[4, 2], rows[20, 1], labels[9], labels[34] = NAN, INF, 1e308, NAN, -INF
    left_out = [3, 4, 9, 20, 34]
    kept = np.setdiff1d(np.arange(len(rows)), left_out)
    lent, expected = skipping(name), skipping(name)
    scores = lent.learner.learn_many(Csr(rows) if sparse else rows, labels)
    assert np.isnan(scores[left_out]).all()
    given = Csr(rows[kept]) if sparse else rows[kept]
    assert np.array_equal(scores[kept], expected.learner.learn_many(given, labels[kept]))
    assert lent.learner.n_skipped == 5
    assert lent.learner.steps == expected.learner.steps == 55
    again = ek.Learner._from_block(lent.state())
    assert again.n_skipped == 5
    assert again.config == lent.learner.config
    assert math.isnan(again.learn_one([NAN, 0.0, 0.0], 1))
    assert again.n_skipped == 6


@every
def test_bad_rows_left_out_one_by_one(name: str) -> None:
    lent, plain = skipping(name), Lent(name)
    counted = 0
    for kind, value in BAD.items():
        if kind in READINGS:
            assert math.isnan(lent.learner.learn_one(value, 1))
            counted += 1
        else:
            refused(lent, lambda value=value: lent.learner.learn_one(value, 1))
    for label in (NAN, INF, -INF):
        assert math.isnan(lent.learner.learn_one(GOOD, label))
        counted += 1
    for label in ("1", None, *((0, 2, 0.5) if takes_classes(name) else ())):
        refused(lent, lambda label=label: lent.learner.learn_one(GOOD, label))
    assert math.isnan(lent.learner.learn_one_sparse([1], [NAN], 1))
    assert lent.learner.n_skipped == counted + 1
    assert counted == len(READINGS) + 3
    assert lent.learner.learn_one(GOOD, 1) == plain.learner.learn_one(GOOD, 1)


def test_a_kernel_that_overflows_is_left_out() -> None:
    more = {"kernel": ek.Polynomial(9, 1.0, 0.0), "dtype": "float64"}
    lent, plain = skipping("pa1", **more), Lent("pa1", **more)
    rows = X[25:35].copy()
    rows[4] = 1e200
    scores = lent.learner.learn_many(rows, Y[25:35])
    assert np.flatnonzero(np.isnan(scores)).tolist() == [4]
    assert math.isnan(lent.learner.learn_one(rows[4], 1))
    assert lent.learner.n_skipped == 2
    with pytest.raises(ek.BadRowError, match=r"X\[4\]: the kernel overflows"):
        plain.learner.learn_many(rows, Y[25:35])
    plain.learner.learn_many(rows[5:], Y[30:35])
    assert lent.learner.n_support == plain.learner.n_support
    assert lent.learner.steps == plain.learner.steps


def test_what_is_wrong_with_a_call_is_never_left_out() -> None:
    lent = skipping("spa")
    for call in (
        lambda: lent.learner.learn_many(X[:, :2], Y),
        lambda: lent.learner.learn_many(X, Y[:-1]),
        lambda: lent.learner.learn_many(X, None),
        lambda: lent.learner.learn_one_sparse([2, 1], [1.0, 1.0], 1),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
    assert lent.learner.n_skipped == 0
    with pytest.raises(ek.BadRowError):
        lent.learner.decision_one([NAN, 0.0, 0.0])


def test_a_count_costs_eight_bytes_and_only_where_asked() -> None:
    plain, skips = (ek.plan("spa", **options("spa", on_bad_row=how)) for how in ("raise", "skip"))
    assert "skipped" not in {region.name for region in plain.regions}
    # 9 bytes of value, 10 in the table, the counter; a header is a multiple of 8.
    assert plain.nbytes < skips.nbytes <= plain.nbytes + 40
    config = ek.Config("spa", **options("spa", on_bad_row="skip"))
    assert "on_bad_row='skip'" in repr(config)
    assert ek.Learner(config).config == config
    with pytest.raises(ValueError, match="on_bad_row must be 'raise' or 'skip'"):
        ek.Config("spa", **options("spa", on_bad_row="ignore"))


def test_without_numpy() -> None:
    from array import array

    from edgeolk.bare import BareLearner

    learner = BareLearner("spa", **options("spa", on_bad_row="skip"))
    assert math.isnan(learner.learn_one(array("d", [0.0, NAN, 1.0]), 1))
    assert math.isnan(learner.learn_one(array("d", [0.0, 1.0, 1.0]), NAN))
    assert learner._engine.counters()["n_skipped"] == 2
    for row, label in (([0.0, 1.0], 1), ([0.0, 1.0, 2.0], 0)):
        with pytest.raises(ValueError, match=r"x|y"):
            learner.learn_one(array("d", row), label)
    assert learner._engine.counters()["n_skipped"] == 2
    with pytest.raises(ek.BadRowError):
        BareLearner("spa", **options("spa")).learn_one(array("d", [0.0, NAN, 1.0]), 1)


# ---- anything ------------------------------------------------------------------------------------

DTYPES = [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint64, np.bool_, np.complex128]
DTYPES += [">f8", ">f4", "U2", "S2", "M8[s]"]
rows_of_any_kind = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, st.sampled_from([(D,), (D,), (D,), (2,), (4,), (1, D), (0,)]))
)


@every
@settings(max_examples=10, deadline=None, database=None)
@given(row=rows_of_any_kind, label=st.sampled_from([1, -1, 1, -1, 0, 0.5, NAN, "1"]))
def test_anything(name: str, row: np.ndarray, label: Any) -> None:
    lent, expected = Lent(name), Lent(name)
    before, held = bytes(lent.memory), row.tobytes()
    try:
        score = lent.learner.learn_one(row, label)
    except (ValueError, TypeError):
        assert bytes(lent.memory) == before or lent.state() == expected.state()
    except ek.BudgetError:
        pass
    else:
        assert math.isfinite(score)
        assert label in (1, -1) or (not takes_classes(name) and math.isfinite(label))
        plain = np.asarray(row, dtype=np.float64)
        assert score == expected.learner.learn_one(plain, label)
        assert lent.state() == expected.state()
        assert math.isfinite(lent.learner.decision_one(GOOD))
    assert row.tobytes() == held


# ---- the label of a bad row ----------------------------------------------------------------------


@pytest.mark.parametrize("how", ["raise", "skip"])
@pytest.mark.parametrize(
    ("name", "more", "label"),
    [
        ("pa1", {}, 77.0),
        ("sorf", {}, 0.5),
        ("sorf", {"n_classes": 3, "linear": False}, 3.0),
        ("spa", {}, 1.0),
    ],
)
def test_the_label_of_a_bad_row_is_judged_first(
    name: str, more: dict[str, Any], label: float, how: str
) -> None:
    """One by one and many at a time: an impossible class raises, whatever the row."""
    made = [ek.Learner(name, **options(name, on_bad_row=how, **more)) for _ in range(2)]
    row = np.array([NAN, 1.0, 0.0])
    said = []
    for learn, learner in (
        (lambda one: one.learn_one(row, label), made[0]),
        (lambda one: one.learn_many(row[None], [label])[0], made[1]),
    ):
        try:
            said.append(("score", math.isnan(learn(learner)), learner.n_skipped))
        except ValueError as error:
            said.append((type(error).__name__, str(error)[0], None))
    assert said[0][0] == said[1][0]
    assert said[0][2] == said[1][2]
    if label != 1.0:
        assert [what for _, what, _ in said] == ["y", "y"]
