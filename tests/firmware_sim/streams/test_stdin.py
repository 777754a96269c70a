"""Rows from a pipe: JSON, comments, pieces, silences, packed data, and systems without poll."""

from __future__ import annotations

import gzip
import os
import select
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from firmware_sim.errors import StreamError
from firmware_sim.streams import live, stdin
from firmware_sim.streams.stdin import PipeSource

TABLE = b"a,b\n" + b"".join(b"%d,%d\n" % (i, -i) for i in range(9))
CELLS = [[str(i), str(-i)] for i in range(9)]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The end to read from, and the end to write to, which a test closes."""
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def cells_of(source: PipeSource) -> list[list[str]]:
    return [line.cells for line in source.lines() if line is not None]


def of_pieces(*pieces: bytes | None) -> PipeSource:
    return PipeSource(blocks=iter([*pieces, b""]))


# ---- formats -------------------------------------------------------------------------------------


def test_lines_of_json_are_rows() -> None:
    lines = b'{"t": 20.5, "on": true}\n{"t": 21, "on": false}\n\n{"t": 22}\n'
    source = of_pieces(lines, b'{"on": true, "t": 23}\n')
    assert source.header() == ["t", "on"]
    assert cells_of(source) == [["20.5", "true"], ["21", "false"], ["22", ""], ["23", "true"]]


def test_comments_are_left_out() -> None:
    more = b"".join(b"%d,1\n" % i for i in range(70))  # beyond the lines that are looked at first
    source = of_pieces(b"# a board\na,b\n1,2\n# reset\n3,4\n" + more + b"# the end\n5,6\n")
    assert source.header() == ["a", "b"]
    expected = [["1", "2"], ["3", "4"], *([str(i), "1"] for i in range(70)), ["5", "6"]]
    assert cells_of(source) == expected


# ---- pieces and silences -------------------------------------------------------------------------


def test_a_row_may_come_in_pieces_with_silences() -> None:
    pieces: list[bytes | None] = []
    for at in range(0, len(TABLE), 5):
        pieces += [TABLE[at : at + 5], None]
    source = of_pieces(*pieces)
    assert source.header() == ["a", "b"]
    assert cells_of(source) == CELLS


def test_packed_rows_may_come_in_pieces_with_silences() -> None:
    packed = gzip.compress(TABLE[:20], mtime=0) + gzip.compress(TABLE[20:], mtime=0)
    pieces: list[bytes | None] = []
    for at in range(0, len(packed), 7):
        pieces += [packed[at : at + 7], None]
    source = of_pieces(*pieces)
    assert source.header() == ["a", "b"]
    assert cells_of(source) == CELLS


@pytest.mark.parametrize("ending", ["cut", "noise"])
def test_damage_at_the_end_of_packed_rows_is_a_damaged_row(ending: str) -> None:
    """The rows before it count."""
    packed = gzip.compress(TABLE, mtime=0)
    source = of_pieces(packed + b"noise") if ending == "noise" else of_pieces(packed[:-6])
    assert source.header() == ["a", "b"]
    *whole, last = [line for line in source.lines() if line is not None]
    assert [line.cells for line in whole] == CELLS
    assert not last.cells
    assert "damaged" in last.why


def test_nothing_that_can_be_unpacked_is_refused() -> None:
    with pytest.raises(StreamError, match="compressed data are truncated or damaged"):
        of_pieces(gzip.compress(TABLE, mtime=0)[:12]).header()


def test_the_layout_is_settled_after_a_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a slow board no 60 lines are awaited."""
    seconds = count()
    monkeypatch.setattr(stdin.time, "monotonic", lambda: float(next(seconds)))
    endless = iter([b"a,b\n1,2\n", *[None] * 10_000])
    source = PipeSource(blocks=endless)
    assert source.header() == ["a", "b"]
    assert next(endless) is None
    assert next(seconds) < 5 * live.INSPECT_TIMEOUT + 10


# ---- descriptors ---------------------------------------------------------------------------------


def test_a_folder_is_no_pipe(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(StreamError, match="cannot read standard input: Is a directory"):
            PipeSource(folder).header()
    finally:
        os.close(folder)


@pytest.mark.parametrize("polls", [True, False])
def test_a_pipe_with_and_without_poll(
    pipe: tuple[int, int], polls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silences are told, then come the rows, then the end."""
    monkeypatch.setattr(stdin, "TICK", 0.01)
    if not polls:
        monkeypatch.delattr(select, "poll", raising=False)  # Windows has none
    reader, writer = pipe
    blocks = stdin._blocks(reader)
    assert next(blocks) is None
    os.write(writer, TABLE)
    found = next(data for data in blocks if data is not None)
    assert found == TABLE
    os.close(writer)
    assert [data for data in blocks if data is not None] == [b""]


def test_without_poll_a_folder_is_no_pipe_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(select, "poll", raising=False)  # Windows has none
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(StreamError, match="cannot read a log: Is a directory"):
            PipeSource(folder, "a log").header()
    finally:
        os.close(folder)
