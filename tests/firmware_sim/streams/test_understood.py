"""The record of how a log is read: what it holds, and which records are refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware_sim.errors import StreamError
from firmware_sim.streams import open_stream, understood
from firmware_sim.streams.tables import CellStream
from firmware_sim.streams.understood import Understood, read_understood


def known(folder: Path, text: str, name: str = "log.csv") -> Understood:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    stream = open_stream(str(path), target="y")
    assert isinstance(stream, CellStream)
    return stream.reading.understood


TIMED = "time,a,a,y\n" + "".join(f"2024-03-01 {i:02}:00,{i},{i}.5,{i % 2}\n" for i in range(20))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.csv", TIMED),
        ("log.csv", "a,b,y\n" + "1,2,0\n3,4,1\n" * 9),  # no times
        ("log.jsonl", '{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n' * 9),  # no separator
    ],
)
def test_a_record_comes_back_as_it_was(tmp_path: Path, name: str, text: str) -> None:
    found = known(tmp_path, text, name)
    again = Understood.from_toml(found.to_toml(), "record")
    assert [one.name for one in again.columns] == found.names
    assert (again.moments, again.renamed, again.kind) == (found.moments, found.renamed, found.kind)
    for one in ("separator", "header", "data", "comment"):
        assert getattr(again.dialect, one, None) == getattr(found.dialect, one, None)
    assert again.to_toml() == found.to_toml()
    assert bool(found.renamed) is (text is TIMED)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "number"', 'kind = "odd"', "kind is 'odd', it must be one of: number, switch"),
        ('name = "a"', 'name = "y"', "two columns have the same name"),
        ('columns = ["time"]', 'columns = ["when"]', r"time is in \('when',\), which are not col"),
        ('columns = ["time"]', "columns = []", r"time is in \(\), which are not columns"),
        ('separator = ","', 'separator = ""', "separator or data make no sense"),
        ("data = 2", "data = 0", "separator or data make no sense"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    record = known(tmp_path, TIMED).to_toml()
    assert old in record
    with pytest.raises(StreamError, match=rf"log.toml is not a record of a log: .*{words}"):
        Understood.from_toml(record.replace(old, new), "log.toml")


def test_a_record_of_a_log_without_names_reads_another(tmp_path: Path) -> None:
    first = tmp_path / "first.csv"
    first.write_text("".join(f"{20 + i / 8},{i % 7},{i % 2}\n" for i in range(40)))
    options = {"target": "c3", "header": 0}
    stream = open_stream(str(first), **options)
    assert isinstance(stream, CellStream)
    record = tmp_path / "record.toml"
    record.write_text(stream.reading.understood.to_toml())
    assert "header = 0" in record.read_text()
    again = open_stream(str(first), target="c3", understood=str(record))
    for a, b in zip(again.blocks(), stream.blocks(), strict=True):
        assert a.rows.tolist() == b.rows.tolist()


def test_a_record_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    for content in (None, b"format = 1\n# \xff"):
        path = tmp_path / "record.toml"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(StreamError, match=r"cannot read .*record.toml: "):
            read_understood(path)


def test_the_reader_of_toml_may_be_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Python 3.11 there is none in the standard library."""
    found = known(tmp_path, TIMED)
    parsers = {"tomllib": understood.import_module("tomllib")}

    def imported(name: str) -> object:
        if name not in parsers:
            raise ImportError(name)
        return parsers[name]

    monkeypatch.setattr(understood, "import_module", imported)
    parsers["tomli"] = SimpleNamespace(**vars(parsers.pop("tomllib")))
    again = Understood.from_toml(found.to_toml(), "record")
    assert dataclasses.asdict(again)["encoding"] == found.encoding
    parsers.clear()
    with pytest.raises(StreamError, match="needs tomli to read it: pip install tomli"):
        Understood.from_toml(found.to_toml(), "record")
