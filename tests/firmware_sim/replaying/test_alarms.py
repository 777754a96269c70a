"""Where the alarm of drift rang: by rows and by blocks, in reports, in records of fleets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.report import to_dict, to_page, to_text

N, FLIPPED = 3200, 2000


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A stream whose labels mean the other from row 2,001 on; some rows lack a reading."""
    draws = np.random.default_rng(1)
    X = draws.normal(size=(N, 4))
    y = np.where((X[:, 0] + 0.3 * X[:, 1] > 0.5) ^ (np.arange(N) >= FLIPPED), 1, 0)
    cells = [[*map(repr, row), str(label)] for row, label in zip(X.tolist(), y, strict=True)]
    for at in range(7, N, 50):
        cells[at][1] = ""
    path: Path = tmp_path_factory.mktemp("drift") / "stream.csv"
    path.write_text("\n".join(["a,b,c,d,label", *map(",".join, cells), ""]))
    return str(path)


def replayed(table: str, **options: Any) -> fs.ReplayResult:
    return fs.replay(fs.ReplayConfig(table, **{"target": "label", "ram": "8KiB", **options}))


def rang(table: str) -> list[int]:
    """Rows of the stream at which a learner of its own rings, learning them one by one."""
    result = replayed(table, limit=1)
    learner = ek.Learner(n_features=4, budget=result.learner["budget"])
    found = []
    lines = Path(table).read_text(encoding="utf-8").splitlines()[1:]
    for number, line in enumerate(lines, 1):
        *readings, label = line.split(",")
        if "" not in readings:
            before = learner.alarms
            learner.learn_one(list(map(float, readings)), 1 if label == "1" else -1)
            found += [number] if learner.alarms > before else []
    return found


def test_the_same_rows_however_they_are_learned(table: str) -> None:
    expected = rang(table)
    assert expected
    assert all(row > FLIPPED for row in expected)
    blocks, rows = replayed(table), replayed(table, damaged="stop")
    assert blocks.alarms == rows.alarms == expected
    assert blocks.learner["alarms"] == len(expected)
    process = replayed(table, enforce="process")
    assert process.learner["alarms"] == len(expected)
    assert all(0 <= late - row < 66 for late, row in zip(process.alarms, expected, strict=True))


def test_in_every_report(table: str) -> None:
    result = replayed(table)
    told = to_dict(result)["learner"]
    assert told["alarm_rows"] == result.alarms
    assert told["alarms"] == len(result.alarms)
    row = f"{result.alarms[0]:,}"
    assert f"of the learner, at row{'s' * (len(result.alarms) > 1)} {row}" in to_text(result)
    page = to_page(result)
    for row in result.alarms:
        assert page.count(f"alarm of drift, row {row:,}</title>") == 2  # wide and narrow
    assert "alarm of drift</text>" in page


def test_none_without_the_option(table: str) -> None:
    result = replayed(table, params={"drift": False})
    assert result.alarms == []
    assert result.learner["alarms"] == 0
    assert "drift     " not in to_text(result)
    assert "alarm of drift" not in to_page(result)


def test_rings_have_none(table: str) -> None:
    result = replayed(table, algorithm="bpa_s", ram="64KiB")
    assert (result.alarms, result.learner["alarms"]) == ([], 0)


def test_labels_that_come_one_row_late_ring_a_row_later(table: str) -> None:
    late = replayed(table, label_delay=1)
    assert late.learner["alarms"] == len(late.alarms) > 0
    assert all(FLIPPED < row <= N for row in late.alarms)
