"""Error against bytes with everything in the block: ``python -m bench.bytes.whole``.

A learner is what a user makes, ``ek.Learner(n_features=d, ram=R)``: scaler, width, a copy of the
row and all padding are inside R bytes. Published methods have their scaler, their row and the norms
of their vectors inside, too; storage, parameters and the width of the kernel are those that turn
out best. Finished runs are stored in ``build/whole.jsonl``; a run that was stopped continues.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes.frontier import Frontier, Run, finished
from bench.bytes.grid import OURS, SETS, WHOLE, Job, record
from bench.bytes.picture import draw_summary
from bench.bytes.report import REFERENCE, bytes_of, comparisons, losses, needed_bytes
from bench.bytes.runs import do
from bench.bytes.sets import SPECS, load
from bench.cases import Cases, Record
from bench.machine import ROOT
from bench.table import RESULTS, Report, Table
from bench.timing import timed

STORED = ROOT / "build" / "whole.jsonl"
SEEDS = (1, 2, 3)
#: Additional sets with many inputs.
MORE = ("dna_train", "mnist_t10k")
COMMON = {"scale": "common"}
LOST = "Where one of them errs less in no more bytes, planned for that size or a smaller one:"


def options(job: Job, d: int) -> dict[str, Any]:
    """The arguments of a learner of d inputs: for ours only its bytes."""
    made = {"n_features": d, **job.options}
    if job.name != OURS:
        made |= {"scale": "standard", "kernel": ek.Gaussian(job.width / (2 * d))}
    return made


def run(job: Job) -> Record:
    """Learn a set once, row by row; of ours the mean of the seeds, of others the first.

    Raises ValueError: so few bytes hold no such learner, or it does not follow this task.
    """
    task = SPECS[job.data].task
    X, y = load(job.data, job.rows, raw=True)
    if task == "regression":
        # Ours finds the scale of the targets on the way; the others could not do without.
        y = (y - y.mean()) / y.std()
    found = []
    for seed in SEEDS if job.name == OURS else SEEDS[:1]:
        learner = ek.Learner(job.name, seed=seed, **options(job, X.shape[1]))
        answers, seconds = timed(partial(learner.learn_many, X, y))
        found.append(record(task, answers, y, learner.nbytes, seconds))
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def every_job(sets: Sequence[str], sizes: Sequence[int]) -> list[Job]:
    """Return the jobs, first choices first; an interrupted run continues."""
    found = [(far, job) for data in sets for far, job in WHOLE.jobs(data)]
    found.sort(key=lambda one: one[0])
    return [job for _, job in found if job.nbytes in sizes and job.exists()]


def _errors(title: str, note: str, sizes: Sequence[int], rows: Sequence[Sequence[str]]) -> Table:
    return Table(title, ("set", *map(bytes_of, sizes)), rows, note)


def _common(each: Frontier, size: int) -> Run | None:
    for one in each.runs:
        if one.job.nbytes == size and one.job.params == COMMON:
            return one
    return None


def _cells(each: Frontier, sizes: Sequence[int], find: Callable[[int], Run | None]) -> list[str]:
    found = [find(size) for size in sizes]
    cells = [
        one and f"{one.error:.2f}{' ' + one.name if one.name != OURS else ''}" for one in found
    ]
    return [each.data, *(cell or "-" for cell in cells)]


def report(sets: Sequence[str], jobs: Sequence[Job], cases: Cases) -> tuple[Report, list[Frontier]]:
    """The tables, and the frontiers of the sets in the picture."""
    runs, sizes = finished(jobs, cases), sorted({job.nbytes for job in jobs})
    frontiers = [Frontier(data, runs) for data in sets]
    main = [each for each in frontiers if each.data not in MORE]
    lost = losses(WHOLE, main)
    introduction = "\n".join(
        [
            f"Wrong answers in %, the first {WHOLE.rows:,} rows of {len(main)} sets and of"
            f" {len(frontiers) - len(main)} with many inputs, one pass, each row scored before it"
            " is learned; of real targets the squared error in % of their variance. Scaler, width,"
            " a copy of the row, norms and padding are inside the bytes. sorf is untuned, the mean"
            f" of {len(SEEDS)} seeds. Beside it {len(WHOLE.names)} published methods, those that"
            " were best or smallest anywhere among all of them, with their scaler in the block,"
            f" in {len(WHOLE.storage)} storages, {len(WHOLE.widths)} widths and up to two values of"
            " each parameter.",
            "",
            comparisons(WHOLE, main),
            *(["", LOST, "", *lost] if lost else []),
        ]
    )
    tables = [
        _errors(title, note, sizes, [_cells(each, sizes, find(each)) for each in frontiers])
        for title, note, find in (
            (
                "`ek.Learner(n_features=d, ram=R)`",
                "-: so few bytes hold no such learner.",
                lambda each: each.ours,
            ),
            (
                'The same with `scale="common"`',
                "For inputs of one unit: a9a, dna, mnist, mushrooms, phishing, usps, w8a.",
                lambda each: lambda size: _common(each, size),
            ),
            ("The best published, by hindsight", "", lambda each: each.hindsight),
        )
    ]
    tables.insert(0, needed_bytes(main))
    return Report("Error against bytes, everything in the block", introduction, tables), main


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.bytes.whole", description=__doc__)
    parser.add_argument("--sets", nargs="+", default=[*SETS, *MORE], choices=list(SPECS))
    parser.add_argument("--sizes", nargs="+", type=int, default=list(WHOLE.sizes), help="bytes")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="workers")
    parser.add_argument("--print", action="store_true", help="print, and write no page")
    given = parser.parse_args(arguments)
    cases, jobs = Cases(STORED), every_job(given.sets, given.sizes)
    from tqdm import tqdm

    with tqdm(total=len(jobs), unit="run") as bar:
        do(jobs, cases, given.processes, bar.update, run)
    made, frontiers = report(given.sets, jobs, cases)
    picture = RESULTS / "whole.png"
    if not given.print:
        draw_summary(WHOLE, frontiers, REFERENCE, picture)
    made.publish("whole", not given.print, [picture])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
