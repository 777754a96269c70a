"""The module that writes the C of a learner, by its family.

Each has ``SOURCE``, ``LEARNS`` and the functions ``refusal``, ``kind_of``, ``extra_of``,
``use_of``, ``notes_of`` and ``model_of``.
"""

from __future__ import annotations

from typing import Any

from edgeolk.export import ring, sorf
from edgeolk.parts.numbers import Family

KINDS: dict[Family, Any] = {Family.RING: ring, Family.SORF: sorf}
