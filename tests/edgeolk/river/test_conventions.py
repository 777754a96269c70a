"""river's own checks of a model, all of them; arguments of the learner by name."""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import edgeolk as ek
from edgeolk.configuration.generate_options import kinds
from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor
from edgeolk.wrapped import SIZES


@cache
def payments(n: int) -> list[tuple[dict[str, float], int]]:
    draw = random.Random(0)
    frauds = [int(i % 50 == 49) for i in range(n)]
    return [({f"V{j}": draw.gauss(4.0 * fraud, 1.0) for j in range(30)}, fraud) for fraud in frauds]


class Payments:
    """Stands for river's CreditCard, which is fetched from the network."""

    def take(self, n: int) -> Iterator[tuple[dict[str, float], int]]:
        return ((dict(row), fraud) for row, fraud in payments(n))


MODELS = [KernelClassifier(), KernelClassifier(n_classes=7), KernelRegressor(), KernelNovelty()]


@pytest.mark.filterwarnings("ignore:feature .* has no column")
@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.spread(4)
def test_checks_of_river(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from river import checks, datasets

    monkeypatch.setattr(datasets, "CreditCard", Payments)
    assert not list(model._unit_test_skips())
    for check in checks.yield_checks(model):
        check(model.clone())


GIVEN: dict[Any, dict[str, Any]] = {
    KernelClassifier: {"dtype": "float32", "drift": False, "relevance": False, "memory": 8},
    KernelRegressor: {"loss": "square", "dtype": "float64", "season": 4},
    KernelNovelty: {"window": 200, "dtype": "float32"},
}
LABELS: dict[Any, Any] = {KernelClassifier: [True], KernelRegressor: [1.0], KernelNovelty: []}


def learned(kind: Any, **options: Any) -> Any:
    model = kind(**options)
    model.learn_one({"a": 1.0, "b": 2.0}, *LABELS[kind])
    return model


@pytest.mark.parametrize("kind", GIVEN)
def test_they_are_arguments_of_the_learner(kind: Any) -> None:
    known = {*kinds(), *inspect.signature(ek.Config.__init__).parameters}
    there = set(inspect.signature(kind.__init__).parameters)
    assert set(kind._named) <= known
    assert {*kind._named, *SIZES} <= there


@pytest.mark.parametrize("kind", GIVEN)
def test_by_name_or_in_params(kind: Any) -> None:
    own = {name: value for name, value in GIVEN[kind].items() if name not in kind._named}
    given = {name: value for name, value in GIVEN[kind].items() if name in kind._named}
    named, listed = learned(kind, **own, **given), learned(kind, **own, params=given)
    assert named.learner.config == listed.learner.config
    for name, value in given.items():
        with pytest.raises(TypeError, match=f"give {name}= or params="):
            learned(kind, **{name: value}, params={name: value})


@pytest.mark.parametrize("kind", GIVEN)
def test_clone_keeps_them(kind: Any) -> None:
    model = kind(D=64, **GIVEN[kind])
    copied = model.clone()
    assert {name: getattr(copied, name) for name in GIVEN[kind]} == GIVEN[kind]
    assert learned(type(copied), D=64, **GIVEN[kind]).learner.budget == 64
