"""Run the published tables again and write RESULTS.md and the figures."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import replace

from tqdm import tqdm

from bench.cases import Cases
from bench.datasets import folder
from bench.papers import data, figures, report
from bench.papers.report import ROWS, TUNINGS
from bench.papers.setting import Row, Setting
from bench.papers.work import STORED, Choices, Job, Workbench

QUICK_COST = 1.0
QUICK_PERMUTATIONS = 3


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.papers", description=__doc__)
    parser.add_argument("--only", default="", metavar="PATTERN", help="rows whose name has this")
    parser.add_argument("--permutations", type=int, default=10, metavar="N", help="at most N runs")
    parser.add_argument("--quick", action="store_true", help="3 permutations of the small rows")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    parser.add_argument("--no-figures", action="store_true", help="tables alone")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    found = parser.parse_args()
    if found.permutations < 1 or found.jobs < 1:
        parser.error("--permutations and --jobs must be at least 1")
    if found.quick:
        found.permutations = min(found.permutations, QUICK_PERMUTATIONS)
    return found


def _selected(pattern: str, quick: bool) -> list[Row]:
    rows = [row for row in ROWS if pattern.lower() in row.name.lower()]
    return [row for row in rows if row.cost <= QUICK_COST] if quick else rows


def _jobs(rows: Iterable[Row], choices: Choices, permutations: int) -> list[Job]:
    """Every run once, one permutation of all rows before the next; the cheap rows first."""
    listed = sorted(rows, key=lambda row: row.cost)
    jobs: dict[str, Job] = {}
    for row in listed:
        setting = choices.settle(row)
        for seed in range(row.runs(permutations)):
            jobs[setting.key(seed)] = (setting, seed)
    return list(jobs.values())


def _without_data(rows: Iterable[Row]) -> str:
    """Return which data is missing for which rows, with a remedy; "" if none is."""
    absent: dict[str, int] = {}
    for row in rows:
        if file := data.missing(row.setting.data):
            absent[file] = absent.get(file, 0) + 1
    if not absent:
        return ""
    lines = [f"{file} is not in {folder()}: {count} rows need it" for file, count in absent.items()]
    return "\n".join(
        [
            *lines,
            "nothing was run: set EDGEOLK_DATA to the folder with the data (bench/README.md), or"
            " choose rows that need none by --only, such as --only checkerboard",
        ]
    )


def _needed(rows: Iterable[Row]) -> list[str]:
    return [name for row in rows for name in row.tuned]


def _against(row: Row, choices: Choices) -> Setting | None:
    if not row.against:
        return None
    other = next(r for r in ROWS if r.table == row.table and r.method == row.against)
    return choices.settle(other)


def main() -> int:
    """Run the selected experiments."""
    asked = _arguments()
    rows = _selected(asked.only, asked.quick)
    if asked.list:
        print("\n".join(row.name for row in rows))
        return 0
    if not rows:
        print(f"no row has {asked.only!r} in its name; --list shows all names", file=sys.stderr)
        return 1
    if problem := _without_data(rows):
        print(problem, file=sys.stderr)
        return 1
    bench = Workbench(Cases(STORED), asked.jobs)
    choices = Choices(TUNINGS, bench)
    wanted = _needed(rows)
    with tqdm(total=choices.size(wanted), desc="choices", disable=None) as bar:
        choices.make(wanted, bar.update)
    jobs = _jobs(rows, choices, asked.permutations)
    with tqdm(total=len(jobs), desc="runs", disable=None) as bar:
        bench.do(jobs, bar.update)
    if not (asked.no_figures or asked.quick or asked.only):
        figures.draw_all(choices)
    founds = []
    for row in rows:
        setting, most = choices.settle(row), row.runs(asked.permutations)
        found = report.gather(row, setting, _against(row, choices), bench.cases, most)
        if not found.values:
            found.row = replace(row, why=bench.failed.get(setting.key(0), bench.missing))
        founds.append(found)
    failed = [found.row for found in founds if not found.values]
    if asked.only or asked.quick:
        print("\n".join(report.lines(founds)))
    else:
        print(f"wrote {report.write(founds).name}")
    for row in failed:
        print(f"{row.name}: not run, {row.why}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
