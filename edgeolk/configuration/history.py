"""First step: ``history=``, which says that rows form a time series, and its consequences."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import IntEnum
from typing import Any

from edgeolk.parts.numbers import Loss
from edgeolk.parts.parameters import ANSWERS_BY_LABEL
from edgeolk.parts.watching import NU

#: Losses with a separate algorithm for time series.
IN_TIME = (Loss.NOVELTY, Loss.SQUARE)


#: Why learners with support vectors do not support history.
_ONLY_SORF = (
    "history=True is for 'sorf': forecasts and novelty in time need its features, which are"
    " recomputed for pending rows, and targets standardised inside; other algorithms have neither"
    " (docs/forecast.md, section 6)"
)


def refuse_interval(interval: Any, *, forecasts: bool) -> None:
    """Raise ValueError if ``interval`` is given, even as the default, but nothing forecasts."""
    if interval is not None and not forecasts:
        raise ValueError(
            "interval= needs history=True and loss='square': only forecasts have intervals; got"
            f" interval={interval!r}"
        )


def take_history(
    given: dict[str, Any], parts: Mapping[str, IntEnum], names: Collection[str]
) -> tuple[bool, bool]:
    """Return (detects novelty in time, forecasts), and put the parameters needed into ``given``.

    ``names`` are the public names of the algorithm's parameters. "auto" becomes what the loss
    supports for time series: a separate algorithm, or for classes the last label as an expert while
    labels arrive.
    """
    value = given.get("history")
    if value and not isinstance(value, str) and "history" not in names:
        raise TypeError(_ONLY_SORF)
    if value is None or (isinstance(value, str) and value == "auto"):
        given.pop("history", None)
        if value == "auto" and "history" in names:
            if parts["loss"] in IN_TIME:
                given["history"] = True
            elif parts["loss"] == Loss.HINGE and given.get("last_label") is None:
                given["last_label"] = True
                if given.get("lapse") is None:
                    given["lapse"] = ANSWERS_BY_LABEL
    elif not isinstance(value, (bool, int, float)):
        raise TypeError(f"history must be True, False, 'auto' or None, got {value!r}")
    if "history" not in names or not given.get("history"):
        return False, False
    watches = parts["loss"] == Loss.NOVELTY
    if watches and given.get("nu") is None:
        given["nu"] = NU
    return watches, parts["loss"] == Loss.SQUARE
