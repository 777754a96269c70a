"""The row buffer of a board, in the type that the board reads its sensors into."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.supervision import row_type
from firmware_sim.streams import Row

#: The most that a reading may differ by, relative to itself, and count as the same to 7 digits.
_SEVEN_DIGITS = 5e-7


def buffer_type(config: ReplayConfig) -> np.dtype[Any]:
    """Return the type of readings as they come: that asked for, else as the learner sees them."""
    return row_type(config) if config.row == "auto" else np.dtype(config.row)


class RowBuffer:
    """Readings as the board has them; what a stream gives them in float64 lies outside.

    config: the type.
    kind: that type.
    unlike: readings that it held to fewer than 7 digits.
    """

    def __init__(self, config: ReplayConfig) -> None:
        self.kind = buffer_type(config)
        self.unlike = 0

    @staticmethod
    def nbytes(config: ReplayConfig, n_features: int) -> int:
        """Return the bytes of the buffer."""
        return n_features * buffer_type(config).itemsize

    def take(self, X: Row) -> tuple[Any, dict[int, Exception]]:
        """Return rows as they would lie in the buffer, and why some do not fit, by their places.

        Rows that do not fit are zeros.
        """
        refused: dict[int, Exception] = {}
        if self.kind == X.dtype:
            return X, refused
        whole = self.kind.kind == "i"
        most = float(np.iinfo(self.kind).max if whole else np.finfo(self.kind).max)
        # What is absent is NaN, which a float holds.
        size = np.abs(X)
        beyond = ~(size <= most) if whole else size > most
        if beyond.any():
            for at in np.flatnonzero(beyond.any(axis=1)).tolist():
                reading = X[at, np.flatnonzero(beyond[at])[0]]
                text = f"a reading of {reading:g} does not fit a row buffer of {self.kind}"
                refused[at] = ValueError(text)
            X = X.copy()
            X[[*refused]] = 0.0
        rows = (np.rint(X) if whole else X).astype(self.kind)
        # Floats hold 7 digits of all but the smallest numbers.
        odd = slice(None) if whole else (size < np.finfo(self.kind).tiny) & (size > 0.0)
        off = np.abs(rows[odd] - X[odd]) > _SEVEN_DIGITS * size[odd]
        self.unlike += int(np.count_nonzero(off))
        return rows, refused
