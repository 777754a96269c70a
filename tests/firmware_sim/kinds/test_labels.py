"""Labels: words that are read as missing and may be classes all the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.kinds.classes import ClassNames
from firmware_sim.kinds.regression import Targets
from firmware_sim.kinds.two_classes import LabelMap
from firmware_sim.report import to_text


def table(path: Path, names: list[str]) -> Path:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(len(names), 2))
    lines = [f"{x:.3f},{z:.3f},{name}" for (x, z), name in zip(rows, names, strict=True)]
    path.write_text("\n".join(["a,b,state", *lines]) + "\n")
    return path


def replayed(path: Path, **changes: object) -> fs.ReplayResult:
    said = {"algorithm": "rbp", "ram": "8KiB", "target": "state", **changes}
    return fs.replay(fs.ReplayConfig(str(path), **said))  # type: ignore[arg-type]


def test_class_called_none_is_told_of_with_the_remedy(tmp_path: Path) -> None:
    path = table(tmp_path / "none.csv", ["None", "run", "stop"] * 40)
    result = replayed(path, kind="multiclass")
    (warning,) = result.warnings
    assert "of 120 labels" in warning
    assert "'None' (40)" in warning
    assert warning.endswith("--classes None,run,stop")
    assert f"WARNING   {warning}" in to_text(result)
    assert result.rows.used == 80  # what is learned does not change by itself
    named = replayed(path, kind="multiclass", classes=("None", "run", "stop"))
    assert (named.rows.used, named.warnings) == (120, [])


def test_two_classes_and_novelty_have_their_own_remedies(tmp_path: Path) -> None:
    path = table(tmp_path / "na.csv", ["NA", "run", "stop"] * 40)
    (warning,) = replayed(path, positive="run").warnings
    assert "write another word" in warning
    assert "--kind multiclass --classes NA,run,stop" in warning
    (warning,) = replayed(path, positive="run", kind="novelty", algorithm="nogd").warnings
    assert warning.endswith("write another word for it in the stream")


@pytest.mark.parametrize(
    "cells",
    [
        ["run", "stop"] * 50 + ["none"] * 9,  # fewer than ten
        ["run", "stop"] * 500 + ["none"] * 12,  # a small part
        ["run", "stop"] * 50 + [""] * 50,  # no word
        ["0", "1"] * 50 + ["nan"] * 50,  # among numbers it is a gap
    ],
)
def test_gaps_are_no_classes(cells: list[str]) -> None:
    labels = ClassNames(ClassNames.found(cells))
    for cell in cells:
        labels.tally(cell, labels.value(cell), 1)
    assert labels.warning() == ""


def test_many_classes_are_not_all_named() -> None:
    cells = [f"state {i}" for i in range(30)] + ["null"] * 30
    labels = ClassNames(ClassNames.found(cells))
    for cell in cells:
        labels.tally(cell, labels.value(cell), 1)
    assert labels.warning().endswith("--classes null,...")


def test_numbers_have_no_classes() -> None:
    assert Targets().warning() == ""
    assert LabelMap().warning() == ""


def test_labels_that_only_judge_suggest_no_other_kind(tmp_path: Path) -> None:
    path = table(tmp_path / "s.csv", ["run", "stop"] * 20)
    with pytest.raises(fs.StreamError, match="labelled failure with --positive") as caught:
        replayed(path, kind="novelty", algorithm="nogd")
    assert "multiclass" not in str(caught.value)
    assert replayed(path, kind="novelty", algorithm="nogd", positive="stop").rows.used == 40
    with pytest.raises(fs.StreamError, match="--kind multiclass"):
        replayed(path)


def test_table_without_rows(tmp_path: Path) -> None:
    path = table(tmp_path / "s.csv", [])
    with pytest.raises(fs.StreamError, match="no readable row after the header"):
        replayed(path, kind="multiclass")


def test_too_few_classes_tell_why() -> None:
    with pytest.raises(fs.StreamError, match="no readable row after the header"):
        ClassNames.found([])
    with pytest.raises(fs.StreamError, match=r"'run' alone.*'none' is read as missing.*none,run$"):
        ClassNames.found(["run", "none"])
    with pytest.raises(fs.StreamError, match="every label is missing: two"):
        ClassNames.found(["", ""])


def test_numbers_are_not_counted_by_name() -> None:
    numbers = Targets()
    assert not numbers.counts
    assert numbers.never_message("5", "y") == ""
    with pytest.raises(NotImplementedError):
        numbers.tally("5", 5.0, 1)
