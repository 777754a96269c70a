"""Periods of a forecast without a row: the history is that of rows filled in by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from edgeolk import hosting
from firmware_sim.report import report_of
from firmware_sim.streams import Row
from firmware_sim.streams.block import Block, Cells
from firmware_sim.streams.periods import most_filled
from firmware_sim.streams.stream import BlockStream

N, SEASON, STEP = 500, 24, 600
MOST_FILLED = most_filled(SEASON)
#: Rows that are missing: single ones, two that follow each other within a horizon, a long run.
GONE = [100, 150, 151, 156, *range(200, 212), 300]


def drawn() -> tuple[Row, Row]:
    draws = np.random.default_rng(4)
    t = np.arange(N)
    y = 10.0 + 3.0 * np.sin(2.0 * np.pi * t / SEASON) + np.cumsum(draws.normal(size=N)) * 0.1
    x = np.roll(y, -6) + 0.5 * draws.normal(size=N)
    return x.astype(np.float32).astype(float), y


def written(path: Path, line_of: Callable[[int], str | None], timed: bool = True) -> str:
    """Write the rows for which there is a line."""
    lines = [(at, line_of(at)) for at in range(N)]
    head = "time,x,y" if timed else "x,y"
    rows = [
        f"{1_700_000_000 + STEP * at},{line}" if timed else line
        for at, line in lines
        if line is not None
    ]
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return str(path)


def by_hand(path: Path, keeps_readings: bool = False) -> str:
    """The log with the targets that are missing on straight lines, and no readings there."""
    x, y = drawn()
    here = np.setdiff1d(np.arange(N), GONE)
    filled = np.interp(np.arange(N), here, y[here])
    return written(
        path, lambda at: f"{'' if at in GONE and not keeps_readings else x[at]!s},{filled[at]!s}"
    )


def replayed(log: str, **options: Any) -> tuple[fs.Replay, fs.ReplayResult, dict[int, float]]:
    """A replay, its result, and its answers by the row's time in periods."""
    known = {"forecast": "y", "ram": "4KiB", "season": SEASON, "missing_codes": (), **options}
    replay = fs.Replay(fs.ReplayConfig(log, **known))
    scores: dict[int, float] = {}

    def take(found: Any) -> None:
        for row in found.rows:
            period = row["row"] - 1
            if np.isfinite(row["seconds"]):
                period = round((row["seconds"] - 1_700_000_000) / STEP)
            scores[int(period)] = float(row["score"])

    return replay, replay.run(on_result=take), scores


def state(replay: fs.Replay) -> bytes:
    return hosting.to_bytes(replay.device.learner)


#: How a row is missing: from the file, damaged, without a target.
WAYS: dict[str, str | None] = {"absent": None, "damaged": "what,is,this", "no target": "X,"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("horizon", [1, 6])
def test_the_state_is_that_of_rows_filled_in_by_hand(
    tmp_path: Path, way: str, horizon: int
) -> None:
    x, y = drawn()
    instead = WAYS[way]

    def line(at: int) -> str | None:
        if at not in GONE:
            return f"{x[at]!s},{y[at]!s}"
        return None if instead is None else instead.replace("X", str(x[at]))

    log = written(tmp_path / "gaps.csv", line)
    hand, _, expected = replayed(
        by_hand(tmp_path / "hand.csv", keeps_readings=way == "no target"), horizon=horizon
    )
    ours, result, found = replayed(log, horizon=horizon)
    assert state(ours) == state(hand)
    # Without the rows that are missing, and those that would have been forecast from them.
    judged = set(range(N)) - set(GONE) - {at + horizon for at in GONE}
    assert set(found) == judged
    assert {at: expected[at] for at in judged} == found
    assert (result.rows.used, result.metrics.rows) == (len(judged), len(judged) - horizon)
    assert (result.rows.filled, result.rows.gaps, result.rows.breaks) == (len(GONE), 5, 0)


def test_baselines_are_on_the_same_periods(tmp_path: Path) -> None:
    x, y = drawn()
    log = written(tmp_path / "gaps.csv", lambda at: None if at in GONE else f"{x[at]!s},{y[at]!s}")
    _, result, found = replayed(log, horizon=1)
    here = np.setdiff1d(np.arange(N), GONE)
    filled = np.interp(np.arange(N), here, y[here])
    at = np.array(sorted(found))[1:]
    figures = result.metrics.summary()
    assert figures["last_value"]["mae"] == pytest.approx(np.abs(y[at] - y[at - 1]).mean())
    ago = np.where(at < SEASON, filled[at - 1], filled[at - SEASON])
    assert figures["seasonal"]["mae"] == pytest.approx(np.abs(y[at] - ago).mean())


@pytest.mark.parametrize("timed", [True, False])
def test_blocks_make_no_difference(tmp_path: Path, timed: bool) -> None:
    x, y = drawn()
    gone = [*GONE, 255, 256, 257, 511]  # about the end of a block
    log = written(
        tmp_path / "log.csv",
        lambda at: "what,is,this" if at in gone else f"{x[at]!s},{y[at]!s}",
        timed,
    )
    whole, result, found = replayed(log, horizon=6)
    stops = iter(range(10**6))
    small = fs.Replay(whole.config)
    small_scores: list[float] = []
    small.run(
        should_stop=lambda: next(stops) < 0,
        on_result=lambda batch: small_scores.extend(batch.rows["score"].tolist()),
        beside_clean=False,
    )
    assert small_scores == [*found.values()]
    assert state(small) == state(whole)
    assert result.rows.filled == len({*gone} & {*range(N)})


@pytest.mark.parametrize("horizon", [1, 6])
def test_after_a_long_gap_the_history_begins_again(tmp_path: Path, horizon: int) -> None:
    x, y = drawn()
    gone = range(200, 200 + MOST_FILLED + 1)
    line = lambda at: None if at in gone else f"{x[at]!s},{y[at]!s}"  # noqa: E731
    ours, result, found = replayed(written(tmp_path / "long.csv", line), horizon=horizon)
    assert (result.rows.filled, result.rows.breaks) == (0, 1)
    assert "1 gap of more than 48 periods: the history began again" in report_of(result).to_text()
    assert not {gone.stop, gone.stop + horizon - 1} & set(found)
    # All rows before it were answered, and their targets known.
    learner = ek.Learner(ours.device.learner.config)
    nothing, readings = np.full(1, np.nan), x[:, np.newaxis]
    for first, end in ((0, gone.start), (gone.stop, N)):
        learner.restart()
        for _ in range(horizon):
            learner.ask_one(nothing)
        for at in range(first, end):
            learner.tell_one(y[at])
            answer = learner.ask_one(readings[at])
            if at + horizon < end:
                assert found[at + horizon] == answer
    assert state(ours) == hosting.to_bytes(learner)
    # A gap that is one period shorter is filled in.
    less = range(200, 200 + MOST_FILLED)
    line = lambda at: None if at in less else f"{x[at]!s},{y[at]!s}"  # noqa: E731
    _, result, _ = replayed(written(tmp_path / "less.csv", line), horizon=horizon)
    assert (result.rows.filled, result.rows.breaks) == (MOST_FILLED, 0)


def test_a_weekly_season_survives_missing_rows(tmp_path: Path) -> None:
    """Otherwise each missing row moves the season by one."""
    draws = np.random.default_rng(2)
    n, season = 1_500, 168
    shape = 10.0 * draws.normal(size=season)
    y = np.tile(shape, n // season + 1)[:n] + 0.1 * draws.normal(size=n)
    gone = draws.choice(np.arange(500, n), 20, replace=False)
    path = tmp_path / "weekly.csv"
    errors = []
    for missing in ([], gone):
        rows = [f"{3600 * at},{y[at]!s}" for at in range(n) if at not in missing]
        path.write_text("\n".join(["seconds,y", *rows, ""]))
        config = fs.ReplayConfig(str(path), forecast="y", season=season, ram="4KiB", time="seconds")
        errors.append(fs.replay(config).metrics.mean_loss("learner"))
    assert errors[1] < 1.2 * errors[0]


def test_rows_of_which_many_have_no_target_are_left_as_they_are(tmp_path: Path) -> None:
    x, y = drawn()
    log = written(tmp_path / "few.csv", lambda at: f"{x[at]!s},{'' if at % 2 else str(y[at])}")
    _, result, _ = replayed(log, horizon=2)
    assert (result.rows.filled, result.rows.used) == (0, N // 2)


@pytest.mark.parametrize("damaged", [["x" * 60] * 4_000, ["1700060600,3,xx"]])
def test_damaged_rows_about_a_gap_change_no_other_forecast(
    tmp_path: Path, damaged: list[str]
) -> None:
    """Whole blocks of them; or a target that is no number, right after two missing rows."""
    lines = [f"{1_700_000_000 + STEP * i},{i % 7},{i % 9}" for i in range(300)]
    found = []
    for name, some in (("plain", []), ("damaged", damaged)):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["time,x,y", *lines[:99], *some, *lines[102:], ""]))
        config = fs.ReplayConfig(
            str(path), forecast="y", horizon=3, ram="4KiB", season=0, missing_codes=()
        )
        result = fs.replay(config)
        assert (result.rows.damaged, result.rows.filled) == (len(some), 3)
        found.append(result.metrics.mean_loss("learner"))
    assert found[0] == found[1]


def test_a_label_of_another_stream_that_is_no_number_after_a_gap(tmp_path: Path) -> None:
    """Of a stream in the program labels are decoded later than readings."""

    class Rows(BlockStream):
        name, target, features = "rows", "y", ("x",)

        def __init__(self, labels: list[str]) -> None:
            self._labels = labels

        def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
            here = np.delete(np.arange(200), [99, 100])
            some = here[number : None if limit is None else number + limit]
            rows, labels = (some % 7.0)[:, np.newaxis], [self._labels[at] for at in some]
            if len(some):
                yield Block(number + 1, rows, Cells.of(labels), 1.7e9 + STEP * some)

    labels = [str(at % 9) for at in range(200)]
    found = []
    for odd in (labels, [*labels[:101], "odd", *labels[102:]]):
        config = fs.ReplayConfig(Rows(odd), forecast="y", horizon=3, ram="4KiB", season=0)
        result = fs.replay(config)
        assert result.rows.damaged == (odd is not labels)
        found.append(result.rows.filled)
    assert found == [2, 3]
