"""Whether a mean loss is below another by more than the noise: one rule for all reports."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

#: Stretches of rows from which the noise of a difference between losses is estimated.
BLOCKS = 20
#: Fewest rows of a stretch; with fewer, the noise is unknown.
MIN_ROWS = 10
#: A loss must be this many standard errors below another.
_ERRORS = 2.0


def noise(ours: Sequence[float], theirs: Sequence[float], squared: float = 0.0) -> float:
    """Return the standard error of the difference between two mean losses.

    It comes from the differences over stretches of rows, within which rows may depend on each
    other; without them only `squared` counts.

    ours, theirs: mean losses over the same stretches; empty if unknown.
    squared: the squared standard error from other sources, such as seeds.
    """
    if len(ours) == len(theirs) > 1:
        squared += float(np.var(np.subtract(theirs, ours), ddof=1)) / len(ours)
    return math.sqrt(squared)


def is_clear(difference: float, error: float) -> bool:
    """Whether a difference between losses is greater than the noise.

    error: its standard error; see `noise`.
    """
    return difference > _ERRORS * error
