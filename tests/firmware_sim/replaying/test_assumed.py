"""What a log itself says of its target, and what the notes propose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.replaying.assumed import assumed


def log(folder: Path, name: str, cells: Sequence[str]) -> str:
    path = folder / "log.csv"
    lines = [f"{at * 0.7:.3f},{cells[at % len(cells)]}" for at in range(60)]
    path.write_text("\n".join([f"x,{name}", *lines, ""]))
    return str(path)


@pytest.mark.parametrize(
    ("name", "cells", "note"),
    [
        ("state", ["load"], "column 'state' may be a label ('load'): --target state learns it; no"),
        ("State", ["0", "3", "2"], "'State' may be a label ('0', '3', '2'): --target State"),
        ("words", ["in", "a b", "out", "up"], "'words' may be a label ('in', 'a b', 'out', ...)"),
        ("state", [f"{at}.5" for at in range(60)], ""),  # readings
        ("machine", ["pump"], ""),  # a constant name
    ],
)
def test_a_column_of_few_values_is_proposed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, cells: list[str], note: str
) -> None:
    assert main(["look", log(tmp_path, name, cells)]) == 0
    said = capsys.readouterr().out
    assert ("may be a label" in said) == bool(note)
    assert note in said
    assert "--kind novelty" in said


@pytest.mark.parametrize(
    ("cells", "says"),
    [(["idle", "under load"], True), (["idle"], True), (["a", "b", "c"], False)],
)
def test_the_note_on_two_words_names_positive(
    tmp_path: Path, cells: list[str], says: bool
) -> None:
    path = log(tmp_path, "label", cells)
    note = assumed(path, {}).notes[-1]
    assert "holds several classes: --kind multiclass" in note
    assert ("--positive" in note) == says
    if len(cells) == 2:
        options = "--target label --positive 'under load'"
        assert note.endswith(f"{options} learns one set of weights, +1 for 'under load'")
        result = fs.replay(path, target="label", positive="under load", ram="4KiB")
        assert result.metrics.kind == "binary"
