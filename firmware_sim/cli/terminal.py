"""The output of commands, their progress bar, and their exit codes."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from firmware_sim.cli.processes import Interruption
from firmware_sim.errors import NotWrittenError, SimulatorError
from firmware_sim.plaintext import printable
from firmware_sim.report.writing import refusals

#: Seconds of a step that cause a warning, and seconds between two progress messages after it.
SLOW, EVERY = 1.0, 10.0
OK = 0
#: The command finished, but a file could not be written or runs of a fleet failed.
FAILED = 1
#: Invalid arguments, an invalid stream, parts that do not fit the cap, or a stop at a row.
USAGE = 2
#: The process that exceeded the cap was killed.
BEYOND_CAP = 3
#: The learner's process ended for another reason.
DIED = 4
#: Ctrl-C before the command started its work.
INTERRUPTED = 130


def tell(message: str) -> None:
    """Print one line with the program's name on standard error."""
    note(f"firmware_sim: {message}")


def note(line: str) -> None:
    """Print one line on standard error; do nothing if that is closed or full."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(printable(line), file=sys.stderr, flush=True)


def alarm(line: str) -> None:
    """Print one line as `tell` does, in red on a terminal."""
    red = sys.stderr is not None and sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    text = printable(f"firmware_sim: {line}")
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"\x1b[31m{text}\x1b[0m" if red else text, file=sys.stderr, flush=True)


def show(text: str) -> None:
    """Print on standard output; a closed pipe, as after ``| head``, is not an error."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Windows reports a pipe without a reader as EINVAL.
        unread = errno.EINVAL if os.name == "nt" else errno.EPIPE
        if error.errno not in (errno.EPIPE, unread):
            raise
        forget_output()


def forget_output() -> None:
    """Discard the buffered standard output.

    Python flushes it once more at exit, and that must not fail.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def can_draw(chosen: argparse.Namespace) -> bool:
    """Whether a picture is wanted and possible; prints why if it is wanted but impossible."""
    drawn = not chosen.no_picture
    for refusal in refusals(picture=drawn):
        remedy = "; --no-picture leaves it out without a word" if "picture" in refusal else ""
        tell(refusal + remedy)
        drawn = drawn and not remedy
    return drawn


def written(write: Callable[[], list[Path]]) -> tuple[list[Path], list[str]]:
    """Write files; return those that were written, and a sentence on each that was not."""
    try:
        return write(), []
    except NotWrittenError as error:
        return error.files, [str(error)]
    except SimulatorError as error:
        return [], [str(error)]


def report_unwritten(unwritten: list[str]) -> int:
    """Print which files could not be written, and return the exit code."""
    for sentence in unwritten:
        tell(sentence)
    return FAILED if unwritten else OK


def ended(
    chosen: argparse.Namespace,
    text: str,
    files: Iterable[Path],
    unwritten: list[str],
    warnings: Iterable[str],
    interrupted: Interruption | None = None,
    left_out: str = "",
) -> int:
    """Print a report, its files and which of them could not be written; return the exit code.

    left_out: the headline about rows that were left out, which ``--strict`` makes an error.
    """
    failed = tell_left_out(chosen, left_out)
    if not chosen.quiet:
        for warning in warnings:
            if warning != left_out:
                tell(f"warning: {warning}")
        show(f"{text}\nreport    {'  '.join(map(str, files))}")
    code = report_unwritten(unwritten)
    if interrupted:
        return interrupted.exit_code
    return failed or code


def tell_left_out(chosen: argparse.Namespace, headline: str) -> int:
    """Print the headline about rows that were left out; return the exit code of ``--strict``."""
    strict = bool(headline) and getattr(chosen, "strict", False)
    if headline and (strict or not chosen.quiet):
        alarm(f"{'--strict' if strict else 'warning'}: {headline}")
    return USAGE if strict else OK


class ProgressLines:
    """Warns of a slow replay, and prints its progress if there is no bar.

    rows: number of rows; None if unknown.
    enabled: whether anything is printed.
    shown: whether a bar shows the progress.
    ram: the cap, as text.
    """

    def __init__(
        self,
        rows: int | None,
        *,
        enabled: bool,
        shown: bool,
        ram: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rows, self._enabled, self._shown, self._ram, self._clock = (
            rows,
            enabled,
            shown,
            ram,
            clock,
        )
        self._done = 0
        self._slow = False
        self._started = self._last = self._last_message = clock()

    def move(self, rows: int) -> None:
        """Count rows that are done."""
        now = self._clock()
        self._done += rows
        step, self._last = (now - self._last) / max(1, rows), now
        if not self._enabled or not self._done:
            return
        if step > SLOW and not self._slow:
            self._slow = True
            tell(f"warning: a step takes {step:.1f} s in {self._ram}{self._expected_time(now)}")
        elif self._slow and not self._shown and now - self._last_message > EVERY:
            self._last_message = now
            of = "" if self._rows is None else f" of {self._rows:,}"
            tell(f"row {self._done:,}{of} after {now - self._started:.0f} s")

    def _expected_time(self, now: float) -> str:
        remedy = "a smaller --ram makes it quicker, --limit ends it earlier"
        if self._rows is None:
            return f"; {remedy}"
        seconds = (now - self._started) / self._done * self._rows
        expected = (
            f"{seconds / 3600:.1f} hours" if seconds > 7200 else f"{seconds / 60:.0f} minutes"
        )
        return f", and {self._rows:,} rows may take {expected}; {remedy}"


class Bar:
    """A progress bar on a terminal; nothing elsewhere.

    unit: what is counted, with a space before it.
    chosen: the options; ``--no-progress`` and ``--quiet`` leave the bar out.
    wanted: whether the bar will be shown.
    """

    def __init__(self, unit: str, chosen: argparse.Namespace) -> None:
        hidden = chosen.no_progress or getattr(chosen, "quiet", False)
        shown = sys.stderr is not None and sys.stderr.isatty()
        self.wanted = not hidden and shown and find_spec("tqdm") is not None
        self._unit = unit
        self._bar: Any = None

    def start(self, total: int | None, done: int = 0) -> None:
        """Show the bar."""
        if self.wanted:
            from tqdm import tqdm

            self._bar = tqdm(
                total=total, initial=done, unit=self._unit, unit_scale=True, file=sys.stderr
            )

    def move(self, n: int = 1) -> None:
        """Advance by `n`."""
        if self._bar is not None:
            self._bar.update(n)

    def close(self) -> None:
        """Close the bar; a second call does nothing."""
        if self._bar is not None:
            self._bar.close()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
