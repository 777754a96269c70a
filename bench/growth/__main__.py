"""Time against budget, features, non-zeros and rows; one very long pass; tables and a picture."""

from __future__ import annotations

import argparse
import sys

#: Longest of the passes over rows that are tried, and rows of the long pass.
MOST_SECONDS, LONG = 4.0, 10_000_000


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes; nothing is saved")
    parser.add_argument("--rows", type=int, help=f"of the long pass (default {LONG:,}; 0: none)")
    arguments = parser.parse_args()
    quick: bool = arguments.quick
    rounds, usual = (2, LONG // 20) if quick else (5, LONG)
    long = usual if arguments.rows is None else arguments.rows
    from tqdm import tqdm

    from bench.growth import axes, endless, report
    from bench.table import RESULTS
    from bench.timing import interleave

    steps, rows = axes.step_axes(quick), axes.rows_axis(quick)
    journey = endless.measure(long) if long else None
    points = [
        (axis, one, size)
        for axis in steps
        for one in axes.REPRESENTATIVES
        for size in axis.sizes_of(one)
    ]
    prepared = tqdm(points, disable=None, desc="learners")
    todo = [axes.step_case(*point) for point in prepared]
    for one in axes.REPRESENTATIVES:
        todo += axes.row_cases(rows, one, 0.1 * MOST_SECONDS if quick else MOST_SECONDS)
    with tqdm(total=len(todo) * rounds, disable=None, desc="growth") as bar:
        timings = interleave(todo, range(rounds), bar.update)

    groups = [axes.curves(axis, timings) for axis in (*steps, rows)]
    made = report.make_report(groups, journey, rounds)
    if not quick:
        report.draw(groups, journey, RESULTS / "growth.png")
    made.publish("growth", not quick, [RESULTS / "growth.png"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
