"""Signals as flags, so that a row is always counted completely or not at all."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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
