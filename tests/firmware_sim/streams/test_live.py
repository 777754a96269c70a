"""Rows that come once: kept for the first look, then gone; silence, standard input, record."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.replaying.loop import Replay
from firmware_sim.streams import CsvStream, live, stdin
from firmware_sim.streams.block import Line
from firmware_sim.streams.live import KEPT, LiveStream, Source, record
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.stdin import PipeSource
from firmware_sim.streams.text import LONGEST_LINE


class Listed(Source):
    """A source from memory; None stands for a silence, on which the clock moves by a second."""

    name = "listed"

    def __init__(self, rows: list[list[str] | None], clock: list[float] | None = None) -> None:
        self.rows, self.clock, self.closed = rows, clock, False

    def header(self, idle: float | None = None, should_stop: Any = None) -> list[str]:
        return ["a", "b", "y"]

    def lines(self) -> Iterator[Line | None]:
        for row in self.rows:
            if row is None and self.clock is not None:
                self.clock[0] += 1.0
            yield None if row is None else Line(row)

    def close(self) -> None:
        self.closed = True


def rows(n: int) -> list[list[str] | None]:
    rng = np.random.default_rng(1)
    return [[f"{rng.normal():.4f}", str(i % 7), str(i % 2)] for i in range(n)]


def stream(source: Source, **options: object) -> LiveStream:
    return LiveStream(source, ReadingOptions("y"), **options)  # type: ignore[arg-type]


def as_csv(folder: Path, records: list[list[str] | None]) -> Path:
    path = folder / "same.csv"
    path.write_text("a,b,y\n" + "".join(",".join(r) + "\n" for r in records if r is not None))
    return path


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("n", [3, 450, KEPT + 500])
def test_same_as_the_file(tmp_path: Path, n: int) -> None:
    """The width is chosen from rows that are then learned too."""
    config = {"ram": "8KiB", "algorithm": "rbp"}
    records = rows(n)
    from_file = fs.replay(
        fs.ReplayConfig(str(as_csv(tmp_path, records)), target="y", **config)  # type: ignore[arg-type]
    )
    broken: list[list[str] | None] = []
    for row in records:
        broken += [row, None]
    from_source = fs.replay(fs.ReplayConfig(stream(Listed(broken)), **config))  # type: ignore[arg-type]
    assert from_source.metrics.summary() == from_file.metrics.summary()
    assert from_source.width == from_file.width
    assert from_source.rows == from_file.rows


def test_cannot_be_read_again_for_ever() -> None:
    once = stream(Listed(rows(KEPT + 1)))
    for _ in range(2):
        assert sum(map(len, once.blocks(KEPT))) == KEPT
    assert sum(map(len, once.blocks())) == KEPT + 1
    with pytest.raises(StreamError, match=r"cannot be read again after 1,000 rows"):
        next(once.blocks())


def test_silence_ends_it_only_when_told(clock: list[float]) -> None:
    silent: list[list[str] | None] = [None] * 10
    source = Listed([*rows(3), *silent, *rows(2), *silent, *rows(1)], clock)
    # Three rows, then more than two seconds of silence: the columns are settled.
    endless = stream(source)
    samples = list(endless.samples(np.empty(2)))
    assert sum(sample is not None for sample in samples) == 6
    assert samples.count(None) > 10
    source = Listed([*rows(3), *silent, *rows(2), *silent], clock)
    short = stream(source, idle=5.0)
    assert sum(sample is not None for sample in short.samples(np.empty(2))) == 3


def test_silence_before_the_first_row(clock: list[float]) -> None:
    patient = stream(Listed([*[None] * 50, *rows(4)], clock))
    assert sum(s is not None for s in patient.samples(np.empty(2))) == 4
    hasty = stream(Listed([*[None] * 50, *rows(4)], clock), idle=5.0)
    assert [s for s in hasty.samples(np.empty(2)) if s is not None] == []


def test_interrupt_while_nothing_comes() -> None:
    records: list[list[str] | None] = [*rows(250), *[None] * 1000]
    asked = iter(range(10_000))
    result = Replay(fs.ReplayConfig(stream(Listed(records)), gamma=1.0, ram="8KiB")).run(
        should_stop=lambda: next(asked) > 300
    )
    assert result.status == "interrupted"
    assert result.detail == "interrupted before row 251"
    assert result.rows.used == 250


def test_limit_does_not_wait_for_one_more_row() -> None:
    class Blocking(Listed):
        def lines(self) -> Iterator[Line | None]:
            yield from super().lines()
            raise AssertionError("asked for a row beyond the limit")

    for n in (250, KEPT + 10):
        config = fs.ReplayConfig(stream(Blocking(rows(n))), gamma=1.0, ram="8KiB", limit=n)
        assert fs.replay(config).rows.used == n


def test_label_that_never_comes_is_warned_of() -> None:
    config = fs.ReplayConfig(stream(Listed(rows(40))), gamma=1.0, ram="8KiB", positive="On")
    result = fs.replay(config)
    assert len(result.warnings) == 1
    assert result.warnings[0].startswith("the label 'On' never occurs in column 'y': '0' (20)")


def piped(data: bytes) -> PipeSource:
    """A source over a pipe that holds the data already; the pipe takes 64 KiB at least."""
    assert len(data) <= 65_536
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    return PipeSource(reader, "a pipe")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a,b\n1,2\n\n3,4", [["1", "2"], ["3", "4"]]),
        (b"\xef\xbb\xbfa;b\r\n1,5;2\r\n", [["1,5", "2"]]),
        ("a,b\n°,\u6e29\n".encode(), [["°", "\u6e29"]]),
        (b'a,b\n"x,y",2\n', [["x,y", "2"]]),
        (b"a,b\n", []),
        (
            gzip.compress(b"a,b\n1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0) + bytes(9),
            [[*"12"], [*"34"]],
        ),
        ("a,b\n°,\u6e29\n".encode("utf-16"), [["°", "\u6e29"]]),
        ("a,b\n1,2\n3,4\n".encode("utf-16-be"), [["1", "2"], ["3", "4"]]),
        ("a,b\n1,21 °C\n".encode("cp1252"), [["1", "21 °C"]]),
    ],
)
def test_pipe(data: bytes, expected: list[list[str]]) -> None:
    source = piped(data)
    assert source.header() == ["a", "b"]
    assert [line.cells for line in source.lines() if line is not None] == expected


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.4\n", "a PDF, not a log"),
        (b"\1\2\3\n\4\5\n", "binary file"),
        (gzip.compress(b"%PDF-1.4\n", mtime=0), "a PDF, not a log"),
        (b"\x1f\x8b\x08\0", "compressed data are"),
        (b"+1 1:0.5 3:1\n-1 2:0.25\n" * 10, "in LIBSVM format, .* save it and name the file"),
    ],
)
def test_pipe_of_something_else(data: bytes, words: str) -> None:
    source = piped(data)
    with pytest.raises(StreamError, match=words):
        [source.header(), *source.lines()]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"\xff\xfe,2", "bytes that are not text"),
        (b"\0\0\0", "NUL bytes"),
        (b"1" * (LONGEST_LINE + 70_000), "more than 1,048,576 characters"),
        (b"a,b", "it repeats the header"),
    ],
    ids=["noise", "power cut", "endless", "header"],
)
def test_a_damaged_line_of_a_pipe_is_a_damaged_row(tmp_path: Path, line: bytes, why: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a,b\n1,2\n" + line + b"\n3,4\n")
    with path.open("rb") as file:
        source = PipeSource(file.fileno())
        assert source.header() == ["a", "b"]
        first, bad, last = [row for row in source.lines() if row is not None]
    assert (first.cells, last.cells) == (["1", "2"], ["3", "4"])
    assert bad.cells == []
    assert bad.text[:9] == line.decode("utf-8", "backslashreplace").strip("\0")[:9]
    assert why in bad.why


def test_a_line_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdin, "MAX_CHARACTERS", 2 * LONGEST_LINE)
    path = tmp_path / "long"
    path.write_bytes(b"a,b\n1,2\n" + b"1" * (4 * LONGEST_LINE))
    with path.open("rb") as file, pytest.raises(StreamError, match="not a table of readings"):
        list(PipeSource(file.fileno()).lines())


def test_standard_input_from_the_command_line(tmp_path: Path) -> None:
    data = as_csv(tmp_path, rows(400)).read_bytes()
    command = [sys.executable, "-m", "firmware_sim", "replay", "-", "--target", "y", "--ram"]
    done = subprocess.run(
        [*command, "8KiB", "--no-picture", "--out", str(tmp_path / "out")],
        input=data,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"standard input: 400 rows read, 400 used" in done.stdout


def test_record(tmp_path: Path) -> None:
    records = rows(50)
    records[10:10] = [None, ["1", "2"], ["a,b", 'say "c"', "1"]]
    source = Listed(records)
    done = record(source, tmp_path / "out.csv")
    assert (done.rows, done.damaged) == (51, 1)
    assert source.closed
    text = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert text[0] == "a,b,y"
    assert text[11] == '"a,b","say ""c""",1'
    assert len(text) == 52
    with pytest.raises(SimulatorError, match="already exists"):
        record(Listed(rows(1)), tmp_path / "out.csv")
    assert len((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()) == 52
    with pytest.raises(SimulatorError, match="cannot write to"):
        record(Listed(rows(1)), tmp_path / "no" / "out.csv")


def test_record_stops_at_the_limit_and_when_asked(tmp_path: Path) -> None:
    assert record(Listed(rows(50)), tmp_path / "a.csv", limit=7).rows == 7
    asked = iter(range(100))
    done = record(Listed(rows(50)), tmp_path / "b.csv", should_stop=lambda: next(asked) == 5)
    assert done.rows == 5
    assert len((tmp_path / "b.csv").read_text(encoding="utf-8").splitlines()) == 6  # whole rows


def test_record_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = as_csv(tmp_path, rows(30))
    out = tmp_path / "out.csv"
    command = [sys.executable, "-m", "firmware_sim", "record", "-", str(out)]
    with data.open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
    assert done.stdout == f"30 rows in {out}\n"
    assert out.read_text(encoding="utf-8") == data.read_text(encoding="utf-8")
    assert main(["record", "-", str(out)]) == 2
    assert main(["record", str(data), str(tmp_path / "new.csv")]) == 2
    printed = capsys.readouterr().err
    assert "already exists" in printed
    assert "not a live stream" in printed


def test_streams_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["streams"]) == 0
    assert "occupancy" in capsys.readouterr().out


def test_a_record_of_another_log_and_a_source_without_names(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("p,q,y\n" + "1,2,0\n3,4,1\n" * 9)
    (tmp_path / "other.toml").write_text(
        CsvStream(other, target="y").reading.understood.to_toml()
    )
    options = ReadingOptions(target="y", understood=str(tmp_path / "other.toml"))
    with pytest.raises(StreamError, match=r"listed: .*other.toml is of another log: \['a', 'b'"):
        LiveStream(Listed(rows(9)), options, idle=1.0)
    live_rows = LiveStream(Listed(rows(9)), ReadingOptions(target="y"), idle=1.0)
    assert live_rows.count() is None

    class Nameless(Listed):
        def header(self, idle: float | None = None, should_stop: Any = None) -> list[str]:
            return []

    source = Nameless(rows(9))
    with pytest.raises(SimulatorError, match="listed: the first line must hold the column names"):
        record(source, tmp_path / "new.csv")
    assert source.closed
    assert not (tmp_path / "new.csv").exists()
