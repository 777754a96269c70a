"""Tests the wheels in Debian root file systems of other processors, under qemu-user.

``python -m release.emulated [--only aarch64-cp311] [PYTEST ARGUMENTS]``. Wheels that are not in
``dist``, or older than the sources, are built first. Emulation is slow: each test runs with some of
its parameters (release/fewer.py), decisions of learners are compared over more rows
(release/agreement.py).

With ``--kept FILE`` platforms that passed are stored there and not tested again; with ``--minutes``
no platform is begun after that time, and those that are left are printed.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.cases import Cases
from bench.table import Table
from release.crossing import learners_agree
from release.project import built_since, copied, counted, output
from release.rootfs import root_file_system
from release.targets import ROOT, Debian, Target, platform_name, platforms

#: What the tests need besides Debian's numpy; all of it is pure Python.
TOOLS = ("pytest>=8.2", "hypothesis>=6.100", "sortedcontainers", "attrs")
#: Tests that compile, preload a library, read machine code, the source or /proc, or start many
#: processes.
EXCLUDED = (
    *(f"core/test_{name}.py" for name in ("c", "generate", "moments", "symbols", "units")),
    *("core/test_vector_code.py", "core/test_winsor.py", "sorf/test_tables.py"),
    *("configuration/test_generate_options.py", "files/test_rules_once.py"),
    "test_source_tree.py",
    *(f"export/test_{name}.py" for name in ("flash", "folder", "forecast", "late", "ring", "sorf")),
    *(f"test_{name}.py" for name in ("allocations", "long_life", "memory_contract")),
    "test_out_of_memory.py",
)
#: Tests for slower targets: arithmetic, files, plans and every algorithm.
CORE = (
    *("configuration/test_header.py", "configuration/test_plan.py", "scaling"),
    *(f"core/test_{name}.py" for name in ("simd", "variants")),
    *(f"files/test_{name}.py" for name in ("checksums", "frozen", "golden", "restore")),
    *(f"test_{name}.py" for name in ("agreement", "bare", "storage")),
    *("parts/test_kernels.py", "engine/test_lookahead.py", "sorf/test_structured_learner.py"),
)
#: Fails unless all runs are selected.
ALL_RUNS = "tests/edgeolk/test_agreement.py::test_nearly_every_run_reaches_its_end"
PROJECT = "/opt/project"
#: Features of a 32-bit ARM that numpy is not to use: its roots of float32 by NEON are approximate.
#: Three in ten end in another bit than the library's, and than those of references elsewhere.
INEXACT = "NEON NEON_FP16 NEON_VFPV4"


@dataclass(frozen=True)
class Outcome:
    """The results of one platform."""

    name: str
    processor: str
    wheel: Path
    tests: str
    agreement: list[str]
    failed: bool

    def cells(self) -> list[str]:
        """As a row of the table."""
        size = f"{self.wheel.stat().st_size:,}"
        return [self.name, self.processor, size, self.tests, "; ".join(self.agreement)]


def wheel_of(target: Target, release: Debian) -> Path:
    """Return the wheel of a target; build one if there is none of these sources."""
    found = built_since(ROOT / "dist", f"edgeolk-*-{release.tag}-*{target.name}.whl")
    if not found:
        name = platform_name(target, release)
        subprocess.run([sys.executable, "-m", "release.wheels", "--only", name], check=True)
        return wheel_of(target, release)
    return found[0]


def prepare(target: Target, release: Debian, processor: str) -> Path:
    """Return a root file system with the wheel, the tests and what they need."""
    system = root_file_system(target, release)
    install(system, target, release)
    link(system, target)
    emulator = shutil.which(f"qemu-{target.emulator}-static")
    if emulator is None:
        raise SystemExit("qemu-user-static is missing: apt-get install qemu-user-static")
    shutil.copy(emulator, system / "usr/bin")
    write_python(system, target, release, processor)
    return system


def install(system: Path, target: Target, release: Debian) -> None:
    """Put the wheel, the tests and what they need into a root file system."""
    site, project = system / "opt/site", system / PROJECT[1:]
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site)]
    pure = ["--platform", "any", "--python-version", release.python, "--only-binary=:all:"]
    subprocess.run(
        [*pip, *pure, "--no-deps", "iniconfig", "packaging", "pluggy", "pygments", *TOOLS],
        check=True,
    )
    subprocess.run(
        ["unzip", "-q", "-o", str(wheel_of(target, release)), "-d", str(site)], check=True
    )
    folders = ("tests", "bench", "docs", "release", "firmware_sim/data")
    copied(project, folders, ("pyproject.toml", "README.md", "LICENSE"))


def link(system: Path, target: Target) -> None:
    """Make the links that the scripts of Debian's packages would make; these are not run."""
    libraries = system / "usr/lib" / target.triplet
    for name, place in (("libblas.so.3", "blas"), ("liblapack.so.3", "lapack")):
        if (libraries / place / name).exists() and not (libraries / name).exists():
            (libraries / name).symlink_to(f"{place}/{name}")
    for name in ("lib", "lib64") if target.name in ("x86_64", "s390x") else ("lib",):
        folder = system / name
        if not (folder.exists() or folder.is_symlink()):
            folder.symlink_to(f"usr/{name}")


def write_python(system: Path, target: Target, release: Debian, processor: str) -> None:
    """Write ``sys.executable`` of the tests: a native program that starts the emulator."""
    words = [
        f"/usr/bin/qemu-{target.emulator}-static",
        "-cpu",
        processor,
        f"/usr/bin/python{release.python}",
    ]
    listed = "".join(f'"{word}", ' for word in words)
    program = f"""
#include <unistd.h>
int main(int argc, char **argv)
{{
    char *words[4096] = {{{listed}}};
    for (int i = 1; i < argc && i < 4000; i++)
        words[{len(words) - 1} + i] = argv[i];
    return execv(words[0], words);
}}
"""
    command = ["cc", "-static", "-O1", "-o", str(system / "opt/python"), "-x", "c", "-"]
    subprocess.run(command, input=program, text=True, check=True)
    custom = system / "opt/site/sitecustomize.py"
    custom.write_text('import sys\nsys.executable = "/opt/python"\n')


@dataclass(frozen=True)
class Board:
    """The target's Python inside its root file system, on one processor."""

    system: Path
    target: Target
    release: Debian
    processor: str

    def variants(self) -> list[tuple[str, str]]:
        """Variants that the processor runs, each with the one of x86-64 of identical rounding."""
        without = {"neon"} if self.processor.endswith("neon=off") else set()
        return [pair for pair in self.target.variants if pair[0] not in without]

    def run(self, arguments: list[str], simd: str = "") -> tuple[int, str]:
        """Run Python and show its output; return its exit code and output."""
        command = ["chroot", str(self.system), f"/usr/bin/qemu-{self.target.emulator}-static"]
        words = ["-cpu", self.processor, "-E", f"PYTHONPATH=/opt/site:{PROJECT}"]
        words += ["-E", "PYTHONDONTWRITEBYTECODE=1", "-E", f"EDGEOLK_SIMD={simd}"]
        if "neon" in dict(self.variants()):
            words += ["-E", f"NPY_DISABLE_CPU_FEATURES={INEXACT}"]
        program = [f"/usr/bin/python{self.release.python}", *arguments]
        return output([*command, *words, *program])


def run_tests(board: Board, n_parameters: int, pytest_arguments: list[str]) -> tuple[bool, str]:
    """Run the library's tests; return whether they passed, and pytest's counts."""
    tests = f"{PROJECT}/tests/edgeolk"
    target = board.target
    first = board.processor == target.processors[0] and board.release == target.releases[0]
    chosen = [tests] if target.all_tests and first else [f"{tests}/{name}" for name in CORE]
    code, printed = board.run(
        [
            # -v: the summary comes after hours; failures should be visible at once.
            *("-m", "pytest", "-v", "-p", "no:cacheprovider"),
            *("-p", "release.no_compiler", "-p", "release.fewer", f"--most={n_parameters}"),
            *(f"--rootdir={PROJECT}", "-c", f"{PROJECT}/pyproject.toml", "--durations=20"),
            *(f"--ignore={tests}/{name}" for name in EXCLUDED),
            f"--deselect={ALL_RUNS}",
            *(pytest_arguments or chosen),
        ]
    )
    return code == 0, counted(printed) or f"ended with {code}"


def compare_learners(board: Board) -> tuple[bool, list[str]]:
    """Return whether learners agree and load each other's files, and lines with the results."""
    inside = board.system / "opt/agreement"
    return learners_agree(inside, "/opt/agreement", board.run, board.variants())


def test_board(board: Board, name: str, n_parameters: int, pytest_arguments: list[str]) -> Outcome:
    """Compare learners and run tests on one platform."""
    began = time.monotonic()
    agree, lines = compare_learners(board)
    passed, tests = run_tests(board, n_parameters, pytest_arguments)
    print(f"== {name}: {tests}, {(time.monotonic() - began) / 60:.0f} minutes", flush=True)
    wheel = wheel_of(board.target, board.release)
    return Outcome(name, board.processor, wheel, tests, lines, not (agree and passed))


def pieces(parser: argparse.ArgumentParser) -> None:
    """Add the options of a run in pieces."""
    parser.add_argument("--kept", type=Path, help="the file of platforms that passed")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin none after that")


def main(words: list[str] | None = None) -> int:
    """Test the given platforms; return 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m release.emulated", description=__doc__)
    parser.add_argument("--only", action="append", metavar="TARGET[-PYTHON]", default=[])
    parser.add_argument("--most", type=int, default=1, help="sets of parameters of a test")
    pieces(parser)
    given, pytest_arguments = parser.parse_known_args(words)
    if os.geteuid() != 0:
        raise SystemExit("chroot needs root")
    end = time.monotonic() + 60 * given.minutes
    kept = Cases(given.kept, given.kept and given.kept.stem)
    rows, left, failed = [], [], 0
    for name, target, release in platforms(given.only, lambda target: target.name != "x86_64"):
        for processor in target.processors:
            case = f"{name} on {processor}"
            if kept.get(case) is None and time.monotonic() >= end:
                left.append(case)
                continue
            if kept.get(case) is None:
                print(f"== {case}", flush=True)
                board = Board(prepare(target, release, processor), target, release, processor)
                outcome = test_board(board, name, given.most, pytest_arguments)
                failed += outcome.failed
                if not outcome.failed:
                    kept.add(case, outcome.cells())
            rows.append(kept.get(case) or outcome.cells())
    header = ["platform", "processor", "wheel, bytes", "tests", "beside x86-64"]
    print(Table("Platforms", header, rows, left=5).markdown())
    print(f"{len(rows) - failed} of {len(rows) + len(left)} emulated platforms passed")
    print(*(f"left: {case}" for case in left), sep="\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
