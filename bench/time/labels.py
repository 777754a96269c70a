"""Classes whose labels are known before the next row: the last label as one more candidate."""

from __future__ import annotations

from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes import sets
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


def wrong(name: str, **options: Any) -> float:
    """Per cent of the rows that a learner answers wrongly before it learns them."""
    spec = sets.SPECS[name]
    X, y = sets.load(name, ROWS, raw=True)
    own: dict[str, Any] = {"n_classes": spec.classes} if spec.task == "classes" else {}
    learner = ek.Learner(n_features=X.shape[1], ram=RAM, **own, **options)
    f = learner.learn_many(X, y)
    # The margin of the right class, or the score of +1.
    return 100.0 * float(np.mean((f if own else f * y) <= 0.0))


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The table and the numbers behind it."""
    data: dict[str, Any] = {}
    lines = []
    for name, of in STREAMS.items():
        if names and name not in names:
            continue
        y = sets.load(of, ROWS, raw=True)[1]
        found = {
            "without": wrong(of),
            "with": wrong(of, history="auto"),
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
