"""The maximum length of stored vectors, as core/range.pxd accepts them.

Kernels of distances take any vector. Of the others k(s, s) is bounded, so that what a step makes of
a stored vector and a row that it takes is a number.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from operator import add, mul

from edgeolk.lean import TYPE_CHECKING, Any
from edgeolk.parts import Dtype, KernelKind
from edgeolk.parts.elements import ELEMENTS
from edgeolk.parts.storage import COEFFICIENTS

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

#: Room for rounding beyond the bounds of core/range.pxd; those of |x|^2 for a sigmoid.
_ROUNDED, _MOST_WIDE, _MOST_NARROW = 1.01, 1.01e100, 1.01e36
#: Float32 holds no larger product.
_MOST_FLOAT = 3.41e38


def _longest(config: Settings) -> float:
    """The largest |x|^2 that is in range."""
    kernel, wide = config.kernel, config.vectors == Dtype.FLOAT64
    if kernel.kind == KernelKind.SIGMOID:
        return _MOST_WIDE if wide else _MOST_NARROW
    most = _ROUNDED * COEFFICIENTS[config.coefficients].most_kernel
    if kernel.kind == KernelKind.POLYNOMIAL:
        _, degree, _, scale, offset = kernel.fields()
        most = (most ** (1.0 / degree) + abs(offset)) / scale
    return most if wide else min(most, _MOST_FLOAT)


def _squares(
    config: Settings, numbers: memoryview[Any], used: int, levels: memoryview[Any] | None
) -> Iterable[float]:
    """|s|^2 of the slots in use, from feature-major numbers."""
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
    """Whether every vector of a ring or a window, all its numbers finite, is one a step takes.

    ``numbers`` has shape (d, stride), flat, in the storage type or its bits; ``used`` slots hold
    vectors; ``levels`` are sizes and starts of int8 levels, None for other types.
    """
    if config.kernel.normalised:
        return True
    most = _longest(config)
    if levels is None and ELEMENTS[config.storage.element].read is None:
        # No vector is longer than one of the largest number throughout.
        largest = max(map(abs, numbers), default=0.0)
        if config.n_features * largest * largest <= most:
            return True
    return max(_squares(config, numbers, used, levels), default=0.0) <= most
