"""Which pages of results are older than the code they measure: ``python -m bench.older``.

``--all`` lists all pages, ``--save`` writes them to results/older.md. A page contains its commit
(commit.py); the code that it measures is listed here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from bench.machine import ROOT, UNKNOWN, commits_of, git
from bench.table import Report, Table

#: The code that processes a row and decides what is learned.
LIBRARY = ("edgeolk", ":!edgeolk/cli", ":!edgeolk/river", ":!edgeolk/sklearn")
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
        The command that regenerates it.
    measures : sequence of str
        Paths (as for git) of the code that it measures: a commit that changes one makes it older.
    """

    path: str
    command: str
    measures: Sequence[str]


def _parts(package: str, *parts: str) -> list[Page]:
    """The pages of a benchmark of several parts."""
    measures = (*LIBRARY, f"bench/{package}")
    return [
        Page(f"results/{package}_{part}.md", f"python -m bench.{package} --only {part}", measures)
        for part in parts
    ]


_BYTES = (*LIBRARY, "bench/bytes", ":!bench/bytes/ablations")
PAGES = (
    Page("results/roofs.md", "make roofs", (*LOOPS, "bench/roofs")),
    Page("results/passes.md", "make speed", (*LOOPS, "bench/speed")),
    Page("results/policies.md", "make speed", (*LOOPS, "bench/speed")),
    Page("results/blocks.md", "python -m bench.speed.blocks", (*LOOPS, "bench/speed/blocks.py")),
    Page("results/growth.md", "make growth", (*LOOPS, "bench/growth")),
    Page("results/peers.md", "make peers", (*LIBRARY, "bench/peers")),
    Page("results/memory.md", "make memory", (*LIBRARY, "bench/memory")),
    Page("results/steps.md", "make memory", (*LOOPS, "bench/memory/steps.py")),
    Page("results/instructions.json", "python -m bench.instructions --record",
         (*LOOPS, "bench/instructions")),
    Page("results/fleets.md", "python -m bench.fleets", (*LIBRARY, "firmware_sim", "bench/fleets")),
    Page("results/bytes.md", "make bytes", _BYTES),
    Page("results/whole.md", "python -m bench.bytes.whole", _BYTES),
    Page("results/probabilities.md", "python -m bench.probabilities",
         (*LIBRARY, "bench/probabilities.py", "bench/bytes/sets.py")),
    Page("results/remembered.md", "python -m bench.bytes.remembered",
         (*LIBRARY, "bench/bytes/remembered.py", "bench/bytes/sets.py")),
    Page("results/pushes.md", "by hand: what was tried and left",
         ("edgeolk/c/row_memory.h", "edgeolk/sorf/defaults.py")),
    Page("results/ablations.md", "python -m bench.bytes.ablations",
         (*LIBRARY, "bench/bytes/ablations")),
    Page("results/without.md", "python -m bench.without", (*LIBRARY, "bench/without.py")),
    Page("results/layers.md", "python -m bench.layers",
         ("edgeolk", "firmware_sim", "bench/layers.py")),
    Page("results/live.md", "python -m bench.live --save",
         ("edgeolk", "firmware_sim/streams", "firmware_sim/replaying", "bench/live.py")),
    Page("results/filters.md", "python -m bench.filters", (*LIBRARY, "bench/filters")),
    Page("results/untuned.md", "python -m bench.filters.untuned",
         (*LIBRARY, "bench/filters/untuned.py")),
    Page("results/rules.md", "python -m bench.rules",
         (*LIBRARY, "bench/rules")),
    Page("results/choice.md", "python -m bench.filters.choice",
         (*LIBRARY, "bench/filters/choice.py")),
    *_parts("time", "forecasts", "peers", "costs", "labels", "horizons"),
    *_parts("drift", "long", "still", "river"),
    *_parts("anomalies", "nab", "skab", "streams", "faults", "published"),
    *_parts("windows", "boards", "bearings", "classes", "novelty"),
    *_parts("tasks", "classes", "regression", "novelty"),
    Page("results/mcu.md", "python -m bench.mcu", (*EXPORT, "bench/mcu")),
    Page("results/boards.md", "python -m release.instructions",
         (*LOOPS, "release/instructions.py")),
    Page("papers/RESULTS.md", "make papers", (*LIBRARY, "bench/papers")),
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


def table(everything: bool = False) -> Table:
    """The table of pages, with a row for each commit of a page."""
    rows = []
    for page in PAGES:
        file = ROOT / "bench" / page.path
        for commit in commits_of(file.read_text(encoding="utf-8")) if file.exists() else [UNKNOWN]:
            since = newer(commit, page.measures)
            if since or everything:
                rows.append([page.path, commit, since or "none", f"`{page.command}`"])
    header = ["page", "measured on", "touched what it measures since", "made again by"]
    return Table("Pages and the code they measure", header, rows, left=4)


def main() -> int:
    """Print the table, or save all of it."""
    if "--save" in sys.argv[1:]:
        about = "`python -m bench.older --save`: what each page was measured on, as of this commit."
        Report("Pages of results", about, [table(everything=True)]).publish("older")
    else:
        print(table("--all" in sys.argv[1:]).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
