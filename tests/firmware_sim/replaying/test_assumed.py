"""What a log itself says of its target, and what the notes propose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.replaying.assumed import assumed, completed
from firmware_sim.streams import opening
from firmware_sim.streams.stdin import PipeSource


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


def test_a_kind_that_was_given_gets_a_target_and_a_constant_switch_is_none(tmp_path: Path) -> None:
    path = log(tmp_path, "y", ["0", "1"])
    assert assumed(path, {"kind": "binary"}).options == {"target": "y"}
    assert assumed(log(tmp_path, "s", ["on", "off"]), {}).options["target"] == "s"
    assert assumed(log(tmp_path, "s", ["on"]), {}).options == {"kind": "novelty"}


def test_of_a_matrix_nothing_is_inferred(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text("".join(f"{i % 2 * 2 - 1} 1:{i} 2:3\n" for i in range(30)))
    found = assumed(str(path), {})
    assert (found.options, found.notes, found.live) == ({}, [], None)


def test_the_kind_of_a_live_target_is_found_and_the_source_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = log(tmp_path, "y", ["1.5", "2.5", "7.25"])
    closed: list[str] = []

    class Pipe(PipeSource):
        def close(self) -> None:
            closed.append(self.name)

    data = Path(path).read_bytes()
    monkeypatch.setattr(opening, "open_source", lambda _: Pipe(blocks=iter([data, b""])))
    config = completed(fs.ReplayConfig("-", target="y", idle=0.1))
    assert (config.kind, closed) == ("regression", ["standard input"])
    assert completed(fs.ReplayConfig(path, target="y")).kind == "regression"
