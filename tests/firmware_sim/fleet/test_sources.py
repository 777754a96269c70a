"""Windows and forecasts in a fleet: the rows of each board are those of a replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.fleet import Board, Configuration, Task, read_manifest, replay_task
from firmware_sim.fleet.task import digest

SMALL = Configuration("small", {"ram": "8KiB"})


def task_of(board: Board, *configurations: Configuration) -> Task:
    return Task(board, *digest(board.path), configurations)


def samples(folder: Path, scale: float = 1000.0) -> Path:
    rng = np.random.default_rng(0)
    fault = np.arange(3000) // 300 % 2
    x = rng.standard_normal((3000, 2)) * scale * (1 + fault[:, None])
    x = np.rint(x) if scale > 1 else x
    lines = [f"{a:g},{b:g},{label}" for (a, b), label in zip(x, fault, strict=True)]
    path = folder / "machine.csv"
    path.write_text("\n".join(["a,b,fault", *lines, ""]))
    return path


def hours(folder: Path) -> Path:
    rng = np.random.default_rng(1)
    y = 20 + 3 * np.sin(np.arange(300) * 2 * np.pi / 24) + rng.normal(size=300).cumsum() * 0.1
    lines = [f"{1_700_000_000 + 3600 * t},{np.roll(y, -3)[t]:.3f},{y[t]:.3f}" for t in range(300)]
    path = folder / "room.csv"
    path.write_text("\n".join(["time,lead,y", *lines, ""]))
    return path


def manifest(folder: Path, header: str, row: str) -> list[Board]:
    path = folder / "manifest.csv"
    path.write_text(f"{header}\n{row}\n")
    return read_manifest(str(path))


def test_a_column_of_the_manifest_makes_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = samples(tmp_path)
    (board,) = manifest(
        tmp_path,
        "stream,target,window,hop,features,rate,window_label",
        "machine.csv,fault,64,16,rms;crest,400,last",
    )
    made = []
    windows = fs.streams.windowed.Windowed
    monkeypatch.setattr(
        "firmware_sim.replaying.source.Windowed", lambda *more: made.append(1) or windows(*more)
    )
    other = Configuration("whole", {"ram": "8KiB", "row": "int16"})
    usual, again, whole = replay_task(task_of(board, SMALL, SMALL, other))
    assert made == [1, 1]  # by the type of the samples
    options: dict[str, Any] = {"target": "fault", "window": 64, "hop": 16, "rate": 400.0}
    options |= {"features": ("rms", "crest"), "window_label": "last", "ram": "8KiB"}
    for record, row in ((usual, "auto"), (again, "auto"), (whole, "int16")):
        result = fs.replay(str(path), row=row, **options)
        assert record.status == "done", record.detail
        assert record.loss == result.metrics.mean_loss("learner")
        assert record.figures["nbytes"] == result.layout.end
    assert usual.figures["rows_used"] == 1 + (3000 - 64) // 16


def test_windows_that_one_configuration_cannot_have_fail_there_alone(tmp_path: Path) -> None:
    samples(tmp_path, scale=0.5)
    (board,) = manifest(tmp_path, "stream,target,window", "machine.csv,fault,64")
    whole = Configuration("whole", {"ram": "8KiB", "row": "int16"})
    usual, failed = replay_task(task_of(board, SMALL, whole))
    assert usual.status == "done"
    assert "need readings that are integers" in failed.detail


@pytest.mark.parametrize("path", [False, True])
def test_a_column_of_the_manifest_is_forecast(tmp_path: Path, path: bool) -> None:
    file = hours(tmp_path)
    row = f"room.csv,y,3h,24,{'yes' if path else ''}"
    (board,) = manifest(tmp_path, "stream,forecast,horizon,season,path", row)
    (record,) = replay_task(task_of(board, SMALL))
    result = fs.replay(str(file), forecast="y", horizon="3h", season=24, path=path, ram="8KiB")
    assert record.status == "done", record.detail
    metrics = result.metrics
    assert record.loss == metrics.comparable
    assert record.figures["seasonal_mae"] == metrics.summary()["seasonal"]["mae"]
    assert result.outlook is not None
    by_horizon = {
        f"mae_{one.rows}_ahead": one.figures["learner"]["mae"]
        for one in result.outlook.horizons[:-1]
    }
    assert len(by_horizon) == (2 if path else 0)
    found = {name: value for name, value in record.figures.items() if name.endswith("_ahead")}
    assert found == by_horizon


def test_the_command_takes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configs = tmp_path / "configs.toml"
    configs.write_text('[small]\nram = "8KiB"\n')
    here = ["--configs", str(configs), "--workers", "1", "--no-progress"]
    out = ["--out", str(tmp_path / "one")]
    file = str(samples(tmp_path).parent / "mach*.csv")
    told = ["--target", "fault", "--window", "64", "--hop", "16", "--features", "rms"]
    assert main(["fleet", file, *told, *here, *out]) == 0
    assert "1 done, 0 failed; 184 rows learned" in capsys.readouterr().out
    told = ["--forecast", "y", "--horizon", "3", "--season", "24"]
    out[-1] = str(tmp_path / "two")
    assert main(["fleet", str(hours(tmp_path).parent / "room*.csv"), *told, *here, *out]) == 0
    assert "mean absolute error / that of the last value" in capsys.readouterr().out
