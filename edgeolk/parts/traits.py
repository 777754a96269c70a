"""The fields of a part's row; the rows are in the files named after the axes.

A row is all that other code knows of a part: the planner reads its regions, the configuration its
parameters and refusals, the compiled core its functions, the documentation all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

from edgeolk.parts.kernels import Kernel
from edgeolk.parts.numbers import axis_of
from edgeolk.parts.option import Option


class Reshaping(Protocol):
    """What rules ask of preprocessing; ``Preprocessing`` has it."""

    @property
    def method(self) -> int:
        """How each feature is scaled, 0 for not."""

    @property
    def clip(self) -> float:
        """Deviations at which the scaler clips."""

    @property
    def clip_rows(self) -> float:
        """The maximum norm of a row, 0 for none."""

    @property
    def gamma_rows(self) -> int:
        """Rows that the kernel width is estimated from."""

    @property
    def follows(self) -> bool:
        """Whether the width follows the rows."""

    @property
    def reshapes(self) -> bool:
        """Whether the learner sees modified numbers."""

    @property
    def compact(self) -> bool:
        """Whether statistics are in single precision."""


class Facts(Protocol):
    """What rules ask of a configuration; ``configuration.settings.Settings`` has it.

    Rules see no more than this, so that the rows of parts import nothing that is built from them.
    """

    @property
    def parts(self) -> Mapping[str, Any]:
        """Members of enums by axis: all parts of a composition, or loss and storage type."""

    @property
    def values(self) -> Mapping[str, float]:
        """Numbers of options by name."""

    @property
    def table(self) -> Mapping[str, Option]:
        """The options of its family."""

    @property
    def lists(self) -> Mapping[str, tuple[float, ...]]:
        """Options with several numbers that are not at their defaults."""

    @property
    def kernel(self) -> Kernel:
        """The kernel."""

    @property
    def budget(self) -> int:
        """Capacity B."""

    @property
    def columns(self) -> int:
        """Columns of coefficients: the number of classes, or 1 for two."""

    @property
    def preprocessing(self) -> Reshaping:
        """How a row is preprocessed."""


Condition = Callable[[Facts], bool]
#: The sentence of an error message -> the condition under which it is raised.
Refusals = dict[str, Condition]


@dataclass(frozen=True, kw_only=True)
class Part:
    """The row of any part."""

    #: Names of its options.
    parameters: tuple[str, ...] = ()
    #: Regions it needs in addition to those of every learner.
    regions: tuple[str, ...] = ()
    #: Whether it needs a kernel whose Gram matrices are positive semidefinite.
    needs_definite: bool = False
    #: Invalid compositions with it.
    refuses: Mapping[str, Condition] = field(default_factory=dict)


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

    def every(config: Facts) -> bool:
        # A loop: CPython leaks a generator if memory runs out while closing it.
        for condition in conditions:  # noqa: SIM110
            if not condition(config):
                return False
        return True

    return every
