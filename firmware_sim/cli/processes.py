"""Signals as flags, and commands in a child process.

The first signal sets a flag, so that a row is always counted completely or not at all. A command
that may crash runs in a child process, so that this process can report the crash.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_MARK = "FIRMWARE_SIM_SACRIFICE"
#: Exit code of Windows after an access to forbidden memory.
_ACCESS_VIOLATION = 0xC0000005


class Interruption:
    """The signal that requested the end; false until there is one."""

    def __init__(self) -> None:
        self.number = 0

    def __bool__(self) -> bool:
        return self.number != 0

    @property
    def exit_code(self) -> int:
        """The exit code of a program ended by the signal."""
        return 128 + self.number


@contextmanager
def interruption() -> Iterator[Interruption]:
    """Turn the first Ctrl-C or SIGTERM into a flag; the second ends the program as usual."""
    asked = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield asked  # signals belong to the main thread
        return

    def note(number: int, frame: Any) -> None:
        asked.number = number
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def in_child() -> bool:
    """Whether this process is the child that may crash."""
    return _MARK in os.environ


def run_in_child(words: Sequence[str]) -> tuple[int, str | None]:
    """Run the command line with these words and pass its output on.

    Returns
    -------
    code : int
        Its exit code.
    death : str or None
        Name of the signal if an access to forbidden memory ended it.
    """
    path = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "firmware_sim", *words],
        env={**os.environ, _MARK: "1", "PYTHONPATH": os.pathsep.join(filter(None, path))},
        check=False,
    )
    return done.returncode, _death(done.returncode)


def _death(code: int) -> str | None:
    """Return the signal that ended a process after an access to forbidden memory, or None."""
    if code % 2**32 == _ACCESS_VIOLATION:
        return "access violation"
    signals = [getattr(signal, name) for name in ("SIGSEGV", "SIGBUS") if hasattr(signal, name)]
    return next((signal.Signals(number).name for number in signals if code == -number), None)
