"""A command run in a process that may die in its place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_MARK = "FIRMWARE_SIM_SACRIFICE"
#: Exit code of Windows where memory was touched that may not be.
_ACCESS_VIOLATION = 0xC0000005


def is_inside() -> bool:
    """Whether this process is the one that may die."""
    return _MARK in os.environ


def run(words: Sequence[str]) -> tuple[int, str | None]:
    """Run the command line with these words, its output passed on.

    Returns
    -------
    code : int
        Its exit code.
    death : str or None
        Name of the signal that an access to forbidden memory ended it with, if one did.
    """
    path = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "firmware_sim", *words],
        env={**os.environ, _MARK: "1", "PYTHONPATH": os.pathsep.join(filter(None, path))},
        check=False,
    )
    return done.returncode, _death(done.returncode)


def _death(code: int) -> str | None:
    """What a process that touched forbidden memory ended with, if it did."""
    if code % 2**32 == _ACCESS_VIOLATION:
        return "access violation"
    signals = [getattr(signal, name) for name in ("SIGSEGV", "SIGBUS") if hasattr(signal, name)]
    return next((signal.Signals(number).name for number in signals if code == -number), None)
