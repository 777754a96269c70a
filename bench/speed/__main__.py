"""Time everything, print the tables, save them in bench/results if every data file was there."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.speed.subjects import Subject
    from bench.table import Report

#: How often every pass is timed.
ROUNDS, QUICK_ROUNDS = 3, 1
QUICK_ROWS = 4_000


def _passes(subjects: list[Subject], rounds: int, quick: bool) -> Report:
    """Every algorithm over every set."""
    from tqdm import tqdm

    import edgeolk as ek
    from bench.speed import passes
    from bench.timing import interleave

    budgets = (100,) if quick else (100, 1350)
    allowance = passes.Allowance(0.1, 0.05) if quick else passes.Allowance(0.8, 0.3)
    total = len(subjects) * len(budgets) * len(ek.algorithms()) * (rounds + 1)
    with tqdm(total=total, disable=None, desc="passes") as bar:
        made = passes.passes(subjects, budgets, allowance, bar.update)
        timings = interleave(passes.cases(made), range(rounds), bar.update)
    return passes.make_report(made, timings, budgets, allowance, rounds)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds, rows and sizes; nothing is saved"
    )
    quick: bool = parser.parse_args().quick
    from bench import datasets
    from bench.speed import subjects

    whole = not quick
    most = QUICK_ROWS if quick else None
    synthetic = datasets.synthetic(40_000 if quick else 200_000)
    chosen: list[Subject] = []
    try:
        a9a = datasets.a9a().permuted(0)
        if len(a9a) == datasets.A9A_TRAIN_ROWS:
            print(f"a9a is its train part alone: {datasets.TRAIN_ALONE}", file=sys.stderr)
            whole = False
        chosen += subjects.a9a_subjects(a9a.head(most or len(a9a)))
        chosen.append(subjects.ijcnn1(most))
    except FileNotFoundError as error:
        print(f"left out: {error}", file=sys.stderr)
        whole = False
    chosen.append(subjects.occupancy(most))
    chosen.append(subjects.synthetic(synthetic.head(most or len(synthetic))))

    rounds = QUICK_ROUNDS if quick else ROUNDS
    _passes(chosen, rounds, quick).publish("passes", whole)
    return 0


if __name__ == "__main__":
    sys.exit(main())
