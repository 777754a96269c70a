"""The tutorial runs from top to bottom, and docstrings say what is so."""

from __future__ import annotations

import doctest
import importlib
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk
import edgeolk.cli
import firmware_sim.cli

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
    assert names["learner"].nbytes <= 4096
    page = (DOCS / "tutorial.md").read_text()
    (said,) = re.findall(r"misses by ([\d.]+) degrees.* by ([\d.]+) and .* by ([\d.]+)\.", page)
    assert [*map(float, said)] == pytest.approx([*names["error"].values()], abs=0.006)
    y, ahead = names["y"], names["ahead"]
    missed = np.abs(names["forecast"][: len(y)] - y)
    change = np.full(len(y), np.nan)
    change[ahead + 1 :] = np.abs(y[1:-ahead] + ahead * np.diff(y)[:-ahead] - y[ahead + 1 :])
    days = [slice(start, start + 96) for start in range(192, len(y) - 95, 96)]
    assert sum(missed[day].mean() > change[day].mean() for day in days) == 1  # "every day but one"
    assert names["error_at"]["4KiB"] == pytest.approx(names["error"]["forecast"], abs=0.001)
    (waiting,) = re.findall(r"targets take ([\d,]+) bytes", page)
    regions = {region.name: region.nbytes for region in names["learner"].plan.regions}
    assert int(waiting.replace(",", "")) == regions["pending"]
    assert "bytes in the file" in capsys.readouterr().out
    (command,) = re.findall(r"^edgeolk (export .*)", page, re.M)
    assert edgeolk.cli.main(command.split()) == 0
    assert (tmp_path / "board" / "model.h").exists()


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


def test_the_index_of_names_is_that_of_the_docstrings() -> None:
    """Written by ``python docs/names.py``."""
    pytest.importorskip("edgeolk.sklearn")
    pytest.importorskip("edgeolk.river")
    written = runpy.run_path(str(DOCS / "names.py"))["text"]()
    assert (DOCS / "names.md").read_text("utf-8").splitlines() == written.splitlines()


def test_the_index_says_what_is_called_and_what_lacks_a_name() -> None:
    lines = (DOCS / "names.md").read_text("utf-8").splitlines()
    told = {line.split(" | ")[0].strip("| `"): line for line in lines}
    for name in ("Config.call()", "Learner.learn_one()", "Learner.n_features", "plan()", "Learner"):
        assert name in told
    for name, refusal in {
        "Learner.predict_proba_one()": "The loss is not logistic",
        "Learner.familiarity_one()": "not a sum over support vectors",
        "Learner.averaged": "keeps no averaged model",
        "Learner.seal()": "made without `checksums=True`",
        "Learner.shares": "As `interval`",
    }.items():
        assert re.search(rf"\*Refused: .*{re.escape(refusal)}", told[name])


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_examples_in_docstrings(path: Path) -> None:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
