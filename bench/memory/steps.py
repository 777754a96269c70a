"""The longest step of every algorithm in instructions, counted by callgrind.

``python -m bench.memory.steps``. A replay finds the steps that take longest by the clock (the least
of several runs of the same steps), keeps the model from just before each, and callgrind counts the
instructions of ``learn_one`` on it: counts repeat exactly, times do not.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import edgeolk as ek
from bench import callgrind
from bench.callgrind import Counter
from bench.rows import random_learner, random_rows
from bench.table import Report, Table
from edgeolk.parts.methods import METHODS

BUDGET, DIMENSIONS = 100, (5, 16)
REPEATS, CANDIDATES = 5, 4
#: BPA-P renews its inverse every 10 B exchanges; the others show all they do much earlier.
STEPS = {"bpa_p": 2400}
PATTERN = "__pyx_pw*learn_one"


def longest(name: str, d: int) -> list[int]:
    """The steps that take longest, by the clock."""
    X, y = random_rows(d, STEPS.get(name, 700))
    least = np.full(len(y), np.inf)
    for _ in range(REPEATS):
        learner = random_learner(name, d, BUDGET)
        for i, (x, label) in enumerate(zip(X, y, strict=True)):
            began = time.perf_counter_ns()
            learner.learn_one(x, label)
            least[i] = min(least[i], time.perf_counter_ns() - began)
    return sorted(np.argsort(least)[-CANDIDATES:].tolist())


def prepare(name: str, d: int, folder: Path) -> list[str]:
    """Models from just before the longest steps, with their rows, in files."""
    X, y = random_rows(d, STEPS.get(name, 700))
    chosen, learner, stems = longest(name, d), random_learner(name, d, BUDGET), []
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        if i in chosen:
            stem = str(folder / f"{name}-{d}-{i}")
            learner.save(f"{stem}.olk")
            np.save(f"{stem}.npy", np.append(x, label))
            stems.append(stem)
        learner.learn_one(x, label)
    return stems


def replay(listing: str) -> None:
    """Run in callgrind: one step of each model of a list, the counts written out after each."""
    counter = Counter()
    for stem in Path(listing).read_text().split():
        learner, numbers = ek.load(f"{stem}.olk"), np.load(f"{stem}.npy")
        x, label = numbers[:-1].copy(), float(numbers[-1])
        with contextlib.suppress(ek.BudgetError):
            learner.learn_one(x, label)
        counter.dump(stem)


def main() -> int:
    """Measure, print and save."""
    if not callgrind.available():
        print(f"skipped: {callgrind.MISSING}")
        return 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        stems = [s for m in METHODS for d in DIMENSIONS for s in prepare(m.name, d, folder)]
        listing = folder / "models"
        listing.write_text("\n".join(stems))
        # Baseline instructions: the count then depends on no machine's widest vectors.
        counts = callgrind.count("bench.memory.steps", [str(listing)], PATTERN)
    most: dict[str, dict[str, int]] = {method.name: {} for method in METHODS}
    for stem in stems:
        name, d, _ = Path(stem).name.rsplit("-", 2)
        most[name][d] = max(most[name].get(d, 0), counts[stem].everything)
    lines = [
        [
            method.name,
            ek.plan(method.name, n_features=5, budget=BUDGET).longest_step,
            *(f"{most[method.name][str(d)]:,}" for d in DIMENSIONS),
        ]
        for method in METHODS
    ]
    table = Table(
        f"Instructions of the longest step, B = {BUDGET}",
        ["algorithm", "longest step", *(f"d = {d}" for d in DIMENSIONS)],
        lines,
        "The longest of the steps that take longest by the clock, on rows with random labels, which"
        " keep the ring full and changing. float32, Gaussian kernel, default parameters; x86-64,"
        " baseline vector instructions; `learn_one` with everything it calls. A step's count"
        " repeats exactly; which of several nearly equal steps is counted may change it by under"
        " 1 %.",
        left=2,
    )
    about = "`python -m bench.memory.steps`, by callgrind."
    Report("The longest step", about, [table], {"instructions": most}).publish("steps")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.memory.steps", description=__doc__)
    parser.add_argument("listing", nargs="?", help=argparse.SUPPRESS)  # inside callgrind
    if given := parser.parse_args().listing:
        replay(given)
    else:
        sys.exit(main())
