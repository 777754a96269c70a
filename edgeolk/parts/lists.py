"""Parameters with several numbers: ``blends``, ``interval``, ``widths`` (a list per group)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

#: Default lists. Model files omit them, so both tables are part of the file format: another default
#: needs a new version.
LIST_DEFAULTS: dict[str, tuple[float, ...]] = {
    "blends": (0.0, 0.1, 0.3, 1.0),
    "interval": (0.9,),
}

#: Widths of the kernels as multiples of gamma, by the number of groups.
WIDTHS: dict[int, tuple[tuple[float, ...], ...]] = {
    1: ((0.3, 1.0, 3.0),),
    2: ((0.3, 1.0, 3.0), (3.0, 5.5, 10.0)),
    3: ((0.3, 0.3, 1.0), (1.0, 3.0, 3.0), (3.0, 10.0, 10.0)),
}


def lists_of(
    values: Mapping[str, float], widths: Any, blends: Any, interval: Any = None
) -> dict[str, tuple[float, ...]]:
    """The checked lists, without those at their defaults.

    ``values`` are the values of the other parameters, with ``groups``; ``widths`` are numbers, or
    one sequence per group; ``interval`` is one level or several. Raises TypeError or ValueError
    with the name of the argument, its value and what is allowed.
    """
    groups = int(values["groups"])
    lists: dict[str, tuple[float, ...]] = {}
    if blends is not None:
        lists["blends"] = _numbers("blends", blends, 2)
        rises = all(a < b for a, b in itertools.pairwise(lists["blends"]))
        if not rises or lists["blends"][0] != 0.0 or lists["blends"][-1] != 1.0:
            raise ValueError(f"blends must rise from 0 to 1, got {blends!r}")
    if interval is not None:
        single = isinstance(interval, (int, float))
        lists["interval"] = _numbers("interval", (interval,) if single else interval, 1)
        if not all(0.0 < level < 1.0 for level in lists["interval"]):
            raise ValueError(f"interval must be between 0 and 1, got {interval!r}")
        if lists["interval"] == LIST_DEFAULTS["interval"]:
            del lists["interval"]
    if widths is None:
        if groups not in WIDTHS:
            raise ValueError(f"groups={groups} needs widths=, one sequence per group")
        return lists
    nested = [hasattr(width, "__len__") for width in widths]
    each = list(widths) if any(nested) else [widths]
    if len(each) != groups:
        raise ValueError(f"widths must be {groups} sequences, one per group, got {widths!r}")
    for group, numbers in enumerate(each):
        lists[f"widths{group}"] = _numbers("widths", numbers, 1)
        if not min(lists[f"widths{group}"]) > 0.0:
            raise ValueError(f"widths must be above 0, got {widths!r}")
    return lists


def _numbers(name: str, given: Any, min_count: int) -> tuple[float, ...]:
    try:
        numbers = tuple(float(number) for number in given)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a sequence of numbers, got {given!r}") from None
    if not min_count <= len(numbers) <= 8 or not all(map(math.isfinite, numbers)):
        raise ValueError(f"{name} must be {min_count} to 8 finite numbers, got {given!r}")
    return numbers
