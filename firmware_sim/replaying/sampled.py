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

    def add_block(self, X: Row) -> None:
        """Take rows, as `add` does one by one."""
        at = -self._seen % self._every
        while at < len(X):
            self._seen += at
            self.add(X[at])
            X = X[at + 1 :]
            at = -self._seen % self._every
        self._seen += len(X)

    @property
    def rows(self) -> Row:
        """Those held, shape (n, d)."""
        return np.array(self._held)
