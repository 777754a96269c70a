"""Allocations per step of every algorithm and storage type, by a preloaded counter."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from bench.compiled import compiled, compiler
from bench.rows import random_learner
from bench.table import Table
from edgeolk.parts import Dtype
from edgeolk.parts.methods import METHODS

DTYPES = [member.name.lower() for member in Dtype]
STEPS, WARM = 2000, 200


def table() -> Table | None:
    """Compile the counter, measure in a process that has it; None without a C compiler."""
    try:
        source = Path(__file__).with_name("counter.c")
        library = compiled([*compiler(), "-O2", "-shared", "-fPIC"], [source])
    except FileNotFoundError:
        print("skipped: no C compiler for the allocation counter")
        return None
    done = subprocess.run(
        [sys.executable, "-m", "bench.memory.allocations"],
        env={**os.environ, "LD_PRELOAD": str(library)},
        stdout=subprocess.PIPE,
        check=True,
    )
    counts = json.loads(done.stdout)
    control = counts.pop("control")
    lines = [
        [name, *("refused" if n is None else f"{n / STEPS:g}" for n in row)]
        for name, row in counts.items()
    ]
    note = (
        f"C heap allocations per step over {STEPS:,} steps of `learn_one`, `decision_one` and"
        f" `predict_one`, and `learn_many` on the same rows with `out=`, after {WARM} steps of"
        f" warm-up, the collector off. 1,000 deliberate ones were counted as {control:,}."
    )
    return Table("Allocations per step", ["algorithm", *DTYPES], lines, note)


def measure() -> dict[str, list[int | None] | int]:
    """Count in this process, which the counter was preloaded into."""
    counter = ctypes.CDLL(os.environ["LD_PRELOAD"]).allocations
    counter.restype = ctypes.c_long
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((STEPS, 5)), rng.choice([-1.0, 1.0], STEPS)
    out = np.empty(STEPS)
    rows = list(X)
    result: dict[str, list[int | None] | int] = {}
    gc.disable()
    for method in METHODS:
        counts: list[int | None] = []
        for dtype in DTYPES:
            try:
                learner = random_learner(method.name, 5, 40, dtype=dtype)
            except ValueError:
                counts.append(None)
                continue
            before = 0
            for i, (x, label) in enumerate(zip(rows, y, strict=True)):
                if i == WARM:
                    before = counter()
                learner.learn_one(x, label)
                learner.decision_one(x)
                learner.predict_one(x)
            learner.learn_many(X, y, out=out)
            counts.append(counter() - before)
        result[method.name] = counts
    result["control"] = _deliberate(counter)
    return result


def _deliberate(counter: object) -> int:
    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    before = counter()  # type: ignore[operator]
    for _ in range(1000):
        malloc(64)
    return int(counter() - before)  # type: ignore[operator]


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(measure()))
