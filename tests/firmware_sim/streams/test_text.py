"""Files that are no plain UTF-8 table: hostile, damaged, or written by a spreadsheet."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.fleet import read_manifest
from firmware_sim.plaintext import printable, shortened
from firmware_sim.streams import CsvStream, open_stream, text
from firmware_sim.streams.packed import XzReader
from firmware_sim.streams.text import LONGEST_LINE, MAX_BLANK_LINES, Records

TABLE = "a,b,y\n1,2,1\n3,4,0\n"


def write(folder: Path, content: bytes) -> Path:
    path = folder / "s.csv"
    path.write_bytes(content)
    return path


def bomb(pattern: bytes, megabytes: int) -> bytes:
    """A gzip file that unpacks to so much of the pattern after a good table."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = pattern * ((1 << 20) // len(pattern))
    parts = [packer.compress(TABLE.encode())]
    parts += [packer.compress(block) for _ in range(megabytes)]
    return b"".join([*parts, packer.flush()])


def read(path: Path) -> int:
    return sum(1 for _ in CsvStream(path, target="y").samples(np.empty(2)))


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (b"1", "more than 4,194,304 characters"),
        (b"1,", "more than 4,194,304 characters"),
        (b"\0", "more than 4,194,304 characters"),
        (b"\n", f"more than {MAX_BLANK_LINES:,} blank lines"),
        (b'1","\n', "more than 1,000 consecutive rows open a quote without closing it"),
    ],
)
def test_gzip_bomb_ends_with_a_message_within_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: bytes, words: str
) -> None:
    monkeypatch.setattr(text, "MAX_CHARACTERS", 4 * LONGEST_LINE)
    path = write(tmp_path, bomb(pattern, 24))
    assert path.stat().st_size < 300_000
    tracemalloc.start()
    with pytest.raises(StreamError, match=words):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * LONGEST_LINE


def test_wide_table_takes_time_in_proportion(tmp_path: Path) -> None:
    columns = 20_000
    names = ",".join(f"c{i}" for i in range(columns)) + ",y\n"
    path = write(tmp_path, (names + (",".join(["1"] * columns) + ",1\n") * 2).encode())
    began = time.process_time()
    stream = CsvStream(path, target="y", ignore=[f"c{i}" for i in range(0, columns, 2)])
    assert sum(1 for _ in stream.samples(np.empty(len(stream.features)))) == 2
    assert time.process_time() - began < 5.0  # 16 s when every name was sought in a list
    with pytest.raises(StreamError, match=r"'gone'.* and 19,961 more$") as error:
        CsvStream(path, target="gone")
    assert len(str(error.value)) < 500


def test_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StreamError, match="not a regular file"):
        CsvStream(tmp_path / "pipe", target="y")
    with pytest.raises(StreamError, match="not a regular file"):
        open_stream(str(tmp_path / "pipe"), target="y")
    with pytest.raises(StreamError, match="it is a folder"):
        CsvStream(tmp_path, target="y")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_encodings_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    content = (mark + TABLE.replace("a,", "Temp °C,")).encode(encoding)
    for data in (content, gzip.compress(content), lzma.compress(content)):
        stream = CsvStream(write(tmp_path, data), target="y")
        assert stream.features == ("Temp °C", "b")
        assert stream.count() == 2


STRAY = "a quote is opened and not closed"


def samples(path: Path) -> list[tuple[str, str]]:
    return [(one.label, one.damage) for one in CsvStream(path, target="y").samples(np.empty(2))]


@pytest.mark.parametrize("rows", [30, 300, 5000])
@pytest.mark.parametrize("stray", ['"1,2,1', '1,"2,1', '1,2,"1'])
def test_a_stray_quote_costs_its_own_line(tmp_path: Path, rows: int, stray: str) -> None:
    path = write(tmp_path, (TABLE + f"{stray}\n" + "1,2,1\n" * rows).encode())
    found = samples(path)
    assert len(found) == rows + 3
    assert [number for number, (_, damage) in enumerate(found) if damage] == [2]
    assert found[2] == ("", STRAY)
    assert CsvStream(path, target="y").count() == rows + 3


@pytest.mark.parametrize(
    ("first", "last"),
    [('"1,2,1', '"3,4,0'), ('"1,2,1', '3",4,0'), ('1,"2,1', '3,4"5,0'), ('1,2,"1', '3,4,0"')],
)
def test_two_stray_quotes_keep_the_rows_between_them(tmp_path: Path, first: str, last: str) -> None:
    text = "\n".join([TABLE.rstrip(), first, *["5,6,1"] * 40, last, *["7,8,0"] * 40, ""])
    found = samples(write(tmp_path, text.encode()))
    assert len(found) == 84
    assert found[2][1]
    assert found[3:43] == [("1", "")] * 40
    assert found[-40:] == [("0", "")] * 40
    assert CsvStream(tmp_path / "s.csv", target="y").count() == 84


def test_cells_of_lines_with_stray_quotes() -> None:
    lines = ["a,b\n", '"1,2\n', "3,4\n", '"5\n', '6",7,8\n', '"9\n9",10\n']
    records = Records(iter("".join(lines).splitlines(keepends=True)), ",")
    assert [(cells, records.damage) for cells in records] == [
        (["a", "b"], ""),
        ([], STRAY),
        (["3", "4"], ""),
        ([], STRAY),
        (['6"', "7", "8"], ""),
        (["9\n9", "10"], ""),
    ]


def test_a_cell_in_quotes_may_have_several_lines(tmp_path: Path) -> None:
    text = 'a,note,y\n1,"one, two\n""three""\n",1\n2,x,0\n3,"' + "line\n" * 900 + '",1\n'
    stream = CsvStream(write(tmp_path, text.encode()), target="y", ignore=["note"])
    rows = np.empty(1)
    assert [(rows[0], one.label) for one in stream.samples(rows)] == [(1, "1"), (2, "0"), (3, "1")]
    assert stream.count() == 3


def test_stray_quotes_take_time_in_proportion(tmp_path: Path) -> None:
    text = "a,y\n1,1\n" + 'a","\n1,0\n' * 3000
    stream = CsvStream(write(tmp_path, text.encode()), target="y")
    calls = 0

    def counted(lines: Iterator[str]) -> Iterator[str]:
        nonlocal calls
        for line in lines:
            calls += 1
            yield line

    records = Records(counted(iter(text.splitlines(keepends=True))), ",")
    reader = records._reader
    taken = 0
    for _ in records:
        taken = reader.line_num
    assert calls == 6002
    assert taken < 20 * calls
    assert stream.count() == 6001


def test_a_stray_quote_in_the_header_or_a_manifest_is_told(tmp_path: Path) -> None:
    stream = CsvStream(write(tmp_path, b'"a,b,y\n' + b"1,2,1\n" * 20), target="y")
    assert (stream.features, stream.count()) == (("a", "b"), 20)
    write(tmp_path, b'stream,target\n"log.csv,y\nother.csv,y\n')
    with pytest.raises(SimulatorError, match=f"row 1: {STRAY}"):
        read_manifest(str(tmp_path / "s.csv"))


def test_encodings_without_a_mark(tmp_path: Path) -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        assert read(write(tmp_path, (TABLE + "1,2,1\n" * 16).encode(encoding))) == 18
    stream = CsvStream(write(tmp_path, TABLE.replace("a,", "°C,").encode("latin1")), target="y")
    assert (stream.features, stream.count()) == (("°C", "b"), 2)
    with pytest.raises(StreamError, match="binary file"):
        CsvStream(write(tmp_path, b"\x7fELF\x02\x01\x01\0\0\0" * 9), target="y")


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_stream_cut_in_the_middle(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    text = TABLE + "".join(f"{i * i % 977},{i},{i % 2}\n" for i in range(20_000))
    packed = pack(text.encode())
    assert CsvStream(write(tmp_path, packed), target="y").count() == 20_002
    stream = CsvStream(write(tmp_path, packed[: len(packed) // 2]), target="y")
    *some, last = stream.samples(np.empty(2))
    assert last.damage == "the compressed data end here: they are truncated or damaged"
    assert len(some) > 1_000
    assert [one.damage for one in some if one.damage][:-1] == []  # but for a torn row


def test_xz_that_is_damaged_or_asks_for_too_much_memory(tmp_path: Path) -> None:
    text = (TABLE * 5000).encode()
    packed = bytearray(lzma.compress(text))
    packed[4] ^= 0xFF
    with pytest.raises(StreamError, match="cannot read"):
        read(write(tmp_path, bytes(packed)))
    greedy = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 64 << 20}]
    with pytest.raises(StreamError, match="Memory usage limit exceeded"):
        read(write(tmp_path, lzma.compress(text, filters=greedy)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain °C 温度", "plain °C 温度"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\u202eturned\u2028\ud800", r"\u202eturned\u2028\ud800"),
    ],
)
def test_nothing_steers_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable("a\nb", keep="\n") == "a\nb"


def test_shortened() -> None:
    assert shortened("x" * 40) == repr("x" * 40)
    assert shortened("x" * 41) == repr("x" * 37 + "...")


def test_a_gzip_file_of_which_nothing_is_left(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(TABLE.encode())[:11])
    with pytest.raises(StreamError, match=r"s.csv: its compressed data are truncated"):
        CsvStream(path, target="y")


def test_a_cell_that_the_csv_module_refuses_is_a_damaged_row() -> None:
    lines = ["a,b\n", f"1,{'x' * 200_000}\n", "3,4\n"]
    found = [(row, records.damage) for records in [Records(iter(lines), ",")] for row in records]
    assert [row for row, _ in found] == [["a", "b"], [], ["3", "4"]]
    assert [why for _, why in found] == [
        "", "it cannot be read: field larger than field limit (131072)", "",
    ]  # fmt: skip


def test_xz_is_unpacked_from_pieces_of_any_size() -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(1)  # most bytes of a header give none of the data

    data = b"".join(b"%d,%d\n" % (i, i * i) for i in range(2_000))
    assert io.BufferedReader(XzReader(Slow(lzma.compress(data)))).read() == data
