"""``attach``: check, perhaps repair, and continue a model in the memory where it is stored."""

from __future__ import annotations

from typing import Any

from edgeolk.block import over
from edgeolk.configuration.header import MARK, NATIVE, TORN, Head, length_of, unpack
from edgeolk.configuration.layout import boundary
from edgeolk.configuration.plan import Plan, plan_of
from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings
from edgeolk.core.arena import ALIGNMENT, Arena
from edgeolk.files import checksums, live, repair
from edgeolk.learner import Learner

TORN_CHOICES = ("refuse", "repair", "accept")


def attach(buffer: Any, torn: str = "refuse", verify: bool | None = None) -> Learner:
    """Continue with the model in a buffer, in place.

    Page: docs/file-format.md.

    Parameters
    ----------
    buffer : writable contiguous buffer
        A buffer in which this version of the library built a learner (``buffer=``), in this or
        another process, or a copy of it with any alignment; at least ``nbytes`` of the model long.
        It is kept alive and cannot be resized while the learner lives.
    torn : {"refuse", "repair", "accept"}
        What to do if the last step was interrupted by a kill or a power cut, which a flag in the
        block shows. "repair" corrects counters, recomputes norms, factors and neighbours, and
        checks everything; vectors and coefficients stay unchanged, so part of the interrupted step
        may remain. "accept" only checks.
    verify : bool, optional
        Whether to compare the checksums of ``Learner.seal``: None if there are any, True always
        (a block that is not sealed is rejected), False never.

    Returns
    -------
    Learner
        Uses the buffer without a copy. It continues bit for bit as the first learner would have,
        unless a step was interrupted.

    Raises
    ------
    TypeError
        No writable contiguous buffer.
    ValueError
        The model is incomplete or inconsistent, its last step was interrupted (``torn="refuse"``),
        it has the layout of another version (use ``save`` and ``load``), it has changed since it
        was sealed, or another learner uses the buffer; nothing was changed. In a block that is not
        sealed, impossible states are detected, but not wrong values that are possible.
    """
    if torn not in TORN_CHOICES:
        known = ", ".join(map(repr, TORN_CHOICES))
        raise ValueError(f"torn must be one of {known}, got {torn!r}")
    try:
        view = memoryview(buffer).cast("B")
    except TypeError as error:
        raise TypeError(f"buffer must be contiguous memory: {error}") from None
    # Raised after the with block: a traceback from inside would keep the view, and so the buffer.
    refusal = ""
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
            if not (is_torn and torn == "repair"):
                # The block without slack; the bytes that follow it in the view are not read.
                live.check(config, head, plan.regions, view[at : at + head.nbytes])
        except ValueError as error:
            refusal = str(error)
    if refusal:
        raise ValueError(refusal)
    arena = Arena(plan.nbytes, buffer, MARK, boundary(plan.regions))
    if is_torn:
        with memoryview(arena) as block:
            if torn == "repair":
                _repair(config, plan.regions, arena, block)
            checksums.forget(head, block)
            live.clear_flags(block)
    return Learner._over(config, arena)


def _repair(config: Settings, regions: tuple[Region, ...], arena: Arena, block: memoryview) -> None:
    """Repair a torn block, or leave it unchanged."""
    original = bytes(block)
    try:
        repair.prepare(config, regions, block)
        if not over(config, arena).rebuild_derived():
            raise ValueError("the model is inconsistent: its support vectors depend on each other")
        live.check(config, unpack(block, NATIVE), regions, block)
    except BaseException as error:
        # No half-repaired block, even if memory runs out or the user interrupts.
        block[:] = original
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
    if at >= boundary(plan.regions):
        raise ValueError(f"buffer holds a model at byte {at}, where none can start")
    return at, head, config, plan
