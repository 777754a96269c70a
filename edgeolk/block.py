"""The engine of a model in a block, new or already there. Without numpy."""

from __future__ import annotations

from edgeolk.config import Config
from edgeolk.configuration.levels import levels
from edgeolk.core.arena import Arena
from edgeolk.core.engine import Engine
from edgeolk.files import live
from edgeolk.head import TORN
from edgeolk.lean import Any, replace
from edgeolk.parts import Dtype
from edgeolk.planning.layout import boundary
from edgeolk.plans import plan_of


def build(config: Config, buffer: Any = None) -> Engine:
    """Build a new model and return its engine.

    Parameters
    ----------
    config : Config
    buffer : writable contiguous buffer, optional
        Memory to build in; without it the block is allocated.

    Raises
    ------
    MemoryError, TypeError, ValueError
        No memory for the block, or the buffer will not do.
    """
    plan = plan_of(config)
    # Until construction has ended, whoever attaches finds a torn block.
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


def over(config: Config, arena: Arena) -> Engine:
    """The engine of a model that is already in a block, which the caller has checked."""
    return Engine(config, plan_of(config).regions, arena, False)
