"""A group of `sorf` whose features are the inputs and 1 (section 7i of docs/sorf.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeolk.reference.base import Pcg32
from edgeolk.reference.sorf_features import arithmetic_of, rounded

#: The ridge of its step; of a group without an average.
RIDGE, RIDGE_ALONE = 1.0, 3.0


class LinearGroup:
    """Stored weights w of m = n_features + 1 lines and K columns, and their average a, if any."""

    def __init__(
        self, n_features: int, K: int, dtype: str, rounding: Pcg32, kappa: Any, *, averages: bool
    ) -> None:
        self.of = arithmetic_of(dtype)
        self.real = self.of.real
        self.m, self.K, self.kappa, self.averages = n_features + 1, K, kappa, averages
        self.rounding = rounding
        self.r = self.real(RIDGE if averages else RIDGE_ALONE)
        self.w: np.ndarray = np.zeros((self.m, K), dtype=dtype)
        self.a: np.ndarray = np.zeros((self.m if averages else 0, K), dtype=dtype)

    def inputs(self, x: np.ndarray) -> np.ndarray:
        """The lines of a row that is clamped."""
        return np.append(x, self.real(1.0))

    def scores(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """f_w and f_a, each (K,)."""
        lines = self.inputs(x)[:, None]
        size = self.kappa * self.real(self.m)
        f_w, f_a = (
            self.of.over(self.of.sum(lines * stored.astype(self.real), axis=0), size)
            for stored in (self.w, self.a if self.averages else self.w)
        )
        return f_w, f_a

    def square(self, x: np.ndarray) -> Any:
        """The mean square of the lines."""
        lines = self.inputs(x)
        return self.of.sum(lines * lines, axis=0) / self.real(self.m)

    def learn(self, x: np.ndarray, steps: dict[int, Any]) -> None:
        """Add steps of columns times the lines that are not 0, a line to a random word."""
        lines, columns = self.inputs(x), list(steps)
        some = np.flatnonzero(lines)
        at, n = np.ix_(some, np.array(columns)), len(columns)
        levels: np.ndarray = np.zeros((len(some), 2), dtype=self.w.dtype)
        change: np.ndarray = np.zeros((len(some), 2), dtype=self.real)
        levels[:, :n] = self.w[at]
        change[:, :n] = lines[some, None] * np.array(list(steps.values()), dtype=self.real)
        self.w[at] = self._stored(levels, change)[:, :n]

    def average(self, n: Any) -> None:
        """Move a towards w by 1 / n."""
        if self.averages:
            gap = self.w.astype(self.real) - self.a.astype(self.real)
            self.a = self._all_stored(self.a, self.of.over(gap, n))

    def leak(self, share: Any) -> None:
        """Take this share off w (section 14)."""
        self.w = self._all_stored(self.w, -share * self.w.astype(self.real))

    def forget(self) -> None:
        """Begin again after an alarm (section 13)."""
        self.w[:] = 0
        self.a[:] = 0

    def _all_stored(self, levels: np.ndarray, change: np.ndarray) -> np.ndarray:
        """All numbers in their order, two to a random word; an odd last one has its own."""
        both: np.ndarray = np.zeros((2, -(-levels.size // 2) * 2), dtype=self.real)
        both[0, : levels.size], both[1, : levels.size] = levels.ravel(), change.ravel()
        pairs = both.reshape(2, -1, 2)
        stored = self._stored(pairs[0].astype(levels.dtype), pairs[1])
        return stored.ravel()[: levels.size].reshape(levels.shape)

    def _stored(self, levels: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Levels (n, 2) with their changes; the first of a pair takes the high half of a word."""
        if levels.dtype == np.int8:
            return rounded(levels, change, self.rounding).astype(np.int8)
        return np.asarray(levels + change)
