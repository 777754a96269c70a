"""Experts that are counted as they answered, in the reference implementation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from synthetic import random_stream, regression_stream

from edgeolk.reference.sorf import Sorf
from edgeolk.reference.sorf_delay import (
    DelayedRememberingSorf,
    DelayedSorf,
    entry_bytes,
    spacing,
)
from edgeolk.reference.sorf_memory import RememberingSorf

TASKS: dict[str, dict[str, Any]] = {
    "two": {}, "classes": {"n_classes": 3}, "regression": {"loss": "square"},
}  # fmt: skip
OPTIONS: dict[str, Any] = {
    "n_features": 3, "D": 70, "gamma": 0.4, "seed": 5, "drift": False, "last_label": True,
}  # fmt: skip


def stream(task: str, n: int = 140) -> tuple[np.ndarray, np.ndarray]:
    X, y = (regression_stream if task == "regression" else random_stream)(4, n, 3)
    if task == "classes":
        y = np.where(y > 0, 2.0, np.where(X[:, 0] > 0, 1.0, 0.0))
    return X, y


def run(model: DelayedSorf, X: np.ndarray, y: np.ndarray, k: int) -> None:
    """Each row is asked; its label comes k rows later."""
    for t, x in enumerate(X):
        model.ask(x)
        if t >= k:
            model.step(X[t - k], y[t - k])


def losses(model: Sorf) -> np.ndarray:
    return np.array([*model.L.ravel(), *(one.L for one in model.outside)])


@pytest.mark.parametrize(
    ("delay", "entries", "expected"),
    [(0, 1, 1), (10, 11, 1), (10, 10, 3), (48, 16, 5), (48, 7, 7), (48, 5, 11), (48, 2, 29)],
)
def test_spacing_is_an_odd_prime(delay: int, entries: int, expected: int) -> None:
    assert spacing(delay, entries) == expected
    assert expected * entries >= delay + 1


def test_bytes_of_an_entry() -> None:
    assert entry_bytes(1, 6, 1, 2, regression=False) == 4
    assert entry_bytes(5, 15, 1, 2, regression=False) == 15
    assert entry_bytes(1, 6, 2, 2, regression=True) == 24


@pytest.mark.parametrize("entries", [None, 3])
@pytest.mark.parametrize("k", [0, 1, 7])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.spread(3)
def test_losses_are_those_of_a_log(task: str, k: int, entries: int | None) -> None:
    """Every expert's answer is written down when a row is asked, and summed up afterwards."""
    X, y = stream(task)
    model = DelayedSorf(delay=k, entries=entries, **OPTIONS, **TASKS[task])
    kept, scaled = [], []
    for t, x in enumerate(X):
        kept.append(model.candidates(*model.models(x), model.outside_scores(x)))
        model.ask(x)
        if t >= k:
            model.step(X[t - k], y[t - k])
            scaled.append((y[t - k] - model.mean) / model.sd())
    s = model.s
    expected = np.zeros(len(losses(model)))
    for row in range(len(X) - k):
        if row % s:
            continue
        if task == "regression":
            cost = [min(4.0, (scaled[row] - f[0]) ** 2) for f in kept[row]]
        elif task == "two":
            cost = [(1.0 if f[0] >= 0.0 else -1.0) != y[row] for f in kept[row]]
        else:
            others = [np.delete(f, int(y[row])).max() for f in kept[row]]
            cost = [f[int(y[row])] <= o for f, o in zip(kept[row], others, strict=True)]
        expected = 0.999**s * expected + s * np.array(cost, dtype=float)
    assert s == (1 if entries is None or k < 3 else 3)
    assert np.allclose(losses(model), expected, rtol=1e-6)


@pytest.mark.parametrize("task", ["classes", "regression"])
def test_without_delay_nothing_changes(task: str) -> None:
    X, y = stream(task)
    late = DelayedSorf(delay=0, **OPTIONS, **TASKS[task])
    plain = Sorf(**OPTIONS, **TASKS[task])
    for x, label in zip(X, y, strict=True):
        expected = plain.scores(x)
        assert np.allclose(late.ask(x), expected, atol=1e-6)
        assert late.step(x, label) == pytest.approx(plain.step(x, label), abs=1e-6)
    assert np.allclose(losses(late), losses(plain), rtol=1e-5)
    assert np.array_equal(late.n, plain.n)


@pytest.mark.parametrize("task", TASKS)
def test_rows_that_nobody_asked_for_are_counted_as_ever(task: str) -> None:
    X, y = stream(task)
    late = DelayedSorf(delay=4, **OPTIONS, **TASKS[task])
    plain = Sorf(**OPTIONS, **TASKS[task])
    for x, label in zip(X, y, strict=True):
        assert late.step(x, label) == plain.step(x, label)
    assert np.array_equal(losses(late), losses(plain))
    assert (late.asked, late.learned) == (0, 0)


@pytest.mark.parametrize("task", TASKS)
def test_models_and_windows_do_not_see_the_queue(task: str) -> None:
    """Labels stay, so that last weights are right where the row before is known, and not later."""
    X, y = stream(task, 300)
    turns = np.arange(300) // 10
    y = {"two": 1.0 - 2.0 * (turns % 2), "classes": turns % 3.0, "regression": y}[task]
    late = DelayedSorf(delay=9, **OPTIONS, **TASKS[task])
    run(late, X, y, 9)
    plain = Sorf(**OPTIONS, **TASKS[task])
    for x, label in zip(X[:-9], y[:-9], strict=True):
        plain.step(x, label)
    assert np.array_equal(late.w.v, plain.w.v)
    assert np.array_equal(late.a.v, plain.a.v)
    assert np.array_equal(late.n, plain.n)
    as_answered, as_learned = (float(L[0] - L[-1]) for L in (late.L[0], plain.L[0]))
    assert as_learned > 0.0 > as_answered or task == "regression"


def test_the_last_label_is_counted_as_it_answers() -> None:
    """Labels that stay for eight rows: known at once it errs in an eighth, ten rows late always."""
    X, _ = stream("two", 400)
    y = np.where(np.arange(400) // 8 % 2, 1.0, -1.0)
    shares = []
    for counted in (True, False):
        model = DelayedSorf(delay=8, **OPTIONS)
        for t, x in enumerate(X):
            if counted:
                model.ask(x)
            if t >= 8:
                model.step(X[t - 8], y[t - 8])
        shares.append(model.shares()[2][0])
    assert shares[0] < 1e-3
    assert shares[1] > 0.9


def test_labels_that_never_come_are_dropped() -> None:
    X, y = stream("classes", 60)
    model = DelayedSorf(delay=3, **OPTIONS, n_classes=3)
    for x in X[:20]:
        model.ask(x)
        assert len(model.queue) <= 4
    assert (model.asked, model.learned) == (20, 16)
    answers = model.queue[16].experts.copy()
    model.step(X[16], y[16])
    expected = [float(answer != y[16]) for answer in answers]
    assert losses(model).tolist() == expected


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("task", ["two", "classes"])
@pytest.mark.spread(2)
def test_the_memory_is_counted_likewise(task: str, narrow: bool) -> None:
    X, y = stream(task)
    more = {"memory": 20, "memory_narrow": narrow, **OPTIONS, **TASKS[task]}
    model = DelayedRememberingSorf(delay=5, **more)
    kept = []
    for t, x in enumerate(X):
        fs, g = Sorf.scores(model, x), model.memory_scores(x)
        kept.append(model.memory_candidates(fs, g))
        assert model.ask(x) == pytest.approx(model.scores(x))
        if t >= 5:
            model.step(X[t - 5], y[t - 5])
    expected = np.zeros(9 if narrow else 5)
    for row in range(len(X) - 5):
        wrong = [
            (f[0] >= 0.0) != (y[row] > 0.0) if task == "two" else model.margin(f, y[row]) <= 0.0
            for f in kept[row]
        ]
        expected = 0.999 * expected + np.array(wrong)
    assert np.allclose([*model.L_Q, *model.L_N.ravel()], expected)
    plain = RememberingSorf(**more)
    for row in zip(X[:-5], y[:-5], strict=True):
        plain.step(*row)
    assert np.array_equal(model.C, plain.C)
    assert np.array_equal(model.w.v, plain.w.v)
