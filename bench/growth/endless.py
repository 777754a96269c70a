"""One pass over ten million rows: time and resident memory on the way.

As a program it is the measured process: it learns blocks of rows from a generator into the same
two arrays and prints what it saw as JSON.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from bench.datasets import ROOT, Labels, Rows
from bench.growth.axes import exponent
from bench.table import Table

STATUS = Path("/proc/self/status")
ALGORITHM, BUDGET, D, BLOCK, POINTS, FIRST = "rbp", 200, 16, 8_192, 10, 0


@dataclass(frozen=True)
class Journey:
    """Rows learned, cumulative seconds of learning and resident KiB; the first is one block."""

    rows: list[int]
    seconds: list[float]
    resident: list[int]

    @property
    def growth(self) -> int:
        """KiB that came after the first block, at the most."""
        return max(self.resident) - self.resident[FIRST]

    @property
    def exponent(self) -> float:
        """Of the time against the rows, over the points after the first block."""
        return exponent(self.rows[1:], self.seconds[1:])


def resident_kib() -> int:
    """VmRSS of this process."""
    found = re.search(r"^VmRSS:\s+(\d+) kB", STATUS.read_text(), re.M)
    if found is None:
        raise RuntimeError(f"no VmRSS in {STATUS}")
    return int(found[1])


def blocks(n: int) -> Iterator[tuple[Rows, Labels]]:
    """n rows and their labels, block by block in the same memory."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = np.zeros((BLOCK, D), np.float32)
    y, bent = np.zeros(BLOCK), np.zeros(BLOCK, np.float32)
    for start in range(0, n, BLOCK):
        rng.standard_normal(dtype=np.float32, out=X)
        np.multiply(X[:, 1], X[:, 2], out=bent)
        np.add(bent, X[:, 0], out=bent)
        np.copysign(1.0, bent, out=y)
        size = min(BLOCK, n - start)
        yield X[:size], y[:size]


def travel(n: int) -> Journey:
    """Learn n rows; record the state after the first block and at ten points."""
    import numpy as np

    import edgeolk as ek

    learner = ek.Learner(ALGORITHM, n_features=D, budget=BUDGET, kernel=ek.Gaussian(1.0 / D))
    scores = np.zeros(BLOCK)
    journey = Journey([], [], [])
    spent, done = 0.0, 0
    for X, y in blocks(n):
        start = process_time()
        learner.learn_many(X, y, out=scores[: len(y)])
        spent, done = spent + process_time() - start, done + len(y)
        if done >= len(journey.rows) * n / POINTS:
            journey.rows.append(done)
            journey.seconds.append(spent)
            journey.resident.append(resident_kib())
    return journey


def measure(n: int) -> Journey | None:
    """The journey of a process of its own; None where the system does not tell its memory."""
    if not STATUS.is_file():
        return None
    command = [sys.executable, "-m", __name__, str(n)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return Journey(**json.loads(done.stdout))


def table(journey: Journey) -> Table:
    """The points of the journey."""
    lines = [
        [f"{rows:,}", f"{seconds:.3f}", f"{1e6 * seconds / rows:.3f}", f"{resident:,}"]
        for rows, seconds, resident in zip(
            journey.rows, journey.seconds, journey.resident, strict=True
        )
    ]
    note = (
        f"{ALGORITHM}, B = {BUDGET}, d = {D}, float32, rows from a generator, {BLOCK:,} at a time;"
        " seconds of `learn_many` alone, resident memory of the whole process (VmRSS). Exponent of"
        f" the time against the rows: {journey.exponent:.3f}. Resident memory after the first"
        f" block: +{journey.growth} KiB."
    )
    title = f"One pass over {journey.rows[-1]:,} rows"
    return Table(title, ["rows", "seconds", "us a row", "resident KiB"], lines, note, left=0)


if __name__ == "__main__":
    print(json.dumps(vars(travel(int(sys.argv[1])))))
