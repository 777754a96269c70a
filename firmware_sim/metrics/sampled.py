"""An even sample of the rows of a stream, in fixed memory."""

from __future__ import annotations

import numpy as np

from firmware_sim.streams import Row

#: Maximum number of rows.
MAX_ROWS = 512


class Sampled:
    """Every n-th row; when there are too many, every other one is dropped and n doubles.

    max_rows: from so many on there are too many.
    """

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows
        self._rows: list[Row] = []
        self._every = 1
        self._seen = 0

    def add(self, row: Row) -> None:
        """Add a copy of a row."""
        if self._seen % self._every == 0:
            self._rows.append(row.copy())
            if len(self._rows) >= self._max_rows:
                del self._rows[1::2]
                self._every *= 2
        self._seen += 1

    def add_block(self, rows: Row) -> None:
        """Add rows, shape (n, d); equal to ``add`` one by one."""
        at = 0
        while (ahead := -self._seen % self._every) < len(rows) - at:
            at += ahead
            self._seen += ahead
            self.add(rows[at])
            at += 1
        self._seen += len(rows) - at

    @property
    def rows(self) -> Row:
        """The sample, shape (n, d)."""
        return np.array(self._rows)
