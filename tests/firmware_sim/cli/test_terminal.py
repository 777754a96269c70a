"""What commands print, on terminals, on full disks and into pipes that nobody reads."""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_sim.cli import terminal
from firmware_sim.cli.processes import Interruption
from firmware_sim.cli.terminal import Bar, ProgressLines
from firmware_sim.errors import NotWrittenError, SimulatorError


class Terminal(io.StringIO):
    """A terminal that keeps what it shows."""

    def isatty(self) -> bool:
        return True


class Full(io.StringIO):
    """A disk without space."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def chosen(**options: object) -> argparse.Namespace:
    return argparse.Namespace(**{"no_progress": False, "quiet": False, "strict": False, **options})


# ---- lines ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("say", [terminal.tell, terminal.note, terminal.alarm])
@pytest.mark.parametrize("stream", [None, Full()], ids=["closed", "full"])
def test_a_message_that_cannot_be_shown_ends_nothing(
    say: object, stream: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    say("a message")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("where", "plain", "red"),
    [(Terminal, "", True), (Terminal, "1", False), (io.StringIO, "", False)],
    ids=["terminal", "NO_COLOR", "file"],
)
def test_an_alarm_is_red_on_a_terminal(
    where: type[io.StringIO], plain: str, red: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = where()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("NO_COLOR", plain)
    terminal.alarm("rows were left out")
    line = "firmware_sim: rows were left out"
    assert shown.getvalue() == (f"\x1b[31m{line}\x1b[0m\n" if red else f"{line}\n")


SHOWS = """
from firmware_sim.cli.terminal import show
for number in range(20_000):
    show(f"line {number} of a long report")
"""


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    """As after `| head`."""
    reader, writer = os.pipe()
    process = subprocess.Popen([sys.executable, "-c", SHOWS], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert os.read(reader, 10) == b"line 0 of "
    os.close(reader)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")


def test_a_report_that_cannot_be_printed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(OSError, match="No space left"):
        terminal.show("a report")


# ---- files and exit codes ------------------------------------------------------------------------


def refuse(error: Exception) -> list[Path]:
    raise error


def test_what_was_written_and_what_was_not() -> None:
    files = [Path("a.txt"), Path("b.json")]
    assert terminal.written(lambda: files) == (files, [])
    half = NotWrittenError("no space for b.json", files[:1])
    assert terminal.written(lambda: refuse(half)) == (files[:1], [str(half)])
    assert terminal.written(lambda: refuse(SimulatorError("no"))) == ([], ["no"])


@pytest.mark.parametrize(
    ("unwritten", "interrupted", "strict", "code"),
    [
        ([], False, False, 0),
        (["b.json is not written"], False, False, 1),
        (["b.json is not written"], False, True, 2),
        ([], False, True, 2),
        ([], True, True, 130),
    ],
)
def test_the_exit_code(
    unwritten: list[str], interrupted: bool, strict: bool, code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Of an interruption above all, then of rows that were left out, then of files."""
    stop = Interruption()
    stop.number = 2 if interrupted else 0
    found = terminal.ended(
        chosen(strict=strict), "all rows", [Path("r.txt")], unwritten,
        ["3 rows were left out", "other"], stop, "3 rows were left out",
    )  # fmt: skip
    assert found == code
    out, errors = capsys.readouterr()
    assert out == "all rows\nreport    r.txt\n"
    assert errors.count("3 rows were left out") == 1
    assert errors.startswith(f"firmware_sim: {'--strict' if strict else 'warning'}: 3 rows")
    assert "warning: other" in errors
    assert all(sentence in errors for sentence in unwritten)


# ---- progress ------------------------------------------------------------------------------------


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def progress(seconds: list[float], rows: int | None, shown: bool = False) -> ProgressLines:
    now = iter([0.0, *seconds])
    return ProgressLines(rows, enabled=True, shown=shown, ram="64 MiB", clock=lambda: next(now))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (300, ", and 300 rows may take 10 minutes"),
        (36_000, ", and 36,000 rows may take 20.0 hours"),
        (None, ""),
    ],
)
def test_a_slow_step_is_told_once(
    rows: int | None, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = progress([2.0, 4.0, 6.0], rows)
    for _ in range(3):
        lines.move(1)
    (line,) = lines_of(capsys)
    start = "firmware_sim: warning: a step takes 2.0 s in 64 MiB"
    assert line == f"{start}{expected}; a smaller --ram makes it quicker, --limit ends it earlier"


def test_then_rows_are_counted_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    lines = progress([2.0, 9.0, 11.0, 12.0, 30.0], 900)
    for _ in range(5):
        lines.move(1)
    _, *counted = lines_of(capsys)
    assert counted == [
        "firmware_sim: row 3 of 900 after 11 s", "firmware_sim: row 5 of 900 after 30 s",
    ]  # fmt: skip


@pytest.mark.parametrize("shown", [True, False])
def test_a_quick_replay_or_one_with_a_bar_counts_nothing(
    shown: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = progress([0.5, 20.0, 40.0], 9000, shown)
    for _ in range(3):
        lines.move(1 if shown else 1000)
    assert not any("row" in line and "after" in line for line in lines_of(capsys))


def test_a_bar_is_shown_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    for where, more, wanted in (
        (Terminal(), {}, True),
        (Terminal(), {"no_progress": True}, False),
        (Terminal(), {"quiet": True}, False),
        (io.StringIO(), {}, False),
        (None, {}, False),
    ):
        monkeypatch.setattr(sys, "stderr", where)
        with Bar(" rows", chosen(**more)) as bar:
            assert bar.wanted == wanted
            bar.start(200, done=50)
            bar.move(150)
        bar.close()
        if where is not None:
            assert ("200/200" in where.getvalue()) == wanted
