"""The page about microcontrollers: its programs compile and run, its commands work."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import edgeolk.cli
import firmware_sim.cli
from bench.compiled import compiled
from edgeolk.export.kits import KITS
from firmware_sim.mcu import BOARDS, lacking

TEXT = (Path(__file__).parents[2] / "docs" / "microcontrollers.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.S)


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the page's Python writes."""
    monkeypatch.chdir(tmp_path)
    python = blocks("python")[0]
    exec(compile(python, "microcontrollers.md", "exec"), {})
    return tmp_path / "board"


@pytest.mark.parametrize("number", range(2))
def test_its_programs(number: int, board: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no cc")
    program = board / "program.c"
    program.write_text(blocks("c")[number])
    sources = [program, board / "edgeolk.c", board / "model.c", board / "flash.c"]
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Og"]
    objects = [compiled(["cc", *flags, "-c"], [source], ".o") for source in sources]
    subprocess.run(["cc", "-o", board / "program", *objects], check=True)
    assert subprocess.run([board / "program"], check=False).returncode == 0


def test_its_export(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = re.findall(r"edgeolk (export .*)", TEXT)
    assert edgeolk.cli.main(command.split()) == 0
    assert "zephyr/module.yml" in capsys.readouterr().out
    assert all(name in command for name in KITS)


def test_it_names_every_board() -> None:
    assert all(name in TEXT for name in BOARDS)


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking()), reason=lacking())
def test_its_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"python -m firmware_sim (replay .*)", TEXT)
    assert firmware_sim.cli.main([*command.split(), "--no-picture"]) == 0
    told = capsys.readouterr().out
    assert "emulated  mps2-an386, Cortex-M4F: 500 rows learned" in told
    assert "its state is identical, byte for byte" in told
    assert (tmp_path / "replay-report/report.txt").read_text() in told
