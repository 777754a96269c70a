"""The longest step of every algorithm in instructions, counted by callgrind.

``python -m bench.memory.steps``. A replay finds the steps that take longest by the clock (the least
of several runs of the same steps), keeps the model from just before each, and callgrind counts the
instructions of ``learn_one`` on it: counts repeat exactly, times do not.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek
from bench.table import Report, Table
from edgeolk.catalogue import METHODS

BUDGET, DIMENSIONS = 100, (5, 16)
REPEATS, CANDIDATES = 5, 4
#: BPA-P renews its inverse every 10 B exchanges; the others show all they do much earlier.
STEPS = {"bpa_p": 2400}
PATTERN = "__pyx_pw*learn_one"


def rows(d: int, n: int) -> tuple[Any, Any]:
    """Rows with labels by chance: every algorithm is kept busy."""
    rng = np.random.default_rng(5)
    return rng.standard_normal((n, d)), rng.choice([-1.0, 1.0], n)


def build(name: str, d: int) -> ek.Learner:
    """A learner that samples every example where it samples at all."""
    eager: dict[str, Any] = {"spa": {"beta": 1.0}}.get(name, {})
    return ek.Learner(name, n_features=d, budget=BUDGET, kernel=ek.Gaussian(1.0 / d), **eager)


def longest(name: str, d: int) -> list[int]:
    """The steps that take longest, by the clock."""
    X, y = rows(d, STEPS.get(name, 700))
    least = np.full(len(y), np.inf)
    for _ in range(REPEATS):
        learner = build(name, d)
        for i, (x, label) in enumerate(zip(X, y, strict=True)):
            began = time.perf_counter_ns()
            learner.learn_one(x, label)
            least[i] = min(least[i], time.perf_counter_ns() - began)
    return sorted(np.argsort(least)[-CANDIDATES:].tolist())


def prepare(name: str, d: int, folder: Path) -> list[str]:
    """Models from just before the longest steps, with their rows, in files."""
    X, y = rows(d, STEPS.get(name, 700))
    chosen, learner, stems = longest(name, d), build(name, d), []
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        if i in chosen:
            stem = str(folder / f"{name}-{d}-{i}")
            learner.save(f"{stem}.olk")
            np.save(f"{stem}.npy", np.append(x, label))
            stems.append(stem)
        learner.learn_one(x, label)
    return stems


def replay(listing: str, library: str) -> None:
    """Run in callgrind: one step of each model of a list, the counts written out after each."""
    dump = ctypes.CDLL(library).dump
    for stem in Path(listing).read_text().split():
        learner, numbers = ek.load(f"{stem}.olk"), np.load(f"{stem}.npy")
        x, label = numbers[:-1].copy(), float(numbers[-1])
        with contextlib.suppress(ek.BudgetError):
            learner.learn_one(x, label)
        dump()


def count(stems: list[str], folder: Path) -> list[int]:
    """Instructions of one step of each model."""
    listing = folder / "models"
    listing.write_text("\n".join(stems))
    out = folder / "callgrind.out"
    source, library = folder / "dump.c", folder / "dump.so"
    source.write_text(
        "#include <valgrind/callgrind.h>\nvoid dump(void) { CALLGRIND_DUMP_STATS; }\n"
    )
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    subprocess.run(
        [
            *("valgrind", "--tool=callgrind", f"--toggle-collect={PATTERN}", "--combine-dumps=yes"),
            *(f"--callgrind-out-file={out}", "--log-file=/dev/null"),
            *(sys.executable, "-m", "bench.memory.steps", str(listing), str(library)),
        ],
        # Baseline instructions: the count then depends on no machine's widest vectors.
        env={**os.environ, "EDGEOLK_SIMD": "baseline", "OPENBLAS_NUM_THREADS": "1"},
        check=True,
    )
    counts = [int(n) for n in re.findall(r"^summary: (\d+)", out.read_text(), re.M)]
    return counts[: len(stems)]


def main() -> int:
    """Measure, print and save."""
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        stems = [s for m in METHODS for d in DIMENSIONS for s in prepare(m.name, d, folder)]
        counts = count(stems, folder)
    most: dict[str, dict[str, int]] = {method.name: {} for method in METHODS}
    for stem, instructions in zip(stems, counts, strict=True):
        name, d, _ = Path(stem).name.rsplit("-", 2)
        most[name][d] = max(most[name].get(d, 0), instructions)
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
    report = Report("The longest step", "`python -m bench.memory.steps`, by callgrind.", [table])
    report = Report(report.title, report.introduction, report.tables, {"instructions": most})
    print(report.markdown())
    report.save("steps")
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        replay(*sys.argv[1:])
    else:
        sys.exit(main())
