"""Every module can be imported where a system lacks what Linux has."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest
from helpers import ROOT

import edgeolk
import firmware_sim

#: Modules of Python that Windows lacks. numpy's own tests of these would be in the way: it is
#: imported first, as are the simulator's extras.
LACKING = ("fcntl", "resource", "pwd", "grp", "termios", "syslog", "pty", "tty", "posix")
#: What Windows has of the flags of ``os.open``.
KEPT = ("O_RDONLY", "O_WRONLY", "O_RDWR", "O_APPEND", "O_CREAT", "O_EXCL", "O_TRUNC")
#: Calls that Windows lacks, or that macOS does.
CALLS = (
    *("preadv", "pwritev", "pread", "pwrite", "fchown", "fchmod", "chown", "mkfifo", "fork"),
    *("posix_fadvise", "register_at_fork", "set_blocking", "geteuid", "getuid", "uname"),
    *("sched_getaffinity", "sysconf", "waitpid", "killpg", "getloadavg", "statvfs"),
)
CODE = """
import importlib, os, select, signal, sys
import numpy, subprocess, tempfile, multiprocessing, concurrent.futures.process
for name in {extras!r}:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
for name in {lacking!r}:
    sys.modules[name] = None
for name in [n for n in dir(os) if n.startswith("O_") and n not in {kept!r}]:
    delattr(os, name)
for name in {calls!r}:
    if hasattr(os, name):
        delattr(os, name)
del select.poll, signal.pthread_sigmask, signal.SIGBUS, signal.SIGKILL
for name in {modules!r}:
    try:
        importlib.import_module(name)
    except ImportError as error:
        if "needs" not in str(error) and "pip install" not in str(error):
            raise
    print(name)
"""


def modules(package: ModuleType) -> list[str]:
    """Every module of a package, those of Windows too; not what ends as a command."""
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [package.__name__, *(m.name for m in found if not m.name.endswith("__main__"))]


@pytest.mark.parametrize("package", [edgeolk, firmware_sim], ids=lambda package: package.__name__)
def test_no_module_imports_what_a_system_lacks(package: ModuleType) -> None:
    named = modules(package)
    assert len(named) > 80
    extras = ("matplotlib.pyplot", "sklearn.base", "river.base", "dask", "distributed", "tqdm")
    code = CODE.format(extras=extras, lacking=LACKING, kept=KEPT, calls=CALLS, modules=named)
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == named
