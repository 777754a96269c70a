"""The page on vibration: its fan, and its commands in order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import firmware_sim.cli
from firmware_sim.mcu import lacking

PAGE = Path(__file__).parents[2] / "docs/vibration.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = re.findall(r"^python -m firmware_sim (replay (?:fan|mixed).csv .*)$", TEXT, re.MULTILINE)


@pytest.fixture
def fan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the log that the page's first code writes."""
    monkeypatch.chdir(tmp_path)
    first = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)[0]
    exec(compile(first, PAGE.name, "exec"), {})
    assert (tmp_path / "fan.csv").is_file()
    return tmp_path


def run(command: str, folder: Path) -> str:
    words = [*shlex.split(command), "--out", "report", "--no-picture", "--quiet"]
    assert firmware_sim.cli.main(words) == 0
    return (folder / "report/report.txt").read_text(encoding="utf-8")


def test_novelty(fan: Path) -> None:
    text = run(COMMANDS[0], fan)
    assert "Healthy windows: expected to work from 200 on" in text
    assert re.search(r"^\d.*  [xyz]_band_[\d.]+_\d+Hz  [xyz]_band", text, re.MULTILINE)


def test_the_limit_of_scores_finds_the_bearing(
    fan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)[1:3]:
        exec(compile(block, PAGE.name, "exec"), told)
    assert capsys.readouterr().out.splitlines()[-1] == "[2]"


def test_unseen_speeds(fan: Path) -> None:
    text = run(COMMANDS[1], fan)
    total = re.search(r"^all of them +\d+ +([\d.]+) %", text, re.MULTILINE)
    assert total is not None
    assert float(total[1]) < 15.0
    assert re.search(r"^windows +\d+ +2,280 ", text, re.MULTILINE)


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking()), reason=lacking())
def test_the_board(fan: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    exec(compile(next(one for one in blocks if "mixed.csv" in one), PAGE.name, "exec"), {})
    text = run(COMMANDS[2], fan)
    assert "its state is identical, byte for byte" in text
    assert re.search(r"^samples +\d+ instructions each", text, re.MULTILINE)
    assert "int ek_sample(" in (fan / "fan/edgeolk.h").read_text(encoding="utf-8")


def test_its_commands_are_these() -> None:
    assert len(COMMANDS) == 3
