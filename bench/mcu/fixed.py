"""What whole-number features lose: ten sets, one pass, compiled for this machine both ways."""

from __future__ import annotations

import ctypes
import sys
import tempfile
from pathlib import Path

import numpy as np

import edgeolk as ek
from bench.bytes.sets import load
from bench.compiled import compiled, compiler
from bench.mcu.rows import Array
from bench.table import Table

#: Chosen before the first of them was run.
SETS = (
    *("a9a_train", "elec2", "insects_gradual", "weather_rain", "wall_following", "occupancy"),
    *("ijcnn1_train", "phishing", "spambase", "ring"),
)
ROWS, SEEDS = 10_000, (1, 2, 3)
D = 928


def mistakes(learner: ek.Learner, X: Array, y: Array, flags: tuple[str, ...]) -> int:
    """Of the exported learner over the rows."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ek.export_c(learner, folder)
        command = [*compiler(), "-std=c99", "-O2", "-shared", "-fPIC", *flags]
        c = ctypes.CDLL(str(compiled(command, [folder / "edgeolk.c", folder / "model.c"])))
        arena = (ctypes.c_double * (learner.nbytes // 8 + 8))()
        c.ek_start(arena)
        for x, label in zip(X.astype(np.float32), y, strict=True):
            row = x.ctypes.data_as(ctypes.c_void_p)
            if c.ek_learn(arena, row, ctypes.c_double(label), None):
                raise RuntimeError("a row was refused")
        counts = (ctypes.c_uint64 * 6)()  # ek_counts
        c.ek_count(arena, counts)
        return int(counts[1])


def fixed() -> Table:
    """The table."""
    rows, differences = [], []
    for name in SETS:
        X, y = load(name, ROWS)
        errors = []
        for flags in ((), ("-DEK_FIXED",)):
            made = (ek.Learner(n_features=X.shape[1], budget=D, seed=seed) for seed in SEEDS)
            wrong = [mistakes(learner, X, y, flags) for learner in made]
            errors.append(100.0 * float(np.mean(wrong)) / len(y))
        differences.append(errors[1] - errors[0])
        rows.append(
            [name, f"{len(y):,}", str(X.shape[1]), *(f"{e:.2f}" for e in errors),
             f"{differences[-1]:+.2f}"]
        )  # fmt: skip
        print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    rows.append(["mean", "", "", "", "", f"{np.mean(differences):+.3f}"])
    return Table(
        "What whole numbers lose",
        ("set", "rows", "d", "error %", "-DEK_FIXED %", "difference"),
        rows,
        f"The recommended learner with D = {D}, exported and compiled for the host: mistakes in one"
        f" pass, the mean of {len(SEEDS)} seeds; rows as `bench.bytes.sets` has them.",
    )
