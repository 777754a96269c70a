"""The frontier: error against bytes, every learner on every set.

``python -m bench.bytes`` runs what is not in ``bench/bytes/cache`` yet and writes
``bench/results/bytes.md`` and its pictures; an interrupted run continues.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.bytes import offline, others
from bench.bytes.grid import GRIDS, SETS, Grid, Job
from bench.bytes.report import write
from bench.bytes.runs import do
from bench.cache import Cache

CACHE = Path(__file__).resolve().parent / "cache" / "runs.jsonl"


def every_job(grid: Grid, sets: Sequence[str]) -> list[Job]:
    """Return the jobs without duplicates, first choices first, sets in turn."""
    ordered: dict[str, tuple[int, int, Job]] = {}
    for place, data in enumerate(sets):
        found = [(far, job) for far, job in grid.jobs(data) if job.exists()]
        # Other libraries last: they take longest.
        found += [(100, job) for job in others.jobs(data, grid.rows)]
        for far, job in found:
            ordered.setdefault(job.key, (far, place, job))
    return [job for _, _, job in sorted(ordered.values(), key=lambda found: found[:2])]


def main(arguments: list[str] | None = None) -> int:
    """Runs and reports."""
    parser = argparse.ArgumentParser(prog="python -m bench.bytes", description=__doc__)
    parser.add_argument("--grid", choices=list(GRIDS), default="wide", help="how much is tried")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=list(SETS), help="sets to run")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="workers")
    parser.add_argument("--report", action="store_true", help="report, run nothing")
    given = parser.parse_args(arguments)
    grid, cache, failed = GRIDS[given.grid], Cache(CACHE), 0
    jobs = every_job(grid, given.sets)
    if not given.report:
        from tqdm import tqdm

        with tqdm(total=len(jobs), unit="run") as bar:
            failed = do(jobs, cache, given.processes, bar.update)
        offline.fill(cache)
    for path in write(grid, jobs, cache):
        print(path)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
