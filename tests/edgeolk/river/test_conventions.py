"""river's own checks of a model, all of them; none is skipped."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor


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
def test_checks_of_river(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from river import checks, datasets

    monkeypatch.setattr(datasets, "CreditCard", Payments)
    assert not list(model._unit_test_skips())
    for check in checks.yield_checks(model):
        check(model.clone())
