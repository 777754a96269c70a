"""The examples run as printed, in a folder of their own, and show what they say."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))

#: What the names of an example must be when it has run.
SHOWN: dict[str, Callable[[dict[str, Any]], bool]] = {
    "three_states": lambda names: names["right"] > 2850 and names["learner"].nbytes <= 8192,
    "tolerance": lambda names: names["error"] < 2.0 and names["learner"].updates < 2500,
    "pump_novelty": lambda names: names["before"] < 0.01 and names["during"] > 0.25,
    "grid_search": lambda names: names["accuracy"] > 0.93,
    "river_pipeline": lambda names: names["accuracy"].get() > 0.75,
    "late_labels": lambda names: names["error"] < 0.2,
    "shared_memory": lambda names: names["steps"] == "1000",
    "restart": lambda names: bool(names["same"]) and names["resumed"].steps == 3000,
}


def test_each_example_is_known() -> None:
    assert {path.stem for path in EXAMPLES} == set(SHOWN)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
    assert SHOWN[path.stem](names)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 60
