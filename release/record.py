"""The long runs that a release needs, and what each printed: release/record.md.

``python -m release.record`` lists those that this commit lacks. ``python -m release.record TARGET
[NAME=VALUE ...]`` runs ``make`` with these words, reads the numbers from what it prints and, if
they suffice, appends a line to release/record.md. Nothing is if the target fails, prints no
numbers, or ran less than a release needs. Commit the lines together at the end: a line counts for
each commit that differs from its own only in that file.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.machine import git, sentence
from release.project import output

ROOT = Path(__file__).parent.parent
NAME = "release/record.md"
_LINE = re.compile(r"^\| (\S+) +\| `([0-9a-f]{12})` +\| (.+?) +\| (.+?) +\|$", re.MULTILINE)
HEADER = """\
# What was run

`python -m release.record TARGET` appends a line; `python -m release.check` demands one of each
target for the commit that is tagged.

| target | commit | machine | result |
| --- | --- | --- | --- |
"""


class IncompleteError(Exception):
    """What was printed does not suffice for a release."""


def _tests(printed: str) -> str:
    """Pytest's counts, added up over its summaries."""
    sums: dict[str, int] = {}
    summary = r"((?:\d+ [a-z]+, )*\d+ [a-z]+) in [\d.]+s|^[\w.]+, [\w.]+: (\d+ passed.*)$"
    for found in re.finditer(summary, printed, re.MULTILINE):
        for count, what in re.findall(r"(\d+) ([a-z]+)", found[1] or found[2]):
            sums[what] = sums.get(what, 0) + int(count)
    if not sums.get("passed") or not sums.keys() <= {"passed", "skipped", "deselected", "warnings"}:
        raise IncompleteError(f"no tests that all passed: {sums or 'no summary'}")
    return ", ".join(f"{sums[what]:,} {what}" for what in ("passed", "skipped") if what in sums)


def _sentence(pattern: str, *minimum: int) -> Callable[[str], str]:
    """A reader of the last sentence with such numbers, each of which has a minimum."""

    def read(printed: str) -> str:
        found = list(re.finditer(pattern, printed, re.MULTILINE))
        if not found:
            raise IncompleteError(f"nothing like {pattern!r} was printed")
        numbers = [int(number.replace(",", "")) for number in found[-1].groups()]
        for number, least in zip(numbers, minimum, strict=True):
            if number < least:
                raise IncompleteError(f"{found[-1][0]!r}: a release needs at least {least:,}")
        return found[-1][0]

    return read


def _mutants(printed: str) -> str:
    """All mutations, not only those that a word chose."""
    found = re.search(r"^(\d+) mutations, (\d+) lived$", printed, re.MULTILINE)
    if found is None or int(found[1]) < MUTATIONS or int(found[2]):
        said = found[0] if found else "nothing was printed about mutations"
        raise IncompleteError(f"{said}; a release needs {MUTATIONS} or more, 0 lived")
    return found[0]


def _fuzz(printed: str) -> str:
    """Files of both seeds; each process prints how far it is."""
    done: dict[str, int] = {}
    for seed, count in re.findall(r"^seed (\d+): (\d+) mutants", printed, re.MULTILINE):
        done[seed] = max(done.get(seed, 0), int(count))
    if sum(done.values()) < 10**6:
        raise IncompleteError(f"{sum(done.values()):,} mutants: a release needs 1,000,000")
    return f"{sum(done.values()):,} mutants, each refused with a reason or usable"


def _soak(printed: str) -> str:
    """A line of JSON for each algorithm."""
    steps = [int(n) for n in re.findall(r'^\{.*"steps": (\d+)', printed, re.MULTILINE)]
    if not steps or min(steps) < 10**7:
        raise IncompleteError("no algorithm with 10^7 steps or more was soaked")
    return f"{len(steps)} soaked, {min(steps):,} to {max(steps):,} steps"


def _coverage(printed: str) -> str:
    """Lines and branches of each language, with nothing left but what is listed."""
    found = re.findall(
        r"^(C|Cython|Python): .* lines \(([\d.]+%)\), .* branches \(([\d.]+%|-)\);.*$",
        printed, re.MULTILINE)  # fmt: skip
    if [language for language, _, _ in found] != ["C", "Cython", "Python"]:
        raise IncompleteError("nothing was printed about the lines of C, Cython and Python")
    shares = "; ".join(
        f"{name} {lines} of lines" + (f", {ways} of branches" if ways != "-" else "")
        for name, lines, ways in found
    )
    return f"{shares}; everything else is listed with its reason"


#: At least that many mutations exist; fewer were run if a word chose among them.
MUTATIONS = 480
_LIBFUZZER = _sentence(r"^Done (\d+) runs in (\d+) second", 1, 3590)


@dataclass(frozen=True)
class Target:
    """A target of make that a release needs."""

    name: str
    read: Callable[[str], str]
    words: tuple[str, ...] = ()


TARGETS = {
    target.name: target
    for target in (
        Target("nightly", _tests),
        Target("asan", _tests),
        Target("checked", _tests),
        Target("tsan", _sentence(r"^(\d+) learners read by (\d+) threads each$", 50, 2)),
        Target("valgrind", _sentence(r"^(\d+) passes$", 50)),
        Target("fuzz", _fuzz),
        Target("fuzz-guided", _LIBFUZZER),
        Target("fuzz-slots", _LIBFUZZER),
        Target("mutants", _mutants),
        Target("coverage", _coverage),
        Target("exports", _sentence(
            r"^(\d+) learners exported, (\d+) programs, ([\d,]+) answers; 0 differ", 50, 100, 1)),
        Target("test-mcu", _tests),
        Target("test-windows", _tests),
        Target("test-frozen", _tests),
        Target("test-pi", _tests),
        Target("soak", _soak, ("STEPS=1e8",)),
    )
}  # fmt: skip


def recorded() -> dict[str, list[str]]:
    """The commits of the lines, by target."""
    found: dict[str, list[str]] = {}
    path = ROOT / NAME
    for line in _LINE.finditer(path.read_text("utf-8") if path.exists() else ""):
        found.setdefault(line[1], []).append(line[2])
    return found


def counts_for_head(commit: str) -> bool:
    """Whether the work tree differs from a commit in nothing but the record."""
    if not git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"):
        return False
    return set(git("diff", "--name-only", commit).split()) <= {NAME}


def missing() -> list[str]:
    """Return a sentence for each target without a line for this commit."""
    lines = recorded()
    return [
        f"{NAME} has no line of this commit for {name}: python -m release.record {name}"
        for name in TARGETS
        if not any(counts_for_head(commit) for commit in lines.get(name, ()))
    ]


def append(name: str, result: str, minutes: float) -> None:
    """Append the line of a target that was run on this commit."""
    path = ROOT / NAME
    before = path.read_text("utf-8") if path.exists() else HEADER
    commit = git("rev-parse", "--short=12", "HEAD")
    took = f"{result}; {minutes:,.0f} min"
    path.write_text(f"{before}| {name} | `{commit}` | {sentence()} | {took} |\n", "utf-8")


def run(name: str, words: list[str]) -> int:
    """Run a target, and append its line; return 1 without one."""
    if git("status", "--porcelain", "--", ".", f":!{NAME}"):
        print("commit your changes first: a line names the commit that was tested")
        return 1
    began = time.monotonic()
    target = TARGETS[name]
    code, printed = output(
        ["sh", "-c", 'exec make "$@" 2>&1', "make", name, *(words or target.words)], cwd=ROOT)
    try:
        if code:
            raise IncompleteError(f"make {name} ended with {code}")
        result = target.read(printed)
    except IncompleteError as reason:
        print(f"{name}: {reason}; nothing is recorded")
        return 1
    append(name, result, (time.monotonic() - began) / 60)
    print(f"{name}: {result}")
    return 0


def main(words: list[str]) -> int:
    """List what is missing, or run a target."""
    if not words:
        lacking = missing()
        print("\n".join(lacking) or "every target has a line of this commit")
        return int(bool(lacking))
    if words[0] not in TARGETS:
        print(f"the target must be one of {', '.join(TARGETS)}, got {words[0]!r}")
        return 2
    return run(words[0], words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
