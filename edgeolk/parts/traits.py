"""The fields of a part's row; the rows are in the files named after the axes.

A row is all that other code knows of a part: the planner reads its regions, the configuration its
parameters and refusals, the compiled core its functions, the documentation all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from edgeolk.parts.numbers import axis_of

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

Condition = Callable[["Settings"], bool]
#: The sentence of an error message -> the condition under which it is raised.
Refusals = dict[str, Condition]


@dataclass(frozen=True, kw_only=True)
class Part:
    """The row of any part."""

    #: Stored names of its parameters.
    parameters: tuple[str, ...] = ()
    #: Regions it needs in addition to those of every learner.
    regions: tuple[str, ...] = ()
    #: Invalid compositions with it.
    refuses: Mapping[str, Condition] = {}


def has(*members: IntEnum) -> Condition:
    """Whether the configuration has one of these parts, which belong to one axis."""
    axis = axis_of(type(members[0]))
    return lambda config: config.parts[axis] in members


def lacks(*members: IntEnum) -> Condition:
    """Whether the configuration has none of these parts, which belong to one axis."""
    axis = axis_of(type(members[0]))
    return lambda config: config.parts[axis] not in members


def spoken(members: Iterable[IntEnum]) -> str:
    """Members of one axis as text: "Update.PA, PA1 or PA2"."""
    *others, end = members
    names = ", ".join(member.name for member in others)
    return f"{type(end).__name__}.{f'{names} or ' if names else ''}{end.name}"


def both(*conditions: Condition) -> Condition:
    """Whether all conditions hold."""

    def every(config: Settings) -> bool:
        # A loop: CPython leaks a generator if memory runs out while closing it.
        for condition in conditions:  # noqa: SIM110
            if not condition(config):
                return False
        return True

    return every
