"""Checks of arguments that are integers or real numbers. Without numpy."""

from __future__ import annotations

import math
from typing import Any

#: Larger sizes are rejected: such a block could not be addressed.
MAX_SIZE = 2**31 - 1


def check_int(name: str, value: Any, low: int, high: int = MAX_SIZE) -> int:
    """An integer from ``low`` to ``high``, possibly of numpy, as an int; bools are rejected.

    ``name`` is for messages. Raises TypeError: not an integer. Raises ValueError: out of range.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer, got {type(value).__name__}")
    try:
        number = value.__index__()
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, got {number}")
    return int(number)


def check_real(name: str, value: Any, allowed: str = "a number") -> float:
    """A number, possibly of numpy, as a float; infinite if it is too large for one.

    ``name`` and ``allowed``, what it must be, are for the message. Raises TypeError: not a number;
    bools and strings are rejected.
    """
    message = f"{name} must be {allowed}, got {type(value).__name__}"
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(message)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(message) from None
    except OverflowError:
        return math.inf


def require(condition: bool, what: str) -> None:
    """Raise ValueError for a model from outside that is impossible in this respect."""
    if not condition:
        raise ValueError(f"the model is inconsistent: {what}")
