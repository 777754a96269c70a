"""Rows of a period joined into one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.comparison import compare
from firmware_sim.deployment import board_script
from firmware_sim.report import to_text
from firmware_sim.streams.block import Block, Cells, Row
from firmware_sim.streams.joined import Joined
from firmware_sim.streams.stream import BlockStream

NAMES = ("temperature", "humidity", "co2")
N = 900


class Rows(BlockStream):
    """Rows with their times, in blocks of a size."""

    name, target, features = "rows", "y", ("a", "b")

    def __init__(self, rows: Row, labels: list[str], seconds: Row, size: int) -> None:
        self._rows, self._labels, self._seconds, self._size = rows, labels, seconds, size

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        for at in range(0, len(self._rows), self._size):
            some = slice(at, at + self._size)
            labels = Cells.of(self._labels[some])
            damage = {i: "too short" for i, one in enumerate(self._labels[some]) if one == "bad"}
            yield Block(at + 1, self._rows[some], labels, self._seconds[some], damage)


def whole(stream: fs.Stream) -> tuple[Row, list[str], Row, list[int]]:
    blocks = [*stream.blocks()]
    words = [block.labels.words[place] for block in blocks for place in block.labels.places]
    damaged = [block.first + at for block in blocks for at in block.damage]
    assert [block.first for block in blocks] == [
        1 + sum(map(len, blocks[:at])) for at in range(len(blocks))
    ]
    seconds = np.concatenate([block.seconds for block in blocks])
    return np.concatenate([block.rows for block in blocks]), words, seconds, damaged


@pytest.mark.parametrize("how", ["last", "mean"])
@pytest.mark.parametrize("size", [1, 7, 500])
def test_it_is_what_a_loop_finds(how: str, size: int) -> None:
    draws = np.random.default_rng(0)
    rows = draws.normal(size=(400, 2)).round(3)
    rows[draws.random(rows.shape) < 0.3] = np.nan
    seconds = np.cumsum(draws.choice([20.0, 40.0, 700.0], 400, p=[0.5, 0.4, 0.1]))
    seconds[[0, 9, 50]] = np.nan
    labels = [*map(str, draws.integers(0, 9, 400))]
    labels[3], labels[60:75] = "", ["bad"] * 15
    found, words, times, damaged = whole(
        Joined(Rows(rows, labels, seconds, size), 300.0, how, has_numbers=True)
    )
    periods: list[float] = []
    for at, second in enumerate(seconds):  # a row without a time is of the period before it
        known = second if not np.isnan(second) else seconds[1] if at == 0 else None
        periods.append(periods[-1] if known is None else known // 300.0)
    order = [*dict.fromkeys(periods)]
    assert times.tolist() == [300.0 * one for one in order]
    for at, period in enumerate(order):
        mine = [i for i, one in enumerate(periods) if one == period and labels[i] != "bad"]
        assert (at + 1 in damaged) == (not mine)
        for column in range(2):
            known_ones = [x for x in rows[mine, column] if not np.isnan(x)]
            if not known_ones:
                assert np.isnan(found[at, column])
                continue
            expected = known_ones[-1] if how == "last" else np.mean(known_ones)
            assert found[at, column] == pytest.approx(expected)
        numbers = [float(labels[i]) for i in mine if labels[i]]
        if numbers:
            label = numbers[-1] if how == "last" else np.mean(numbers)
            assert float(words[at]) == pytest.approx(label)


def readings() -> Row:
    """Three sensors; one of them is off for an hour."""
    draws = np.random.default_rng(5)
    t = np.arange(N)
    waves = np.column_stack([np.sin(t / 30 + k) + 0.3 * draws.normal(size=N) for k in range(3)])
    waves[600:612, 2] += 9.0
    return waves.round(1)


def moment(seconds: float) -> str:
    begin = datetime(2026, 1, 5, tzinfo=timezone.utc)
    return (begin + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def history(folder: Path) -> str:
    """The sensors report 17 seconds apart, every five minutes."""
    lines = [
        f"sensor.{name},{value},{moment(300.0 * at + 60.0 + 17.0 * k)}"
        for at, row in enumerate(readings().tolist())
        for k, (name, value) in enumerate(zip(NAMES, row, strict=True))
    ]
    path = folder / "history.csv"
    path.write_text("\n".join(["entity_id,state,last_changed", *lines, ""]))
    return str(path)


def table(folder: Path) -> str:
    rows = enumerate(readings().tolist())
    lines = [f"{moment(300.0 * at)},{','.join(map(str, row))}" for at, row in rows]
    path = folder / "table.csv"
    path.write_text("\n".join([f"time,{','.join(NAMES)}", *lines, ""]))
    return str(path)


def alarms(result: fs.ReplayResult) -> list[tuple[int, int, float]]:
    metrics: Any = result.metrics
    return [(one.first, one.last, one.strongest.novelty) for one in metrics.anomalies.alarms]


def test_joined_reports_of_several_sensors_are_the_rows_of_a_table(tmp_path: Path) -> None:
    options: dict[str, Any] = {"kind": "novelty", "ram": "4KiB"}
    uneven = fs.replay(fs.ReplayConfig(history(tmp_path), **options))
    found = fs.replay(fs.ReplayConfig(history(tmp_path), every="5min", **options))
    expected = fs.replay(fs.ReplayConfig(table(tmp_path), **options))
    assert (uneven.rows.used, found.rows.used, expected.rows.used) == (3 * N, N, N)
    assert alarms(found) == alarms(expected)
    assert any(601 <= first <= 612 for first, *_ in alarms(found))
    (warning,) = [one for one in uneven.warnings if "--every 5min" in one]
    assert "counts as unchanged" in warning
    assert not [one for one in found.warnings if "--every" in one]
    text = to_text(found)
    assert "2,700 rows joined to 900, one for every 300 s with rows: the last of each" in text
    assert "--every 5min" in text.splitlines()[-1]


def test_a_comparison_joins_them_once(tmp_path: Path) -> None:
    config = fs.ReplayConfig(
        history(tmp_path), target="sensor.co2", kind="regression", every=300, limit=300, ram="8KiB"
    )
    found = compare(config, ["8KiB"], ["ogd"], folder=tmp_path / "out", seeds=1, workers=1)
    assert len(found.rows.y) == 300
    assert found.cell("default", 8192).error == fs.replay(config).metrics.mean_loss("learner")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": "soon"}, "every: 'soon' is not a time above 0, as in 10min"),
        ({"every": 0}, "every: '0' is not a time above 0"),
        ({"every": "5min", "time": "none", "ignore": ("time",)}, "needs the time of each row"),
        ({"every": "5min", "target": "a", "group": "b"}, "may be of several groups"),
    ],
    ids=str,
)
def test_what_is_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    kind = "" if "group" in options else "novelty"
    with pytest.raises(fs.SimulatorError, match=message):
        fs.replay(fs.ReplayConfig(table(tmp_path), kind=kind, **options))


def test_what_comes_once_is_not_joined(tmp_path: Path) -> None:
    rows = Rows(np.zeros((3, 2)), ["0", "1", "0"], np.arange(3.0), 2)
    rows.kept = 3
    with pytest.raises(fs.StreamError, match="can be read again: rows is live"):
        Joined(rows, 300.0, "last", has_numbers=False)
    with pytest.raises(fs.SimulatorError, match="cannot be combined with --every 5min"):
        board_script.check(fs.ReplayConfig("occupancy", every="5min"), tmp_path / "run.py")


def test_a_missing_code_is_no_reading_of_a_joined_row(tmp_path: Path) -> None:
    """The mean of 1, -999 and 3 is 2; and the log's damaged rows are in the report."""
    cells = ["1", "-999", "3", "2", "?x?", "2"] * 20
    cells = [f"x{at}" if cell == "?x?" else cell for at, cell in enumerate(cells)]
    lines = [f"{moment(10.0 * at)},{cell},{at % 7}" for at, cell in enumerate(cells)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["time,a,b", *lines, ""]))
    for how, expected in (("mean", 2.0), ("last", 3.0)):
        config = fs.ReplayConfig(
            str(path), kind="novelty", every=30.0, join=how, missing_codes=(-999,), time="time"
        )
        replay = fs.Replay(config)
        assert np.all(whole(replay.stream)[0][::2, 0] == expected)
        text = to_text(replay.run())
        assert "log       120 rows read, 20 damaged, 20 with missing values" in text
        assert "20 skipped: column 'a': a cell is not a number" in text


def test_labels_that_are_words_have_no_mean() -> None:
    rows = Rows(np.ones((4, 2)), ["on", "off", "1", "4"], np.array([0, 1, 300, 301.0]), 4)
    assert rows.count() is None
    assert whole(Joined(rows, 300.0, "mean", has_numbers=True))[1] == ["off", "2.5"]


def test_no_rows_are_joined_to_none() -> None:
    rows = Rows(np.zeros((0, 2)), [], np.zeros(0), 4)
    stream = Joined(rows, 300.0, "last", has_numbers=False)
    assert stream.count() == 0
    assert [*stream.blocks()] == []
