"""First step: the arguments common to all configurations, each checked separately.

An invalid argument raises TypeError or ValueError with its name, its value and what is allowed.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from edgeolk.catalogue.methods import Method
from edgeolk.parts.kernels import Gaussian, Kernel
from edgeolk.parts.numbers import Dtype
from edgeolk.parts.table import Parts

#: The maximum number of columns of coefficients in a block.
MAX_CLASSES = 2**15
#: The default budget of a feature basis, if ``ram=`` is not given.
DEFAULT_MEMBERS = 100
#: The default range of int8 levels, for standardised features.
DEFAULT_RANGE = (-4.0, 4.0)

Ends = tuple[Any, Any]


def kernel_of(kernel: Any, gamma: Any, method: Method | None, n_features: int) -> Kernel:
    """The given kernel, or a Gaussian of the given width or of the algorithm's default width.

    ``gamma`` comes from ``preprocessing.arguments.gamma_of``; ``method`` is None for a composition.
    """
    if isinstance(gamma, float):
        if kernel is not None:
            raise TypeError(
                f"give kernel= or gamma=, not both, got {kernel!r} and {gamma!r}; another"
                " kernel's width goes into it, as in kernel=ek.Laplacian(0.5)"
            )
        return Gaussian(gamma)
    if kernel is None:
        return Gaussian((method.gamma if method else 1.0) / n_features)
    if not isinstance(kernel, Kernel) or type(kernel) is Kernel:
        raise TypeError(f"kernel must be an edgeolk kernel, got {type(kernel).__name__}")
    return kernel


def options_of(sparse: Any, on_bad_row: Any, checksums: Any) -> dict[str, float]:
    """The options that are on, as stored in a block; ``sparse`` is only checked."""
    if not (sparse is None or isinstance(sparse, bool)):
        raise TypeError(f"sparse must be True, False or None, got {sparse!r}")
    if on_bad_row not in ("raise", "skip"):
        raise ValueError(f"on_bad_row must be 'raise' or 'skip', got {on_bad_row!r}")
    if not isinstance(checksums, bool):
        raise TypeError(f"checksums must be True or False, got {checksums!r}")
    options = {"skip_bad_rows": on_bad_row == "skip", "checksums": checksums}
    return {name: 1.0 for name, on in options.items() if on}


def budget_of(
    alias: str, budget: int | None, ram: int | str | None, given: dict[str, Any], default: int
) -> int | None:
    """The budget; None if ``ram`` is given instead.

    ``alias`` is a feature basis's own name for its budget ("" if it has none) and is removed from
    ``given``, the other arguments. ``default`` is the budget of such a basis if none is given.
    """
    if alias:
        members = given.pop(alias, None)
        if members is not None and budget is not None:
            raise TypeError(f"give {alias}= or budget=, not both: they mean the same here")
        budget = members if members is not None else budget
        if budget is None and ram is None:
            budget = default
    if (budget is None) == (ram is None):
        raise TypeError("give budget= or ram=, not both")
    return budget


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
