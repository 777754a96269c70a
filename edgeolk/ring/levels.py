"""The levels of int8 support vectors, from the range that a caller gives."""

from __future__ import annotations

import math
import struct
from typing import Any

from edgeolk.parts.numbers import Dtype
from edgeolk.parts.table import Parts

#: The default range of int8 levels, for standardised features.
DEFAULT_RANGE = (-4.0, 4.0)

Ends = tuple[Any, Any]


def range_of(feature_range: Any, parts: Parts, n_features: int) -> Ends | None:
    """The checked range of int8 levels; None if not given."""
    if feature_range is None:
        return None
    if parts["dtype"] != Dtype.INT8:
        raise TypeError("feature_range is for dtype='int8' only")
    checked = _ends(feature_range, n_features)
    levels(checked, n_features)
    return checked


def _ends(given: Any, n_features: int) -> Ends:
    """The two ends of a range, each a float or a tuple with one number per feature."""

    def plain(end: Any) -> Any:
        listed = end.tolist() if hasattr(end, "tolist") else end
        if not isinstance(listed, (list, tuple)):
            return float(listed)
        if len(listed) != n_features:
            raise ValueError(f"{len(listed)} numbers")
        return tuple(float(number) for number in listed)

    try:
        low, high = given
        return plain(low), plain(high)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"feature_range must be (low, high), numbers or arrays of {n_features}: {error}"
        ) from None


def _single(number: float) -> float:
    """The number rounded to float32; infinite if it overflows."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.inf


def levels(given: Ends | None, n_features: int) -> tuple[list[float], list[float]]:
    """The scales and offsets of int8 storage, one per feature, rounded to float32.

    Level q represents scale * q + offset: -128 is the low end of the range, 127 the high end.
    """
    low, high = (
        [end] * n_features if isinstance(end, float) else list(end)
        for end in given or DEFAULT_RANGE
    )
    scale = [_single((b - a) / 255.0) for a, b in zip(low, high, strict=True)]
    offset = [_single(a + 128.0 * (b - a) / 255.0) for a, b in zip(low, high, strict=True)]
    for step, zero in zip(scale, offset, strict=True):
        if not (0.0 < step < math.inf and math.isfinite(zero)):
            raise ValueError(f"feature_range must be finite with low < high, got {given!r}")
    return scale, offset
