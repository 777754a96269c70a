"""Instructions of a sample and of a row, flash and RAM, by set, type and board."""

from __future__ import annotations

from typing import Any

import numpy as np

import edgeolk as ek
from bench.table import Table
from firmware_sim.mcu import BOARDS
from firmware_sim.mcu.sampling import sample_on

#: By core.
ON = {"Cortex-M0": "rp2040", "Cortex-M4F": "mps2-an386", "Cortex-M33": "mps2-an505"}
CASES = tuple((name, dtype) for name in ("vibration", "motion", "level") for dtype in
              ("int16", "float32"))  # fmt: skip


def run(some: tuple[str, ...]) -> tuple[list[Table], dict[str, Any]]:
    """The table of costs."""
    rows = []
    for core, board in ON.items():
        alone: dict[int, Any] = {}
        for features, dtype in CASES:
            if some and features not in some:
                continue
            windows = ek.Windows(3, 256, 128, features, 400, dtype)
            learner = ek.Learner(n_features=windows.n_features, ram="8KiB")
            noise = np.random.default_rng(0).standard_normal((512, 3)) * 2000
            found = sample_on(
                BOARDS[board], learner, windows, noise.astype(dtype), np.ones(512), seconds=600
            )
            spread = found.per_sample + found.per_row / 128
            rows.append(
                (core, features, dtype, f"{found.per_sample:,.0f}", f"{found.per_row / 1e3:,.0f}",
                 f"{spread:,.0f}", f"{windows.nbytes:,}", f"{found.program.flash:,}",
                 f"{found.stack:,}")
            )  # fmt: skip
            alone[windows.n_features] = found
    table = Table(
        "3 axes, size 256, hop 128",
        ("core", "features", "samples", "instructions a sample", "thousand a row",
         "a sample, rows included", "bytes of windows", "flash with learner", "stack"),
        rows,
        "Flash is that of the program with an 8 KiB learner and the start-up code; stack is the"
        " largest of any call, those of the learner included.",
        left=3,
    )  # fmt: skip
    return [table], {}
