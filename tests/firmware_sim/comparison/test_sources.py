"""Windows and forecasts in a comparison and a choice: their rows are those of a replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.comparison import Comparison, compare
from firmware_sim.comparison.evaluators import BLOCKS
from firmware_sim.comparison.program import _row, _with_clock, program
from firmware_sim.comparison.report import report_of
from firmware_sim.comparison.rows import prepare
from firmware_sim.comparison.tuning import report_of as report_of_tuning
from firmware_sim.comparison.tuning import tune
from firmware_sim.comparison.work import DEFAULT
from firmware_sim.device.planning import plan_device
from firmware_sim.errors import DoesNotFitError
from firmware_sim.kinds.base import WITHOUT_KERNEL
from firmware_sim.kinds.regression import least_squares
from firmware_sim.streams import Stream

CAP = 8 * 1024
N, SEASON = 500, 24


def machine(folder: Path, n: int = 3000) -> str:
    """Samples of a machine whose fault doubles the vibration."""
    rng = np.random.default_rng(0)
    fault = np.arange(n) // 300 % 2
    x = np.rint(rng.standard_normal((n, 2)) * 1000 * (1 + fault[:, None])).astype(int)
    lines = [f"{a},{b},{label}" for (a, b), label in zip(x.tolist(), fault.tolist(), strict=True)]
    path = folder / "machine.csv"
    path.write_text("\n".join(["a,b,fault", *lines, ""]))
    return str(path)


def room(folder: Path, gaps: bool = False) -> str:
    """Hours of a room; a reading leads the target by three hours."""
    rng = np.random.default_rng(4)
    y = 20 + 3 * np.sin(np.arange(N) * 2 * np.pi / SEASON) + rng.normal(size=N).cumsum() * 0.1
    lead = np.roll(y, -3) + 0.2 * rng.normal(size=N)
    lines = [
        f"{1_700_000_000 + 3600 * t},{'' if gaps and t % 50 == 9 else f'{lead[t]:.3f}'},{y[t]:.3f}"
        for t in range(N)
    ]
    path = folder / "room.csv"
    path.write_text("\n".join(["time,lead,y", *lines, ""]))
    return str(path)


def windowed(stream: str, **more: Any) -> fs.ReplayConfig:
    known = {"target": "fault", "window": 64, "hop": 16, "row": "int16", "ram": CAP}
    return fs.ReplayConfig(**{"stream": stream, **known, **more})


def ahead(stream: str, **more: Any) -> fs.ReplayConfig:
    return fs.ReplayConfig(**{"stream": stream, "forecast": "y", "ram": CAP, **more})


def losses(found: Comparison, name: str, **options: Any) -> tuple[float, float]:
    """The loss of a method in the comparison, and in a replay of its own."""
    (run,) = found.cell(name, CAP).runs
    assert run.status == "done", run.detail
    more = {} if name == DEFAULT else {"algorithm": name, "gamma": found.rows.width.gamma}
    result = fs.replay(fs.ReplayConfig(**options, **more))
    assert run.nbytes == result.layout.end
    return run.loss, result.metrics.mean_loss("learner")


def test_windows_are_made_once_and_every_method_learns_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = windowed(machine(tmp_path))
    made = []
    windows = fs.streams.windowed.Windowed
    monkeypatch.setattr(
        "firmware_sim.replaying.source.Windowed", lambda *more: made.append(1) or windows(*more)
    )
    found = compare(config, [CAP], ["rbp"], folder=tmp_path / "out", seeds=1, workers=1)
    assert made == [1]
    options = {name: getattr(config, name) for name in ("stream", "target", "window", "hop", "row")}
    for name in (DEFAULT, "rbp"):
        ours, replayed = losses(found, name, **options, ram=CAP)
        assert ours == replayed
    text = report_of(found).to_text()
    assert "windows of 64 samples, a row of 22 features every 16" in text
    # The printed program makes the windows itself.
    lines = program(found, DEFAULT, CAP)
    samples = [
        (list(map(float, line.split(",")[:2])), 1 if line.endswith("1") else -1)
        for line in Path(str(config.stream)).read_text().splitlines()[1:]
    ]
    scope: dict[str, Any] = {"samples": samples, "scores": []}
    exec("\n".join([*lines, "    scores.append(score)"]), scope)
    assert len(scope["scores"]) == len(found.rows.y)
    assert np.mean((np.array(scope["scores"]) >= 0) != (found.rows.y > 0)) < 0.2


@pytest.mark.parametrize(("horizon", "season"), [(1, "auto"), (6, 0), ("6h", "auto")])
def test_a_forecast_of_a_comparison_is_that_of_a_replay(
    tmp_path: Path, horizon: int | str, season: int | str
) -> None:
    stream = room(tmp_path)
    more: dict[str, Any] = {"horizon": horizon, "season": season}
    config = ahead(stream, **more)
    found = compare(config, [CAP], ["ogd"], folder=tmp_path / "out", seeds=1, workers=1)
    for name in (DEFAULT, "ogd"):
        options = {"stream": stream, "forecast": "y", "ram": CAP, **more}
        ours, replayed = losses(found, name, **options)
        assert ours == replayed
        method = {} if name == DEFAULT else {"algorithm": name}
        metrics = fs.replay(ahead(stream, **more, **method)).metrics
        expected = {what: metrics.mean_loss(who) for who, what in metrics.baselines.items()}
        assert {what: found.rows.baselines[what] for what in expected} == expected
    assert {"last value", f"value {SEASON} rows ago"} <= {*found.rows.trivial}
    assert len(found.rows.y) == N - found.rows.evaluator.ahead
    assert f"{found.rows.evaluator.ahead} row" in report_of(found).to_text()


def test_no_baseline_of_a_forecast_knows_what_is_not_known_yet(tmp_path: Path) -> None:
    """With targets that nothing before them tells of, none is better than the mean."""
    rng = np.random.default_rng(0)
    y = np.repeat(rng.choice([-1.0, 1.0], N // 5), 5)  # known for five rows, then drawn again
    path = tmp_path / "drawn.csv"
    path.write_text("x,y\n" + "".join(f"{rng.normal():.3f},{v}\n" for v in y))
    near = prepare(ahead(str(path)).outside()).baselines
    far = prepare(ahead(str(path), horizon=5, season=10).outside()).baselines
    assert near["last value"] < 0.5 < min(far.values())
    found = prepare(ahead(str(path), horizon=5, season=10).outside())
    lengths = np.diff(np.linspace(0, len(found.y), BLOCKS + 1).astype(int))
    means = {name: np.dot(one, lengths) for name, one in found.baseline_blocks.items()}
    assert means == pytest.approx({name: loss * len(found.y) for name, loss in far.items()})


def test_a_linear_baseline_learns_a_row_with_its_own_target() -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = X @ [2.0, -1.0]
    assert least_squares(X, y, ahead=5)[40:] == pytest.approx(y[40:], abs=0.3)


def test_the_printed_program_forecasts_as_the_comparison_did(tmp_path: Path) -> None:
    stream = room(tmp_path)
    found = compare(
        ahead(stream, horizon=6), [CAP], ["ogd", "krls_auto"], folder=tmp_path, seeds=1, workers=1
    )
    cells = [line.split(",") for line in Path(stream).read_text().splitlines()[1:]]
    rows = [([float(lead)], float(y)) for _, lead, y in cells]
    for name in (DEFAULT, "ogd", "krls_auto"):
        scope: dict[str, Any] = {"rows": rows, "scores": []}
        exec("\n".join([*program(found, name, CAP), "    scores.append(score)"]), scope)
        errors = np.abs(np.array(scope["scores"][:-6]) - [y for _, y in rows[6:]])
        assert np.mean(errors) == pytest.approx(found.cell(name, CAP).error, rel=1e-6)
    scope = {"rows": rows, "scores": []}
    exec("\n".join([*program(found, WITHOUT_KERNEL, 0), "    scores.append(score)"]), scope)
    errors = np.abs(np.array(scope["scores"][:-6]) - [y for _, y in rows[6:]])
    assert np.mean(errors) == pytest.approx(found.rows.baselines[WITHOUT_KERNEL], rel=1e-6)


def test_rows_with_gaps_are_forecast_by_those_that_take_them(tmp_path: Path) -> None:
    stream = room(tmp_path, gaps=True)
    config = ahead(stream, horizon=6)
    found = compare(config, [CAP], ["ogd"], folder=tmp_path / "out", seeds=1, workers=1)
    result = fs.replay(config)
    assert found.cell(DEFAULT, CAP).error == result.metrics.mean_loss("learner")
    assert found.cell("ogd", CAP).done
    filled = found.rows.evaluator.filled
    assert isinstance(filled, Stream)
    first = next(filled.blocks())
    assert np.isnan(first.rows[:6]).all()
    assert np.isfinite(first.rows[6:]).all()


def test_models_of_river_forecast_too(tmp_path: Path) -> None:
    class Last:
        """The newest label that it has been told."""

        value = 0.0

        def predict_one(self, row: dict[str, float]) -> float:
            return self.value

        def learn_one(self, row: dict[str, float], label: float) -> None:
            self.value = label

    stream = room(tmp_path)
    found = compare(
        ahead(stream, horizon=6), [CAP], ["ogd"], models={"last": Last()}, folder=tmp_path,
        seeds=1, workers=1,
    )  # fmt: skip
    y = np.array([float(line.split(",")[2]) for line in Path(stream).read_text().split()[1:]])
    answers = np.concatenate([np.zeros(6), y[6:-6]])  # six rows have no target yet
    expected = np.abs(answers - y[6:]).mean()
    assert found.rows.models[0].detail == ""
    assert found.rows.baselines["last"] == pytest.approx(expected)


def test_a_choice_is_made_on_forecasts(tmp_path: Path) -> None:
    stream = room(tmp_path)
    found = tune(ahead(stream, horizon=3), rows=220, candidates=4)
    assert found.replayed == fs.replay(ahead(stream, horizon=3)).metrics.mean_loss("learner")
    assert found.judged_on == N - 3 - 220
    other = tune(ahead(stream, horizon=3, algorithm="ogd"), rows=220, candidates=4)
    mine = ahead(stream, horizon=3, algorithm="ogd", gamma=other.start.gamma)
    assert other.replayed == fs.replay(mine).metrics.mean_loss("learner")


def test_a_choice_tries_sizes_and_sets_of_windows(tmp_path: Path) -> None:
    stream = machine(tmp_path, 8000)
    config = windowed(stream, window=None, ignore=())
    found = tune(config, windows=[32, 64], features=[("level",), ("rms",)], rows=210, candidates=2)
    assert [name for name, _ in found.tried] == [
        f"{size} samples with features {one}" for size in (32, 64) for one in ("level", "rms")
    ]
    best = min(found.tried, key=lambda one: one[1])[0]
    assert best == f"{found.config.window} samples with features {found.config.features[0]}"
    assert f"--window {found.config.window} --features {found.config.features[0]}" in found.options
    assert f"with windows of {best}" in report_of_tuning(found).to_text()
    alone = tune(windowed(stream, features=("rms",)), rows=210, candidates=2)
    assert alone.tried == ()
    assert "--window" not in alone.options


def test_the_commands_take_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream, log = machine(tmp_path, 8000), room(tmp_path)
    here = ["--out", str(tmp_path / "out"), "--no-picture", "--no-progress"]
    told = ["--window", "64", "--hop", "16", "--features", "rms,crest", "--target", "fault"]
    one = ["--workers", "1", "--seeds", "1", "--algorithms", "rbp"]
    assert main(["compare", stream, *told, "--ram", "4KiB", *one, *here]) == 0
    assert "windows of 64 samples" in capsys.readouterr().out
    one[-1] = "ogd"
    assert main(["compare", log, "--forecast", "y", "--horizon", "3", *one, *here]) == 0
    assert "value 24 rows ago" in capsys.readouterr().out
    few = ["--tune-rows", "210", "--candidates", "2", "--no-progress"]
    told = ["--window", "32,64", "--hop", "16", "--features", "rms", "--features", "level"]
    assert main(["tune", stream, *told, "--target", "fault", *few]) == 0
    assert "with windows of 32 samples with features level" in capsys.readouterr().out
    assert main(["tune", stream, "--features", "rms", "--target", "fault", *few]) == 2
    assert "--features is for --window" in capsys.readouterr().err


def test_a_program_has_the_bands_that_are_not_the_usual_ones() -> None:
    config = fs.ReplayConfig("occupancy")
    for bands, said in ((None, False), ((0, 50, 100), True)):
        plan: Any = ek.windows_plan(2, 64, 32, "vibration", 400, bands=bands)
        first, *_ = _row(SimpleNamespace(windows=plan), config, False)  # type: ignore[arg-type]
        assert ("bands=" in first) is said
        (made,) = (eval(first.removeprefix("windows = "), {"ek": ek}),)
        assert made.plan.edges == plan.edges


def test_a_program_has_a_clock_if_it_fits() -> None:
    """The seasons of a day take more memory than a stream without times needs."""
    dated: Any = SimpleNamespace(is_dated=True)
    config = fs.ReplayConfig("occupancy", kind="novelty")
    with pytest.raises(DoesNotFitError) as least:
        plan_device(replace(config, ram=300), 3, None)
    small = replace(config, ram=least.value.smallest)
    assert _with_clock(small, dated, 3) == (small, False)
    timed, has_clock = _with_clock(replace(config, ram="16KiB"), dated, 3)
    assert (has_clock, timed.params) == (True, {"clock": True})
    assert _with_clock(config, SimpleNamespace(is_dated=False), 3)[1] is False  # type: ignore[arg-type]
