"""The levels of int8 storage, from the range of each feature. Without numpy."""

from __future__ import annotations

import math
import struct

from edgeolk.lean import Any

Ends = tuple[Any, Any]

#: Ends of the range where none is given: suits standardised features.
DEFAULT = (-4.0, 4.0)


def ends(given: Any, n_features: int) -> Ends:
    """The two ends of a range, each as a float or a tuple with one for each feature.

    Raises
    ------
    ValueError
        There are not two ends, or an end is no number, or has not one for each feature.
    """

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
    """The number rounded to float32; infinite beyond its range."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.inf


def levels(given: Ends | None, n_features: int) -> tuple[list[float], list[float]]:
    """(scale, offset) of int8 storage for each feature, rounded to float32.

    Level q stands for scale q + offset: -128 is the low end of the range, 127 the high one.

    Raises
    ------
    ValueError
        A range is not finite with low < high.
    """
    low, high = (
        [end] * n_features if isinstance(end, float) else list(end) for end in given or DEFAULT
    )
    scale = [_single((b - a) / 255.0) for a, b in zip(low, high, strict=True)]
    offset = [_single(a + 128.0 * (b - a) / 255.0) for a, b in zip(low, high, strict=True)]
    for step, zero in zip(scale, offset, strict=True):
        if not (0.0 < step < math.inf and math.isfinite(zero)):
            raise ValueError(f"feature_range must be finite with low < high, got {given!r}")
    return scale, offset
