"""Metrics count many rows as they count one by one, bit for bit, however they are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from firmware_sim.metrics import Novelty
from firmware_sim.metrics.base import Contexts, RowContext
from firmware_sim.metrics.watch import Sample

ROWS = 900


def told(metrics: Novelty) -> list[Any]:
    """All that a report tells of it."""
    odd = metrics.oddities
    return [
        metrics.summary(),
        metrics.windows,
        [*map(repr, odd.oddest)],
        [(one.first, one.last, one.rows, repr(one.worst)) for one in odd.alarms],
        [part.tolist() for part in metrics.curve.table()],
        metrics.learner.inside.values.tolist(),
        metrics.distance.outside.values.tolist(),
    ]


def stream(d: int, seed: int) -> dict[str, Any]:
    """Rows with gaps and readings that stand still; labels in windows, some unknown; alarms."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(3.0, 2.0, size=(ROWS, d)), 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[100:160] = X[100]
    X[0, 0] = X[1, 0] = np.nan
    labels = np.where((np.arange(ROWS) // 40) % 5 == 1, 1.0, -1.0)
    labels[rng.random(ROWS) < 0.1] = np.nan
    scores = rng.normal(1.0, 0.6, size=ROWS)
    return {
        "X": X, "labels": labels, "scores": scores, "levels": rng.random(ROWS),
        "seconds": np.where(rng.random(ROWS) < 0.1, np.nan, 60.0 * np.arange(ROWS)),
        "verdicts": rng.integers(-1, 40, ROWS).astype(float),
    }  # fmt: skip


@pytest.mark.parametrize("hold", [0, 3])
@pytest.mark.parametrize("d", [1, 3, 20, 70])
@pytest.mark.parametrize("cuts", [[], [1, 2, 3], [40, 41, 79, 200, 456, 457]])
def test_novelty(d: int, hold: int, cuts: list[int]) -> None:
    data = stream(d, d + hold)
    one, many = (Novelty(0.05, sampled=300, points=64, hold=hold) for _ in range(2))
    for at in range(ROWS):
        looked = one.look(data["X"][at])
        context = RowContext(
            float(data["levels"][at]), looked, float(data["seconds"][at]), number=at + 7,
            verdict=float(data["verdicts"][at]),
        )  # fmt: skip
        one.add(float(data["labels"][at]), float(data["scores"][at]), context=context)
    for first, end in zip([0, *cuts], [*cuts, ROWS], strict=True):
        part = slice(first, end)
        looked_many = many.look_many(data["X"][part])
        contexts = Contexts(
            data["levels"][part], looked_many, data["seconds"][part],
            np.arange(first, end) + 7, data["verdicts"][part],
        )  # fmt: skip
        many.add_block(data["labels"][part], data["scores"][part], contexts)
    assert repr(told(many)) == repr(told(one))
    assert one.learner.false_alarms > 0
    assert one.learner.detected > 0


def test_a_sample_of_many_numbers() -> None:
    one, many = Sample(50, 1), Sample(50, 1)
    values = np.random.default_rng(0).normal(size=400)
    for value in values.tolist():
        one.add(value)
    for part in np.split(values, [30, 31, 70]):
        many.add_block(part)
    assert many.values.tolist() == one.values.tolist()
    assert many.seen == one.seen
