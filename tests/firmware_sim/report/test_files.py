"""Files of a report, one by one: whole under their names, or not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_sim.errors import NotWrittenError
from firmware_sim.report.writing import write_each


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("older")

    def write(path: Path) -> None:
        assert path.parent == tmp_path
        path.write_text("new")
        assert not (tmp_path / "a.txt").exists()

    assert write_each(tmp_path, {"a.txt": write}) == [tmp_path / "a.txt"]
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["new"]


def test_one_that_fails_keeps_no_other_back(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "held").touch()
    named = re.escape(str(tmp_path / "b"))
    with pytest.raises(NotWrittenError, match=f"^cannot write to {named}: ") as error:
        write_each(tmp_path, {"a": "text", "b": "", "c": {"one": 1}})
    assert error.value.files == [tmp_path / "a", tmp_path / "c"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]
    assert (tmp_path / "a").read_text(encoding="utf-8") == "text"
    assert (tmp_path / "c").read_text(encoding="utf-8") == '{\n "one": 1\n}\n'
