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


def converted(X: Row, kind: np.dtype[Any]) -> tuple[Any, dict[int, Exception], int]:
    """Return rows in a type, why some do not fit it, by their places, and readings unlike before.

    Rows that do not fit are zeros. Unlike are readings that the type holds to fewer than 7 digits.
    """
    refused: dict[int, Exception] = {}
    if kind == X.dtype:
        return X, refused, 0
    whole = kind.kind == "i"
    most = float(np.iinfo(kind).max if whole else np.finfo(kind).max)
    # What is absent is NaN, which a float holds.
    beyond = ~(np.abs(X) <= most) if whole else np.abs(X) > most
    if beyond.any():
        for at in np.flatnonzero(beyond.any(axis=1)).tolist():
            reading = X[at, np.flatnonzero(beyond[at])[0]]
            text = f"a reading of {reading:g} does not fit a row buffer of {kind}"
            refused[at] = ValueError(text)
        X = X.copy()
        X[[*refused]] = 0.0
    rows = (np.rint(X) if whole else X).astype(kind)
    return rows, refused, int(np.count_nonzero(np.abs(rows - X) > _SEVEN_DIGITS * np.abs(X)))


class RowBuffer:
    """Readings under the cap; what a stream gives them in float64 lies outside.

    config: the type.
    n_features: readings in a row.
    buffer: of `nbytes` bytes.
    read: what the stream writes to.
    held: the readings in the buffer's own type.
    unlike: readings that it held to fewer than 7 digits.
    """

    def __init__(self, config: ReplayConfig, n_features: int, buffer: memoryview) -> None:
        self.held: Any = np.frombuffer(buffer, buffer_type(config))
        wide = self.held.dtype == np.float64
        self.read: Row = self.held if wide else np.zeros(n_features)
        self.unlike = 0

    @staticmethod
    def nbytes(config: ReplayConfig, n_features: int) -> int:
        """Return the bytes of the buffer."""
        return n_features * buffer_type(config).itemsize

    def take(self) -> Any:
        """Put what was read into the buffer, and return it.

        Raises ValueError: a reading is beyond the buffer's type.
        """
        if self.held is self.read:
            return self.held
        rows, refused = self.take_many(self.read[np.newaxis])
        for error in refused.values():
            raise error
        self.held[:] = rows[0]
        return self.held

    def take_many(self, X: Row) -> tuple[Any, dict[int, Exception]]:
        """Return rows as they would lie in the buffer, and why some do not fit, by their places."""
        rows, refused, unlike = converted(X, self.held.dtype)
        self.unlike += unlike
        return rows, refused
