"""Instructions that are counted for one model, and the folder that says them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from edgeolk.export.costs import FIT_ERROR, Row, instructions_of
from firmware_sim.cli import main, measure
from firmware_sim.errors import SimulatorError
from firmware_sim.mcu import lacking
from firmware_sim.mcu.counting import ROWS as COUNTED_ROWS
from firmware_sim.mcu.counting import about_memory, counted, counts, drawn, fill

ROWS = [Row("Cortex-M0", "whole", 123.0, 456.0, 7890.0)]


def test_a_folder_says_what_was_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "counted", lambda learner: ROWS)
    # What a memory of rows takes is counted, and not estimated.
    learner = ek.Learner(n_features=4, ram="3KiB", memory=False)
    learner.save(tmp_path / "model.olk")
    out = tmp_path / "board"
    assert main(["measure", str(tmp_path / "model.olk"), "--out", str(out)]) == 0
    assert "456 k to learn" in capsys.readouterr().out
    text = (out / "README.md").read_text()
    assert "COUNTED on emulated boards" in text
    assert "| Cortex-M0 | whole, `-DEK_FIXED` | 123 | 456 | 7,890 |" in text
    assert "ESTIMATE" not in text
    ek.export_c(learner, out)
    text = (out / "README.md").read_text()
    assert "COUNTED" not in text
    assert "Thousands of instructions per row, ESTIMATED" in text
    assert FIT_ERROR in text


def test_what_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_sim.mcu.counting.lacking", lambda: "no emulator")
    with pytest.raises(SimulatorError, match="instructions cannot be counted here: no emulator"):
        counted(ek.Learner(n_features=3, budget=64))
    assert main(["measure", str(tmp_path / "none.olk"), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("options", [{}, {"loss": "square"}, {"n_classes": 3}])
def test_drawn_rows_are_ones_it_takes(options: dict[str, object]) -> None:
    learner = ek.Learner("sorf", n_features=3, D=64, **options)
    X, y = drawn(learner, 50)
    learner.learn_many(X, y)
    assert learner.steps == 50
    assert learner.updates > 10


def test_the_memory_of_rows_is_full_before_rows_are_counted() -> None:
    learner = ek.Learner("sorf", n_features=4, D=64, memory=40)
    X, y = fill(learner, 40)
    assert learner.n_remembered == 40
    assert len(X) == len(y) == COUNTED_ROWS
    about = about_memory(learner).replace("\n", " ")
    assert "its memory held 40 of 40 rows when the 400 counted rows began" in about
    assert "not for the exported state" in about
    assert about_memory(ek.Learner("sorf", n_features=4, D=64, memory=False)) == ""


#: Of sizes that no fit was made from; and how far an estimate may be off there.
MODELS: dict[str, dict[str, Any]] = {
    "two classes": {"algorithm": "sorf", "n_features": 6, "D": 400, "memory": False},
    "memory": {"algorithm": "sorf", "n_features": 6, "D": 256, "memory": 60},
    "classes": {"algorithm": "sorf", "n_features": 4, "D": 200, "n_classes": 4, "memory": False},
    "forecaster": {"n_features": 4, "D": 400, "loss": "square", "history": True,
                   "relevance": True},
    "novelty": {"n_features": 4, "D": 448, "loss": "novelty", "history": True},
}  # fmt: skip
OFF = 1.35


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking()), reason=lacking())
@pytest.mark.parametrize("name", MODELS)
def test_counts_of_a_model_and_the_estimate(name: str) -> None:
    options = dict(MODELS[name])
    learner = ek.Learner(options.pop("algorithm", None), **options)
    (row,) = counts(learner, ["Cortex-M4F"], ["library"])
    assert 0 < row.score < row.learn < row.longest
    estimates = {(each.core, each.arithmetic): each for each in instructions_of(learner)}
    estimate = estimates["Cortex-M4F", "library"]
    for said, found in zip(estimate[2:5], row[2:5], strict=True):
        assert found / OFF < said < OFF * found


def test_what_there_is_no_estimate_for() -> None:
    """Options that change what a row costs, and were not counted."""
    for options in ({"drift": False}, {"relevance": False}, {"linear": True}, {"dtype": "float64"}):
        learner = ek.Learner("sorf", n_features=4, D=128, **options)
        assert instructions_of(learner) == []
