"""Tests the wheel for Windows in the Python that runs under Wine.

``python -m release.windows [--most n] [--tests-only] [TESTS]``. A wheel that is not in ``dist``, or
older than the sources, is built first. The decisions of every algorithm over 2,000 rows are
compared with those of Linux, by variant, and each side loads the other's model files
(release/crossing.py). Then the tests of the library and the simulator are run, each with ``--most``
of its sets of parameters (release/fewer.py), since Wine is slow. Each folder is a separate run,
which is stopped after ``MINUTES`` and then counts as failed; a test that takes longer than
``SECONDS`` ends its run, with a traceback of all threads. Excluded tests and reasons:
release/windows_tests.py. It is run in pieces as release.emulated is: folders that passed are
stored in the file of ``--kept``, and none is begun after ``--minutes``.
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

from bench.cases import Cases
from release.crossing import available_variants, wheel_agrees
from release.emulated import pieces
from release.foreign import FOREIGN, build_wheel, windows_python
from release.project import built_since, copied, shown
from release.wheels import DIST, source_distribution, unpack

#: Time limit of a folder of tests; the longest took a third of it on a busy machine.
MINUTES = 30
#: Time limit of a test.
SECONDS = 300
#: How many files outside folders are run together.
TOGETHER = 8
#: The comparison of learners, among the stored groups.
LEARNERS = "learners"
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


def test(project: Path, most: int, tests: list[str]) -> dict[str, int]:
    """Run a group of tests in a process; return the counts, with "not ended" if it was stopped."""
    # -vv and faulthandler identify a test that hangs.
    words = ["-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "-rs", "-vv", "--durations=5"]
    words += ["-o", f"faulthandler_timeout={SECONDS}", "-o", "faulthandler_exit_on_timeout=true"]
    words += ["-p", "release.no_compiler", "-p", "release.windows_tests"]
    words += ["-p", "release.fewer", f"--most={most}"]
    code, printed = run(project, [*words, *tests], minutes=MINUTES)
    last = printed.rstrip().rpartition("\n")[2]
    counts = {what: int(n) for n, what in re.findall(r"(\d+) (passed|failed|skipped|error)", last)}
    # 5: all tests were deselected. A process ended from outside may return 0, without counts.
    if code not in (0, 1, 5) or not (counts or code == 5):
        counts["not ended"] = 1
    return counts


def run_groups(
    project: Path, most: int, tests: list[list[str]], kept: Cases, end: float
) -> tuple[bool, list[str]]:
    """Run groups of tests that have not passed yet; print the counts of all.

    Returns
    -------
    bool, list of str
        Whether none failed, and the groups that the time did not suffice for.
    """
    sums: Counter[str] = Counter()
    lines, left = [], []
    for group in tests:
        name = " ".join(group)
        counts = kept.get(name)
        if counts is None and time.monotonic() >= end:
            left.append(name)
            continue
        begun = time.monotonic()
        if counts is None:
            counts = test(project, most, group)
            if counts.keys() <= {"passed", "skipped"}:
                kept.add(name, counts)
        sums.update(counts)
        said = ", ".join(f"{count} {what}" for what, count in counts.items()) or "nothing to run"
        lines.append(f"{time.monotonic() - begun:6.0f} s  {name}: {said}")
        print(lines[-1], flush=True)
    print(*lines, sep="\n")
    order = ("passed", "skipped", "failed", "error", "not ended")
    print("==", ", ".join(f"{sums[what]:,} {what}" for what in order if what in sums))
    return sums.keys() <= {"passed", "skipped"}, left


def main(words: list[str] | None = None) -> int:
    """Compare and test; return 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m release.windows", description=__doc__)
    parser.add_argument("--most", type=int, default=1, help="sets of parameters of a test")
    parser.add_argument("--tests-only", action="store_true", help="compare no learners")
    parser.add_argument("tests", nargs="*", help="folders and files of tests (default: all)")
    pieces(parser)
    arguments = parser.parse_args(words)
    end = time.monotonic() + 60 * arguments.minutes
    kept = Cases(arguments.kept, arguments.kept and arguments.kept.stem)
    wheel_file = wheel()
    project = install(wheel_file)
    agree = arguments.tests_only or bool(kept.get(LEARNERS))
    if not agree:
        runs = partial(run, project)
        variants = ", ".join(available_variants(runs))
        print(f"{wheel_file.stat().st_size:>11,}  {wheel_file.name}: {variants}", flush=True)
        if agree := wheel_agrees(project, runs):
            kept.add(LEARNERS, True)
    named = [[name] for name in arguments.tests] or groups(project / "tests")
    passed, left = run_groups(project, arguments.most, named, kept, end)
    print(f"{len(named) - len(left)} of {len(named)} groups of tests were run")
    print(*(f"left: {name}" for name in left), sep="\n")
    return int(not (agree and passed))


if __name__ == "__main__":
    sys.exit(main())
