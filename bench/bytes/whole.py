"""Error against bytes with everything in the block: ``python -m bench.bytes.whole``.

The frontier gives every learner rows that were scaled outside and the width of the set. Here a
learner is what a user makes, ``ek.Learner(n_features=d, ram=R)``: scaler, width, a copy of the row
and all padding are inside R bytes. Published methods have their scaler inside, too, and the width
of the kernel that errs least of three, in hindsight.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes.grid import KIB, OURS, SETS
from bench.bytes.scoring import costs
from bench.bytes.sets import SPECS, load
from bench.table import Report, Table

SIZES = (512, *(KIB * size for size in (1, 2, 4, 8, 16)))
ROWS, SEEDS = 4_000, (1, 2, 3)
#: The best of the frontier among those that follow no schedule of their own.
PUBLISHED = ("ahpatron", "bpa_s", "bpa_nn", "olrd")
#: Multiples of 1 / (2 d), and how vectors are stored.
WIDTHS, STORED = (1.0, 3.0, 0.3), ("float32", "int8")
#: Sets beside those of the frontier.
MORE = ("dna_train",)


@dataclass(frozen=True)
class Case:
    """A learner on a set, in so many bytes."""

    data: str
    nbytes: int
    name: str = OURS
    options: Mapping[str, Any] = field(default_factory=dict)


def error(case: Case) -> float | None:
    """Errors in %, in the mean of the seeds; None where nothing fits."""
    task = SPECS[case.data].task
    X, y = load(case.data, ROWS, raw=True)
    if task == "regression":
        y = (y - y.mean()) / y.std()
    made: dict[str, Any] = {"n_features": X.shape[1], "ram": case.nbytes, **case.options}
    if task == "classes":
        made["n_classes"] = int(y.max()) + 1
    if task == "regression" and case.name == OURS:
        made["loss"] = "square"
    try:
        learners = [ek.Learner(case.name, seed=seed, **made) for seed in SEEDS]
    except (TypeError, ValueError):  # so few bytes hold none, or it does not follow this task
        return None
    return float(np.mean([100.0 * costs(task, one.learn_many(X, y), y) for one in learners]))


def published(data: str, nbytes: int) -> Iterator[Case]:
    """Every published method, storage and width, scaled inside."""
    d = load(data, ROWS, raw=True)[0].shape[1]
    for name, width, dtype in product(PUBLISHED, WIDTHS, STORED):
        options = {"scale": "standard", "kernel": ek.Gaussian(width / (2 * d)), "dtype": dtype}
        yield Case(data, nbytes, name, options)


def line(data: str, size: int) -> tuple[float | None, float | None, float | None]:
    """Errors of ours, ours with one scale for all inputs, and the best published."""
    ours, common = error(Case(data, size)), error(Case(data, size, options={"scale": "common"}))
    others = [found for case in published(data, size) if (found := error(case)) is not None]
    return ours, common, min(others, default=None)


def _cell(found: float | None) -> str:
    return "" if found is None else f"{found:.2f}"


def tables(sets: Sequence[str], sizes: Sequence[int], processes: int) -> list[Table]:
    """A table for each column of ``line``."""
    with ProcessPoolExecutor(processes) as pool:
        places = list(product(sets, sizes))
        found = dict(zip(places, pool.map(line, *zip(*places, strict=True)), strict=True))
    header = ["set", *(f"{size} B" if size < KIB else f"{size // KIB} KiB" for size in sizes)]
    titles = (
        ("`ek.Learner(n_features=d, ram=R)`", "Empty where nothing fits."),
        ('The same with `scale="common"`', "For sets whose inputs have one unit."),
        (f"The best of {', '.join(PUBLISHED)}, in hindsight", "Storage and width are chosen."),
    )
    return [
        Table(title, header, [[d, *(_cell(found[d, s][i]) for s in sizes)] for d in sets], note)
        for i, (title, note) in enumerate(titles)
    ]


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="bench.bytes.whole", description=__doc__)
    parser.add_argument("--sets", nargs="+", default=[*SETS, *MORE], choices=list(SPECS))
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), help="bytes")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--print", action="store_true", help="print, and write no page")
    options = parser.parse_args(arguments)
    report = Report(
        "Error against bytes, everything in the block",
        f"Wrong answers in %, first {ROWS:,} rows, mean of {len(SEEDS)} seeds; regression: squared"
        " error in % of the variance. Scaler, width, row and padding are inside the bytes.",
        tables(options.sets, options.sizes, options.processes),
    )
    if options.print:
        print(report.markdown())
    else:
        print(*report.save("whole"), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
