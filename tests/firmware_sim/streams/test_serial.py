"""A serial line, as the other end of a pseudo-terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import firmware_sim as fs
from firmware_sim.cli.program import main
from firmware_sim.streams import open_stream
from firmware_sim.streams.live import record
from firmware_sim.streams.serial_port import SerialSource

pty = pytest.importorskip("pty")
pytest.importorskip("serial")


@pytest.fixture
def line() -> Iterator[tuple[int, str]]:
    """The board's end of a line, and the port of the other."""
    board, port = pty.openpty()
    yield board, os.ttyname(port)
    os.close(board)
    os.close(port)


def test_lines_are_rows(line: tuple[int, str], tmp_path: Path) -> None:
    board, port = line
    source = SerialSource(f"serial:{port}?baud=9600")
    os.write(board, b"x,y,fault\r\n" + b"".join(b"%d,%d,0\r\n" % (i, -i) for i in range(40)))
    done = record(source, tmp_path / "log.csv", limit=40, idle=20.0)
    assert done.rows == 40
    text = (tmp_path / "log.csv").read_text().splitlines()
    assert text[:2] + text[-1:] == ["x,y,fault", "0,0,0", "39,-39,0"]


def test_the_end_of_a_line_is_left_out_where_columns_are_named(line: tuple[int, str]) -> None:
    board, port = line
    source = SerialSource(f"serial:{port}?columns=x,y")
    os.write(board, b"3,4\n1,2\n" + b"5,6\n" * 3)
    assert source.header(20.0) == ["x", "y"]
    cells = []
    for row in source.until(20.0):
        cells += [] if row is None else [row.cells]
        if len(cells) == 4:
            break
    source.close()
    assert cells == [["1", "2"], *[["5", "6"]] * 3]


def test_the_command_records(line: tuple[int, str], tmp_path: Path) -> None:
    board, port = line
    os.write(board, b"1,2\n" * 9)
    file = str(tmp_path / "log.csv")
    # What was sent before the port was opened is gone, or not: a line more is left out.
    address = f"serial:{port}?baud=115200&columns=a,b"
    assert main(["record", address, file, "--idle", "0.5", "--quiet"]) == 0
    assert (tmp_path / "log.csv").read_text().splitlines()[0] == "a,b"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("serial:/dev/nowhere", "cannot open /dev/nowhere"),
        ("serial:?baud=9600", "is not of the form serial:PORT"),
        ("serial:/dev/null?baud=fast", "is not of the form serial:PORT"),
        ("serial:/dev/null?bauds=9600", "is not of the form serial:PORT"),
    ],
)
def test_what_is_refused(address: str, message: str) -> None:
    with pytest.raises(fs.SimulatorError, match=message):
        open_stream(address)


def test_a_line_that_is_lost_says_so() -> None:
    board, end = pty.openpty()
    source = SerialSource(f"serial:{os.ttyname(end)}?columns=x,y")
    os.close(end)
    os.close(board)
    with pytest.raises(fs.SimulatorError, match="cannot read serial:/dev/"):
        list(source.lines())


def test_a_port_that_is_closed_ends_the_rows(line: tuple[int, str]) -> None:
    board, port = line
    source = SerialSource(f"serial:{port}?baud=9600")
    os.write(board, b"x,y\n" + b"1,2\n" * 70)
    assert source.header(20.0) == ["x", "y"]
    found = []
    for row in source.lines():
        if row is not None:
            found.append(row.cells)
        if len(found) == 70:
            source.close()
    assert found == [["1", "2"]] * 70


def test_without_its_library_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(fs.SimulatorError, match=r"needs pyserial: pip install 'edgeolk\[serial\]'"):
        SerialSource("serial:/dev/ttyUSB0")
