"""The levels of int8 storage, from the range of each feature."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from edgeolk.config import Config
from edgeolk.parts import Dtype


def _each(end: Any, n_features: int) -> list[float]:
    """An end for each feature, as Python floats."""
    if isinstance(end, (int, float)):
        return [float(end)] * n_features
    array = np.asarray(end, dtype=np.float64)
    if array.shape not in ((), (n_features,)):
        raise ValueError(f"shape {array.shape}")
    return [float(array)] * n_features if array.ndim == 0 else array.tolist()


def _single(number: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.inf


def levels_of(config: Config, feature_range: Any) -> tuple[list[float], list[float]] | None:
    """(scale, offset) of int8 storage, one a feature; None for the other types.

    Raises
    ------
    TypeError, ValueError
        A range is given where none is used, or is not two finite ends in order.

    Notes
    -----
    Without arithmetic of numpy's, which crashes where memory runs out.
    """
    if config.dtype != Dtype.INT8:
        if feature_range is not None:
            raise TypeError("feature_range is for dtype='int8' only")
        return None
    try:
        ends = (-4.0, 4.0) if feature_range is None else feature_range
        low, high = [_each(end, config.n_features) for end in ends]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"feature_range must be (low, high), numbers or arrays of {config.n_features}: {error}"
        ) from None
    scale = [_single((up - down) / 255.0) for down, up in zip(low, high, strict=True)]
    offset = [_single(a + 128.0 * (b - a) / 255.0) for a, b in zip(low, high, strict=True)]
    for step, zero in zip(scale, offset, strict=True):
        if not (0.0 < step < math.inf and math.isfinite(zero)):
            raise ValueError(f"feature_range must be finite with low < high, got {feature_range!r}")
    return scale, offset
