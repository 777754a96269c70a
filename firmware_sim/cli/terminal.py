"""What commands print, and their progress bar."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from firmware_sim.cli.exit_codes import FAILED, OK
from firmware_sim.errors import NotWrittenError, SimulatorError
from firmware_sim.plaintext import printable
from firmware_sim.report.writing import picture_refusal


def tell(message: str) -> None:
    """Print one line on standard error, whatever the message holds."""
    note(f"firmware_sim: {message}")


def note(line: str) -> None:
    """Print one line on standard error as it is; where that is closed or full, nothing."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(printable(line), file=sys.stderr, flush=True)


def show(text: str) -> None:
    """Print on standard output; a reader that has left, as ``| head`` does, is no error."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Windows has no number of its own for a pipe that nobody reads.
        unread = errno.EINVAL if os.name == "nt" else errno.EPIPE
        if error.errno not in (errno.EPIPE, unread):
            raise
        forget_output()


def forget_output() -> None:
    """Send what standard output still holds nowhere.

    Python flushes it once more at exit, and that must not fail.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def can_draw(chosen: argparse.Namespace) -> bool:
    """Whether a picture is wanted and possible; says why where it is wanted and impossible."""
    if chosen.no_picture:
        return False
    if picture_refusal():
        tell(picture_refusal() + "; --no-picture leaves it out without a word")
        return False
    return True


def written(write: Callable[[], list[Path]]) -> tuple[list[Path], list[str]]:
    """Write files; return those that were, and a sentence on each that could not be."""
    try:
        return write(), []
    except NotWrittenError as error:
        return error.files, [str(error)]
    except SimulatorError as error:
        return [], [str(error)]


def told(unwritten: list[str]) -> int:
    """Tell which files could not be written, and return the exit code."""
    for sentence in unwritten:
        tell(sentence)
    return FAILED if unwritten else OK


class Bar:
    """A progress bar on a terminal; elsewhere nothing.

    unit: what is counted, with a space before it.
    chosen: the options; ``--no-progress`` and ``--quiet`` leave the bar out.
    wanted: whether there will be one.
    """

    def __init__(self, unit: str, chosen: argparse.Namespace) -> None:
        hidden = chosen.no_progress or getattr(chosen, "quiet", False)
        shown = sys.stderr is not None and sys.stderr.isatty()
        self.wanted = not hidden and shown and find_spec("tqdm") is not None
        self._unit = unit
        self._bar: Any = None

    def start(self, total: int | None, done: int = 0) -> None:
        """Show it."""
        if self.wanted:
            from tqdm import tqdm

            self._bar = tqdm(
                total=total, initial=done, unit=self._unit, unit_scale=True, file=sys.stderr
            )

    def move(self) -> None:
        """Move it on by one."""
        if self._bar is not None:
            self._bar.update()

    def close(self) -> None:
        """Leave it as it is; nothing happens the second time."""
        if self._bar is not None:
            self._bar.close()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
