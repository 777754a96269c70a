"""How often rows come."""

from __future__ import annotations

import math
from statistics import median

_LOOKED_AT = 1_000


class Cadence:
    """The usual time between rows: the median of the first gaps, which no break moves."""

    def __init__(self) -> None:
        self._last = math.nan
        self._gaps: list[float] = []

    def add(self, seconds: float) -> None:
        """Take the time of a row; NaN where it is not known."""
        gap = seconds - self._last
        self._last = seconds
        if gap >= 0.0 and len(self._gaps) < _LOOKED_AT:
            self._gaps.append(gap)

    @property
    def period(self) -> float | None:
        """Seconds between rows; None where times are not known or do not move."""
        usual = median(self._gaps) if self._gaps else 0.0
        return usual if usual > 0.0 else None
