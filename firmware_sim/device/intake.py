"""The way of a row to the learner: row buffer, missing readings, scaling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from edgeolk import hosting
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.supervision import row_type
from firmware_sim.streams import Row

#: Maximum relative error of a reading that counts as exact to 7 digits.
_SEVEN_DIGITS = 5e-7
#: Numbers that each policy stores per reading.
KEEPS = {"last": 1, "mean": 2}
_ITEM = 8


def buffer_type(config: ReplayConfig) -> np.dtype[Any]:
    """Return the type of unscaled readings: the one given, else that of the learner's rows."""
    given = config.row != "auto" and config.window is None  # --row is then the type of samples
    return np.dtype(config.row) if given else row_type(config)


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


class Gaps:
    """Marks missing readings as NaN, for learners that accept them."""

    keeps_last = False

    def fill(self, row: Row, absent: Sequence[int]) -> bool:
        """Mark readings as missing; returns True, since the row can be learned."""
        row[list(absent)] = np.nan
        return True


class Repair:
    """Replaces missing readings.

    method ({"last", "mean"}): by the last value, or by the mean so far.
    n_features: readings in a row.
    buffer: `nbytes` bytes, which hold the complete state.
    """

    def __init__(self, method: str, n_features: int, buffer: memoryview) -> None:
        table = np.frombuffer(buffer, dtype=np.float64).reshape(KEEPS[method], n_features)
        self._value = table[0]
        self._value[:] = np.nan  # no reading yet
        self._count = table[1] if method == "mean" else None

    @staticmethod
    def nbytes(method: str, n_features: int) -> int:
        """Return the bytes the policy needs."""
        return KEEPS[method] * n_features * _ITEM

    @property
    def keeps_last(self) -> bool:
        """Whether only the last value of each reading is stored."""
        return self._count is None

    def fill(self, row: Row, absent: Sequence[int]) -> bool:
        """Update the state with the known readings and fill in the others.

        row: missing readings are overwritten.
        absent: indices of the missing readings.

        Returns: whether the row is complete; False if there was no value to fill in yet.
        """
        present = np.ones(len(row), dtype=bool)
        present[list(absent)] = False
        if self._count is None:
            np.copyto(self._value, row, where=present)
        else:
            self._count += present
            # The first value of a column is its mean.
            mean = np.where(np.isnan(self._value), 0.0, self._value)
            step = (row - mean) / np.maximum(self._count, 1.0)
            np.copyto(self._value, mean + step, where=present)
        np.copyto(row, self._value, where=~present)
        return not np.isnan(row).any()


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
            at += hosting.scale_many(scaler, X[at:end], out[at:end])
            if at < end:
                try:
                    scaler.learn_transform_one(X[at], out[at])
                except ValueError as error:
                    failed[at] = error
                at += 1
        at = end + 1
    return out, failed
