"""The exponent of a growth law from measured points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def upper_half(sizes: Sequence[float]) -> int:
    """Index of the first point that is fitted: small sizes show constants, not the law.

    Never fewer than three points, where there are three.
    """
    return max(0, min(len(sizes) // 2, len(sizes) - 3))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope of log time against log size by least squares."""
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(slope)


def upper_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The exponent over the upper half of the sizes."""
    start = upper_half(sizes)
    return exponent(sizes[start:], seconds[start:])
