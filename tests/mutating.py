"""Mutations of the source, and how to try them."""

from __future__ import annotations

import hashlib
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from bench.cases import Cases

ROOT = Path(__file__).resolve().parent.parent
#: Longer than any test takes: of the processor, and of waiting, which takes none.
PROCESSOR_SECONDS, WAITING_SECONDS = 600, 7200
#: The cases that run: those by day, then the slow ones.
CASES = ("not slow and not mcu", "slow and not mcu")
#: What every mutation depends on, as for git: the library, and what tests share.
SHARED = (
    *("edgeolk", "tests", "setup.py", "pyproject.toml"),
    *(":!tests/test_*.py", ":!tests/*/test_*.py", ":!tests/mutants*.py", ":!tests/mutating.py"),
    *(":!tests/uncovered.py", ":!tests/support/covered.py", ":!tests/packaging"),
    *(":!edgeolk/version.py", ":!*.md"),
)
#: What those depend on whose source or tests are of the simulator or a benchmark.
ABOVE = ("firmware_sim", "bench", ":!bench/results", ":!*.md")


@cache
def digest_of(*paths: str) -> bytes:
    """The digest of files, given as for git."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *paths],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    digest = hashlib.sha256()
    for name in filter(None, listed.split("\0")):
        digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return digest.digest()


@cache
def _modules() -> dict[str, Path]:
    """The files of tests by the names with which others import them."""
    return {path.stem: path for path in ROOT.glob("tests/**/*.py")}


@cache
def is_above(file: Path) -> bool:
    """Whether a file of tests, or one that it imports, names the simulator or a benchmark."""
    found, new = set[Path](), {file}
    while new:
        found |= new
        texts = [path.read_text("utf-8") for path in new]
        if any(re.search(r"\b(firmware_sim|bench)\b", text) for text in texts):
            return True
        imported = {
            name for text in texts for name in re.findall(r"(?m)^ *(?:from|import) (\w+)", text)
        }
        new = {_modules()[name] for name in imported & _modules().keys()} - found
    return False


class Mutation(NamedTuple):
    """A text that occurs once in a file, its replacement, and the tests that must fail."""

    what: str
    old: str
    new: str
    file: str
    tests: Sequence[str]

    @property
    def name(self) -> str:
        """Its file and description, which no other mutation has."""
        return f"{self.file}: {self.what}"

    @property
    def case(self) -> str:
        """Its name, and the digest of itself, of its tests and of what they run.

        Tests of others are no part of it: they can change, and new ones come, meanwhile.
        """
        digest = hashlib.sha256(digest_of(*SHARED) + repr(self).encode())
        above = self.file.startswith("firmware_sim")
        for word in self.tests:
            path = ROOT / word.partition("::")[0]
            files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
            for file in filter(Path.is_file, files):  # others are options of pytest
                digest.update(file.read_bytes())
                above = above or is_above(file)
        if above:
            digest.update(digest_of(*ABOVE))
        return f"{self.name} {digest.hexdigest()[:12]}"


class Trials:
    """Results of a run that may end before all mutations were tried.

    Parameters
    ----------
    kept : Cases
        Detected mutations, which are not tried again.
    minutes : float, optional
        No mutation is tried after that time.
    """

    def __init__(self, kept: Cases, minutes: float = math.inf) -> None:
        self.kept, self._end = kept, time.monotonic() + 60 * minutes

    def left(self, wanted: Iterable[Mutation]) -> list[Mutation]:
        """The mutations that are not stored as detected."""
        return [mutation for mutation in wanted if not self.kept.get(mutation.case)]

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._end

    def survivors(
        self, wanted: Iterable[Mutation], notice: Callable[[Mutation], bool]
    ) -> list[Mutation]:
        """Try mutations until the time is up, print each result; return the undetected ones."""
        lived = []
        for mutation in wanted:
            if self.over:
                break
            start = time.perf_counter()
            noticed = notice(mutation)
            if noticed:
                self.kept.add(mutation.case, True)
            else:
                lived.append(mutation)
            took = time.perf_counter() - start
            print(f"{'killed' if noticed else 'LIVES '} {took:5.1f} s  {mutation.what}", flush=True)
        return lived


def table(file: str, tests: Sequence[str], *rows: tuple[str, str, str]) -> list[Mutation]:
    """Mutations of a file: description, text, replacement."""
    return [Mutation(*row, file, tests) for row in rows]


class Header(NamedTuple):
    """Mutations of a header of C; the modules that call its functions without a unit; the types of
    numbers whose units the tests use, all if empty."""

    mutations: Sequence[Mutation]
    callers: Sequence[str]
    types: Sequence[str]


def header(
    name: str,
    tests: Sequence[str],
    *rows: tuple[str, ...],
    callers: Sequence[str] = (),
    types: Sequence[str] = (),
) -> Header:
    """Mutations of a header: description, text, replacement and, if they are not those of the
    header, the tests that must fail."""
    file = f"edgeolk/c/{name}"
    made = [Mutation(what, old, new, file, own or tests) for what, old, new, *own in rows]
    return Header(made, callers, types)


@contextmanager
def applied(mutation: Mutation, path: Path) -> Iterator[None]:
    """Apply the mutation to the file, and restore the file at the end."""
    source = path.read_text()
    if source.count(mutation.old) != 1:
        raise SystemExit(f"{mutation.what}: its text occurs {source.count(mutation.old)} times")
    path.write_text(source.replace(mutation.old, mutation.new))
    try:
        yield
    finally:
        path.write_text(source)


def _limit_seconds() -> None:
    import resource  # not on Windows, where mutations are only looked at

    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))


def failures(folder: Path, tests: Sequence[str], cases: Sequence[str] = CASES) -> str:
    """What pytest prints about the tests in a copy if one fails; empty if all pass.

    Slow cases run if the others notice nothing, unless ``cases`` has none. A crash and a test that
    does not end are failures. What counts is processor time: on a busy machine tests that take a
    minute end after many.
    """
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    output = ""
    for marked in cases:
        words = ["-x", "-p", "no:cacheprovider", "-m", marked, *tests]
        try:
            ran = subprocess.run(
                [sys.executable, "-m", "pytest", *words],
                cwd=folder, env=environment, capture_output=True, text=True, check=False,
                timeout=WAITING_SECONDS, preexec_fn=_limit_seconds,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            return str(error)
        output = f"pytest ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr}"
        if ran.returncode == 1 or ran.returncode < 0:
            return output
        if ran.returncode not in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise SystemExit(output)
    return ""
