"""Numbers as arguments: whole ones in a range, real ones. Without numpy."""

from __future__ import annotations

import math

from edgeolk.lean import Any

#: Sizes beyond this are refused rather than computed with: an address cannot hold them.
MOST = 2**31 - 1


def check_int(name: str, value: Any, low: int, high: int = MOST) -> int:
    """A whole number in a range, numpy's included, as an int; both ends are allowed, bool is not.

    ``name`` is what messages call it. Raises TypeError: no whole number. Raises ValueError: out of
    range.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {type(value).__name__}")
    try:
        number = value.__index__()
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, got {number}")
    return int(number)


def real(name: str, value: Any, allowed: str = "a number") -> float:
    """A number as a float, numpy's included; infinite where a float cannot hold it.

    ``name`` and ``allowed``, what it must be, are for the message. Raises TypeError: no number, or
    bool or text.
    """
    refusal = f"{name} must be {allowed}, got {type(value).__name__}"
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(refusal)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(refusal) from None
    except OverflowError:
        return math.inf


def require(condition: bool, what: str) -> None:
    """Raise ValueError for a model from outside in which something cannot be so."""
    if not condition:
        raise ValueError(f"the model is inconsistent: {what}")
