"""The tutorial runs from top to bottom, and docstrings say what is so."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk
import firmware_sim.cli
from firmware_sim.kinds.two_classes import Confusion

DOCS = Path(__file__).parents[2] / "docs"
PACKAGE = Path(edgeolk.__file__).parent
SHOWN = sorted(path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text())


def test_the_tutorial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / "tutorial.md").read_text(), re.S):
        exec(compile(block, "tutorial.md", "exec"), names)
    assert names["wrong"] < 1.1 * names["same"]
    assert names["learner"].nbytes <= 4096
    counted = Confusion()  # as a replay counts answers
    counted.add_block(np.array(names["y"]), np.where(np.array(names["before"]) >= 0.0, 1, -1))
    assert names["wrong"] == counted.wrong
    assert names["wrong_at"]["4KiB"] == names["wrong"]
    page = (DOCS / "tutorial.md").read_text()
    told = [*map(float, re.findall(r"wrong in ([\d.]+) %.*?\(([\d.]+) %\)", page, re.S)[0])]
    told += map(float, re.findall(r"wrong in ([\d.]+) %, after 10,000 in ([\d.]+) %", page)[0])
    alone = names["alone"]
    found = [alone[1000], names["empty"], alone[5000], alone[10_000]]
    assert told == pytest.approx(found, abs=0.5)
    assert "bytes in the file" in capsys.readouterr().out


def test_the_command_of_the_tutorial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DOCS / "tutorial.md").read_text()
    first = re.findall(r"```python\n(.*?)```", text, re.S)[0]
    (command,) = re.findall(r"python -m firmware_sim (replay .*)", text)
    monkeypatch.chdir(tmp_path)
    exec(compile(first, "tutorial.md", "exec"), {})
    assert firmware_sim.cli.main([*command.split(), "--limit", "500", "--no-picture"]) == 0
    assert "500 rows" in capsys.readouterr().out
    assert any(Path().glob("*/report.html"))


@pytest.mark.parametrize("name", ["edgeolk", "edgeolk.sklearn", "edgeolk.river"])
def test_every_public_name_has_an_entry(name: str) -> None:
    said = re.findall(r"\.\. auto(?:class|function):: (\S+)", (DOCS / "reference.md").read_text())
    public = [f"{name}.{each}" for each in importlib.import_module(name).__all__]
    assert [each for each in public if each not in said] == []


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_examples_in_docstrings(path: Path) -> None:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
