"""What a report shows of a forecast."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.replaying.forecast import Point
from firmware_sim.report import report_of, to_dict, to_page, to_text
from firmware_sim.report.forecast import (
    about_path,
    horizon_chart,
    horizon_table,
    path_chart,
    path_table,
)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    draws = np.random.default_rng(1)
    t = np.arange(500)
    y = np.sin(2.0 * np.pi * t / 24.0) + 0.1 * draws.normal(size=500)
    path: Path = tmp_path_factory.mktemp("wave") / "wave.csv"
    lines = [f"{1.7e9 + 3600 * at:.0f},{value!r}" for at, value in enumerate(y.tolist())]
    path.write_text("\n".join(["time,y", *lines, ""]))
    return str(path)


@pytest.fixture(scope="module")
def path_result(log: str) -> fs.ReplayResult:
    return fs.replay(fs.ReplayConfig(log, forecast="y", horizon="4h", path=True, ram="16KiB"))


@pytest.fixture(scope="module")
def single(log: str) -> fs.ReplayResult:
    return fs.replay(fs.ReplayConfig(log, forecast="y", horizon=30, season=0, ram="16KiB"))


def test_the_next_rows_come_first(path_result: fs.ReplayResult) -> None:
    lines = to_text(path_result).splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("Forecast of the next rows"))
    assert "4 rows ahead (4 h); season 24 rows, a day: " in lines[at]
    assert [line.split()[0] for line in lines[at + 2 : at + 6]] == ["501", "502", "503", "504"]
    assert at < lines.index("Figures")
    # Row 500 was 499 hours after 1.7e9 seconds.
    assert lines[at + 2].split()[1:3] == ["2023-12-05", "18:13:20"]


def test_errors_by_horizon(path_result: fs.ReplayResult) -> None:
    lines = to_text(path_result).splitlines()
    at = lines.index("Error by horizon")
    assert lines[at + 1].split("  ")[0] == "rows ahead"
    names = [line.partition(")")[0] for line in lines[at + 2 : at + 6]]
    assert names == ["1 (60 min", "2 (2 h", "3 (3 h", "4 (4 h"]
    assert "in 16,3" in report_of(path_result).title
    assert "for 4 horizons" in report_of(path_result).title
    outlook = path_result.outlook
    assert outlook is not None
    chart = horizon_chart(path_result, outlook)
    assert [mark.name for mark in chart.marks] == ["sorf", "last value", "value 24 rows ago"]


def test_the_chart_joins_truth_and_paths(path_result: fs.ReplayResult) -> None:
    assert path_result.outlook is not None
    chart = path_chart(path_result.outlook)
    assert chart is not None
    assert chart.x_range == (461.0, 504.0)
    lines = {mark.name: mark for mark in chart.marks}
    assert lines["truth"].x[-1] == 500
    assert lines["forecast of the next rows"].x.tolist() == [501, 502, 503, 504]
    assert lines["forecast from row 496"].x.tolist() == [497, 498, 499, 500]
    assert np.all(lines["its interval"].low < lines["its interval"].y)


def test_all_forecasts_are_listed(single: fs.ReplayResult) -> None:
    lines = to_text(single).splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("Forecast of the next rows"))
    assert "lists every" not in lines[at]
    numbers = [int(line.split()[0]) for line in lines[at + 2 : lines.index("", at)]]
    assert numbers == [*range(501, 531)]
    assert "Error by horizon" not in lines  # there is one


@pytest.mark.parametrize(("ahead", "step", "word"), [(49, 2, "second"), (200, 5, "5th")])
def test_of_many_forecasts_the_report_says_which_are_listed(
    single: fs.ReplayResult, ahead: int, step: int, word: str
) -> None:
    assert single.outlook is not None
    future = [Point(500 + at, 0.0, -1.0, 1.0, 0.0) for at in range(1, ahead + 1)]
    outlook = replace(single.outlook, future=future)
    found = path_table(outlook)
    assert found is not None
    numbers = [int(row[0]) for row in found.rows]
    assert len(numbers) <= 48
    assert {*np.diff(numbers)} == {step}
    assert numbers[-1] == 500 + ahead
    assert f"The table lists every {word} row" in about_path(single, outlook)


def test_json_is_strict_and_complete(path_result: fs.ReplayResult) -> None:
    record = to_dict(path_result)["outlook"]
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert (record["column"], record["rows_ahead"], record["season"]) == ("y", 4, 24)
    assert [one["rows"] for one in record["horizons"]] == [1, 2, 3, 4]
    assert [one["row"] for one in record["next"]] == [501, 502, 503, 504]
    assert [one["target"] is None for one in record["next"]] == [True] * 4
    assert all(one["target"] is not None for one in record["past"])


def test_the_page_shows_the_same(path_result: fs.ReplayResult) -> None:
    page = to_page(path_result)
    assert "Forecast of the next rows" in page
    assert "forecast from row 496" in page
    assert "value 24 rows ago" in page


def test_without_times_there_are_only_rows(path_result: fs.ReplayResult) -> None:
    assert path_result.outlook is not None
    known = path_table(path_result.outlook)
    assert known is not None
    assert known.head[:2] == ("row", "time")
    outlook = replace(path_result.outlook, period=None)
    for one in (outlook, replace(path_result.outlook, last=3_600.0)):  # since the board's start
        found = path_table(one)
        assert found is not None
        assert (found.head[:2], found.rows[0][0]) == (("row", "forecast"), "501")
    assert about_path(path_result, outlook).startswith("From the last row on, 4 rows ahead; season")
    assert [row[0] for row in horizon_table(path_result, outlook).rows] == ["1", "2", "3", "4"]


def test_a_path_that_was_left_out_is_not_shown(path_result: fs.ReplayResult) -> None:
    assert path_result.outlook is not None
    outlook = replace(path_result.outlook, future=[])
    assert path_table(outlook) is None
    assert path_chart(outlook) is None
