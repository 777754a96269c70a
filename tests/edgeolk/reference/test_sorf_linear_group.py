"""The group of the inputs themselves in the reference implementation of structured features."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from synthetic import random_stream, regression_stream

from edgeolk.reference.base import Pcg32
from edgeolk.reference.sorf import Sorf

TASKS: dict[str, dict[str, Any]] = {
    "two": {}, "classes": {"n_classes": 3}, "regression": {"loss": "square"},
}  # fmt: skip
KINDS = (True, "last")


def sorf(task: str, D: int = 0, **options: Any) -> Sorf:
    given = {"drift": False, "linear_group": True, **TASKS[task], **options}
    return Sorf(3, D, 0.4, seed=5, **given)


def stream(task: str, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    X, y = (regression_stream if task == "regression" else random_stream)(4, n, 3)
    X[np.abs(X) < 0.3] = 0.0
    if task == "classes":
        y = np.where(y > 0, 2.0, np.where(X[:, 0] > 0, 1.0, 0.0))
    return X, y


class Dense:
    """The linear model with dense arithmetic, all columns of a row at once."""

    def __init__(self, K: int, averages: bool) -> None:
        self.w, self.a, self.averages = np.zeros((4, K)), np.zeros((4, K)), averages
        self.r = 1.0 if averages else 3.0

    def f(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lines = np.append(np.clip(x, -2.5, 2.5), 1.0) / 4.0
        return lines @ self.w, lines @ (self.a if self.averages else self.w)

    def learn(self, x: np.ndarray, direction: np.ndarray, loss: float) -> None:
        """A step along the gradient of the margin, whose square is |direction|^2 |x~|^2 / m."""
        lines = np.append(np.clip(x, -2.5, 2.5), 1.0)
        square = float(direction @ direction) * np.mean(lines**2)
        self.w += loss / (square + self.r) * np.outer(lines, direction)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", TASKS)
def test_alone_it_is_a_dense_linear_model(task: str, kind: bool | str) -> None:
    X, y = stream(task)
    model = sorf(task, linear_group=kind)
    model.hold = 2.5
    group = model.linear_group
    assert group is not None
    plain = Dense(model.K, kind is True)
    updates = 0
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        fw, fa = model.models(x)
        f, average = plain.f(x)
        assert np.allclose(fw[0], f, atol=1e-10)
        assert np.allclose(fa[0], average, atol=1e-10)
        n = float(model.n[0])
        model.step(x, label)
        if task == "regression":
            z = (label - model.mean) / model.sd()
            lines = np.append(np.clip(x, -2.5, 2.5), 1.0)
            q = np.mean(lines**2)
            plain.w += (t > 0) * (z - f[0]) * min(1 / q, 1 / (q + plain.r)) * lines[:, None]
            updates += t > 0
        else:
            direction = np.array([label])
            loss = 1.0 - label * f[0]
            if task == "classes":
                rival = int(np.argmax(np.where(np.arange(3) == label, -np.inf, f)))
                direction = np.eye(3)[int(label)] - np.eye(3)[rival]
                loss = 1.0 - direction @ f
            if loss > 0.0:
                plain.learn(x, direction, loss)
                updates += 1
        if t % 8 == 0:
            plain.a += (plain.w - plain.a) / n
    assert np.allclose(group.w, plain.w, atol=1e-10)
    assert model.updates == updates
    assert group.a.size == (4 * model.K if kind is True else 0)
    if kind is True:
        assert np.allclose(group.a, plain.a, atol=1e-10)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("weight", [0.25, 1.0, 9.0])
def test_a_step_reaches_what_its_ridge_leaves(task: str, weight: float) -> None:
    X, y = stream(task, 60)
    model = sorf(task, 70)
    for row in zip(X[:59], y[:59], strict=True):
        model.step(*row)
    x = X[59]
    square = np.mean(np.append(x, 1.0) ** 2)
    before = model.models(x)[0][-1].copy()
    label = int(np.argmin(before)) if task == "classes" else y[59]  # there is a loss
    label = -np.sign(before[0]) if task == "two" else label
    model.step(x, label, weight)
    after = model.models(x)[0][-1]
    if task == "regression":
        z = (label - model.mean) / model.sd()
        moved = min(1.0, weight * square / (square + 1.0))
        assert after[0] - before[0] == pytest.approx((z - before[0]) * moved)
        return
    loss = np.sqrt(weight) - model.margin(before, label)
    twice = 2.0 if task == "classes" else 1.0
    moved = loss * twice * square / (twice * square + 1.0)
    assert model.margin(after, label) - model.margin(before, label) <= moved + 1e-12
    rival = model.rival(before, label) if task == "classes" else 0
    sign = 1.0 if task == "classes" else label
    margin = after[int(label)] - after[rival] if task == "classes" else sign * after[0]
    assert margin == pytest.approx(np.sqrt(weight) - loss + moved)


@pytest.mark.parametrize("task", TASKS)
def test_features_learn_as_without_it(task: str) -> None:
    """Each group has its own loss; D is divided as if it were not there."""
    X, y = stream(task)
    for groups in (((0.3, 1.0, 3.0),), ((0.3, 1.0), (3.0,))):
        model, alone = (sorf(task, 140, groups=groups, linear_group=of) for of in (True, False))
        for row in zip(X, y, strict=True):
            model.step(*row)
            alone.step(*row)
        assert model.G == alone.G + 1
        assert np.array_equal(model.w.v, alone.w.v)
        assert np.array_equal(model.a.v, alone.a.v)
        assert np.array_equal(model.L[:-1], alone.L)
        assert np.array_equal(model.n[:-1], alone.n)
        E, alpha, betas = model.shares()
        assert E.sum() + sum(betas) == pytest.approx(1.0)
        assert (alpha <= E).all()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8"])
@pytest.mark.spread(3)
def test_widths_do_not_matter_to_it(task: str, dtype: str) -> None:
    X, y = stream(task)
    one, two = (Sorf(3, 0, gamma, dtype=dtype, linear_group=True, **TASKS[task])
                for gamma in (0.1, 7.0))  # fmt: skip
    for row in zip(X, y, strict=True):
        assert one.step(*row) == two.step(*row)
    assert not one.relevance


class Counting(Pcg32):
    """Counts the words drawn."""

    drawn = 0

    def next_u32(self) -> int:
        self.drawn += 1
        return super().next_u32()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", TASKS)
def test_words_drawn(task: str, kind: bool | str) -> None:
    """One a line that is not 0, and one for two numbers of the average in a row of eight."""
    X, y = stream(task, 80)
    model = sorf(task, dtype="int8", linear_group=kind)
    group = model.linear_group
    assert group is not None
    group.rounding = words = Counting(5, 54)
    numbers = 4 * model.K
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        before, updates = words.drawn, model.updates
        model.step(x, label)
        learned = (model.updates - updates) * (np.count_nonzero(x) + 1)
        averaged = -(-numbers // 2) * (t % 8 == 0 and kind is True)
        assert words.drawn - before == learned + averaged
    assert np.abs(group.w).max() <= 127
    assert group.w.dtype == np.int8


def test_halves_of_a_word() -> None:
    """Of a line the true class takes the high half; of the average numbers in turn."""

    class Fixed(Pcg32):
        def next_u32(self) -> int:
            return 0xFFFF_0000  # high: up wherever it can; low: down

    group = sorf("classes", dtype="int8").linear_group
    assert group is not None
    group.rounding = Fixed(1, 54)
    one = np.float32(1.0)
    group.learn(np.array([0.0, 0.25, -0.25], np.float32), {2: one, 0: -one})
    assert group.w.tolist() == [[0, 0, 0], [-1, 0, 1], [0, 0, 0], [-1, 0, 1]]
    group.w[:] = 3
    group.average(np.float32(4.0))
    assert group.a.ravel().tolist() == [1, 0] * 6


def test_a_leak_shrinks_what_a_wrong_row_left() -> None:
    """Where the last weights have nearly all of the share of their group."""
    X, y = stream("two", 200)
    model = sorf("two", 70, leak=0.1)
    leaked = 0
    for t, row in enumerate(zip(X, y, strict=True)):
        model.L[:] = [9.0, 9.0, 9.0, 0.0]
        plain = copy.deepcopy(model)
        plain.leak = 0.0
        for one in (model, plain):
            one.step(*row)
        group, other = model.linear_group, plain.linear_group
        assert group is not None
        assert other is not None
        leaks = t % 8 == 0 and model.wrong
        leaked += leaks
        assert np.allclose(group.w, (0.9 if leaks else 1.0) * other.w, atol=1e-12)
        assert np.allclose(model.n, plain.n)
    assert leaked > 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8"])
@pytest.mark.spread(8)
def test_a_line_is_learned_beside_few_frequencies(dtype: str, kind: bool | str) -> None:
    draws = np.random.default_rng(0)
    X = draws.normal(size=(600, 20))
    y = np.sign(X @ draws.normal(size=20) + 0.3)
    rows = list(zip(X, y, strict=True))
    models = [
        Sorf(20, D, 0.5, dtype=dtype, linear_group=of, seed=1)
        for D, of in ((8, kind), (0, kind), (8, False))
    ]
    wrong = [np.mean([m.step(*row) * row[1] <= 0 for row in rows][200:]) for m in models]
    assert max(wrong[:2]) < 0.15
    assert wrong[2] > 0.25


def test_what_a_size_takes() -> None:
    with pytest.raises(ValueError, match="linear group"):
        Sorf(3, 0, 0.5)
