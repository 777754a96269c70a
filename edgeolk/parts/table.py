"""The rows of all parts of the ring family, by axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeolk.parts.bases import BASES
from edgeolk.parts.losses import LOSSES, SAMPLINGS, SCHEDULES
from edgeolk.parts.numbers import AXES
from edgeolk.parts.policies import AVERAGINGS, POLICIES, PROJECTIONS
from edgeolk.parts.storage import COEFFICIENTS, ROWS, STORAGES
from edgeolk.parts.traits import Part
from edgeolk.parts.updates import UPDATES

#: In the order in which their rules are checked: what learns, what bounds it, how it is stored.
#: Members of different IntEnums are equal as keys, so they must be looked up by axis.
TRAITS: dict[str, Mapping[Any, Part]] = {
    "loss": LOSSES,
    "update": UPDATES,
    "sampling": SAMPLINGS,
    "schedule": SCHEDULES,
    "policy": POLICIES,
    "averaging": AVERAGINGS,
    "projection": PROJECTIONS,
    "basis": BASES,
    "rows": ROWS,
    "dtype": STORAGES,
    "coefficients": COEFFICIENTS,
}

#: Axis -> member.
Parts = dict[str, Any]

#: Axes that determine how numbers are stored, not what is learned.
STORED = ("dtype", "coefficients", "rows")
#: The default parts of a composition: the first on each axis.
DEFAULT_PARTS: Parts = {axis: kind(1) for axis, kind in AXES.items() if axis not in STORED}
