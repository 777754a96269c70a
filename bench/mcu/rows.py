"""Rows of the bundled streams as boards read them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firmware_sim.streams import open_stream

Array = NDArray[Any]


def stream(name: str, rows: int, d: int) -> tuple[Array, Array]:
    """The first rows and inputs of a stream, float32, and labels of -1 and 1."""
    opened = open_stream(name)
    row = np.empty(len(opened.features))
    X, y = [], []
    for sample in opened.samples(row):
        if sample is None or sample.damage or not np.isfinite(row).all():
            continue
        X.append(row[:d].astype(np.float32))
        y.append(1.0 if float(sample.label) > 0 else -1.0)
        if len(X) == rows:
            break
    return np.array(X), np.array(y)
