"""The row buffer of a board, in the type of its sensor readings."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.supervision import row_type
from firmware_sim.streams import Row

#: Maximum relative error of a reading that counts as exact to 7 digits.
_SEVEN_DIGITS = 5e-7


def buffer_type(config: ReplayConfig) -> np.dtype[Any]:
    """Return the type of unscaled readings: the one given, else that of the learner's rows."""
    return row_type(config) if config.row == "auto" else np.dtype(config.row)


class RowBuffer:
    """Readings in the type of the board; the float64 of the stream is outside the device.

    config: the type.
    kind: that type.
    n_inexact: readings that were stored with fewer than 7 digits.
    """

    def __init__(self, config: ReplayConfig) -> None:
        self.kind = buffer_type(config)
        self.n_inexact = 0

    @staticmethod
    def nbytes(config: ReplayConfig, n_features: int) -> int:
        """Return the bytes of the buffer."""
        return n_features * buffer_type(config).itemsize

    def take(self, X: Row) -> tuple[Any, dict[int, Exception]]:
        """Return rows as stored in the buffer, and why some do not fit, by index.

        Rows that do not fit are zeros.
        """
        refused: dict[int, Exception] = {}
        if self.kind == X.dtype:
            return X, refused
        integer = self.kind.kind == "i"
        limit = float(np.iinfo(self.kind).max if integer else np.finfo(self.kind).max)
        # Missing readings are NaN, which only floats can store.
        size = np.abs(X)
        beyond = ~(size <= limit) if integer else size > limit
        if beyond.any():
            for at in np.flatnonzero(beyond.any(axis=1)).tolist():
                reading = X[at, np.flatnonzero(beyond[at])[0]]
                text = f"a reading of {reading:g} does not fit a row buffer of {self.kind}"
                refused[at] = ValueError(text)
            X = X.copy()
            X[[*refused]] = 0.0
        rows = (np.rint(X) if integer else X).astype(self.kind)
        # Floats store 7 digits of all but the smallest numbers.
        tested = slice(None) if integer else (size < np.finfo(self.kind).tiny) & (size > 0.0)
        inexact = np.abs(rows[tested] - X[tested]) > _SEVEN_DIGITS * size[tested]
        self.n_inexact += int(np.count_nonzero(inexact))
        return rows, refused
