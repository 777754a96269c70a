"""A folder with the tests beside no package: what is tested is what was installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from release.targets import ROOT

#: What pytest is asked for everywhere: nothing is kept, of each test two sets of its parameters.
FEWER = ("-p", "no:cacheprovider", "-p", "release.fewer", "--most=2")


def copied(
    project: Path,
    folders: Iterable[str] = ("tests", "bench", "release"),
    files: Iterable[str] = ("pyproject.toml",),
) -> Path:
    """Make the folder anew; return it."""
    shutil.rmtree(project, ignore_errors=True)
    for name in folders:
        unwanted = shutil.ignore_patterns("__pycache__", "cache")
        shutil.copytree(ROOT / name, project / name, ignore=unwanted)
    for name in files:
        shutil.copy(ROOT / name, project)
    return project


def shown(started: subprocess.Popen[str]) -> str:
    """Show what a process prints while it runs; return that."""
    assert started.stdout is not None
    printed = []
    for line in started.stdout:
        print(line, end="", flush=True)
        printed.append(line)
    return "".join(printed)


def output(command: list[str], **options: Any) -> tuple[int, str]:
    """Run a program and show what it prints; return its exit code and that."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as started:
        printed = shown(started)
    return started.returncode, printed


def counted(printed: str) -> str:
    """What pytest counted, "" where it says nothing."""
    return ", ".join(re.findall(r"\d+ (?:passed|failed|skipped|errors?)", printed))


def newest(folder: Path, pattern: str) -> list[Path]:
    """Files, the one made last first."""
    return sorted(folder.glob(pattern), key=lambda path: -path.stat().st_mtime)
