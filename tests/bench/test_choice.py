"""The comparison of learners of targets, and errors in dB."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

# At the end: where an installed wheel is tested, edgeolk must not be the one beside bench.
sys.path.append(str(Path(__file__).parents[2]))

from bench.filters import choice, untuned


def test_a_set_has_a_line_with_every_method_and_its_ratios(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    rows = X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=300)
    monkeypatch.setattr(choice, "rows_of", lambda name: rows)
    data: dict[str, dict[str, dict[str, float]]] = {}
    table = choice.table_of(["ccpp"], "shuffled", "4KiB", data)
    found = data["ccpp"]["shuffled, 4KiB"]
    assert set(found) == {*choice.METHODS, "vectors"}
    assert found["vectors"] > 0
    line, mean, worse = table.rows
    assert line[:3] == ["ccpp", "3", str(found["vectors"])]
    ratio = found[choice.MIXED] / found["features"]
    at = table.header.index(f"{choice.MIXED} / features")
    assert line[at] == mean[at] == f"{ratio:.3f}"
    assert worse[at] == f"{int(ratio > choice.WORSE)} of 1"


def test_errors_are_relative_to_the_targets() -> None:
    y = np.random.default_rng(0).normal(size=1000) * 50.0 + 1e3
    f = y.copy()
    f[: untuned.FIRST] = 0.0
    f[untuned.FIRST :] += 0.1 * y[untuned.FIRST :].std()
    assert untuned.decibels(f, y) == pytest.approx(-20.0)
