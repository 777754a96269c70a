"""Forms that arrays come in."""

from __future__ import annotations

import numpy as np


def misaligned(x: np.ndarray) -> np.ndarray:
    """The same numbers, one byte off their alignment."""
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(x.dtype)
    view[:] = x
    assert not view.flags.aligned
    return view


def read_only(x: np.ndarray) -> np.ndarray:
    """A copy that cannot be written to."""
    x = x.copy()
    x.flags.writeable = False
    return x
