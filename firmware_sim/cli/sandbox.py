"""A command that runs in a child process, which may crash instead of this one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_MARK = "FIRMWARE_SIM_SACRIFICE"
#: Exit code of Windows after an access to forbidden memory.
_ACCESS_VIOLATION = 0xC0000005


def is_inside() -> bool:
    """Whether this process is the child that may crash."""
    return _MARK in os.environ


def run(words: Sequence[str]) -> tuple[int, str | None]:
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
