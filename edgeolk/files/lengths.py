"""The maximum norm of stored vectors, as in core/range.pxd.

Kernels of distances accept any vector. For the others k(s, s) is bounded, so that the kernel of a
stored vector with any accepted row is finite.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from operator import add, mul
from typing import TYPE_CHECKING, Any

from edgeolk.parts import Dtype, KernelKind
from edgeolk.parts.elements import ELEMENTS
from edgeolk.parts.storage import COEFFICIENTS

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

#: Margin for rounding over the bounds of core/range.pxd; bounds of |x|^2 for a sigmoid.
_ROUNDED, _MAX_WIDE, _MAX_NARROW = 1.01, 1.01e100, 1.01e36
#: The largest product in float32.
_MAX_FLOAT = 3.41e38


def _longest(config: Settings) -> float:
    """The largest |x|^2 in range."""
    kernel, wide = config.kernel, config.vectors == Dtype.FLOAT64
    if kernel.kind == KernelKind.SIGMOID:
        return _MAX_WIDE if wide else _MAX_NARROW
    limit = _ROUNDED * COEFFICIENTS[config.coefficients].max_kernel
    if kernel.kind == KernelKind.POLYNOMIAL:
        _, degree, _, scale, offset = kernel.fields()
        limit = (limit ** (1.0 / degree) + abs(offset)) / scale
    return limit if wide else min(limit, _MAX_FLOAT)


def _squares(
    config: Settings, numbers: memoryview[Any], used: int, levels: memoryview[Any] | None
) -> Iterable[float]:
    """|s|^2 of each slot in use, from feature-major numbers."""
    stride = len(numbers) // config.n_features
    read = ELEMENTS[config.storage.element].read
    totals: Iterable[float] = repeat(0.0, used)
    for j in range(config.n_features):
        row: Any = numbers[j * stride : j * stride + used]
        if read is not None:
            row = read(row)
        elif levels is not None:
            size, start = levels[j], levels[config.n_features + j]
            row = [size * q + start for q in row]
        totals = list(map(add, totals, map(mul, row, row)))
    return totals


def lengths_hold(
    config: Settings, numbers: memoryview[Any], used: int, levels: memoryview[Any] | None
) -> bool:
    """Whether every vector of a ring or a window is short enough for a step.

    ``numbers`` has shape (d, stride), flat, in the storage type or its bits, all finite; ``used``
    slots hold vectors; ``levels`` are scales and offsets of int8 levels, None for other types.
    """
    if config.kernel.normalised:
        return True
    limit = _longest(config)
    if levels is None and ELEMENTS[config.storage.element].read is None:
        # No vector is longer than one with the largest number in every entry.
        largest = max(map(abs, numbers), default=0.0)
        if config.n_features * largest * largest <= limit:
            return True
    return max(_squares(config, numbers, used, levels), default=0.0) <= limit
