"""Where the error rises: the drift a report points at."""

from __future__ import annotations

import math

from firmware_sim.metrics.answers import Answers
from firmware_sim.replaying.result import ReplayResult

#: Standard deviations above the error before it that count as a rise.
_DEVIATIONS = 5.0
#: Windows that have to lie before, so that there is an error to compare with.
_WINDOWS = 4


def rises(result: ReplayResult) -> list[tuple[int, int]]:
    """Return stretches of rows whose error is far above that of all rows before them.

    Far is five standard deviations of the error in a window, if errors came by chance at the rate
    before. Only for classes, and only pointed at: a rise may be drift, a fault, or a hard stretch.

    Returns: the first and the last row of each.
    """
    if not isinstance(result.metrics, Answers):
        return []
    curve = result.metrics.curve
    rows, errors, window = curve.windowed()
    every, wrong = curve.table()
    before = {0: 0} | dict(zip(every.tolist(), wrong[:, 0].tolist(), strict=True))
    out: list[tuple[int, int]] = []
    for row, error in zip(rows.tolist(), errors[:, 0].tolist(), strict=True):
        start = row - window
        if start < _WINDOWS * window:
            continue
        share = (before[start] + 1.0) / (start + 2.0)
        if error <= share + _DEVIATIONS * math.sqrt(share * (1.0 - share) / window):
            continue
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], row)
        else:
            out.append((start + 1, row))
    return out
