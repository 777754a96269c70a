"""Time everything in one run, print the tables, save them in bench/results if all of a9a ran."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

BUDGETS = (1350, 100)
SYNTHETIC_BUDGET = 200


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="3 rounds on fewer rows; nothing is saved"
    )
    parser.add_argument("--rounds", type=int, help="times each case is timed (default 7)")
    arguments = parser.parse_args()
    if arguments.rounds is None:
        arguments.rounds = 3 if arguments.quick else 7
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def main() -> int:
    """Run the benchmark."""
    arguments = _arguments()
    # Before numpy is imported: a peer on two cores would be no peer.
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"

    import numpy as np
    from tqdm import tqdm

    import edgeolk as ek
    from bench import datasets
    from bench.speed import cases, report
    from bench.speed.variant import time_in_child
    from bench.timing import Case, interleave

    quick, whole = arguments.quick, False
    synthetic = datasets.synthetic(40_000 if quick else 200_000)
    try:
        a9a = datasets.a9a().permuted(0)
        whole = len(a9a) > datasets.A9A_TRAIN_ROWS
        if not whole:
            print(f"a9a is its train part alone: {datasets.TRAIN_ALONE}", file=sys.stderr)
    except FileNotFoundError as error:
        print(f"a9a is left out: {error}", file=sys.stderr)
        a9a = None
    if a9a is not None and quick:
        a9a = a9a.head(10_000)

    todo: list[Case] = []
    variants = ek.available_simd()
    with tempfile.TemporaryDirectory() as scratch:
        if a9a is not None:
            rows = Path(scratch) / "rows.npz"
            np.savez(rows, X=a9a.X, y=a9a.y)
            for budget in BUDGETS:
                todo += cases.a9a_cases(a9a, budget)
                for name in variants:
                    run = partial(time_in_child, name, rows, budget, cases.A9A_GAMMA)
                    todo.append(Case(f"variant-{name}-{budget}", name, len(a9a), run))
        todo += cases.synthetic_cases(synthetic, SYNTHETIC_BUDGET, len(synthetic) // 4)
        todo += cases.call_cases(synthetic)
        with tqdm(total=len(todo) * arguments.rounds, disable=None, unit=" runs") as bar:
            timings = interleave(todo, range(arguments.rounds), bar.update)

    tables = []
    if a9a is not None:
        for budget in BUDGETS:
            both = cases.mistakes_of_both(a9a, budget, cases.A9A_GAMMA)
            tables.append(report.a9a_table(timings, budget, both))
        tables.append(report.variant_table(timings, variants, BUDGETS))
    tables.append(report.synthetic_table(timings, SYNTHETIC_BUDGET))
    tables.append(report.call_table(timings))
    made = report.make_report(tables, timings, arguments.rounds)
    print(made.markdown())
    if whole and not quick:
        for path in made.save("speed"):
            print(f"saved {path.relative_to(datasets.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
