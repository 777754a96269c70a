"""Rows scaled as they come, each taken into the statistics first."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.streams import Row


def scaled_rows(scaler: Any, X: Row) -> tuple[Row, dict[int, Exception]]:
    """Return scaled rows, and why some of them could not be, by their places.

    scaler: None where rows are not scaled; it goes on.
    """
    refused: dict[int, Exception] = {}
    if scaler is None:
        return X, refused
    out = np.empty_like(X)
    for at, (row, scaled) in enumerate(zip(X, out, strict=True)):
        try:
            scaler.learn_transform_one(row, scaled)
        except ValueError as error:
            refused[at] = error
    return out, refused
