"""Engines in blocks: of a new model, or of one that is already in memory.

Without numpy. The readers and writers of files are imported when first used: they take a third of
the time of importing a learner, and most programs start without a file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edgeolk.configuration.header import MARK, NATIVE, SEALED, TORN, Head, length_of, unpack
from edgeolk.configuration.layout import boundary
from edgeolk.configuration.plan import Plan, plan_of
from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings
from edgeolk.core.arena import ALIGNMENT, Arena
from edgeolk.engine.engine import Engine
from edgeolk.files import live
from edgeolk.parts import Dtype
from edgeolk.ring.levels import levels

#: What ``attach`` may do with a model whose last step was interrupted.
TORN_CHOICES = ("refuse", "repair", "accept")


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


def attached(buffer: Any, torn: str, verify: bool | None) -> tuple[Settings, Arena]:
    """A checked, perhaps repaired model in the memory where it is; for ``attach``, which says more.

    Raises TypeError, ValueError: no such memory or model; nothing was changed.
    """
    from edgeolk.files import checksums

    if torn not in TORN_CHOICES:
        known = ", ".join(map(repr, TORN_CHOICES))
        raise ValueError(f"torn must be one of {known}, got {torn!r}")
    try:
        view = memoryview(buffer).cast("B")
    except TypeError as error:
        raise TypeError(f"buffer must be contiguous memory: {error}") from None
    # Raised after the with block: a traceback from inside would keep the view, and so the buffer.
    refusal = ""
    original = b""
    with view:
        try:
            at, head, config, plan = _find_model(view)
            sealed = verify is not False and checksums.verify(head, view[at : at + head.nbytes])
            if verify and not sealed:
                raise ValueError("the model is not sealed: it has no checksums to verify")
            is_torn = bool(head.flags & TORN)
            if is_torn and torn == "refuse":
                raise ValueError(
                    "the model's last step was interrupted; attach with torn='repair',"
                    " or continue from a checkpoint"
                )
            if is_torn and torn == "repair":
                original = bytes(view[: plan.nbytes])
            else:
                # The block without slack; the bytes that follow it in the view are not read.
                live.check(config, plan.regions, view[at : at + head.nbytes])
        except ValueError as error:
            refusal = str(error)
    if refusal:
        raise ValueError(refusal)
    arena = Arena(plan.nbytes, buffer, MARK, boundary(plan.regions))
    if is_torn:
        with memoryview(arena) as block:
            if torn == "repair":
                with memoryview(buffer).cast("B") as lent:
                    _repair(config, plan.regions, arena, block, lent[: plan.nbytes], original)
            checksums.forget(head, block)
            live.clear_flags(block)
    return config, arena


def _repair(
    config: Settings,
    regions: tuple[Region, ...],
    arena: Arena,
    block: memoryview,
    lent: memoryview,
    original: bytes,
) -> None:
    """Repair a torn block, or restore the memory of the caller, where the arena may have moved it.

    ``lent`` is that memory, ``original`` its content before.
    """
    from edgeolk.files import repair

    try:
        repair.prepare(config, regions, block)
        if not over(config, arena).rebuild_derived():
            raise ValueError("the model is inconsistent: its support vectors depend on each other")
        live.check(config, regions, block)
    except BaseException as error:
        # No half-repaired block, even if memory runs out or the user interrupts.
        lent[:] = original
        if not isinstance(error, ValueError):
            raise
        raise ValueError(f"the interrupted step cannot be repaired: {error}") from None


def _find_model(view: memoryview) -> tuple[int, Head, Settings, Plan]:
    """Offset of a model in a buffer, its header, configuration and plan; does not check state."""
    start = bytes(view[: ALIGNMENT + len(MARK)])
    at = start.find(MARK)
    if at < 0:
        raise ValueError("buffer holds no model of this format")
    head = unpack(view[at:], NATIVE)
    config = live.config_from(head)
    config.check()
    plan = plan_of(config)
    if len(view) < plan.nbytes:
        raise ValueError(f"buffer must hold {plan.nbytes} bytes for this model, got {len(view)}")
    if not live.is_laid_out(live.head_of(config, plan.regions), head, length_of(view[at:], NATIVE)):
        raise ValueError("buffer holds a block laid out by another version; load it from a file")
    if head.flags == SEALED and not config.checksums:
        raise ValueError("the model is inconsistent: it is sealed, but has no checksums")
    if at >= boundary(plan.regions):
        raise ValueError(f"buffer holds a model at byte {at}, where none can start")
    return at, head, config, plan
