"""Metrics count the same, row by row or in blocks; whatever they tell is in every report."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firmware_sim as fs
from firmware_sim.comparison import compare
from firmware_sim.comparison.report import to_dict as compared
from firmware_sim.metrics import Metrics, Multiclass, Novelty, Prequential, Regression
from firmware_sim.metrics.base import Figure, Looked, RowContext
from firmware_sim.metrics.curve import Curve
from firmware_sim.metrics.formats import thousandths
from firmware_sim.report import to_dict, to_text
from firmware_sim.report.page import to_page

KINDS: dict[str, tuple[Callable[[], Metrics], tuple[float, ...]]] = {
    "binary": (lambda: Prequential(8), (-1.0, 1.0)),
    "multiclass": (lambda: Multiclass(("a", "b", "c"), 8), (0.0, 1.0, 2.0)),
    "regression": (lambda: Regression(8), (1.5, -2.0, 0.25)),
    "novelty": (lambda: Novelty(0.1, points=8), (-1.0, 1.0)),
}


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), cuts=st.lists(st.integers(0, 90), max_size=6))
@settings(deadline=None, max_examples=25)
def test_rows_and_blocks_count_alike(kind: str, seed: int, cuts: list[int]) -> None:
    make, values = KINDS[kind]
    rng = np.random.default_rng(seed)
    labels = rng.choice(values, 90)
    scores = rng.choice(values, 90) if kind == "multiclass" else rng.normal(size=90)
    beside = [RowContext(a, Looked(b)) for a, b in np.abs(rng.normal(size=(90, 2))).tolist()]
    by_row, by_block = make(), make()
    for label, score, own in zip(labels.tolist(), scores.tolist(), beside, strict=True):
        by_row.add(label, score, context=own)
    ends = [0, *sorted(cuts), 90]
    for first, last in itertools.pairwise(ends):
        part = slice(first, last)
        by_block.add_block(labels[part], scores[part], beside[part])
    assert by_block.summary() == by_row.summary()
    assert by_block.comparable == by_row.comparable
    for mine, theirs in zip(by_block.curve.table(), by_row.curve.table(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@given(
    losses=st.lists(st.integers(0, 5), max_size=300),
    points=st.integers(2, 9),
    size=st.integers(1, 70),
)
@settings(deadline=None)
def test_a_curve_of_blocks_is_that_of_rows(losses: list[int], points: int, size: int) -> None:
    by_row, by_block = Curve(points), Curve(points)
    running = np.cumsum(losses)[:, None] * np.array([1, 2, 3]) if losses else np.empty((0, 3))
    for row in running.tolist():
        by_row.add(*row)
    for at in range(0, len(running), size):
        by_block.add_block(running[at : at + size])
    assert by_block.step == by_row.step
    for mine, theirs in zip(by_block.table(), by_row.table(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


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
