"""Rows from all over a stream, however long it is, in fixed memory."""

from __future__ import annotations

import numpy as np

from firmware_sim.streams import Row

#: Rows held at most.
MOST = 512


class Sampled:
    """Every n-th row; where there are too many, every other one goes and n doubles."""

    def __init__(self) -> None:
        self._held: list[Row] = []
        self._every = 1
        self._seen = 0

    def add(self, row: Row) -> None:
        """Take a row, a copy of it."""
        if self._seen % self._every == 0:
            self._held.append(row.copy())
            if len(self._held) >= MOST:
                del self._held[1::2]
                self._every *= 2
        self._seen += 1

    def add_block(self, rows: Row) -> None:
        """Take rows in their order, shape (n, d); the same as ``add`` one by one."""
        at = 0
        while (ahead := -self._seen % self._every) < len(rows) - at:
            at += ahead
            self._seen += ahead
            self.add(rows[at])
            at += 1
        self._seen += len(rows) - at

    @property
    def rows(self) -> Row:
        """Those held, shape (n, d)."""
        return np.array(self._held)
