"""The pages of results, and which of them are older than the code they measure.

``python -m bench.older`` lists the older ones, ``--all`` all pages. A page contains its commit
(machine.py); the code that it measures is listed here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from bench.machine import ROOT, UNKNOWN, commits_of, git
from bench.table import Table

#: What changes no number.
_WORDS = (":!*.md", ":!edgeolk/version.py")
#: The code that processes a row and decides what is learned.
LIBRARY = ("edgeolk", ":!edgeolk/cli", ":!edgeolk/river", ":!edgeolk/sklearn", *_WORDS)
#: The code that determines the time of a step or a score.
LOOPS = (
    *("edgeolk/core", "edgeolk/ring", "edgeolk/sorf", "edgeolk/engine"),
    *("edgeolk/rows", "edgeolk/scaling", "edgeolk/parts"),
)
EXPORT = ("edgeolk/export", "edgeolk/c", "firmware_sim/mcu")


@dataclass(frozen=True)
class Page:
    """A page of results.

    Parameters
    ----------
    path : str
        Its path below the folder of the benchmarks.
    command : str
        The command that makes it.
    measures : sequence of str
        Paths (as for git) of the code that it measures: a commit that changes one makes it older.
    minutes : int
        About how long the command takes on a machine that does nothing else.
    by_case : bool, optional
        Whether the command can be stopped, and continues with the cases that are not stored.
    timed : bool, optional
        Whether its subject is time, so that no other page is made beside it.
    """

    path: str
    command: str
    measures: Sequence[str]
    minutes: int
    by_case: bool = False
    timed: bool = False

    @property
    def measured_on(self) -> list[str]:
        """The commits that its figures are from."""
        file = ROOT / "bench" / self.path
        return commits_of(file.read_text(encoding="utf-8")) if file.exists() else [UNKNOWN]


def _parts(package: str, **minutes: int) -> list[Page]:
    """The pages of a benchmark of several parts, with the minutes of each."""
    code = (*LIBRARY, f"bench/{package}")
    return [
        Page(f"results/{package}_{part}.md", f"python -m bench.{package} --only {part}", code, n)
        for part, n in minutes.items()
    ]


PAGES = (
    Page("results/passes.md", "python -m bench.speed", (*LOOPS, "bench/speed"), 4,
         timed=True),
    Page("results/peers.md", "python -m bench.peers", (*LIBRARY, "bench/peers"), 6,
         timed=True),
    Page("results/layers.md", "python -m bench.layers",
         ("edgeolk", "firmware_sim", "bench/layers.py", *_WORDS), 3, timed=True),
    Page("results/memory.md", "python -m bench.memory", (*LIBRARY, "bench/memory"), 2),
    Page("results/steps.md", "python -m bench.memory.steps",
         (*LOOPS, "bench/memory/steps.py"), 2, timed=True),
    Page("results/instructions.json", "python -m bench.instructions --record",
         (*LOOPS, "bench/instructions"), 1),
    Page("results/boards.md", "python -m release.instructions",
         (*LOOPS, "release/instructions.py"), 5),
    Page("results/mcu.md", "EDGEOLK_SIMD=scalar python -m bench.mcu", (*EXPORT, "bench/mcu"), 35,
         by_case=True),
    Page("results/whole.md", "python -m bench.bytes.whole", (*LIBRARY, "bench/bytes"), 30,
         by_case=True),
    Page("results/rules.md", "python -m bench.rules", (*LIBRARY, "bench/rules"), 10),
    Page("results/without.md", "python -m bench.without", (*LIBRARY, "bench/without.py"), 10),
    Page("results/probabilities.md", "python -m bench.probabilities",
         (*LIBRARY, "bench/probabilities.py", "bench/bytes/sets.py"), 2),
    Page("results/filters.md", "python -m bench.filters", (*LIBRARY, "bench/filters"), 10),
    Page("results/untuned.md", "python -m bench.filters.untuned",
         (*LIBRARY, "bench/filters/untuned.py"), 10),
    Page("results/choice.md", "python -m bench.filters.choice",
         (*LIBRARY, "bench/filters/choice.py"), 6),
    *_parts("time", forecasts=2, peers=5),
    Page("results/time_horizons.md", "python -m bench.time --only horizons",
         (*LIBRARY, "bench/time"), 30, by_case=True),
    *_parts("tasks", classes=5, novelty=2),
    *_parts("drift", river=10),
    *_parts("anomalies", nab=4, skab=2, streams=4, faults=3, published=2),
    *_parts("windows", boards=1, bearings=1, classes=1, novelty=2),
    Page("papers/RESULTS.md", "python -m bench.papers", (*LIBRARY, "bench/papers"), 25,
         by_case=True),
)  # fmt: skip


def newer(commit: str, paths: Sequence[str]) -> str:
    """Later commits that changed the measured code, as text; empty if there are none."""
    if commit == UNKNOWN:
        return "not known"
    name = re.findall("[0-9a-f]{7,}", commit)[0]
    if not git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
        return "not known: the commit is not in this repository"
    since = git("log", "--format=%h", f"{name}..HEAD", "--", *paths).split()
    return f"{len(since)} commits, the last `{since[0]}`" if since else ""


def older(page: Page) -> bool:
    """Whether code that the page measures has changed since."""
    return any(newer(commit, page.measures) for commit in page.measured_on)


def table(everything: bool = False) -> Table:
    """The table of pages, with a row for each commit of a page."""
    rows = []
    for page in PAGES:
        for commit in page.measured_on:
            since = newer(commit, page.measures)
            if since or everything:
                made = [f"`{page.command}`", str(page.minutes)]
                rows.append([page.path, commit, since or "none", *made])
    header = ["page", "measured on", "touched what it measures since", "made again by", "minutes"]
    return Table("Pages and the code they measure", header, rows, left=4)


def main() -> int:
    """Print the table."""
    print(table("--all" in sys.argv[1:]).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
