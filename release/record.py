"""The long runs that a release needs, and what each printed: release/record.md.

``python -m release.record`` lists those that this commit lacks. ``python -m release.record TARGET
[NAME=VALUE ...]`` runs ``make`` with these words, reads the numbers from what it prints and, if
they suffice, appends a line to release/record.md. Nothing is appended if the target fails, prints
no numbers, or ran less than a release needs.

A line counts for every commit at which nothing that its target tests differs: the files that the
target `measures`, and the commands that make runs for it. So results, pages and the other lines can
be committed meanwhile.

Targets that take hours can be run in pieces (`Target.continues`): the same command continues as
long as nothing that is tested changes. Finished parts are below release/pieces until the line is
complete; committed, they are continued on another machine. The file of mutations stays: those are
done whose own tests and source do not change.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import edgeolk as ek
from bench.machine import git, sentence
from release.project import output

ROOT = Path(__file__).parent.parent
NAME = "release/record.md"
PIECES = "release/pieces"
_LINE = re.compile(r"^\| (\S+) +\| `([0-9a-f]{12})` +\| (.+?) +\| (.+?) +\|$", re.MULTILINE)
#: Lines by which libFuzzer says how it goes on: thousands.
_PROGRESS = re.compile(r"^(#\d+\t|\tNEW_FUNC).*\n", re.MULTILINE)
HEADER = """\
# What was run

`python -m release.record TARGET` appends a line; `python -m release.check` demands one of each
target for the commit that is tagged.

A line says that the target passed on its commit, with these numbers. It counts for another commit
too if, between the two, no file has changed that the target measures (`release/record.py` lists
them by target), and make runs the same commands for it. Markdown, pages of results, the citation,
the repository's address and the version number count as no change: `make test` and `make docs`,
which take minutes, check them on the commit that is tagged. A target that was run in pieces has one
line, with the sum of them, all on commits that are the same in this sense.

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


def _platforms(printed: str) -> str:
    """All emulated platforms, and all that build the source; the last piece prints both."""
    found = []
    for what in ("emulated platforms passed", "processors built the source"):
        counts = re.findall(rf"^(\d+) of (\d+) {what}$", printed, re.MULTILINE)
        if not counts or counts[-1][0] != counts[-1][1]:
            said = " of ".join(counts[-1]) if counts else "no"
            raise IncompleteError(f"{said} {what}: a release needs all")
        found.append(f"{counts[-1][1]} {what}")
    if not int(found[0].split()[0]) >= PLATFORMS:
        raise IncompleteError(f"{found[0]}: a release needs {PLATFORMS}")
    return ", ".join(found)


def _groups(printed: str) -> str:
    """The counts of all groups of tests; the last piece prints them."""
    found = re.findall(r"^== (.*)\n(\d+) of (\d+) groups of tests were run$", printed, re.MULTILINE)
    if not found or found[-1][1] != found[-1][2]:
        said = " of ".join(found[-1][1:]) if found else "no"
        raise IncompleteError(f"{said} groups of tests were run: a release needs all")
    if not re.fullmatch(r"[\d,]+ passed(, [\d,]+ skipped)?", found[-1][0]):
        raise IncompleteError(f"no tests that all passed: {found[-1][0]}")
    return str(found[-1][0])


def _fuzz(printed: str) -> str:
    """Files of all seeds; each process prints how far it is."""
    done: dict[str, int] = {}
    for seed, count in re.findall(r"^seed (\d+): (\d+) mutants", printed, re.MULTILINE):
        done[seed] = max(done.get(seed, 0), int(count))
    if sum(done.values()) < 10**6:
        raise IncompleteError(f"{sum(done.values()):,} mutants: a release needs 1,000,000")
    return f"{sum(done.values()):,} mutants, each refused with a reason or usable"


def _guided(printed: str) -> str:
    """The sum of libFuzzer's last lines."""
    ended = re.findall(r"^Done (\d+) runs in (\d+) second", printed, re.MULTILINE)
    runs, seconds = (sum(int(numbers[i]) for numbers in ended) for i in (0, 1))
    if not runs or seconds < GUIDED_SECONDS:
        raise IncompleteError(f"fuzzed for {seconds:,} s: a release needs {GUIDED_SECONDS:,} s")
    return f"{runs:,} runs in {seconds:,} s"


def _soak(printed: str) -> str:
    """A line of JSON for each algorithm."""
    steps: dict[str, int] = {}
    for line in re.findall(r'^\{"algorithm": .*\}$', printed, re.MULTILINE):
        found = json.loads(line)
        steps[found["algorithm"]] = max(steps.get(found["algorithm"], 0), found["steps"])
    left = [row.name for row in ek.algorithms() if steps.get(row.name, 0) < SOAKED]
    if left:
        raise IncompleteError(f"less than {SOAKED:,} steps of {', '.join(left)}")
    return f"{len(steps)} algorithms, {min(steps.values()):,} to {max(steps.values()):,} steps"


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
MUTATIONS = 500
#: Emulated ones, each on the processors of release/targets.py.
PLATFORMS = 9
#: An hour but for what libFuzzer rounds off.
GUIDED_SECONDS = 3590
#: Steps of each algorithm.
SOAKED = 10**8

#: Never a part of what a target measures: `make test` and `make docs` check these files. The
#: commands that make runs are compared instead of its file.
PAGES = (
    *(":!*.md", ":!bench/results", ":!bench/papers/figures", ":!CITATION.cff"),
    *(":!.github/CODEOWNERS", ":!edgeolk/version.py", ":!Makefile", f":!{PIECES}"),
)
#: A change of such lines is none: the project's addresses in pyproject.toml.
ADDRESS = '^[A-Z][a-z]+ = "https://'
#: What only `make mutants` or `make coverage` read. Their lists name lines of the source, which
#: `make test` compares.
MUTATIONS_ONLY = (":!tests/mutants*.py", ":!tests/mutating.py")
GAPS_ONLY = (":!tests/uncovered.py", ":!tests/support/covered.py")
#: What asks for a release, and what brings it to other systems, with its tests. None of these is
#: slow: `make test` runs them all on the commit that is tagged.
_PROGRAMS = (
    *("check", "record", "targets", "rootfs", "wheels", "foreign", "crossing", "emulated"),
    *("source", "pythons", "windows", "windows_tests", "frozen", "newest", "readme", "fewer"),
    "no_compiler",
)
_TESTS = ("release", "record", "emulated", "windows_groups", "newest_python", "readme_on_debian")
RELEASING = (
    *(f":!release/{name}.py" for name in _PROGRAMS),
    *(f":!tests/packaging/test_{name}.py" for name in _TESTS),
)
EVERYTHING = (".", *MUTATIONS_ONLY, *GAPS_ONLY, *RELEASING, *PAGES)
#: What learns and scores, and how it is compiled; no references, with which only tests compare.
LIBRARY = (
    *("edgeolk", "setup.py", ":!edgeolk/cli", ":!edgeolk/river", ":!edgeolk/sklearn"),
    ":!edgeolk/reference",
    *PAGES,
)
#: The same without what writes C, which only exports run.
LEARNERS = (*LIBRARY, ":!edgeolk/export", ":!edgeolk/c/board")
#: The two packages with their tests, and what these run through; without lists of other targets.
_BOTH = (
    *("edgeolk", "firmware_sim", "bench", "tests", "setup.py", "pyproject.toml"),
    *(":!tests/bench", ":!tests/docs", ":!tests/packaging"),
    *PAGES,
)
SUITE = (*_BOTH, *MUTATIONS_ONLY, *GAPS_ONLY)
MUTATED = (*_BOTH, *GAPS_ONLY)
TRACED = (*_BOTH, *MUTATIONS_ONLY)
#: The same on other systems: what builds wheels, and brings the tests there.
SYSTEMS = (
    *("release", ":!release/check.py", ":!release/readme.py", ":!release/record.py"),
    *SUITE,
)


def _support(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/support/{name}" for name in names)


_FILES = ("fuzzing.py", "golden.py", "mutations.py")


@dataclass(frozen=True)
class Target:
    """A target of make that a release needs.

    Parameters
    ----------
    name : str
        The target.
    read : callable
        Makes the line's result of what was printed; raises IncompleteError if it does not suffice.
    measures : sequence of str
        Paths (as for git) of what it tests and runs through: a line does not count for a commit
        that changes one.
    words : sequence of str, optional
        Further words for make.
    continues : bool, optional
        Whether pieces of it add up. ``make`` gets the file of finished parts as KEPT, and as SEED
        a number that is larger by 2 after each piece.
    parts : sequence of str, optional
        The paths on which finished parts depend besides what their own names tell; all that is
        measured if empty.
    """

    name: str
    read: Callable[[str], str]
    measures: tuple[str, ...] = EVERYTHING
    words: tuple[str, ...] = ()
    continues: bool = False
    parts: tuple[str, ...] = ()


TARGETS = {
    target.name: target
    for target in (
        Target("nightly", _tests),
        Target("asan", _tests, SUITE),
        Target("checked", _tests),
        Target("tsan", _sentence(r"^(\d+) learners read by (\d+) threads each$", 50, 2),
               (*LEARNERS, *_support("readers_beside.py", "helpers.py", "synthetic.py"))),
        Target("valgrind", _sentence(r"^(\d+) passes$", 50),
               (*LEARNERS, *_support("one_pass.py", "helpers.py"), "tests/valgrind.supp")),
        Target("fuzz", _fuzz, (*LEARNERS, *_support("fuzz.py", *_FILES), "tests/data"),
               continues=True),
        Target("fuzz-guided", _guided,
               (*LEARNERS, *_support("fuzz_guided.py", *_FILES), "tests/data"), continues=True),
        Target("fuzz-slots", _guided, (*LIBRARY, *_support("fuzz_flash.py", "fuzz_flash.c")),
               continues=True),
        Target("mutants", _mutants, MUTATED, continues=True, parts=("tests/mutating.py",)),
        Target("coverage", _coverage, TRACED),
        Target("exports", _sentence(
            r"^(\d+) learners exported, (\d+) programs, ([\d,]+) answers; 0 differ", 90, 90, 1),
            (*LIBRARY, "release/__init__.py", "release/exports.py", "release/agreement.py",
             "bench/__init__.py", "bench/rows.py")),
        Target("test-mcu", _tests),
        Target("test-windows", _groups, SYSTEMS, continues=True),
        Target("test-frozen", _tests, SYSTEMS),
        Target("test-pi", _platforms, SYSTEMS, continues=True),
        Target("test-readme", _sentence(r"^(\d+) of (\d+) pairs of Debian and Python", 4, 4),
               ("edgeolk", "firmware_sim", "setup.py", "pyproject.toml", "README.md",
               "release/__init__.py", "release/newest.py", "release/readme.py",
               "release/rootfs.py", "release/targets.py", ":!edgeolk/version.py",
               ":!firmware_sim/data/README.md")),
        Target("soak", _soak, (*LEARNERS, *_support("soak.py", "helpers.py"), "bench/__init__.py",
               "bench/cases.py", "bench/machine.py", "bench/table.py"), ("STEPS=1e8",),
               continues=True),
    )
}  # fmt: skip


def recorded() -> dict[str, list[str]]:
    """The commits of the lines, by target."""
    found: dict[str, list[str]] = {}
    path = ROOT / NAME
    for line in _LINE.finditer(path.read_text("utf-8") if path.exists() else ""):
        found.setdefault(line[1], []).append(line[2])
    return found


def _outside_make() -> dict[str, str]:
    """The environment for make: as if started by hand, since in a recipe it prints its folder."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}


def commands(target: Target, makefile: str) -> str:
    """What make runs for a target, by the text of a Makefile; empty if it has no such target.

    Without installing what is not up to date, which is done once.
    """
    stamps = re.findall(r"^\$\(VENV\)(/\.\w+):", makefile, re.MULTILINE)
    installed = [f"--old-file=.venv{stamp}" for stamp in stamps]
    ran = subprocess.run(
        ["make", "--dry-run", "--file=-", *installed, target.name, *target.words],
        cwd=ROOT, input=makefile, capture_output=True, text=True, check=False, env=_outside_make(),
    )  # fmt: skip
    return ran.stdout if ran.returncode == 0 else ""


def counts_for_head(target: Target, commit: str) -> bool:
    """Whether nothing that the target tests differs between a commit and the work tree."""
    if not git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"):
        return False
    if git("diff", "--unified=0", f"--ignore-matching-lines={ADDRESS}", commit, "--",
           *target.measures):  # fmt: skip
        return False
    now = commands(target, (ROOT / "Makefile").read_text("utf-8"))
    return bool(now) and now == commands(target, git("show", f"{commit}:Makefile") + "\n")


def missing() -> list[str]:
    """Return a sentence for each target without a line that counts for this commit."""
    lines = recorded()
    return [
        f"{NAME} has no line of this commit for {name}: python -m release.record {name}"
        for name, target in TARGETS.items()
        if not any(counts_for_head(target, commit) for commit in lines.get(name, ()))
    ]


class Pieces:
    """What the pieces of a target have printed so far, on commits that test the same.

    A piece that failed leaves nothing here: the same command repeats it.
    """

    def __init__(self, target: Target) -> None:
        files = git("ls-files", "--stage", "--", *(target.parts or target.measures))
        tested = files + commands(target, (ROOT / "Makefile").read_text("utf-8"))
        digest = hashlib.sha256(tested.encode()).hexdigest()[:12]
        self._stem, self._stays = ROOT / PIECES / f"{target.name}-{digest}", bool(target.parts)
        self._file = self._stem.with_suffix(".json")
        self._found: list[tuple[float, str]] = (
            json.loads(self._file.read_text("utf-8")) if self._file.exists() else []
        )

    def words(self) -> list[str]:
        """Words for make: where finished parts are, and a seed that no piece has used."""
        self._stem.parent.mkdir(parents=True, exist_ok=True)
        return [f"KEPT={self._stem.with_suffix('.jsonl')}", f"SEED={1 + 2 * len(self._found)}"]

    def add(self, minutes: float, printed: str) -> None:
        """Store what a piece has printed, without progress and the folder of this machine."""
        kept = _PROGRESS.sub("", printed).replace(f"{ROOT}/", "")
        self._found.append((minutes, kept))
        self._file.write_text(json.dumps(self._found), "utf-8")

    def remove(self) -> None:
        """Remove the files of this target, those of other code too.

        Parts whose names tell what they depend on stay: later commits need only those that changed.
        """
        name, _, _ = self._stem.name.rpartition("-")
        for file in self._stem.parent.glob(f"{name}-{12 * '?'}.json*"):
            if not self._stays or file != self._stem.with_suffix(".jsonl"):
                file.unlink()

    @property
    def minutes(self) -> float:
        """Of all pieces."""
        return sum(minutes for minutes, _ in self._found)

    @property
    def printed(self) -> str:
        """By all pieces."""
        return "\n".join(printed for _, printed in self._found)


def append(name: str, result: str, minutes: float, commit: str) -> None:
    """Append the line of a target that was run on a commit."""
    path = ROOT / NAME
    before = path.read_text("utf-8") if path.exists() else HEADER
    took = f"{result}; {minutes:,.0f} min"
    path.write_text(f"{before}| {name} | `{commit}` | {sentence()} | {took} |\n", "utf-8")


def run(name: str, words: list[str]) -> int:
    """Run a target, and append its line; return 1 without one."""
    if git("status", "--porcelain", "--", ".", f":!{NAME}", f":!{PIECES}"):
        print("commit your changes first: a line names the commit that was tested")
        return 1
    target = TARGETS[name]
    pieces = Pieces(target) if target.continues else None
    further = [*(pieces.words() if pieces else ()), *target.words, *words]
    commit = git("rev-parse", "--short=12", "HEAD")
    began = time.monotonic()
    command = ["sh", "-c", 'exec make "$@" 2>&1', "make", name, *further]
    code, printed = output(command, cwd=ROOT, env=_outside_make())
    minutes = (time.monotonic() - began) / 60
    try:
        if code:
            raise IncompleteError(f"make {name} ended with {code}")
        if not counts_for_head(target, commit):
            raise IncompleteError("what it tests has changed while it ran")
        if pieces:
            pieces.add(minutes, printed)
            minutes, printed = pieces.minutes, pieces.printed
        result = target.read(printed)
    except IncompleteError as reason:
        more = "; the same command continues" if pieces and not code else ""
        print(f"{name}: {reason}; nothing is recorded{more}")
        return 1
    append(name, result, minutes, commit)
    if pieces:
        pieces.remove()
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
