"""What the tests run: ``PYTHONPATH=tests python tests/support/covered.py FOLDER``, a traced tree.

Reads gcc's counts (``EDGEOLK_TRACED=1``) by gcov and those of coverage.py, both left by a run of
the tests in ``FOLDER``. Of Python files and of C headers, each line must have run and each branch
must have been taken both ways; of Cython files, whose branches Cython makes up, each line. A line
that several modules compile, or several macros, ran if it ran in one; so does an outcome of its
branches. Prints a line per file, and exits with 1 if something is neither covered nor listed in
tests/uncovered.py, or is listed there and covered.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uncovered

COMPILED = (".pyx", ".pxd", ".h")
#: Beginnings of lines of Cython that are no statements.
BARE = ("cdef class", "def ", "cdef ", "cimport", "from ", "import ", '"""', "@", "#", "}")


@dataclass
class File:
    """Counts of a file: of its lines, and of the outcomes of branches that leave a line."""

    lines: dict[int, int] = field(default_factory=dict)
    outcomes: dict[tuple[int, str], int] = field(default_factory=dict)

    def missed(self) -> dict[int, list[str]]:
        """The lines that never ran, with an empty list, and those with outcomes never seen.

        What was lost when two threads counted at once can leave a difference below zero.
        """
        found: dict[int, list[str]] = {n: [] for n, count in self.lines.items() if not count}
        for (line, outcome), count in self.outcomes.items():
            if count <= 0 and self.lines.get(line):
                found.setdefault(line, []).append(outcome)
        return found


def _gcov(folder: Path) -> Iterator[dict[str, Any]]:
    """What gcov says about the modules' objects, file by file."""
    for notes in sorted(folder.glob("build/temp*/**/*.gcno")):
        ran = subprocess.run(
            ["gcov", "--json-format", "--branch-probabilities", "--stdout", notes.name],
            cwd=notes.parent, capture_output=True, check=True,
        )  # fmt: skip
        text = gzip.decompress(ran.stdout) if ran.stdout[:2] == b"\x1f\x8b" else ran.stdout
        for told in map(json.loads, text.splitlines()):
            yield from told["files"]


def statements(name: str, text: list[str]) -> set[int]:
    """The numbers of lines that may be statements: in Cython, no declarations and docstrings."""
    found, quoted = set(), False
    for number, line in enumerate(map(str.strip, text), 1):
        was_quoted, quoted = quoted, quoted ^ (line.count('"""') % 2 == 1)
        declares = was_quoted or quoted or (line.startswith(BARE) and "=" not in line)
        if line and not (declares and name.endswith((".pyx", ".pxd"))):
            found.add(number)
    return found


def core(folder: Path) -> dict[str, File]:
    """The files of the core that were compiled.

    Macros and constants make a line's branches differ between objects. The objects that have
    most of them count, since these have what the line says; their counts are added up.
    """
    lines: dict[str, Counter[int]] = defaultdict(Counter)
    branches: dict[tuple[str, int], dict[int, list[int]]] = defaultdict(dict)
    for told in _gcov(folder):
        name = told["file"]
        if "edgeolk/" not in name or not name.endswith(COMPILED):
            continue
        name = name[name.index("edgeolk/") :]
        for line in told["lines"]:
            number, found = line["line_number"], [branch["count"] for branch in line["branches"]]
            lines[name][number] += line["count"]
            if name.endswith(".h") and found:
                alike = branches[name, number].setdefault(len(found), [0] * len(found))
                alike[:] = map(sum, zip(alike, found, strict=True))
    files: dict[str, File] = {}
    for name, counts in lines.items():
        path = folder / name
        text = path.read_text("utf-8").splitlines() if path.exists() else []
        code = {n: counts[n] for n in sorted(statements(name, text) & counts.keys())}
        outcomes = {
            (n, str(place)): count
            for n in code
            for place, count in enumerate(max(branches.get((name, n), {0: []}).items())[1])
        }
        if code:
            files[name] = File(code, outcomes)
    return files


def python(folder: Path) -> dict[str, File]:
    """The Python files, by coverage.py."""
    told = subprocess.run(
        [sys.executable, "-m", "coverage", "json", "--quiet", "-o", "-"],
        cwd=folder, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    files = {}
    for name, found in json.loads(told)["files"].items():
        lines = dict.fromkeys(found["executed_lines"], 1) | dict.fromkeys(found["missing_lines"], 0)
        outcomes = {}
        for key, count in (("executed_branches", 1), ("missing_branches", 0)):
            outcomes.update({(a, f"to {b}"): count for a, b in found[key]})
        files[name] = File(lines, outcomes)
    return files


def block(text: list[str], at: int) -> range:
    """The numbers of a line, of the deeper indented ones under it and of a brace that ends them.

    ``at`` counts from 0.
    """

    def depth(line: str) -> int:
        return len(line) - len(line.lstrip())

    end = at + 1
    while end < len(text) and (not text[end].strip() or depth(text[end]) > depth(text[at])):
        end += 1
    closes = end < len(text) and text[at].endswith("{") and text[end].strip() == "}"
    return range(at + 1, end + 1 + closes)


def excused(name: str, source: str, missed: dict[int, list[str]]) -> tuple[set[int], list[str]]:
    """The missed lines that the list excuses, and what is wrong with the list."""
    text, lines, wrong = source.splitlines(), set(), []
    for gap in uncovered.GAPS:
        if gap.file != name:
            continue
        if gap.piece and (times := source.count(gap.piece)) != 1:
            wrong.append(f"{name}: {gap.piece!r} occurs {times} times, and must once")
            continue
        first = source[: source.index(gap.piece)].count("\n")
        last = block(text, first + gap.piece.count("\n")).stop if gap.piece else len(text) + 1
        found = set(range(first + 1, last)) & missed.keys()
        if not found:
            wrong.append(f"{name}: {gap.piece!r} is covered: remove it from tests/uncovered.py")
        lines |= found
    return lines, wrong


def spans(missed: dict[int, list[str]]) -> str:
    """Ranges of lines that never ran, and lines whose branches always went one way: 1-3, 7?."""
    made: list[list[int]] = []
    for number in sorted(n for n in missed if not missed[n]):
        if made and number == made[-1][1] + 1:
            made[-1][1] = number
        else:
            made.append([number, number])
    words = [(a, str(a) if a == b else f"{a}-{b}") for a, b in made]
    words += [(n, f"{n}?") for n in missed if missed[n]]
    return ", ".join(word for _, word in sorted(words))


def _share(covered: int, every: int) -> str:
    return f"{covered / every:7.2%}" if every else "      -"


def table(title: str, files: dict[str, File], root: Path) -> list[str]:
    """Print the table of some files, and return what is wrong."""
    sums: Counter[str] = Counter()
    wrong = []
    print(f"{'lines':>7} {'of':>6} {'branches':>8} {'of':>6}  {title}")
    for name, file in sorted(files.items()):
        missed = file.missed()
        lines, errors = excused(name, (root / name).read_text("utf-8"), missed)
        wrong += errors
        left = {n: ways for n, ways in missed.items() if n not in lines}
        ran, taken = (sum(map(bool, c.values())) for c in (file.lines, file.outcomes))
        every, ways = len(file.lines), len(file.outcomes)
        row = f"{_share(ran, every)} {every:6} {_share(taken, ways):>8} {ways:6}  {name}"
        print(f"{row}  {spans(left)}".rstrip())
        sums.update(ran=ran, every=every, taken=taken, ways=ways, excused=len(lines))
        sums["left"] += len(left)
        if left:
            wrong.append(f"{name}: {len(left)} lines are not covered: {spans(left)}")
    print(
        f"{title}: {sums['ran']:,} of {sums['every']:,} lines"
        f" ({_share(sums['ran'], sums['every']).strip()}), {sums['taken']:,} of {sums['ways']:,}"
        f" outcomes of branches ({_share(sums['taken'], sums['ways']).strip()});"
        f" {sums['excused']:,} lines excused, {sums['left']:,} left"
    )
    return wrong


def chosen(files: dict[str, File], endings: Iterable[str]) -> dict[str, File]:
    """The files with such names."""
    return {name: file for name, file in files.items() if name.endswith(tuple(endings))}


def main(folder: Path) -> int:
    compiled, interpreted = core(folder), python(folder)
    wrong = table("C", chosen(compiled, (".h",)), folder)
    wrong += table("Cython", chosen(compiled, (".pyx", ".pxd")), folder)
    wrong += table("Python", interpreted, folder)
    known = compiled.keys() | interpreted.keys()
    wrong += [
        f"{name}: tests/uncovered.py names it, and it was not measured"
        for name in sorted({gap.file for gap in uncovered.GAPS})
        if name not in known
    ]
    for why, count in Counter(gap.why for gap in uncovered.GAPS).items():
        print(f"{count:4} places: {why}")
    print("\n".join(wrong) or "everything else is covered")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
