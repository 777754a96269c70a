"""Streams watched in the order of time: alarms with their reasons, the oddest rows, gaps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from edgeolk.hosting import REASONS, unpack_reason
from firmware_sim.metrics.anomalies import (
    ALARMS,
    ODDEST,
    Anomalies,
    Anomaly,
    RowDeviation,
    RowDeviations,
    Standstill,
)
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.novelty import Novelty
from firmware_sim.metrics.reasons import reason
from firmware_sim.report import to_dict, to_page, to_text

NAMES = ("CO2", "humidity", "pressure")
N = 4000


def readings() -> np.ndarray:
    """Three waves; CO2 stands still for 90 rows, pressure jumps, humidity is gone for a while."""
    rng = np.random.default_rng(11)
    t = np.arange(N)
    X = np.column_stack([np.sin(t / 25 + k) + 0.08 * rng.normal(size=N) for k in range(3)])
    X[2500:2590, 0] = X[2499, 0]
    X[3200, 2] += 15.0
    X[3600:3700, 1] = np.nan
    return X.round(5)


@pytest.fixture
def room(tmp_path: Path) -> Path:
    path = tmp_path / "room.csv"
    lines = ["time," + ",".join(NAMES)]
    for i, row in enumerate(readings()):
        cells = ["" if np.isnan(value) else f"{value:.5f}" for value in row]
        moment = f"2026-01-{1 + i // 1440:02d} {i // 60 % 24:02d}:{i % 60:02d}:00"
        lines.append(",".join([moment, *cells]))
    path.write_text("\n".join(lines) + "\n")
    return path


def config(path: Path, **more: Any) -> fs.ReplayConfig:
    return fs.ReplayConfig(str(path), kind="novelty", ram="2KiB", **more)


def by_hand(replay: fs.Replay) -> ek.Learner:
    """A new learner such as that of a replay."""
    options = replay.config.learner_params
    return ek.Learner(n_features=3, D=replay.device.plan.budget, **options)


def test_rows_are_watched_in_the_order_of_time(room: Path) -> None:
    """The learner is the one by hand, absent readings among its rows."""
    replay = fs.Replay(config(room))
    result = replay.run()
    learner = by_hand(replay)
    scores = learner.learn_many(readings(), time=60.0 * np.arange(N))
    figures = result.metrics.summary()["learner"]
    assert result.config.label_kind.uses_order
    assert (result.rows.used, result.rows.repaired) == (N, 0)
    assert result.rows.missing_by_column == {"humidity": 100}
    assert figures["alarm_rows"] == np.count_nonzero(scores < 0.0)
    assert figures["alarms"] == learner.alarms
    assert isinstance(result.metrics, Novelty)
    oddest = result.metrics.anomalies.oddest
    assert len(oddest) == ODDEST
    assert oddest[0].novelty == pytest.approx(max(o.novelty for o in oddest))
    assert np.abs(np.diff(sorted(anomaly.row for anomaly in oddest))).min() > 64


def test_the_report_gives_reasons_in_words(room: Path) -> None:
    result = fs.replay(config(room))
    text, page = to_text(result), to_page(result)
    assert "CO2: flat for " in text
    assert "humidity: no reading for " in text
    assert "The most anomalous rows" in text
    assert "2026-01-03 05:20:00" in text
    assert "<title>rows " in page
    assert "CO2: flat for " in page
    data = json.loads(json.dumps(to_dict(result), allow_nan=False))
    assert len(data["anomalies"]) == ODDEST
    jump = next(alarm for alarm in data["alarms"] if alarm["first"] <= 3201 <= alarm["last"])
    assert jump["channel"] == "pressure"
    start = 1_767_225_600  # of the log; rows are a minute apart
    assert jump["begin_seconds"] == start + 60 * (jump["first"] - 1)
    assert jump["end_seconds"] == start + 60 * (jump["last"] - 1)
    head, line = (
        next(one for one in text.splitlines() if word in one)
        for word in ("begin", f"{jump['first']:,} to {jump['last']:,}")
    )
    assert head.split() == ["rows", "begin", "end", "duration", "channel", "reason"]
    assert "pressure" in line
    assert f"{(jump['last'] - jump['first'])} min" in line
    spike = next(anomaly for anomaly in data["anomalies"] if anomaly["row"] == 3201)
    assert spike["readings"]["pressure"] > 10.0
    assert "pressure" in spike["reason"]
    assert any("flat for" in alarm["reason"] for alarm in data["alarms"])


@pytest.mark.parametrize(
    ("part", "reading", "unchanged", "words"),
    [
        ("flat", 21.5, 1, "CO2: flat for 2 readings"),
        ("flat", 21.5, 1200, "CO2: flat for 1,201 readings"),
        ("flat", np.nan, 1, "CO2: no reading for 1 row"),
        ("flat", np.nan, 30, "CO2: no reading for 30 rows"),
        ("value", 18170.0, 0, "CO2: 18,170 is outside everything seen so far"),
        ("value", 1799.6, 0, "CO2: 1,800 is outside everything seen so far"),
        ("change", 3.14159, 0, "CO2: changed faster than ever, now 3.142"),
        ("season", 2.5e9, 0, "CO2: 2.5e+09 is unusual for this hour"),
    ],
)
def test_reasons_in_words(part: str, reading: float, unchanged: int, words: str) -> None:
    deviations = RowDeviation(1.0, (reading,), (4.0,), (unchanged,))
    packed = float(16 * REASONS.index(part))
    anomaly = Anomaly(0.6, 5, 0.0, packed, deviations)
    assert reason(anomaly, ["CO2"]) == words


def test_what_is_said_keeps_it_from_being_watched(room: Path) -> None:
    for more in ({"gamma": 0.3}, {"scale": "minmax"}, {"params": {"history": False}},
                 {"algorithm": "fogd"}):  # fmt: skip
        assert not config(room, **more).label_kind.uses_order
    assert config(room, params={"nu": 0.1}).label_kind.uses_order
    assert config(room, algorithm="sorf", params={"history": True}).label_kind.uses_order
    assert not config(room, algorithm="sorf").label_kind.uses_order
    assert not config(room, missing="last").takes_gaps
    assert fs.replay(config(room, missing="last")).rows.repaired == 100
    result = fs.replay(config(room, params={"history": False}))
    assert "different from all earlier rows, " in to_text(result)


def test_reasons_go_through_a_number() -> None:
    for flags, part, channel in ((15, "pattern", 0), (0, "level", 7), (3, "flat", 300)):
        packed = float(flags + 16 * REASONS.index(part) + 256 * channel)
        assert unpack_reason(packed) == (part, channel)
    assert unpack_reason(-1.0) is None


def test_memory_of_alarms_is_of_fixed_size() -> None:
    anomalies = Anomalies()
    rows = np.arange(1, 100_001)
    batch = Batch.of(label=rows, score=rows, reason=-np.ones(len(rows)))
    unknown = RowDeviations(np.zeros(len(rows)), *np.empty((3, len(rows), 0)))
    anomalies.add_block(1, rows % 977, rows % 100 == 0, batch.rows, unknown)
    assert len(anomalies.alarms) == ALARMS
    assert len(anomalies.oddest) == ODDEST
    assert {anomaly.novelty for anomaly in anomalies.oddest} == {976.0}
    assert [alarm.first for alarm in anomalies.alarms[:2]] == [100, 200]


def test_a_reading_that_is_gone_stands_still() -> None:
    still = Standstill()
    rows = [[1.0, 2.0], [1.0, np.nan], [2.0, np.nan], [2.0, 2.0], [2.0, 3.0]]
    counts = still.add_block(np.array(rows)).tolist()
    assert counts == [[0, 0], [1, 1], [0, 2], [1, 3], [2, 0]]


def test_a_gap_in_time_is_a_restart(tmp_path: Path) -> None:
    """RevealedLabels to the learner before the row that comes after it."""
    path = tmp_path / "gap.csv"
    X = readings()[:1500]
    lines = ["time," + ",".join(NAMES)]
    for i, row in enumerate(X):
        day = 2 if i >= 1000 else 1
        clock = f"{i // 60 % 24:02d}:{i % 60:02d}:00"
        lines.append(f"2026-01-{day + i // 1440:02d} {clock}," + ",".join(f"{v:.5f}" for v in row))
    path.write_text("\n".join(lines) + "\n")
    plain, cut = fs.replay(config(path)), fs.Replay(config(path, gap=3600))
    result = cut.run()
    learner = by_hand(cut)
    times = 60.0 * np.arange(len(X))
    scores = [*learner.learn_many(X[:1000], time=times[:1000])]
    learner.restart()
    scores += [*learner.learn_many(X[1000:], time=times[1000:])]
    figures = result.metrics.summary()["learner"]
    assert figures["alarm_rows"] == np.count_nonzero(np.array(scores) < 0.0)
    assert cut.device.learner.anomaly == learner.anomaly
    assert plain.metrics.rows == result.metrics.rows == len(X)
    with pytest.raises(fs.SimulatorError, match="process of its own"):
        config(path, gap=3600, enforce="process")
    with pytest.raises(fs.SimulatorError, match="in the order of time"):
        fs.ReplayConfig(str(path), gap=3600)


def test_a_line_of_several_alarms_says_so() -> None:
    """Without a history each run of novel rows is an alarm; near ones are in one line."""
    metrics = Novelty(0.05)
    scores = np.where(np.isin(np.arange(300), (50, 52, 54, 250)), -1.0, 1.0)
    row, label = np.arange(1, 301), np.full(300, np.nan)
    more = {"threshold": np.zeros(300), "reason": np.full(300, -1.0), "seconds": label}
    metrics.add_block(Batch.of(row=row, label=label, score=scores, **more))
    assert metrics.learner.alarms == 4
    (table,) = (one for one in metrics.tables(()) if one.name == "alarms")
    assert [cells[0] for cells in table.rows] == ["51 to 55", "251"]
    assert table.title == "Alarms (of 4, those at most 64 rows apart are in one line)"


def test_of_too_many_alarms_the_rows_are_left_out() -> None:
    """The last one has two rows, each the most novel so far."""
    anomalies, n = Anomalies(), ALARMS + 1
    rows = np.sort(np.concatenate([1 + 100 * np.arange(n), [2 + 100 * (n - 1)]]))
    batch = Batch.of(row=rows, label=rows, score=rows, reason=-np.ones(len(rows)))
    unknown = RowDeviations(np.zeros(1), *np.empty((3, 1, 0)))
    for at, row in enumerate(rows.tolist()):
        one = slice(at, at + 1)
        anomalies.add_block(row, np.array([float(row)]), np.ones(1, bool), batch.rows[one], unknown)
    assert len(anomalies.alarms) == ALARMS
    assert anomalies.alarms[-1].last == 1 + 100 * (ALARMS - 1)
    assert anomalies.oddest[0].row == rows[-1]


def test_a_reason_of_a_row_whose_readings_are_unknown() -> None:
    packed = float(16 * REASONS.index("change"))
    anomaly = Anomaly(0.6, 5, 0.0, packed, RowDeviation(1.0, (), (), ()))
    assert reason(anomaly, ["CO2"]) == "CO2: changed faster than ever, now no reading"
