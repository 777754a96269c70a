"""The page of `look`: what is said of times, and the commands that it proposes."""

from __future__ import annotations

import shlex
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from firmware_sim.cli import main


def looked(
    folder: Path, capsys: pytest.CaptureFixture[str], cells: dict[int, str], *more: str
) -> str:
    """The page of a log of ten-minute rows without seconds, from which row 40 to 46 are missing.

    cells: temperatures by row, in place of the usual ones.
    """
    start = datetime(2025, 3, 1)
    lines = [
        f"{start + timedelta(minutes=10 * t):%Y-%m-%d %H:%M},{cells.get(t, 15 + t % 9)},{t % 5}"
        for t in range(200)
        if not 40 <= t < 46
    ]
    path = folder / "log.csv"
    path.write_text("\n".join(["time,temp,other", *lines, ""]))
    assert main(["look", str(path), *more]) == 0
    return capsys.readouterr().out


def commands(page: str) -> list[list[str]]:
    lines = [line.split(maxsplit=1) for line in page.splitlines()]
    return [shlex.split(line[1])[5:] for line in lines if line and line[0] in ("replay", "or")]


def test_times_are_said_as_they_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = looked(tmp_path, capsys, {})
    assert "as %Y-%m-%d %H:%M, no zone" in page
    assert "1 gap of more than 3 periods, 6 periods without a readable row" in page


def test_a_forecast_is_proposed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proposed = commands(looked(tmp_path, capsys, {}))
    forecast = ["--forecast", "temp", "--horizon", "6h"]
    assert proposed == [["--kind", "novelty"], forecast]
    path = str(tmp_path / "log.csv")
    out = ["--out", str(tmp_path / "out"), "--quiet", "--ram", "4KiB"]
    assert main(["replay", path, *forecast, *out]) == 0
    assert commands(looked(tmp_path, capsys, {}, "--target", "temp"))[1:] == []


@pytest.mark.parametrize("codes", [["-127", "85"], ["-999"]])
def test_the_command_with_the_codes_of_failed_readings_is_proposed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], codes: list[str]
) -> None:
    """Those of a common thermometer at the first reading, others at the second."""
    page = looked(tmp_path, capsys, dict(enumerate(codes, 90)))
    once = [code for code in codes if code != "-999"]
    again = commands(page)[1]
    assert ("WARNING" in page) == bool(once)
    assert [float(word.partition("=")[2]) for word in again if "missing" in word] == [
        float(code) for code in once
    ]
    twice = commands(looked(tmp_path, capsys, dict(enumerate(2 * codes, 90))))[1]
    assert sum("--missing-code" in word for word in twice) == len(codes)


def test_of_many_readings_the_first_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wide.csv"
    rows = [",".join(str((i * j) % 17) for j in range(71)) for i in range(40)]
    path.write_text("\n".join([",".join(f"x{j}" for j in range(71)), *rows, ""]))
    assert main(["look", str(path)]) == 0
    page = capsys.readouterr().out.splitlines()
    listed = [line.strip() for line in page if line.strip().startswith(("x", "and"))]
    assert len(listed) == 61
    assert listed[-1] == "and 11 more"
