"""Intervals of a normal distribution."""

from __future__ import annotations

import math
from statistics import NormalDist

from edgeolk.checks import check_real


def half_width(level: float, variance: float) -> float:
    """Half the width of the interval around the mean that has a probability of ``level``.

    Raises TypeError, ValueError: ``level`` is not a number above 0 and below 1.
    """
    allowed = "a number above 0 and below 1"
    share = check_real("level", level, allowed)
    if not 0.0 < share < 1.0:
        raise ValueError(f"level must be {allowed}, got {level!r}")
    return NormalDist().inv_cdf((1.0 + share) / 2.0) * math.sqrt(variance)
