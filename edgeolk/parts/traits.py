"""The fields of a part's row; the rows are in the files named after the axes.

A part is everywhere known by its row: the planner reads its regions, the configuration its
parameters and refusals, the compiled core its functions, the documentation all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum

from edgeolk.lean import TYPE_CHECKING, dataclass
from edgeolk.parts.numbers import axis_of

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

Condition = Callable[["Settings"], bool]
#: The sentence that says why -> where it is refused.
Refusals = dict[str, Condition]


@dataclass(frozen=True, kw_only=True)
class Part:
    """What is true of any part."""

    #: Stored names of the parameters it brings.
    parameters: tuple[str, ...] = ()
    #: Regions it needs beyond those of every learner.
    regions: tuple[str, ...] = ()
    #: Compositions that make no sense with it.
    refuses: Mapping[str, Condition] = {}


def has(*members: IntEnum) -> Condition:
    """The configuration has one of these parts, all of one axis."""
    axis = axis_of(type(members[0]))
    return lambda config: config.parts[axis] in members


def lacks(*members: IntEnum) -> Condition:
    """The configuration has none of these parts, all of one axis."""
    axis = axis_of(type(members[0]))
    return lambda config: config.parts[axis] not in members


def spoken(members: Iterable[IntEnum]) -> str:
    """Members of one axis as a sentence names them: "Update.PA, PA1 or PA2"."""
    *others, end = members
    names = ", ".join(member.name for member in others)
    return f"{type(end).__name__}.{f'{names} or ' if names else ''}{end.name}"


def both(*conditions: Condition) -> Condition:
    """All of the conditions."""

    def every(config: Settings) -> bool:
        # A loop: Python loses a generator that memory is too short to close.
        for condition in conditions:  # noqa: SIM110
            if not condition(config):
                return False
        return True

    return every
