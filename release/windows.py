"""Tests the wheel for Windows in the Python that runs under Wine.

``python -m release.windows [--most n] [--tests-only] [TESTS]``. A wheel that is not in ``dist``, or
older than the sources, is built first. The decisions of every algorithm over 2,000 rows are
compared with those of Linux, by variant, and each side loads the other's model files
(release/crossing.py). Then the tests of the library and the simulator are run, each with ``--most``
of its sets of parameters (release/fewer.py), since Wine is slow. Each folder is a separate run,
which is stopped after ``MINUTES`` and then counts as failed. Excluded tests and reasons:
release/windows_tests.py.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

from release.crossing import available_variants, wheel_agrees
from release.foreign import FOREIGN, build_wheel, windows_python
from release.project import built_since, copied, shown
from release.wheels import DIST, source_distribution, unpack

#: Time limit of a folder of tests; the longest took a third of it on a busy machine.
MINUTES = 30
#: How many files outside folders are run together.
TOGETHER = 8
#: The program that ends all processes of one Wine.
WINESERVER = "/usr/lib/wine/wineserver64"


def wheel() -> Path:
    """Return the wheel for Windows; build one if there is none of these sources."""
    row = FOREIGN["win-amd64"]
    if found := built_since(DIST, f"*{row.tag}.whl"):
        return found[0]
    DIST.mkdir(exist_ok=True)
    return build_wheel(unpack(source_distribution()), row)


def install(wheel_file: Path) -> Path:
    """Install the wheel into the Python for Windows, and copy the tests; return their folder."""
    there = windows_python()
    site = there / "python/Lib/site-packages"
    for name in ("edgeolk", "firmware_sim", *(path.name for path in site.glob("edgeolk-*"))):
        shutil.rmtree(site / name, ignore_errors=True)
    shutil.unpack_archive(wheel_file, site, "zip")
    folders = ("tests", "bench", "release", "docs", "firmware_sim/data")
    return copied(there / "project", folders, ("pyproject.toml", "README.md", "LICENSE"))


def run(
    project: Path, words: list[str], simd: str = "", minutes: float | None = None
) -> tuple[int, str]:
    """Run the Python for Windows in the tests' folder, show its output, and return code and output.

    After so many minutes all processes under this Wine are ended, and the code is not 0.
    """
    environment = {**os.environ, "EDGEOLK_SIMD": simd, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [str(windows_python() / "run"), *words],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as started:
        ending = threading.Timer(minutes * 60 if minutes else 1e6, end_all)
        ending.daemon = True
        ending.start()
        printed = shown(started)
        ending.cancel()
    return started.returncode, printed


def end_all() -> None:
    """End every process under the Wine of this Python, but not of others."""
    environment = {**os.environ, "WINEPREFIX": str(windows_python() / "prefix")}
    subprocess.run([WINESERVER, "--kill"], env=environment, check=False)


def groups(tests: Path) -> list[list[str]]:
    """Return the groups of a run: each folder of tests, and a few files outside folders."""
    found = []
    for package in ("edgeolk", "firmware_sim"):
        inside = sorted((tests / package).iterdir())
        found += [[path] for path in inside if path.is_dir() and any(path.glob("test_*.py"))]
        files = [path for path in inside if path.match("test_*.py")]
        found += [files[at : at + TOGETHER] for at in range(0, len(files), TOGETHER)]
    return [[path.relative_to(tests.parent).as_posix() for path in group] for group in found]


def test(project: Path, most: int, tests: list[list[str]]) -> bool:
    """Run groups of tests, each in a process; print the counts; return whether all passed."""
    # -vv and faulthandler identify a test that hangs.
    words = ["-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "-rs", "-vv"]
    words += ["-o", "faulthandler_timeout=300"]
    plugins = ["-p", "release.windows_tests", "-p", "release.fewer", f"--most={most}"]
    sums: Counter[str] = Counter()
    lines = []
    for group in tests:
        begun = time.monotonic()
        code, printed = run(project, [*words, *plugins, *group], minutes=MINUTES)
        last = printed.rstrip().rpartition("\n")[2]
        counted = re.findall(r"(\d+) (passed|failed|skipped|error)", last)
        sums.update({what: int(count) for count, what in counted})
        # 5: all tests were deselected. A process ended from outside may return 0, without counts.
        sums["not ended"] += code not in (0, 1, 5) or not (counted or code == 5)
        counts = ", ".join(f"{count} {what}" for count, what in counted) or f"ended with {code}"
        lines.append(f"{time.monotonic() - begun:6.0f} s  {' '.join(group)}: {counts}")
        print(lines[-1], flush=True)
    print(*lines, sep="\n")
    print("==", ", ".join(f"{count:,} {what}" for what, count in sums.items()))
    return not (sums["failed"] or sums["error"] or sums["not ended"])


def main() -> int:
    """Compare and test; return 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m release.windows", description=__doc__)
    parser.add_argument("--most", type=int, default=1, help="sets of parameters of a test")
    parser.add_argument("--tests-only", action="store_true", help="compare no learners")
    parser.add_argument("tests", nargs="*", help="folders and files of tests (default: all)")
    arguments = parser.parse_args()
    wheel_file = wheel()
    project = install(wheel_file)
    runs = partial(run, project)
    variants = ", ".join(available_variants(runs))
    print(f"{wheel_file.stat().st_size:>11,}  {wheel_file.name}: {variants}", flush=True)
    agree = arguments.tests_only or wheel_agrees(project, runs)
    named = [[name] for name in arguments.tests] or groups(project / "tests")
    passed = test(project, arguments.most, named)
    return int(not (agree and passed))


if __name__ == "__main__":
    sys.exit(main())
