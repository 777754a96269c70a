"""The page of boards: a stopped run continues with the parts that are not of this commit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.mcu import __main__ as program
from bench.mcu import page
from bench.table import Table


def test_every_part_is_a_table_of_the_page() -> None:
    titles = re.findall(r"^## (.*)$", page.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {title for _, title in program.PARTS.values()} == {*titles}


def test_which_tables_are_of_this_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path / "mcu.md")
    monkeypatch.setattr(page, "here", lambda: "commit `4f1c`")
    assert not page.measured_here("Sizes")
    page.put(Table("Sizes", ["board"], [["uno"]]))
    assert page.measured_here("Sizes")
    assert not page.measured_here("Size")
    page.put(Table("Streams", ["board"], [["uno"]]))
    for now in ("commit `5f1c`", "commit `4f1c` and changes to it"):
        monkeypatch.setattr(page, "here", lambda now=now: now)
        page.put(Table("Streams", ["board"], [["uno"]]))
        assert not page.measured_here("Sizes")
        assert page.measured_here("Streams") == ("changes" not in now)
