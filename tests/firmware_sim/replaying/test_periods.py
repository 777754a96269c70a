"""Periods of a forecast without a row: the history goes on as if they had been filled in by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from edgeolk import hosting
from firmware_sim.report import report_of
from firmware_sim.replaying.periods import (
    MOST_FILLED,
    Filler,
    Periods,
    filled_targets,
    has_few_gaps,
    step_of,
)
from firmware_sim.streams import Row

N, SEASON, STEP = 500, 24, 600
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
    log = written(
        tmp_path / "gaps.csv", lambda at: None if at in GONE else f"{x[at]!s},{y[at]!s}"
    )
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
        config = fs.ReplayConfig(
            str(path), forecast="y", season=season, ram="4KiB", time="seconds"
        )
        errors.append(fs.replay(config).metrics.mean_loss("learner"))
    assert errors[1] < 1.2 * errors[0]


def test_rows_of_which_many_have_no_target_are_left_as_they_are(tmp_path: Path) -> None:
    x, y = drawn()
    log = written(tmp_path / "few.csv", lambda at: f"{x[at]!s},{'' if at % 2 else str(y[at])}")
    _, result, _ = replayed(log, horizon=2)
    assert (result.rows.filled, result.rows.used) == (0, N // 2)


class TestPeriods:
    def test_without_times_they_are_row_numbers(self) -> None:
        periods = Periods()
        nan = np.full(3, np.nan)
        assert periods.of(np.array([2, 3, 6]), nan).tolist() == [2, 3, 6]
        assert periods.of(np.array([7, 9, 10]), nan).tolist() == [7, 9, 10]

    @pytest.mark.parametrize("size", [1, 2, 3, 9])
    def test_times_count_those_between(self, size: int) -> None:
        # A late row, a missing one, one without a time, a repetition, a time that goes back.
        seconds = np.array([0, 10, 21, 40, np.nan, 60, 60, 55, 70.0])
        numbers = np.array([1, 2, 3, 4, 5, 6, 8, 9, 10])
        periods = Periods(10.0)
        parts = range(0, len(numbers), size)
        found = [periods.of(numbers[at : at + size], seconds[at : at + size]) for at in parts]
        assert np.concatenate(found).tolist() == [1, 2, 3, 5, 6, 7, 8, 9, 11]

    def test_a_gap_is_a_break(self) -> None:
        periods = Periods(0.0, 10.0, 60)
        assert periods.of(np.array([1, 2, 3]), np.array([0.0, 1.0, 12.0])).tolist() == [1, 2, 62]


def test_times_tell_periods_where_they_are_even() -> None:
    even = np.arange(100) * 60.0
    jitter = even + np.random.default_rng(0).uniform(-5, 5, 100)
    assert step_of(even, 60.0, uneven=False) == step_of(jitter, 60.0, uneven=False) == 60.0
    assert step_of(even[np.arange(100) % 10 > 0], 60.0, uneven=False) == 60.0
    assert step_of(even, 60.0, uneven=True) == step_of(even, None, uneven=False) == 0.0
    wild = np.cumsum(np.random.default_rng(0).exponential(60.0, 100))
    assert step_of(wild, 60.0, uneven=False) == 0.0


def test_targets_between_known_ones() -> None:
    periods = np.array([3, 4, 7, 7 + MOST_FILLED + 2])
    assert filled_targets(periods, np.array([1.0, 2.0, 5.0, 9.0])).tolist() == [1, 2, 3, 4, 5, 9]
    assert has_few_gaps(np.arange(8), np.array([1, 1, 1, 0, 1, 1, 1, 1], bool))
    assert not has_few_gaps(np.arange(8), np.arange(8) % 2 == 0)


def test_a_filler_remembers_a_bounded_number_of_rows() -> None:
    filler = Filler(1, 1)

    def given(first: int, n: int, y: float) -> int:
        periods = np.arange(first, first + n)
        rows = np.zeros((n, 1)), np.full(n, y), periods, np.arange(n), np.isfinite(np.full(n, y))
        return len(filler.of(*rows).y)

    assert given(1, 3, 1.0) == 3
    assert given(4, 1_000, np.nan) == 0
    assert len(filler._held) <= MOST_FILLED + 1
    assert given(1_004, 1, 2.0) == 2  # and the forecast made from the last row of before
    assert filler.n_breaks == 1
