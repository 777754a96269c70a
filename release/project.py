"""A folder with the tests but without the packages, so that the installed ones are tested."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from release.targets import ROOT

#: Common options of pytest: no cache, two sets of parameters per test.
FEWER = ("-p", "no:cacheprovider", "-p", "release.fewer", "--most=2")


def copied(
    project: Path,
    folders: Iterable[str] = ("tests", "bench", "release"),
    files: Iterable[str] = ("pyproject.toml",),
) -> Path:
    """Replace the folder by copies; return it."""
    shutil.rmtree(project, ignore_errors=True)
    for name in folders:
        unwanted = shutil.ignore_patterns("__pycache__", "cache")
        shutil.copytree(ROOT / name, project / name, ignore=unwanted)
    for name in files:
        shutil.copy(ROOT / name, project)
    return project


def shown(started: subprocess.Popen[str]) -> str:
    """Show the output of a process while it runs; return the output."""
    assert started.stdout is not None
    printed = []
    for line in started.stdout:
        print(line, end="", flush=True)
        printed.append(line)
    return "".join(printed)


def output(command: list[str], **options: Any) -> tuple[int, str]:
    """Run a program and show its output; return exit code and output."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as started:
        printed = shown(started)
    return started.returncode, printed


def counted(printed: str) -> str:
    """Return pytest's counts from its output; "" if there are none."""
    return ", ".join(re.findall(r"\d+ (?:passed|failed|skipped|errors?)", printed))


def newest(folder: Path, pattern: str) -> list[Path]:
    """Return files, the newest first."""
    return sorted(folder.glob(pattern), key=lambda path: -path.stat().st_mtime)


def built_since(folder: Path, pattern: str) -> list[Path]:
    """Return files that are newer than every source of the packages, the newest first."""
    sources = [ROOT / "setup.py", ROOT / "pyproject.toml"]
    for package in ("edgeolk", "firmware_sim"):
        for kind in ("*.py", "*.pyx", "*.pxd", "*.h"):
            sources += (ROOT / package).rglob(kind)
    changed = max(path.stat().st_mtime for path in sources)
    return [path for path in newest(folder, pattern) if path.stat().st_mtime > changed]
