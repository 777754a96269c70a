"""Comparison of counts with the recorded ones: changes, and whether the builds are comparable.

The compiled modules themselves say what made them: today's compiler may be another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import edgeolk as ek
from bench.machine import UNKNOWN, facts
from bench.table import RESULTS, Table

#: Compilers sign the modules they make (section .comment). A release changes counts, a patch does
#: not. Clang's modules carry gcc's signature too, from the C library's start-up code.
_COMPILERS = {
    "gcc": re.compile(rb"GCC: \([^)]*\) (\d+)\."),
    "clang": re.compile(rb"clang version (\d+)\."),
}
_CYTHON = re.compile(rb"_cython_(\d+)_(\d+)_\w+\0")
FILE = RESULTS / "instructions.json"
#: The largest change that is none, as a share of what is recorded.
BAND = 0.05
#: Calls are compared as if there were at least so many: a pass in bulk makes a dozen in all.
FEWEST_CALLS = 1000
#: Facts of a build that must be as recorded for counts to be compared, and for calls on top of
#: that: the interpreter is called by what Cython writes, and differently by each release of both.
#: Of instructions another Cython changes up to half the band; other facts only explain a change.
DECISIVE = ("architecture", "compiler")
DECISIVE_OF_CALLS = ("cython", "python")

FASTER = "faster: record it"


@dataclass(frozen=True)
class Cost:
    """Instructions of the library's compiled modules, and calls out of them."""

    instructions: int
    calls: int


@dataclass(frozen=True)
class Counts:
    """The costs of the cases, by name, with the build and the commit they were counted on."""

    build: dict[str, str]
    cases: dict[str, Cost]
    measured_on: str = UNKNOWN

    def text(self) -> str:
        """As JSON, one line a case, so that a change of one is a change of its line."""
        build = json.dumps(self.build)
        lines = [
            f'  {json.dumps(name)}: {{"instructions": {cost.instructions}, "calls": {cost.calls}}}'
            for name, cost in self.cases.items()
        ]
        head = f'{{\n "measured_on": {json.dumps(self.measured_on)},\n "build": {build},\n'
        return f'{head} "cases": {{\n' + ",\n".join(lines) + "\n }\n}\n"

    @classmethod
    def of_text(cls, text: str) -> Counts:
        """The reverse of ``text``."""
        data = json.loads(text)
        cases = {name: Cost(**cost) for name, cost in data["cases"].items()}
        return cls(data["build"], cases, data.get("measured_on", UNKNOWN))


def save(counts: Counts, path: Path = FILE) -> None:
    """Write the file."""
    path.write_text(counts.text(), encoding="utf-8")


def load(path: Path = FILE) -> Counts | None:
    """Read the file; None where there is none."""
    return Counts.of_text(path.read_text(encoding="utf-8")) if path.exists() else None


def differing(
    recorded: Mapping[str, str], here: Mapping[str, str], facts: Iterable[str] = DECISIVE
) -> str:
    """In which of the facts two builds differ; empty where in none."""
    return "; ".join(
        f"recorded with {fact} {recorded.get(fact)}, this is {here.get(fact)}"
        for fact in facts
        if recorded.get(fact) != here.get(fact)
    )


@dataclass(frozen=True)
class Finding:
    """A case that fails, with the two numbers that differ; None where there is no such case."""

    case: str
    number: str
    recorded: int | None
    counted: int | None
    result: str

    def cells(self) -> list[str]:
        """As a row of the table."""
        change = (
            f"{self.counted / self.recorded - 1:+.1%}" if self.recorded and self.counted else ""
        )
        numbers = ("" if n is None else f"{n:,}" for n in (self.recorded, self.counted))
        return [self.case, self.result, self.number, *numbers, change]


def moved(recorded: int, counted: int, fewest: int = 1) -> int:
    """-1, 0 or 1: fewer, as many within the band, more."""
    allowed = BAND * max(recorded, fewest)
    return (counted > recorded + allowed) - (counted < recorded - allowed)


def compare(
    recorded: Mapping[str, Cost], counted: Mapping[str, Cost], calls: bool = True
) -> list[Finding]:
    """Return deviations from the record by case; ``calls``: whether to compare calls too."""
    findings = []
    for name, cost in counted.items():
        was = recorded.get(name)
        if was is None:
            new = Finding(name, "instructions", None, cost.instructions, "new: record it")
            findings.append(new)
            continue
        pairs = [("instructions", was.instructions, cost.instructions, 1)]
        if calls:
            pairs.append(("calls", was.calls, cost.calls, FEWEST_CALLS))
        for number, before, now, fewest in pairs:
            direction = moved(before, now, fewest)
            if direction:
                result = "SLOWER" if direction > 0 else FASTER
                findings.append(Finding(name, number, before, now, result))
    for name, was in recorded.items():
        if name not in counted:
            gone = "gone: record it if that is meant"
            findings.append(Finding(name, "instructions", was.instructions, None, gone))
    return findings


def table(findings: list[Finding]) -> Table:
    """The findings, to be read."""
    return Table(
        f"Not as recorded, by more than {BAND:.0%}",
        ["case", "result", "what", "recorded", "counted", "change"],
        [finding.cells() for finding in findings],
        "If a change is meant: `python -m bench.instructions --record`, and commit the file.",
        left=3,
    )


def signatures(modules: list[bytes]) -> str:
    """The compilers of modules, such as "gcc 12"."""
    found = {
        f"{name} {int(release)}"
        for name, pattern in _COMPILERS.items()
        for module in modules
        for release in pattern.findall(module)
    }
    return " and ".join(sorted(found)) or "an unknown compiler"


def cython(modules: list[bytes]) -> str:
    """The versions of Cython that wrote the modules."""
    found = {b".".join(v).decode() for module in modules for v in _CYTHON.findall(module)}
    return " and ".join(sorted(found)) or "unknown"


def build() -> dict[str, str]:
    """Of this library: architecture and compiler, which decide; the rest explains a change."""
    package = Path(ek.__file__).parent
    modules = [path.read_bytes() for path in sorted(package.rglob("*.so"))]
    here = facts()
    return {
        "architecture": here["architecture"],
        "compiler": signatures(modules),
        "cython": cython(modules),
        "python": here["python"],
        "numpy": here["numpy"],
    }
