"""Options that change nothing are told of, and none is given twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_sim.cli import main


def said(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    base = ["replay", "occupancy", "--limit", "50", "--quiet", "--no-picture"]
    assert main([*base, "--out", str(folder), *words]) == 0
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "used"),
    [
        ("--prefix 20", "--algorithm rbp"),
        ("--degree 2", "--algorithm rbp --kernel polynomial"),
        ("--offset 2", "--algorithm rbp --kernel sigmoid"),
        ("--category-slots 4", "--categories onehot"),
        ("--checkpoint-every 9", "--power-cut every=20"),
        ("--fault-seed 3", "--fault stuck:column=light_lux,from=10,to=20"),
    ],
)
def test_an_option_that_changes_nothing(
    words: str, used: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    option = words.split(maxsplit=1)[0]
    assert f"{option} changes nothing: " in said(capsys, tmp_path, *words.split())
    assert option not in said(capsys, tmp_path, *words.split(), *used.split())


def test_a_linear_kernel_has_no_width(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--algorithm", "rbp", "--kernel", "linear", "--gamma", "2"]
    told = said(capsys, tmp_path, *words)
    assert "--gamma changes nothing: the linear kernel has none" in told


def test_a_parameter_is_given_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--algorithm", "pa1", "--param", "C=1", "--param", "C=2", "--out", str(tmp_path)]
    assert main(["replay", "occupancy", *words]) == 2
    assert "--param C: given twice, as 1 and 2" in capsys.readouterr().err
