"""Absent readings filled in, in fixed memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firmware_sim.streams import Row

#: Numbers each policy keeps for a reading.
KEEPS = {"last": 1, "mean": 2}
_ITEM = 8


class Gaps:
    """Absent readings are no numbers, for learners that know such."""

    keeps_last = False

    def mend(self, row: Row, absent: Sequence[int]) -> bool:
        """Mark readings as absent; the row is as good as a whole one."""
        row[list(absent)] = np.nan
        return True


class Repair:
    """What stands in for a reading that is absent.

    method ({"last", "mean"}): the last value there was, or the mean of all.
    n_features: readings in a row.
    buffer: of `nbytes` bytes: nothing else is kept.
    """

    def __init__(self, method: str, n_features: int, buffer: memoryview) -> None:
        held = np.frombuffer(buffer, dtype=np.float64).reshape(KEEPS[method], n_features)
        self._value = held[0]
        self._value[:] = np.nan  # nothing has been seen
        self._count = held[1] if method == "mean" else None

    @staticmethod
    def nbytes(method: str, n_features: int) -> int:
        """Return the bytes the policy needs."""
        return KEEPS[method] * n_features * _ITEM

    @property
    def keeps_last(self) -> bool:
        """Whether the last value of a reading is all that is kept."""
        return self._count is None

    def mend(self, row: Row, absent: Sequence[int]) -> bool:
        """Learn the readings there are and fill in the others.

        row: overwritten where readings are absent.
        absent: where they are.

        Returns: whether the row is whole; False where there was no value to fill in yet.
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
