"""Rows at which the error rises, which a report marks as possible drift."""

from __future__ import annotations

import math

from firmware_sim.metrics.answers import Answers
from firmware_sim.replaying.result import ReplayResult

#: Standard deviations above the earlier error that count as a rise.
_DEVIATIONS = 5.0
#: Windows before the first possible rise, so that there is an error to compare with.
_WINDOWS = 4


def rising_errors(result: ReplayResult) -> list[tuple[int, int]]:
    """Return ranges of rows whose error is far above that of all rows before them.

    Far means five standard deviations of the error in a window, for random errors at the earlier
    rate. Only for classes, and only as a hint: a rise may be drift, a fault, or difficult rows.

    Returns: the first and the last row of each range.
    """
    if not isinstance(result.metrics, Answers):
        return []
    curve = result.metrics.curve
    rows, errors, window = curve.windowed()
    every, wrong = curve.table()
    wrong_before = {0: 0} | dict(zip(every.tolist(), wrong[:, 0].tolist(), strict=True))
    events: list[tuple[int, int]] = []
    for row, error in zip(rows.tolist(), errors[:, 0].tolist(), strict=True):
        start = row - window
        if start < _WINDOWS * window:
            continue
        share = (wrong_before[start] + 1.0) / (start + 2.0)
        if error <= share + _DEVIATIONS * math.sqrt(share * (1.0 - share) / window):
            continue
        if events and start <= events[-1][1]:
            events[-1] = (events[-1][0], row)
        else:
            events.append((start + 1, row))
    return events
