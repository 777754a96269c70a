"""Finds sentinel values, which sensors send instead of a reading: -999, 65535, 85.0, -127."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from firmware_sim.streams.block import Row

#: What programs write for missing readings, and failed sensors, buses and converters return.
_CODES = np.array(
    [
        -1, 99, -99, 99.9, -99.9, 999, -999, 999.9, -999.9, -999.99, 9999, -9999, 9999.9, -9999.9,
        99999, -99999, 999999, -999999, -200, -127, 85, -55, -273, -273.15, 127, 128, 255, 1023,
        4095, 32767, -32768, 65535, 3276.7, -3276.8, 327.67, -327.68, 6553.5, 655.35,
        2147483647, -2147483648, 4294967295, -888, -8888, 7999, -7999, 6999, 1e20, 1e30, -1e30,
    ],
    dtype=float,
)  # fmt: skip
#: Minimum occurrences for a warning.
_OFTEN = 2
#: A thermometer that was not read: the warning comes at the first one.
_ONCE = {85.0, -127.0}


class Sentinels:
    """Searches each column for a sentinel value far from all other readings.

    names: of the columns.
    known: sentinel values that the user has already named.
    """

    def __init__(self, names: Sequence[str], known: Sequence[float] = ()) -> None:
        self._names = names
        self._codes = np.setdiff1d(_CODES, [*known])
        n = len(names)
        self._rows = 0
        self._count: dict[int, dict[float, int]] = {}  # of columns with codes
        self._low, self._high = np.full(n, np.inf), np.full(n, -np.inf)

    def add_block(self, rows: Row) -> None:
        """Add readings, shape (n, n_columns); NaN means missing."""
        self._rows += len(rows)
        if not len(rows):
            return
        low, high = np.fmin.reduce(rows), np.fmax.reduce(rows)
        # A code far from all other readings is the minimum or the maximum of its block.
        for at in np.flatnonzero(np.isin(low, self._codes) | np.isin(high, self._codes)).tolist():
            low[at], high[at] = self._without(at, rows[:, at])
        self._low, self._high = np.fmin(self._low, low), np.fmax(self._high, high)

    def _without(self, at: int, column: Row) -> tuple[float, float]:
        """Count the codes of a column; return the minimum and maximum of its other readings."""
        is_code = np.isin(column, self._codes)
        found, times = np.unique(column[is_code], return_counts=True)
        counts = self._count.setdefault(at, {})
        for code, count in zip(found.tolist(), times.tolist(), strict=True):
            counts[code] = counts.get(code, 0) + count
        others = column[~is_code & ~np.isnan(column)]
        return (float(others.min()), float(others.max())) if len(others) else (np.inf, -np.inf)

    def warnings(self) -> list[str]:
        """Return a warning for each column that seems to contain a sentinel value."""
        out = []
        for at, code in self._suspects():
            shown = f"{code:g}" if abs(code) < 1e6 else repr(code)
            out.append(
                f"column {self._names[at]!r} is {shown} in {self._count[at][code]:,} of "
                f"{self._rows:,} rows, far from all other readings: if that means a failed "
                f"reading, set --missing-code={shown}"
            )
        return out

    def found(self) -> list[float]:
        """Return the values that seem to be sentinels of any column."""
        return [*dict.fromkeys(code for _, code in self._suspects())]

    def _suspects(self) -> Iterator[tuple[int, float]]:
        """Yield columns by index with the values that seem to be sentinels."""
        for at, counts in sorted(self._count.items()):
            for code, count in counts.items():
                if (count >= _OFTEN or code in _ONCE) and self._is_far(at, code):
                    yield at, code

    def _is_far(self, at: int, code: float) -> bool:
        low, high = float(self._low[at]), float(self._high[at])
        if not low < high:
            return False
        gap = max(low - code, code - high)
        return gap > 0.5 * (high - low)
