"""What is kept of a watched stream: against plain computations, however rows come in blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from edgeolk.hosting import REASONS, VERDICT_BITS
from firmware_sim.metrics.courses import courses
from firmware_sim.metrics.watching import CHANNELS, DAYS, EVENTS, Envelope, Watching, flags_of
from firmware_sim.report import to_dict, to_page, to_text


def packed(part: str, channel: int, *flags: str) -> float:
    """A verdict as learners send it."""
    return sum(VERDICT_BITS[f] for f in flags) + 16.0 * REASONS.index(part) + 256.0 * channel


def fed(verdicts: np.ndarray, readings: np.ndarray, seconds: np.ndarray, size: int) -> Watching:
    watching = Watching()
    for at in range(0, len(verdicts), size):
        part = slice(at, at + size)
        watching.add_block(at + 1, readings[part], verdicts[part], seconds[part])
    return watching


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_events_and_counts_do_not_depend_on_blocks(size: int) -> None:
    rng = np.random.default_rng(3)
    event = np.repeat(rng.random(50) < 0.5, 20)
    words = np.array([packed("flat", 1, *(["event"] * bool(one))) for one in event])
    words[[5, 700]] = packed("change", 0, "novel", "alarm", "event"), packed("flat", 2, "alarm")
    words[::9] += VERDICT_BITS["rare"]
    seconds = 3600.0 * np.arange(1000.0)
    seconds[30:60] = np.nan
    found = fed(words, rng.normal(size=(1000, 3)), seconds, size)
    (is_event,) = flags_of(words, "event")
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_event, [False]]).astype(int)))
    assert found.events == [[a + 1, b] for a, b in edges.reshape(-1, 2).tolist()]
    assert found.event_rows == is_event.sum()
    assert found.rare_rows == 112
    assert sum(map(sum, found.by_channel.values())) == 2
    assert found.by_channel[0][REASONS.index("change")] == 1
    assert found.by_channel[2][REASONS.index("flat")] == 1
    assert {day: n for day, n in found.by_day.items() if n} == {0: 1, 29: 1}
    assert len(found.by_day) == 42


@pytest.mark.parametrize("size", [1, 13, 4000])
def test_the_course_has_the_extremes_of_each_bin(size: int) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(1500, 2))
    X[200:300, 1] = np.nan
    seconds = np.arange(1500.0)
    envelope = Envelope(bins=64)
    for at in range(0, len(X), size):
        envelope.add_block(X[at : at + size], seconds[at : at + size])
    rows, low, high, times = envelope.course()
    assert envelope.step == 32
    assert len(rows) == 47
    for at, first in enumerate(range(0, 1500, 32)):
        part = X[first : first + 32]
        assert times[at] == first
        if np.isfinite(part).any(axis=0).all():
            assert low[at].tolist() == np.nanmin(part, axis=0).tolist()
            assert high[at].tolist() == np.nanmax(part, axis=0).tolist()
    assert np.isnan(low[7, 1])


def test_memory_is_of_fixed_size() -> None:
    watching = Watching()
    n = 4 * EVENTS
    words = np.tile([packed("flat", 0, "event"), packed("flat", 0)], n // 2)
    for at in range(6):
        readings = np.zeros((n, CHANNELS + 5))
        watching.add_block(at * n + 1, readings, words, np.full(n, np.nan))
    assert len(watching.events) == EVENTS
    assert watching.envelope.course()[1].shape[1] == CHANNELS
    assert not watching.by_day


def test_busy_channels_are_drawn_with_reasons() -> None:
    words = np.full(400, packed("flat", 0))
    words[300], words[350] = packed("value", 5, "alarm"), packed("flat", 1, "alarm")
    readings = np.random.default_rng(0).normal(size=(400, 6))
    watching = fed(words, readings, 3600.0 * np.arange(400.0), 400)
    bands = [("alarm", 301, 301, ""), ("alarm", 351, 351, ""), ("event", 301, 365, "")]
    reasons = {301: ("outside", 5), 351: ("flat", 1)}
    charts = courses(watching, list("abcdef"), bands, reasons)
    assert [chart.title for chart in charts] == ["a", "b", "c", "f"]
    notes = {chart.title: [mark.note for mark in chart.marks if mark.note] for chart in charts}
    assert notes == {"a": [], "b": ["flat"], "c": [], "f": ["outside"]}
    assert charts[0].x_ticks[0] == (1.0, "1\n1970-01-01")
    # The last mark is above all others: an alarm does not hide its readings.
    assert [chart.marks[-1].name for chart in charts] == ["a", "b", "c", "f"]


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """59 days of hourly readings; one is stuck, and one night is warm."""
    rng = np.random.default_rng(7)
    hours = np.arange(24 * 59)
    warm = 10.0 * np.sin(hours * np.pi / 12.0) + 0.5 * rng.normal(size=len(hours))
    flow = rng.normal(size=len(hours))
    flow[900:960] = flow[899]
    warm[1200:1224] *= -1.0  # warm at night: usual readings and changes at unusual hours
    lines = [
        f"2026-{1 + h // 744:02d}-{1 + h % 744 // 24:02d}T{h % 24:02d}:00:00Z,{a:.4f},{b:.4f}"
        for h, a, b in zip(hours.tolist(), warm.tolist(), flow.tolist(), strict=True)
    ]
    path = tmp_path_factory.mktemp("plant") / "plant.csv"
    path.write_text("time,warm,flow\n" + "\n".join(lines) + "\n")
    return path


def replayed(path: Path, **more: Any) -> fs.ReplayResult:
    return fs.replay(fs.ReplayConfig(str(path), kind="novelty", ram="4KiB", **more))


def test_the_page_has_course_calendar_and_channels(plant: Path) -> None:
    result = replayed(plant)
    page = to_page(result)
    for name in ("course0", "course1", "calendar"):
        assert f'<div id="{name}">' in page
    data = json.loads(json.dumps(to_dict(result), allow_nan=False))
    assert data["channels"]["flow"]["flat"] == 1
    assert sum(data["days"].values()) == result.metrics.summary()["learner"]["alarms"]
    assert data["days"]["2026-02-07"] == 1
    assert len(data["days"]) == 59
    assert "days have an alarm; most on" in page
    assert any("flow: flat for" in alarm["reason"] for alarm in data["alarms"])


def reasons_of(result: fs.ReplayResult) -> list[str]:
    return [alarm["reason"] for alarm in to_dict(result)["alarms"] if alarm["first"] > 1190]


def test_the_hour_of_the_day_is_learned(plant: Path) -> None:
    timed = replayed(plant)
    assert timed.config.resolved.params["clock"] is True
    assert any("unusual for this hour" in reason for reason in reasons_of(timed))
    for untimed in (
        replayed(plant, params={"clock": False}),
        replayed(plant, time="none", ignore=("time",)),
    ):
        assert not any("unusual for this hour" in reason for reason in reasons_of(untimed))
        assert not untimed.config.resolved.params.get("clock")


def test_a_zone_moves_the_hours(plant: Path) -> None:
    """Whole hours move the buckets of hours but change no verdict; days are those of the place."""
    here, there = replayed(plant), replayed(plant, clock_zone="+09:00")
    assert there.metrics.summary()["learner"] == here.metrics.summary()["learner"]
    days = to_dict(there)["days"]
    assert len(days) == 60
    with pytest.raises(fs.SimulatorError, match="no time zone"):
        replayed(plant, clock_zone="Nowhere")


def test_a_clock_that_does_not_fit_is_left_out(plant: Path) -> None:
    small = fs.replay(fs.ReplayConfig(str(plant), kind="novelty", ram="850B"))
    assert "clock" not in small.config.resolved.params


def test_rows_before_the_first_verdict_are_not_the_most_anomalous(plant: Path) -> None:
    """They all look as usual as a row can; of a short log there would be some."""
    data = to_dict(replayed(plant, limit=400))
    rows = [row["row"] for row in data["anomalies"]]
    assert rows
    assert min(rows) > 200


def test_a_log_without_labels_has_no_figures_of_them(plant: Path) -> None:
    text = to_text(replayed(plant, limit=400))
    figures = text.split("Figures")[1].split("\n\n")[0]
    assert "alarms a day" in figures
    assert "rare rows" in figures
    for name in ("AUC", "false alarms", "delay in rows", "in time"):
        assert name not in figures
    assert "updates" not in text
    assert "gamma" not in text.split("kernel")[1].split("\n")[0]


def test_alarms_of_two_equal_readings_may_be_chance(tmp_path: Path) -> None:
    """Readings of many digits of which two successive ones are equal, and then a real flat line."""
    x = np.random.default_rng(3).normal(size=1200).round(5)
    x[400], x[700] = x[399], x[699]
    path = tmp_path / "fine.csv"

    def report() -> str:
        lines = [f"{0.01 * at:.2f},{one}" for at, one in enumerate(x.tolist())]
        path.write_text("\n".join(["time,x", *lines, ""]))
        return to_text(fs.replay(str(path), kind="novelty", ram="4KiB"))

    text = report()
    assert "x: flat for 2 readings" in text
    assert "1 of 1 alarm began with a reading that came two or three times in a row" in text
    assert "--every 0.1s --join mean" in text
    x[400], x[700] = 0.5, 0.6
    x[1000:1008] = 0.1
    text = report()
    assert "x: flat for 3 readings" in text  # where it was the most unusual, of an alarm of 6 rows
    assert "may be chance" not in text


def test_readings_beyond_the_axis_are_marked() -> None:
    readings = np.random.default_rng(0).normal(size=(400, 2))
    readings[120, 0], readings[200, 0], readings[300, 0] = 900.0, 1_000.0, -2_000.0
    watching = fed(np.full(400, packed("value", 0)), readings, np.full(400, np.nan), 400)
    charts = courses(watching, ["spiky", "calm"], [], {})
    found = {
        chart.title: {mark.name: mark for mark in chart.marks if mark.points} for chart in charts
    }
    assert [*found["calm"]] == []
    up, down = found["spiky"].values()
    assert (up.name, down.name) == (
        "beyond the axis, up to 1000",
        "beyond the axis, down to -2000",
    )
    top, bottom = charts[0].y_range[1], charts[0].y_range[0]
    assert top < 900.0
    assert (len(up.x), set(up.y), len(down.x), set(down.y)) == (2, {top}, 1, {bottom})


def test_without_readings_alarms_are_counted_and_there_is_no_course() -> None:
    words = np.array([packed("flat", 1, "alarm", "event"), -1.0, packed("change", 0, "alarm")])
    watching = fed(words, np.empty((3, 0)), np.array([0.0, 86_400.0, np.nan]), 2)
    watching.add_block(4, np.empty((0, 0)), np.empty(0), np.empty(0))
    assert watching.by_day == {0: 1, 1: 0}
    assert sum(map(sum, watching.by_channel.values())) == 2
    assert watching.events == [[1, 1]]
    assert courses(watching, [], [], {}) == []


def test_days_beyond_the_first_are_not_counted() -> None:
    n = DAYS + 20
    words = np.full(n, packed("flat", 0, "alarm"))
    watching = fed(words, np.zeros((n, 1)), 86_400.0 * np.arange(n), n)
    assert len(watching.by_day) == DAYS
    assert max(watching.by_day) == DAYS - 1
    assert set(watching.by_day.values()) == {1}


def test_a_channel_without_readings_and_times_beyond_the_calendar() -> None:
    words, seconds = np.full(40, -1.0), 1e15 + 3600.0 * np.arange(40.0)
    readings = np.column_stack([np.full(40, np.nan), np.arange(40.0)])
    first, second = courses(fed(words, readings, seconds, 40), ["gone", "here"], [], {})
    assert [first.x_ticks, second.x_ticks] == [[], []]
    for chart, greatest in ((first, 1.0), (second, 39.0)):
        assert chart.y_range[0] <= 0.0
        assert chart.y_range[1] >= greatest
