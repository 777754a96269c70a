"""The program whose instructions are counted in the emulator: passes of every algorithm.

A pass is between two marks. A mark is ``os.close`` of an invalid descriptor that
release/counter.c recognizes.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any

import edgeolk as ek
from bench.rows import EAGER, random_rows

MARK = 0x5EED
#: Counted rows of a pass, after as many as fill the ring.
ROWS = 200
FILLED = 1500
#: The boards' table: rows of a sensor, and the memory a learner may take.
FEATURES, RAM = 5, "16KiB"
#: Budgets and features at which rbp is counted, in each type.
SHAPES = ((100, 16), (200, 8), (64, 64), (1350, 16), (1350, 123))


def mark() -> None:
    """Print the count and reset it."""
    with contextlib.suppress(OSError):
        os.close(MARK)


def counted(name: str, **options: Any) -> dict[str, Any]:
    """Run one pass between two marks; return its description."""
    learner = ek.Learner(name, **options)
    X, y = random_rows(learner.n_features, FILLED + ROWS)
    X = X.astype("float64" if options.get("dtype") == "float64" else "float32")
    learner.learn_many(X[:FILLED], y[:FILLED])
    mark()
    learner.learn_many(X[FILLED:], y[FILLED:])
    mark()
    size = {"budget": learner.budget, "features": learner.n_features, "bytes": learner.nbytes}
    return {"algorithm": name, "dtype": learner.dtype, **size, "simd": ek.simd()}


def main() -> None:
    """Print a line of JSON for each pair of marks."""
    for row in ek.algorithms():
        options = {"n_features": FEATURES, "ram": RAM, **EAGER.get(row.name, {})}
        print(json.dumps(counted(row.name, **options)), flush=True)
    for dtype in ("float32", "float64"):
        for budget, features in SHAPES:
            shape = {"n_features": features, "budget": budget, "dtype": dtype}
            print(json.dumps(counted("rbp", **shape)), flush=True)


if __name__ == "__main__":
    main()
