"""Online scaling of rows, each after an update of the statistics with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from firmware_sim.streams import Row


def scaled_rows(
    scaler: Any, X: Any, refused: Mapping[int, Exception] | None = None
) -> tuple[Row, dict[int, Exception]]:
    """Return scaled rows, and why some of them could not be scaled, by index.

    scaler: updated; None for no scaling.
    X: rows in the type of the row buffer.
    refused: rows that do not fit the row buffer, which the scaler skips.
    """
    failed = dict(refused or {})
    if scaler is None:
        return X, failed
    out = np.zeros(X.shape)
    at = 0
    for end in [*sorted(failed), len(X)]:
        while at < end:
            at += scaler._learn_transform_many(X[at:end], out[at:end])
            if at < end:
                try:
                    scaler.learn_transform_one(X[at], out[at])
                except ValueError as error:
                    failed[at] = error
                at += 1
        at = end + 1
    return out, failed
