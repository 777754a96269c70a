"""First step: ``history=``, whether rows are in the order of time, and its consequences."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import IntEnum

from edgeolk.lean import Any
from edgeolk.parts.numbers import Loss
from edgeolk.parts.parameters import ANSWERS_BY_LABEL
from edgeolk.parts.watching import NU

#: Losses that have an algorithm of their own for rows in the order of time.
IN_TIME = (Loss.NOVELTY, Loss.SQUARE)


#: Why there is no history for a ring of rows.
_SORF_ALONE = (
    "history=True is for 'sorf': forecasts and novelty in time are built on its features, made"
    " again for a row that waited, and on targets standardised inside; a ring of rows has neither"
    " (docs/forecast.md, section 6)"
)


def refuse_interval(interval: Any, *, forecasts: bool) -> None:
    """Raise ValueError for a level of intervals, the usual one too, where there are none."""
    if interval is not None and not forecasts:
        raise ValueError(
            "interval= needs history=True and loss='square': only forecasts come with one; got"
            f" interval={interval!r}"
        )


def take_history(
    given: dict[str, Any], parts: Mapping[str, IntEnum], own: Collection[str]
) -> tuple[bool, bool]:
    """Whether it is novelty, or a forecaster, in the order of time.

    What that asks for is put into ``given``.

    ``own`` are the names that the algorithm has for its parameters. "auto" becomes what the loss
    has for such rows: an algorithm of its own, or the last label of classes as a candidate
    for as long as labels come.
    """
    value = given.get("history")
    if value and not isinstance(value, str) and "history" not in own:
        raise TypeError(_SORF_ALONE)
    if value is None or (isinstance(value, str) and value == "auto"):
        given.pop("history", None)
        if value == "auto" and "history" in own:
            if parts["loss"] in IN_TIME:
                given["history"] = True
            elif parts["loss"] == Loss.HINGE and given.get("last_label") is None:
                given["last_label"] = True
                if given.get("lapse") is None:
                    given["lapse"] = ANSWERS_BY_LABEL
    elif not isinstance(value, (bool, int, float)):
        raise TypeError(f"history must be True, False, 'auto' or None, got {value!r}")
    if "history" not in own or not given.get("history"):
        return False, False
    watches = parts["loss"] == Loss.NOVELTY
    if watches and given.get("nu") is None:
        given["nu"] = NU
    return watches, parts["loss"] == Loss.SQUARE
