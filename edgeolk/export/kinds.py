"""The module that writes the C of a learner.

Each has ``SOURCE``, ``LEARNS``, ``MOVES_SCRATCH``, ``BOUNDS_EACH``, ``FILES`` and the functions
``refusal``, ``kind_of``, ``extra_of``, ``use_of``, ``notes_of`` and ``model_of``.
"""

from __future__ import annotations

from typing import Any

from edgeolk.export import process, ring, sorf, tracker
from edgeolk.learner import Learner
from edgeolk.parts.numbers import Family


def module_of(learner: Learner) -> Any:
    """The module that writes the C of this learner."""
    config = learner._config
    learns = tracker if config.scales_targets else process
    of_ring = learns if config.learns_on_board else ring
    return {Family.SORF: sorf, Family.RING: of_ring}[config.family]
