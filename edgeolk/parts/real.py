"""Real numbers as arguments. Without numpy."""

from __future__ import annotations

import math
from typing import Any


def real(name: str, value: Any) -> float:
    """A number as a float, numpy's included; infinite where a float cannot hold it.

    For an argument that may also be None, as its message says; None itself is the caller's to
    handle.

    Raises
    ------
    TypeError
        It is no number. Calls it by ``name``.
    """
    refusal = f"{name} must be a number or None, got {type(value).__name__}"
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(refusal)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(refusal) from None
    except OverflowError:
        return math.inf
