"""The sorf family, as the rest of the library sees it."""

from __future__ import annotations

from edgeolk.configuration.family import FamilyTraits
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import Algorithm
from edgeolk.sorf.arguments import MEMBERS, arguments, configure, parameters
from edgeolk.sorf.options import IMPLIED, LIST_NUMBERS, LISTS, OPTIONS
from edgeolk.sorf.regions import IN_VECTORS, KINDS, needed
from edgeolk.sorf.settings import SorfSettings

SORF = FamilyTraits(
    settings=SorfSettings,
    axes=("dtype", "loss"),
    kinds=KINDS,
    needed=needed,
    configure=configure,
    arguments=arguments,
    parameters=parameters,
    options_of=lambda method: tuple(OPTIONS),
    members_of=lambda method: MEMBERS,
    listed=LISTS,
    lists=LIST_NUMBERS,
    implied=IMPLIED,
    omitted_gamma=find(Algorithm.SORF).gamma,
    wide=IN_VECTORS,
)
