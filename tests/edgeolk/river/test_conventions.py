"""river's own checks of a model, all of them; none is skipped."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from river import checks, datasets

from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor


class Payments:
    """Stands for river's CreditCard, which is fetched from the network."""

    def take(self, n: int) -> Iterator[tuple[dict[str, float], int]]:
        draw = random.Random(0)
        for i in range(n):
            fraud = i % 50 == 49
            yield {f"V{j}": draw.gauss(4.0 * fraud, 1.0) for j in range(30)}, int(fraud)


MODELS = [KernelClassifier(), KernelClassifier(n_classes=7), KernelRegressor(), KernelNovelty()]


def _checks() -> Iterator[Any]:
    there, datasets.CreditCard = datasets.CreditCard, Payments
    try:
        for model in MODELS:
            assert not list(model._unit_test_skips())
            for number, check in enumerate(checks.yield_checks(model)):
                name = f"{type(model).__name__}-{number}-{check.__name__}"
                yield pytest.param(model, check, id=name)
    finally:
        datasets.CreditCard = there


@pytest.mark.filterwarnings("ignore:feature .* has no column")
@pytest.mark.parametrize(("model", "check"), list(_checks()))
def test_a_check_of_river(model: Any, check: Callable[[Any], None]) -> None:
    check(model.clone())
