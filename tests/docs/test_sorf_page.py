"""What docs/sorf.md and docs/scaler.md say is what the library does: the reference, made from these
pages alone, agrees with it from raw rows on, and the check values are its answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import assert_agrees, by_pairs

import edgeolk as ek
from edgeolk.reference import Pcg32, ScaledSorf, Sorf

PAGE = (Path(__file__).parents[2] / "docs" / "sorf.md").read_text(encoding="utf-8")
TASKS: dict[str, dict[str, Any]] = {
    "two": {}, "classes": {"n_classes": 3}, "regression": {"loss": "square"},
}  # fmt: skip
PLAIN = {"scale": None, "gamma": 0.5, "relevance": False, "drift": False}
LEARNERS: dict[str, dict[str, Any]] = {
    "float64, plain": {"dtype": "float64", **PLAIN},
    "int8, plain": {"dtype": "int8", **PLAIN},
    "float64, scaled": {"dtype": "float64", "relevance": False},
    "float64, each": {"dtype": "float64", "relevance": True},
    "float64, shared": {"dtype": "float64", "relevance": "shared"},
    "float64, inputs": {"dtype": "float64", "relevance": False, "linear_group": True},
    "int8, inputs": {"dtype": "int8", "relevance": False, "linear_group": True},
}


TYPES = ("float64", "int8", "float32")


def assert_same(learner: ek.Learner, said: np.ndarray, second: ScaledSorf, X: Any, y: Any) -> None:
    """Every answer, the counters and the weights are those of the reference."""
    expected = [second.step(row, target) for row, target in zip(X, y, strict=True)]
    assert_agrees(said, expected, learner.dtype)
    model = second.model
    assert (learner.updates, learner.alarms) == (model.updates, model.alarms)
    assert learner.is_regression or learner.mistakes == model.mistakes
    assert_agrees(learner.weights_, np.stack([model.w.v, model.a.v]), learner.dtype)


def rows(task: str, n: int, d: int, *, turned: int, smaller: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of several units; from these rows on targets are others, and inputs are smaller."""
    draws = np.random.default_rng(1)
    Z = draws.normal(size=(n, d))
    late = np.arange(n) >= turned
    far = Z[:, 0] + 0.3 * Z[:, 1] - 0.5
    if task == "two":
        y = np.where((far > 0) ^ late, 1.0, -1.0)
    elif task == "classes":
        y = (np.digitize(far, (-0.5, 0.5)) + late) % 3.0
    else:
        y = 7.0 + np.where(late, -far, far)
    Z[smaller:] *= 0.05
    X = Z * np.geomspace(0.1, 10.0, d) + np.arange(d)
    return X.astype(np.float32).astype(float), y


@pytest.mark.parametrize(
    ("task", "relevance", "d", "dtype"),
    by_pairs(TASKS, [False, True, "shared"], [2, 5, 70], TYPES),
)
@pytest.mark.spread(10)
def test_a_thousand_rows(task: str, relevance: bool | str, d: int, dtype: str) -> None:
    X, y = rows(task, 1000, d, turned=600, smaller=800)
    options: dict[str, Any] = {"seed": 3, "relevance": relevance, "dtype": dtype}
    learner = ek.Learner("sorf", n_features=d, D=150, **TASKS[task], **options)
    second = ScaledSorf(d, 150, **TASKS[task], **options)
    assert_same(learner, learner.learn_many(X, y), second, X, y)


@pytest.mark.parametrize("dtype", ["float64", "int8"])
@pytest.mark.parametrize("relevance", [False, True, "shared"])
@pytest.mark.parametrize(
    ("task", "further"),
    [("two", "linear"), ("regression", "linear"), *((task, "last_label") for task in TASKS)],
)
@pytest.mark.spread(39)
def test_further_candidates(task: str, further: str, relevance: bool | str, dtype: str) -> None:
    """Learned widths leave their shares out (section 7c)."""
    X, y = rows(task, 1000, 3, turned=600, smaller=800)
    y[1::3] = y[::3][: len(y[1::3])]  # a label that stays is worth a share
    options: dict[str, Any] = {"seed": 3, "relevance": relevance, further: True, "dtype": dtype}
    learner = ek.Learner("sorf", n_features=3, D=150, **TASKS[task], **options)
    second = ScaledSorf(3, 150, **TASKS[task], **options)
    assert_same(learner, learner.learn_many(X, y), second, X, y)


@pytest.mark.parametrize(
    ("task", "size", "kind", "dtype"), by_pairs(TASKS, [0, 3, 150], [True, "last"], TYPES)
)
@pytest.mark.spread(10)
def test_the_inputs_as_a_group(task: str, size: int, kind: bool | str, dtype: str) -> None:
    """Alone, beside few frequencies, beside many (section 7i)."""
    X, y = rows(task, 1000, 5, turned=600, smaller=800)
    X[:, 3] = np.where(X[:, 3] > 3.0, X[:, 3], 3.0)  # half of its readings are alike
    learned = False if size == 0 else ("shared", True)[size > 3]
    options: dict[str, Any] = {"seed": 3, "dtype": dtype, "linear_group": kind}
    options["relevance"] = learned
    learner = ek.Learner("sorf", n_features=5, D=size, **TASKS[task], **options)
    second = ScaledSorf(5, size, **TASKS[task], **options)
    said = learner.learn_many(X, y)
    assert_agrees(said, [second.step(*row) for row in zip(X, y, strict=True)], dtype)
    model = second.model
    assert (learner.updates, learner.alarms) == (model.updates, model.alarms)
    assert learner.is_regression or learner.mistakes == model.mistakes


@pytest.mark.parametrize("dtype", ["float64", "int8"])
@pytest.mark.parametrize(
    ("task", "what"), [("two", "turned"), ("two", "smaller"), ("classes", "turned")]
)
@pytest.mark.spread(6)
def test_alarms(task: str, what: str, dtype: str) -> None:
    """The model begins anew, or the scaler becomes young."""
    change = {"turned": 2100, "smaller": 2100, what: 1500}
    X, y = rows(task, 2100, 4, **change)
    options: dict[str, Any] = {"relevance": False, "dtype": dtype, **TASKS[task]}
    learner = ek.Learner("sorf", n_features=4, D=64, **options)
    second = ScaledSorf(4, 64, **options)
    assert_same(learner, learner.learn_many(X, y), second, X, y)
    assert learner.alarms >= 1
    one = second.inputs[0]
    age = one.age if dtype == "float64" else one.code - 3
    assert (age < 2000) == (what == "smaller")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.spread(3)
def test_levels_are_rounded_by_the_words_that_the_page_says(task: str) -> None:
    draws = np.random.default_rng(0)
    X = draws.normal(size=(1000, 4)).astype(np.float32).astype(float)
    _, y = rows(task, 1000, 4, turned=600, smaller=1000)
    options: dict[str, Any] = {"gamma": 0.1, "relevance": False, "seed": 3}
    learner = ek.Learner("sorf", n_features=4, D=150, scale=None, **TASKS[task], **options)
    second = Sorf(4, 150, dtype="int8", **TASKS[task], **options)
    expected = [second.step(row, target) for row, target in zip(X, y, strict=True)]
    assert learner.learn_many(X, y).tolist() == expected
    assert np.array_equal(learner.weights_, np.stack([second.w.v, second.a.v]))
    assert np.abs(second.w.v).max() > 20


def check_values() -> list[tuple[str, ...]]:
    part = PAGE.split("## 12 ")[1].split("\n## ")[0]
    return [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in re.findall(r"^\|(?! task|---).*\|$", part, re.M)
    ]


def test_every_learner_has_check_values() -> None:
    named = [(task.split()[-1], learner) for task, learner, *_ in check_values()]
    tasks = ("classes", "classes", "regression")
    assert named == [(task, learner) for task in tasks for learner in LEARNERS]


@pytest.mark.parametrize("values", check_values(), ids=lambda row: " ".join(row[:2]))
def test_check_values(values: tuple[str, ...]) -> None:
    task, name, *numbers, mistakes, updates = values
    draws = Pcg32(1, 1)
    X = np.array([[draws.next_u32() * 2.0**-31 - 1.0 for _ in range(3)] for _ in range(1000)])
    p = X[:, 0] * X[:, 1]
    kind = {"two classes": "two", "three classes": "classes", "regression": "regression"}[task]
    y = {
        "two": np.where(p > 0.0, 1.0, -1.0),
        "classes": np.digitize(p, [-0.1, 0.1]),
        "regression": p,
    }[kind]  # fmt: skip
    learner = ek.Learner("sorf", n_features=3, D=100, seed=0, **TASKS[kind], **LEARNERS[name])
    said = learner.learn_many(X, y)
    expected = [float(f) for f in numbers]
    np.testing.assert_allclose(said[[1, 9, 99, 999]], expected, rtol=0.0, atol=1e-9)
    assert said[0] == 0.0
    assert learner.updates == int(updates)
    assert learner.mistakes == int(mistakes or 0)
