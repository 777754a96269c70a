"""A memory of rows beside the features (`memory=`), learned by rows, blocks, a process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.report import to_dict, to_text

N, MEMORY = 500, 120


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    draws = np.random.default_rng(1)
    X = draws.normal(size=(N, 3))
    y = (X > 0.3).sum(axis=1) % 2
    cells = [[*map(repr, row), str(label)] for row, label in zip(X.tolist(), y, strict=True)]
    path: Path = tmp_path_factory.mktemp("memory") / "stream.csv"
    path.write_text("\n".join(["a,b,c,label", *map(",".join, cells), ""]))
    return str(path)


def replayed(table: str, **options: Any) -> fs.ReplayResult:
    made = {"target": "label", "ram": "6KiB", "params": {"memory": MEMORY}, **options}
    return fs.replay(fs.ReplayConfig(table, **made))


def test_reports_say_what_it_holds(table: str) -> None:
    found = [replayed(table), replayed(table, damaged="stop"), replayed(table, enforce="process")]
    for result in found:
        counters = result.learner
        assert counters["mistakes"] == found[0].learner["mistakes"]
        assert counters["n_remembered"] == MEMORY
        assert counters["memory_percent"] == found[0].learner["memory_percent"] > 0
        assert to_dict(result)["learner"]["n_remembered"] == MEMORY
        text = f"memory    {MEMORY} rows in the row memory, {counters['memory_percent']} % of"
        assert text in to_text(result)


def test_without_one_nothing_is_said(table: str) -> None:
    result = replayed(table, params={"memory": 0})
    assert result.learner["n_remembered"] == 0
    assert "rows in the row memory" not in to_text(result)
