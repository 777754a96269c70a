"""Filling in of missing readings, in fixed memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firmware_sim.streams import Row

#: Numbers that each policy stores per reading.
KEEPS = {"last": 1, "mean": 2}
_ITEM = 8


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
