"""Forecasts ahead: what each row is answered from, horizons, paths, and the rows to come."""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.replaying.checked import Delay
from firmware_sim.replaying.forecast import advanced, ending
from firmware_sim.report import report_of
from firmware_sim.streams import Row
from firmware_sim.streams.block import Block, Cells
from firmware_sim.streams.live import LiveStream
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.stdin import PipeSource

N, SEASON = 700, 24


def drawn() -> tuple[Row, Row]:
    """A target with a season, and a reading that leads it by six rows."""
    draws = np.random.default_rng(4)
    t = np.arange(N)
    y = 10.0 + 3.0 * np.sin(2.0 * np.pi * t / SEASON) + np.cumsum(draws.normal(size=N)) * 0.1
    return (np.roll(y, -6) + 0.5 * draws.normal(size=N))[:, np.newaxis], y


def written(path: Path, X: Row, y: Row, step: int = 600) -> str:
    rows = [
        f"{1.7e9 + step * at:.0f},{x!r},{target!r}"
        for at, (x, target) in enumerate(zip(X[:, 0].tolist(), y.tolist(), strict=True))
    ]
    path.write_text("\n".join(["time,ahead,y", *rows, ""]))
    return str(path)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("forecast") / "log.csv", *drawn())


def configured(log: str, **options: Any) -> fs.ReplayConfig:
    return fs.ReplayConfig(**{"stream": log, "forecast": "y", "ram": "4KiB", **options})


def answers(config: fs.ReplayConfig) -> tuple[fs.ReplayResult, Row]:
    """The result, and the forecast of each row."""
    found: list[Row] = []
    result = fs.Replay(config).run(on_result=lambda batch: found.append(batch.rows["score"].copy()))
    return result, np.concatenate(found)


def by_hand(replayed: fs.ReplayResult, horizon: int, season: int) -> tuple[Row, Row]:
    """Forecasts of each row from what is known that many rows before, and of the rows to come."""
    X, y = drawn()
    learner = ek.Learner(
        n_features=1, D=replayed.learner["budget"], loss="square", history=True,
        horizon=horizon, season=season, **relevance_of(replayed),
    )  # fmt: skip
    made = []
    for at in range(N):  # the row of the readings; the first targets have no answer
        if at == 0:
            for _ in range(horizon):
                made.append(learner.ask_one(np.array([np.nan])))
        learner.tell_one(y[at])
        made.append(learner.ask_one(X[at].astype(np.float32).astype(float)))
    return np.array(made[:N]), np.array(made[N:])


def relevance_of(replayed: fs.ReplayResult) -> dict[str, Any]:
    regions = {one.name for one in replayed.layout.part("learner").regions}
    return {"relevance": "relevance" in regions}


@pytest.mark.parametrize("horizon", [1, 6])
@pytest.mark.parametrize("season", [0, SEASON])
def test_each_row_is_forecast_from_what_was_known_before(
    log: str, horizon: int, season: int
) -> None:
    result, scores = answers(configured(log, horizon=horizon, season=season))
    expected, coming = by_hand(result, horizon, season)
    assert scores[horizon:] == pytest.approx(expected[horizon:])
    outlook = result.outlook
    assert outlook is not None
    assert [one.forecast for one in outlook.future] == pytest.approx(coming.tolist())
    assert [one.row for one in outlook.future] == [*range(N + 1, N + 1 + horizon)]
    assert all(one.low < one.forecast < one.high for one in outlook.future)


def test_only_missing_values_that_leave_a_row_out_are_blamed(tmp_path: Path) -> None:
    """The learner is told of a missing reading; a row without a target is left out for that."""
    X, y = drawn()
    path = tmp_path / "sensor.csv"
    lines = Path(written(path, X, y)).read_text().splitlines()
    for at in [*range(300, 340), *range(500, 510)]:
        time, reading, target = lines[at].split(",")
        reading = reading if at % 2 else ""
        lines[at] = f"{time},{reading},{target if at < 500 else ''}"
    path.write_text("\n".join([*lines, ""]))
    result = fs.replay(configured(str(path), horizon=6))
    rows = result.rows
    assert rows.missing_by_column == {"ahead": 25, "y": 10}
    assert rows.left_out_by_column == {"y": 10}
    assert (rows.lacking, rows.lacking_by_column) == (20, {"ahead": 20})
    text = report_of(result).to_text()
    assert "missing   y 10, the row" in text
    assert "used      20 rows that lack a reading: ahead 20" in text
    assert re.search(r"used, a reading missing +20 +ahead 20", text)


@pytest.mark.parametrize("horizon", [1, 6])
def test_errors_are_those_of_rows_that_have_a_forecast(log: str, horizon: int) -> None:
    result, scores = answers(configured(log, horizon=horizon, season=SEASON))
    _, y = drawn()
    found = result.metrics.summary()
    assert result.metrics.rows == N - horizon
    assert found["learner"]["mae"] == pytest.approx(np.abs(scores - y)[horizon:].mean())
    assert found["last_value"]["mae"] == pytest.approx(np.abs(y[horizon:] - y[:-horizon]).mean())
    ago = np.abs(y[SEASON:] - y[:-SEASON]).sum()
    first = np.abs(y[horizon:SEASON] - y[: SEASON - horizon]).sum()  # no season yet: the last value
    assert found["seasonal"]["mae"] == pytest.approx((ago + first) / (N - horizon))
    assert result.metrics.baselines["seasonal"] == f"value {SEASON} rows ago"
    assert result.rows.missing_by_column == {}
    assert result.rows.missing_before == 0


@pytest.mark.parametrize("horizon", [1, 6])
def test_baselines_are_those_of_every_method(log: str, horizon: int) -> None:
    """A method without a history has no row before the first forecast; the baselines have."""
    result = fs.replay(configured(log, horizon=horizon, season=SEASON))
    other = fs.replay(configured(log, horizon=horizon, season=SEASON, algorithm="ogd"))
    assert other.metrics.rows == result.metrics.rows == N - horizon
    expected, found = result.metrics.summary(), other.metrics.summary()
    assert {who: found[who]["mae"] for who in result.metrics.baselines} == {
        who: expected[who]["mae"] for who in result.metrics.baselines
    }
    assert other.metrics.baselines == result.metrics.baselines


@pytest.mark.parametrize(("horizon", "day"), [(6, 144), (200, 288)])
def test_without_a_season_a_day_ago_is_still_the_baseline(
    tmp_path: Path, horizon: int, day: int
) -> None:
    X, y = (np.tile(one, 2 if one.ndim == 1 else (2, 1)) for one in drawn())
    log = written(tmp_path / "long.csv", X, y)
    result = fs.replay(configured(log, horizon=horizon, season=0, ram="32KiB"))
    assert result.config.season == 0
    assert result.metrics.baselines["seasonal"] == f"value {day} rows ago"
    ago = np.abs(y[day:] - y[:-day]).sum() + np.abs(y[horizon:day] - y[: day - horizon]).sum()
    found = result.metrics.summary()["seasonal"]["mae"]
    assert found == pytest.approx(ago / (2 * N - horizon))


def test_a_day_is_no_baseline_of_less_than_three(log: str) -> None:
    result = fs.replay(configured(log, horizon=6, season=0, limit=400))
    assert "seasonal" not in result.metrics.baselines


def test_a_time_is_a_number_of_rows(log: str) -> None:
    result = fs.replay(configured(log, horizon="1h", season="4h"))
    assert (result.config.horizon, result.config.season) == (6, SEASON)
    assert result.metrics.summary() == (
        fs.replay(configured(log, horizon=6, season=SEASON)).metrics.summary()
    )
    assert "--horizon 6" in report_of(result).to_text().splitlines()[-1]
    assert "--target" not in report_of(result).to_text().splitlines()[-1]


def test_the_season_is_found(log: str) -> None:
    result = fs.replay(configured(log, horizon=6))
    assert result.config.season == SEASON
    assert result.outlook is not None
    assert f"season {SEASON} rows, the strongest autocorrelation" in result.outlook.season


def test_a_season_takes_at_most_a_quarter_of_the_cap(tmp_path: Path) -> None:
    draws = np.random.default_rng(9)
    y = np.resize(draws.normal(size=200), N) + 0.01 * draws.normal(size=N)
    log = written(tmp_path / "long.csv", y[:, np.newaxis], y)
    sizes = {ram: fs.replay(configured(log, ram=ram)).config.season for ram in (3000, 4096)}
    assert sizes == {3000: 0, 4096: 200}  # of 4 bytes a row


def test_a_path_has_a_forecaster_for_each_horizon_within_the_cap(log: str) -> None:
    cap = 12 * 1024
    result = fs.replay(configured(log, horizon=6, season=SEASON, path=True, ram=cap))
    found = result.outlook
    assert found is not None
    assert [one.rows for one in found.horizons] == [1, 2, 3, 4, 5, 6]
    assert cap - 6 <= sum(one.cap for one in found.horizons) <= cap
    assert result.layout.cap == found.horizons[-1].cap
    errors = [one.figures["learner"]["mae"] for one in found.horizons]
    alone, scores = answers(configured(log, horizon=3, season=SEASON, ram=found.horizons[2].cap))
    assert errors[2] == alone.metrics.summary()["learner"]["mae"]
    assert [one.row for one in found.future] == [*range(N + 1, N + 7)]
    assert alone.outlook is not None
    assert found.future[2] == alone.outlook.future[-1]
    # The path that ends with the last row starts six rows before.
    _, y = drawn()
    assert [one.row for one in found.past] == [*range(N - 5, N + 1)]
    assert [one.target for one in found.past] == y[-6:].tolist()
    assert found.past[2].forecast == scores[N - 4]


def test_a_path_that_does_not_fit_says_what_would(log: str) -> None:
    with pytest.raises(fs.DoesNotFitError, match=r"for the forecasters of 6 horizons") as caught:
        fs.replay(configured(log, horizon=6, season=0, path=True))
    result = fs.replay(configured(log, horizon=6, season=0, path=True, ram=caught.value.smallest))
    assert result.outlook is not None
    assert len(result.outlook.horizons) == 6


def test_faults_and_rows_held_out_go_with_it(log: str) -> None:
    options: dict[str, Any] = {"horizon": 6, "season": SEASON}
    broken = fs.replay(configured(log, faults=("stuck:column=ahead,from=300",), **options))
    assert broken.clean is not None
    assert (
        broken.clean["mae"]
        == (fs.replay(configured(log, **options)).metrics.summary()["learner"]["mae"])
    )
    held = fs.replay(configured(log, train_rows=500, **options)).held_out
    assert held is not None
    _, y = drawn()
    assert held.loss("last_value") == pytest.approx(np.abs(y[500:] - y[494:-6]).mean())
    assert held.loss("learner") < held.loss("last_value")


def test_readings_of_a_damaged_row_are_missing(log: str, tmp_path: Path) -> None:
    lines = Path(log).read_text(encoding="utf-8").splitlines()
    lines[50] = "1,2"
    (tmp_path / "damaged.csv").write_text("\n".join([*lines, ""]))
    result = fs.replay(configured(str(tmp_path / "damaged.csv"), horizon=6, season=0))
    # Nor was there a forecast made from it.
    assert (result.rows.damaged, result.rows.used) == (1, N - 2)
    assert (result.rows.filled, result.rows.missing_before) == (1, 1)


def test_after_a_gap_earlier_readings_are_not_paired() -> None:
    seconds = np.array([0.0, 1.0, 2.0, np.nan, 100.0, 101.0, 102.0, 103.0])
    for size in (1, 3, 8):
        delay, found = Delay(2, 1, 10.0), []
        for at in range(0, 8, size):
            part = slice(at, min(8, at + size))
            readings = np.arange(8.0)[part, np.newaxis]
            cells = Cells.of(["0"] * len(readings))
            found.append(delay.shifted(Block(at + 1, readings, cells, seconds[part])).rows[:, 0])
        nan = np.nan
        assert np.array_equal(
            np.concatenate(found), [nan, nan, 0.0, 1.0, nan, nan, 4.0, 5.0], equal_nan=True
        )
        assert delay.rows[:, 0].tolist() == [6.0, 7.0]


def test_on_the_command_line_it_says_target_and_kind(
    log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["replay", log, "--ram", "4KiB", "--no-picture", "--out", str(tmp_path / "report")]
    assert main([*words, "--forecast", "y", "--horizon", "1h"]) == 0
    said = capsys.readouterr()
    assert "6 rows ahead (60 min)" in said.out
    assert "novelty" not in said.out + said.err
    assert main([*words, "--target", "y", "--kind", "regression", "--horizon", "6"]) == 0
    assert "--horizon changes nothing: it is for --forecast" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "ahead"}, "target is 'ahead': leave target out"),
        ({"kind": "binary"}, "kind is 'binary': leave kind out"),
        ({"label_delay": 3}, "label-missing and ask do not apply"),
        ({"label_queue": 3}, "label-queue, label-missing and ask do not apply"),
        ({"horizon": 0}, "at least 1 row"),
        ({"horizon": "1min"}, "less than the 600 s from one row to the next"),
        ({"horizon": 24, "season": 12}, "season is 12: it must be at least the horizon, 24 rows"),
        ({"params": {"horizon": 3}}, "an option of its own: --horizon"),
        ({"power_cut": "every=100"}, "cannot be combined with power-cut"),
        ({"time": "none", "horizon": "1h"}, "the time between rows is unknown"),
        ({"horizon": "soon"}, "horizon: 'soon' is not a time"),
    ],
    ids=str,
)
def test_what_is_refused(log: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(fs.SimulatorError, match=message):
        fs.replay(configured(log, **options))


def test_a_live_stream_is_forecast_but_has_no_path(log: str) -> None:
    def live(**options: Any) -> fs.ReplayConfig:
        descriptor = os.open(log, os.O_RDONLY)
        stream = LiveStream(PipeSource(descriptor), ReadingOptions("y"), idle=1.0)
        return configured(log, horizon=6, season=0, **options, stream=stream)

    expected = fs.replay(configured(log, horizon=6, season=0))
    for kept in (None, 0):  # of which none can be read twice
        config = live()
        if kept is not None:
            config.stream.kept = kept  # type: ignore[union-attr]
        found = fs.replay(config).metrics.summary()
        assert found["learner"] == expected.metrics.summary()["learner"]
        # Without first rows the season of the baseline is not found.
        assert ("seasonal" in found) == (kept is None)
    with pytest.raises(fs.SimulatorError, match="path needs a stream that can be read again"):
        fs.replay(live(path=True))


def test_it_is_exported_as_c(log: str, tmp_path: Path) -> None:
    words = ["replay", log, "--forecast", "y", "--horizon", "6", "--ram", "4KiB", "--no-picture"]
    words += ["--out", str(tmp_path / "report"), "--export", str(tmp_path / "board"), "--quiet"]
    assert main(words) == 0
    text = "".join(one.read_text() for one in (tmp_path / "board").glob("*.h"))
    assert "ek_ask" in text
    assert "ek_tell" in text


@pytest.mark.parametrize("after", [0, 300, 1000])
def test_an_interrupted_path_has_the_horizons_so_far(log: str, after: int) -> None:
    asked = iter(range(100 * N))
    config = configured(log, horizon=3, season=0, path=True, ram="8KiB")
    result = fs.Replay(config).run(should_stop=lambda: next(asked) >= N + after)
    assert result.status == "complete"
    assert result.outlook is not None
    assert [one.rows for one in result.outlook.horizons] == ([3] if after < N else [2, 3])
    assert report_of(result).to_text()


def test_an_interrupted_one_forgets_which_rows_were_last(log: str) -> None:
    replay = fs.Replay(configured(log, horizon=6, season=0))
    asked = iter(range(N))
    result = replay.run(should_stop=lambda: next(asked) >= 300)
    assert (result.status, result.outlook) == ("interrupted", None)
    assert replay.device.learner.n_waiting == 0


def test_a_sheet_with_errors_and_a_line_of_sums(tmp_path: Path) -> None:
    """Errors in German are missing readings; skipped rows are not missing in other columns."""
    X, y = drawn()
    path = tmp_path / "sheet.csv"
    lines = Path(written(path, X, y)).read_text().splitlines()
    lines[300] = lines[300].rpartition(",")[0] + ",#NV"  # once, in the target
    time, _, target = lines[400].split(",")
    lines[400] = f"{time},#BEZUG!,{target}"
    lines[500] = "?,?"
    path.write_text("\n".join([*lines, "Summe,,7000.0", ""]))
    result = fs.replay(configured(str(path), horizon=3))
    assert result.rows.damaged == 2
    assert result.rows.missing_by_column == {"ahead": 1, "y": 1}
    assert result.rows.missing_words() == (
        "y 1, the row from 3 rows before (skipped, or a gap) 2"
    )
    assert (result.rows.lacking, result.rows.lacking_words()) == (1, "ahead 1")
    lines = report_of(result).to_text().splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("Forecast of the next rows"))
    # The line of sums is row 701, where the next time is.
    assert lines[at + 1].split()[:2] == ["row", "time"]
    assert lines[at + 2].split()[0] == "702"
    assert lines[at + 2].split()[2] == "19:03:20"


def test_with_too_few_errors_a_forecast_has_no_interval(tmp_path: Path) -> None:
    X, y = drawn()
    found = fs.replay(configured(written(tmp_path / "s.csv", X[:5], y[:5]), horizon=10)).outlook
    assert found is not None
    assert [one.row for one in found.future] == [*range(6, 16)]
    assert np.isfinite([one.forecast for one in found.future]).all()
    assert np.isnan([[one.low, one.high] for one in found.future]).all()


def test_a_path_ends_where_the_learner_cannot_go_on() -> None:
    class Refusing:
        interval, restarted = (0.0, 1.0), False

        def ask_one(self, row: Row) -> float:
            if row[0] > 1e30:
                raise ValueError("beyond what can be held")
            return float(row[0])

        def restart(self) -> None:
            self.restarted = True

    def last(learner: object, *readings: float) -> list[Any]:
        device: Any = SimpleNamespace(
            learner=learner, supervision=SimpleNamespace(pending=[]),
            row=SimpleNamespace(take=lambda rows: (rows, None)),
        )  # fmt: skip
        return advanced(device, cast(Any, SimpleNamespace(rows=[[one] for one in readings])), 40)

    learner = Refusing()
    assert [(one.row, one.forecast) for one in last(learner, 2.0, 3.0)] == [(41, 2.0), (42, 3.0)]
    assert not learner.restarted
    assert last(learner, 2.0, 1e39) == []  # half a path is none
    assert learner.restarted
    assert last(object(), 2.0) == []  # it answers no row whose target is to come


def test_a_forecast_before_those_that_are_kept_is_unknown() -> None:
    rows, recent = np.array([7, 8, 9]), np.arange(12.0).reshape(3, 4)
    metrics = SimpleNamespace(timeline=SimpleNamespace(recent=(rows, recent)))
    (point,) = ending(metrics, 1)
    assert (point.row, point.forecast, point.target) == (8, 5.0, 4.0)
    assert ending(metrics, 3) == []
