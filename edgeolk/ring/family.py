"""The ring family, as the rest of the library sees it."""

from __future__ import annotations

from edgeolk.configuration.family import FamilyTraits
from edgeolk.parts.numbers import AXES
from edgeolk.ring.arguments import (
    arguments,
    configure,
    members_of,
    options_of,
    parameters,
)
from edgeolk.ring.regions import KINDS, needed
from edgeolk.ring.settings import RingSettings

RING = FamilyTraits(
    settings=RingSettings,
    axes=tuple(AXES),
    kinds=KINDS,
    needed=needed,
    configure=configure,
    arguments=arguments,
    parameters=parameters,
    options_of=options_of,
    members_of=members_of,
)
