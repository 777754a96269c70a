"""Creates the engine of a new model, or of a model that is already in a block. Without numpy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edgeolk.configuration.arguments import levels
from edgeolk.configuration.header import TORN
from edgeolk.configuration.layout import boundary
from edgeolk.configuration.plan import plan_of
from edgeolk.configuration.settings import Settings
from edgeolk.core.arena import Arena
from edgeolk.core.engine import Engine
from edgeolk.files import live
from edgeolk.parts import Dtype


def build(config: Settings, buffer: Any = None) -> Engine:
    """Build a new model, in a writable contiguous buffer if given; return its engine.

    Raises MemoryError, TypeError, ValueError: no memory for the block, or an unsuitable buffer.
    """
    plan = plan_of(config)
    # Until construction is complete, the block counts as torn.
    head = replace(live.head_of(config, plan.regions), flags=TORN)
    arena = Arena(plan.nbytes, buffer, None, boundary(plan.regions))
    with memoryview(arena) as block:
        live.write_head(block, head)
        if config.vectors == Dtype.INT8:
            place = next(region for region in plan.regions if region.name == "levels")
            numbers = live.numbers(place, block)
            scale, offset = levels(config.feature_range, config.n_features)
            for at, value in enumerate((*scale, *offset)):
                numbers[at] = value
    return Engine(config, plan.regions, arena)


def over(config: Settings, arena: Arena) -> Engine:
    """The engine of a model in a block that the caller has checked."""
    return Engine(config, plan_of(config).regions, arena, False)
