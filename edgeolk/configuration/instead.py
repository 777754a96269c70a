"""Suggestions for a model that does not fit: one scale for all inputs, or fewer classes."""

from __future__ import annotations

from edgeolk.configuration.layout import layout, total
from edgeolk.configuration.settings import Settings
from edgeolk.lean import Any, replace
from edgeolk.preprocessing.scaling import COMMON_CLIP, INSIDE


def what_fits(config: Settings, cap: int) -> str:
    """Words to put behind the bytes that a model needs; "" where nothing takes less.

    ``config`` is the smallest of these models, ``cap`` the bytes there are.
    """
    said = ""
    prepared = config.preprocessing
    if prepared.method not in (0, INSIDE["common"]):
        common = replace(prepared, method=INSIDE["common"], clip=COMMON_CLIP, window=0)
        alike = _nbytes(config, preprocessing=common)
        if alike < _nbytes(config):
            said += f"; or {alike} with scale='common' if all inputs have the same unit"
    fits, fails = 1, config.columns
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if _nbytes(config, columns=middle) <= cap:
            fits = middle
        else:
            fails = middle
    if fits > 1:
        said += f"; or at most {fits} classes per block"
    return said


def _nbytes(config: Settings, **changes: Any) -> int:
    return total(layout(replace(config, **changes)))
