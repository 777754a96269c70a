"""The families of learners: what differs between them is asked here, by the number of a family."""

from __future__ import annotations

from edgeolk.configuration.family import FamilyTraits
from edgeolk.parts.numbers import Family
from edgeolk.ring.family import RING
from edgeolk.sorf.family import SORF

FAMILIES: dict[Family, FamilyTraits] = {Family.RING: RING, Family.SORF: SORF}
