"""``python -m firmware_sim``, started with Ctrl-C as usual, and in the background."""

from __future__ import annotations

import importlib
import signal
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="no handlers are inherited on Windows")
@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.SIG_IGN])
def test_it_starts_whatever_ctrl_c_does(handler: signal.Handlers) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "firmware_sim", "streams"], capture_output=True, text=True,
        check=False, preexec_fn=lambda: signal.signal(signal.SIGINT, handler),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "occupancy" in done.stdout


def test_as_a_module_it_does_nothing() -> None:
    before = signal.getsignal(signal.SIGINT)
    module = importlib.import_module("firmware_sim.__main__")
    assert not hasattr(module, "main")
    assert signal.getsignal(signal.SIGINT) is before
