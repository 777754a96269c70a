"""Classes whose labels are known before the next row: the last label as one more expert."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.bytes import sets
from bench.bytes.runs import learned
from bench.table import Table

RAM, ROWS = "4KiB", 10_000
STREAMS = {
    "wisdm": "wisdm_activity",
    "eeg": "eeg_eye_state",
    "arem": "arem_activity",
    "skab": "skab_pump",
    "gas_drift": "gas_drift",
    "weather": "weather_rain",
    "elec2": "elec2",
    "insects": "insects_gradual",
    "wall": "wall_following",
}


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The table and the numbers behind it."""
    data: dict[str, Any] = {}
    lines = []
    for name, of in STREAMS.items():
        if names and name not in names:
            continue
        y = sets.load(of, ROWS, raw=True)[1]
        found = {
            "without": learned(of, ROWS, 0, ram=RAM)[1],
            "with": learned(of, ROWS, 0, ram=RAM, history="auto")[1],
            "no change": 100.0 * float(np.mean(y[1:] != y[:-1])),
        }
        data[name] = found
        lines.append([name, *(f"{value:.2f}" for value in found.values())])
    note = (
        f"% wrong on the first {ROWS:,} rows, {RAM}, everything else as it is by default;"
        ' with: `history="auto"`, which is `last_label=True` for classes.'
    )
    header = ("stream", "without", "with", "no change")
    return [Table("Labels that stay", header, lines, note)], data
