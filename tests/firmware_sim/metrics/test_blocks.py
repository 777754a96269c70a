"""Metrics count alike in blocks of any size; whatever they tell is in every report."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firmware_sim as fs
from firmware_sim.comparison import compare
from firmware_sim.comparison.report import to_dict as compared
from firmware_sim.kinds.classes import Multiclass
from firmware_sim.kinds.regression import Regression
from firmware_sim.kinds.two_classes import Prequential
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.base import Figure, thousandths
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.curve import Curve
from firmware_sim.metrics.novelty import Novelty
from firmware_sim.report import to_dict, to_page, to_text

KINDS: dict[str, tuple[Callable[[], Metrics], tuple[float, ...]]] = {
    "binary": (lambda: Prequential(points=8), (-1.0, 1.0)),
    "multiclass": (lambda: Multiclass(("a", "b", "c"), 8), (0.0, 1.0, 2.0)),
    "regression": (lambda: Regression(8), (1.5, -2.0, 0.25)),
}
ROWS = 900


def parts(cuts: list[int], n: int) -> Iterator[slice]:
    return (slice(*ends) for ends in itertools.pairwise([0, *sorted(cuts), n]))


def late(y: np.ndarray, scores: np.ndarray, delay: int, part: slice) -> Batch:
    """A part of the rows with labels that arrive so many rows late."""
    rows = np.arange(part.start, part.stop)
    found = Batch.of(label=y[part], score=scores[part])
    if delay:  # behind that row, so before the next one
        found.rows["late"], found.rows["n_arrived"] = True, rows > delay
        found.arrived = y[rows[rows > delay] - delay - 1]
    return found


@pytest.mark.parametrize("delay", [None, 0, 1, 7])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), cuts=st.lists(st.integers(0, 90), max_size=6))
@settings(deadline=None, max_examples=10)
def test_blocks_count_alike(kind: str, delay: int | None, seed: int, cuts: list[int]) -> None:
    make, values = KINDS[kind]
    rng = np.random.default_rng(seed)
    labels = rng.choice(values, 90)
    scores = rng.choice(values, 90) if kind == "multiclass" else rng.normal(size=90)
    whole, by_block = make(), make()
    for metrics, ends in ((whole, []), (by_block, cuts)):
        for part in parts(ends, 90):
            metrics.add_block(late(labels, scores, delay or 0, part))
    assert by_block.summary() == whole.summary()
    assert by_block.comparable == whole.comparable
    for mine, theirs in zip(by_block.curve.table(), whole.curve.table(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    if not delay:  # each comes behind its row
        at_once = make()
        at_once.add_block(Batch.of(label=labels, score=scores))
        assert whole.summary() == at_once.summary()


@pytest.mark.parametrize("kind", KINDS)
def test_baselines_wait_for_labels_that_are_late(kind: str) -> None:
    make, (value, *_) = KINDS[kind]
    metrics = make()
    labels = np.full(5, value if kind != "multiclass" else 2.0)
    metrics.add_block(late(labels, labels, 2, slice(0, 5)))
    told = [metrics.loss(who) for who in metrics.baselines]
    assert told == [3.0 * abs(value) if kind == "regression" else 3] * 2


def known(metrics: Novelty) -> list[Any]:
    """All that a report tells of it."""
    anomalies = metrics.anomalies
    return [
        metrics.summary(),
        metrics.windows,
        [*map(repr, anomalies.oddest)],
        [(one.first, one.last, one.rows, repr(one.strongest)) for one in anomalies.alarms],
        [part.tolist() for part in metrics.curve.table()],
        metrics.learner.inside.values.tolist(),
        metrics.distance.outside.values.tolist(),
    ]


@pytest.mark.parametrize(("d", "hold"), [(1, 3), (3, 0), (20, 3)])
@pytest.mark.parametrize("cuts", [[*range(1, ROWS)], [40, 41, 79, 200, 456, 457]], ids=len)
def test_rows_without_labels(d: int, hold: int, cuts: list[int]) -> None:
    """With gaps and readings that stand still; labels in windows, some unknown; alarms."""
    rng = np.random.default_rng(d)
    X = np.round(rng.normal(3.0, 2.0, size=(ROWS, d)), 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[100:160] = X[100]
    X[0, 0] = X[1, 0] = np.nan
    labels = np.where((np.arange(ROWS) // 40) % 5 == 1, 1.0, -1.0)
    labels[rng.random(ROWS) < 0.1] = np.nan
    scores, levels = rng.normal(1.0, 0.6, size=ROWS), rng.random(ROWS)
    seconds = np.where(rng.random(ROWS) < 0.1, np.nan, 60.0 * np.arange(ROWS))
    reasons = rng.integers(-1, 40, ROWS).astype(float)
    whole, by_block = (Novelty(0.05, sampled=300, points=64, hold=hold) for _ in range(2))
    for metrics, ends in ((whole, []), (by_block, cuts)):
        for part in parts(ends, ROWS):
            batch = Batch.of(
                label=labels[part], score=scores[part], threshold=levels[part],
                reason=reasons[part], seconds=seconds[part],
                row=np.arange(part.start, part.stop) + 7,
            )  # fmt: skip
            metrics.add_block(batch, metrics.observe(X[part]))
    assert repr(known(by_block)) == repr(known(whole))
    assert whole.learner.false_alarms > 0
    assert whole.learner.detected > 0


@given(
    losses=st.lists(st.integers(0, 5), max_size=300),
    points=st.integers(2, 9),
    size=st.integers(1, 70),
)
@settings(deadline=None)
def test_a_curve_of_blocks(losses: list[int], points: int, size: int) -> None:
    """Exact counts at evenly spaced rows, in a table that does not grow."""
    curve, total = Curve(points), np.cumsum(losses, dtype=int)
    running = total[:, None] * np.array([1, 2, 3])
    for at in range(0, len(running), size):
        curve.add_block(running[at : at + size])
    rows, table = curve.table()
    assert min(len(losses), points // 2) <= len(rows) <= points + 1
    assert curve._sums.shape == (points, 3)
    assert np.all(np.diff(rows[:-1]) == curve.step)
    if losses:
        assert rows[-1] == len(losses)
    np.testing.assert_array_equal(table, running[rows - 1] if losses else table)


def test_a_figure_added_to_its_class_is_in_every_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = Figure("half an error", thousandths, lambda own, _: 0.5 * own.error)
    monkeypatch.setattr(Prequential, "table", {**Prequential.table, "half": half})
    config = fs.ReplayConfig("occupancy", algorithm="rbp", ram="4KiB", limit=300)
    result = fs.replay(config)
    assert to_dict(result)["metrics"]["learner"]["half"] == 0.5 * result.metrics.learner.error
    assert "half an error" in to_text(result)
    assert "half an error" in to_page(result)
    found = compare(config, ["4KiB"], ["rbp"], folder=tmp_path, workers=1)
    run = compared(found)["runs"][0]
    assert run["figures"]["half"] == 0.5 * run["loss"]
