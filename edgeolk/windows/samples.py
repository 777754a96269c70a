"""Samples from outside, as arrays of the type that the ring holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: As in c/window_block.h.
MAX_SAMPLE = 1e12
_WHAT = {"int16": "integers from -32768 to 32767", "float32": "finite numbers from -1e12 to 1e12"}


def check_samples(name: str, samples: Any, ndim: int, channels: int, dtype: str) -> NDArray[Any]:
    """Samples as a C-contiguous array of ``dtype``, all of which are allowed.

    Raises TypeError, ValueError: names the argument, what was got and what is allowed.
    """
    try:
        given = np.asarray(samples)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of numbers, got a ragged one: {error}") from None
    if given.dtype.kind not in ("iu" if dtype == "int16" else "iuf"):
        raise TypeError(f"{name} must be {_WHAT[dtype]}, got elements of type {given.dtype}")
    if channels == 1 and given.ndim == ndim - 1:
        given = given[..., None]
    if given.ndim != ndim or given.shape[-1] != channels:
        shape = f"({channels},)" if ndim == 1 else f"(n, {channels})"
        raise ValueError(f"{name} must have shape {shape}, got {given.shape}")
    limits = (-32768, 32767) if dtype == "int16" else (-MAX_SAMPLE, MAX_SAMPLE)
    with np.errstate(invalid="ignore"):
        allowed = (given >= limits[0]) & (given <= limits[1])
    if not allowed.all():
        at = tuple(int(i) for i in np.argwhere(~allowed)[0])
        place = ", ".join(map(str, at))
        raise ValueError(f"{name} must be {_WHAT[dtype]}, got {name}[{place}] = {given[at]}")
    return np.ascontiguousarray(given, dtype)
