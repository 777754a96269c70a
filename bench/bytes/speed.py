"""Time of a row of the structured loops, every instruction set: ``python -m bench.bytes.speed``.

One core, the process's own time, median of several rounds over all cases; one pass over rows never
seen before, as a stream has them.
"""

from __future__ import annotations

import statistics
import sys
from time import process_time

import numpy as np

from bench.bytes.figures import TWO
from bench.bytes.sets import Rows, gamma_of, load
from bench.bytes.shim import Sorf, variants

ROUNDS = 5
WARM = 2000
ONE = ((0.3, 1.0, 3.0),)
#: Set, inputs, D, and the microseconds asked for by instruction set, learning.
CASES: tuple[tuple[str, int, dict[str, float]], ...] = (
    ("ijcnn1_train", 928, {"baseline": 12.0, "v3": 4.0, "v4": 2.5}),
    ("a9a_train", 4000, {"v4": 12.0}),
    ("a9a_train", 16_000, {}),
)


def timed(X: Rows, y: Rows, D: int, variant: str, row: bool) -> tuple[float, float, float]:
    """Microseconds a row to learn and to score in blocks, and the share of rows with a loss."""
    groups = TWO if D > 8000 else ONE
    learner = Sorf(X.shape[1], D, gamma_of(X), row=row, variant=variant, seed=1, groups=groups)
    rows = X.astype(np.float32)
    learner.steps(rows[:WARM], y[:WARM])
    before = int(learner.updates[0])
    start = process_time()
    learner.steps(rows[WARM:], y[WARM:])
    learning = process_time() - start
    start = process_time()
    learner.scores(rows[WARM:])
    scoring = process_time() - start
    n = len(y) - WARM
    return 1e6 * learning / n, 1e6 * scoring / n, (int(learner.updates[0]) - before) / n


def main() -> int:
    """Print a line for each case."""
    print("us a row, int8: learning (asked for), scoring in blocks, ratio; share with a loss")
    found: dict[tuple[int, str, bool], list[tuple[float, float, float]]] = {}
    for _ in range(ROUNDS):
        for case, (name, D, _asked) in enumerate(CASES):
            X, y = load(name)
            for variant in variants()[1:]:  # without the one that has no vectors
                for row in (False, True):
                    one = timed(X, y, D, variant, row)
                    found.setdefault((case, variant, row), []).append(one)
    for (case, variant, row), runs in found.items():
        name, D, asked = CASES[case]
        learning, scoring, share = (statistics.median(run[i] for run in runs) for i in range(3))
        wanted = f"({asked[variant]:4.1f})" if variant in asked else "      "
        print(
            f"{name:13} D {D:6} {variant:9} {'row' if row else 'block':6}"
            f"{learning:7.2f} {wanted} {scoring:7.2f} {scoring / learning:5.2f} {share:6.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
