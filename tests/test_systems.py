"""Every module can be imported on a system that lacks what Linux has."""

from __future__ import annotations

import ast
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
#: The same of the modules ``signal`` and ``select``.
SIGNALS = (
    *("pthread_sigmask", "SIG_BLOCK", "SIG_SETMASK", "SIGBUS", "SIGKILL", "SIGALRM", "SIGHUP"),
    *("SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGCHLD", "setitimer", "alarm", "poll", "epoll", "kqueue"),
)
#: The files that name any of these, and what keeps them from it on a system that lacks it.
ASKS_FIRST = {
    "edgeolk/files/posix.py": "not imported on Windows; preadv and flags are asked for",
    "edgeolk/files/locked.py": "hasattr",
    "firmware_sim/comparison/sharing.py": "hasattr",
    "firmware_sim/containment/process.py": "refused before that, with the reason",
    "firmware_sim/containment/seccomp.py": "refused before that, with the reason",
    "firmware_sim/streams/stdin.py": "a thread waits where the module is not",
}
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
    """Every module of a package, those for Windows too, except modules that run as commands."""
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [package.__name__, *(m.name for m in found if not m.name.endswith("__main__"))]


def test_no_module_imports_what_a_system_lacks() -> None:
    named = [*modules(edgeolk), *modules(firmware_sim)]
    assert len(named) > 160
    extras = ("matplotlib.pyplot", "sklearn.base", "river.base", "dask", "distributed", "tqdm")
    code = CODE.format(extras=extras, lacking=LACKING, kept=KEPT, calls=CALLS, modules=named)
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == named


def lacking_names(source: str) -> set[str]:
    """Names that a text uses and some system lacks: modules, and members of a few of them."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names} & {*LACKING}
        elif isinstance(node, ast.ImportFrom):
            found |= {(node.module or "").partition(".")[0]} & {*LACKING}
            taken = {"os": CALLS, "signal": SIGNALS, "select": SIGNALS}.get(node.module or "", ())
            found |= {alias.name for alias in node.names} & {*taken}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            flag = node.attr.startswith("O_") and node.attr not in (*KEPT, "O_BINARY")
            if node.value.id == "os" and (node.attr in CALLS or flag):
                found.add(node.attr)
            if node.value.id in ("signal", "select") and node.attr in SIGNALS:
                found.add(node.attr)
    return found


def test_only_known_places_name_what_a_system_lacks() -> None:
    # What is imported inside a function is not seen by the test above.
    found = {
        path.relative_to(ROOT).as_posix()
        for package in ("edgeolk", "firmware_sim")
        for path in (ROOT / package).rglob("*.py")
        if lacking_names(path.read_text(encoding="utf-8"))
    }
    assert found == {*ASKS_FIRST}


@pytest.mark.parametrize(
    "source",
    [
        "import resource",
        "def f():\n    from fcntl import flock",
        "import os\nos.fork()",
        "from os import preadv",
        "import os\nflags = os.O_CLOEXEC | os.O_RDONLY",
        "import signal\nsignal.signal(signal.SIGUSR1, None)",
    ],
)
def test_what_a_system_lacks_is_found(source: str) -> None:
    assert lacking_names(source)
    assert not lacking_names("import os\nos.open('x', os.O_RDONLY)\nos.replace('a', 'b')")
