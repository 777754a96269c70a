"""The record of a run of the frontier: errors, bytes and time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.bytes.sets import Rows
from bench.cache import Record

#: The share of the rows that parameters are chosen on.
PREFIX = 0.2


def costs(task: str, answers: NDArray[Any], y: Rows) -> Rows:
    """What each row counts: 1 for an error; in regression its square over the variance of y."""
    if task == "regression":
        return np.asarray((y - answers) ** 2 / np.var(y))
    return np.asarray((answers if task == "classes" else y * answers) <= 0.0, dtype=float)


def record(task: str, answers: NDArray[Any], y: Rows, nbytes: int, seconds: float) -> Record:
    """Errors in %: of all rows, and of the first ones."""
    lost = 100.0 * costs(task, answers, y)
    first = max(1, int(PREFIX * len(y)))
    return {
        "error": float(np.mean(lost)),
        "prefix": float(np.mean(lost[:first])),
        "rest": float(np.mean(lost[first:])),
        "nbytes": nbytes,
        "rows": len(y),
        "seconds": seconds,
    }
