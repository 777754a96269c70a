"""The RAM of the simulated device: one block of exactly the cap, and what lies where in it.

Design: the layout is worked out as plain numbers first, so a configuration that does not fit
is refused before anything is built, with the smallest cap that would do. Then one block of
exactly the cap's bytes is made, between guard pages, and every part gets a slice of it. A part
cannot grow: its slice is all it has, and who writes beyond the cap ends the process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from edgeolk.configuration.fit import RamError
from firmware_sim.containment.guard import PAGE, GuardedBlock
from firmware_sim.errors import DoesNotFitError, SimulatorError

ALIGNMENT = 64


@dataclass(frozen=True)
class Region:
    """A named stretch of the device's memory; offsets count from the start of the block."""

    name: str
    offset: int
    nbytes: int
    purpose: str


@dataclass(frozen=True)
class Part(Region):
    """One tenant of the block, and how it uses its stretch."""

    regions: tuple[Region, ...] = ()


@dataclass(frozen=True)
class Need:
    """What a part asks for: bytes, and its own regions with offsets from its own start."""

    name: str
    nbytes: int
    purpose: str
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True)
class Layout:
    """Where every part lies under the cap."""

    cap: int
    parts: tuple[Part, ...]

    @property
    def used(self) -> int:
        """Return the bytes that belong to a part."""
        return sum(part.nbytes for part in self.parts)

    @property
    def gaps(self) -> int:
        """Return the bytes lost between parts, where the next one starts on a 64-byte line."""
        return self.end - self.used

    @property
    def end(self) -> int:
        """Return the offset behind the last part."""
        return max((part.offset + part.nbytes for part in self.parts), default=0)

    @property
    def free(self) -> int:
        """Return the bytes behind the last part."""
        return self.cap - self.end

    def part(self, name: str) -> Part:
        """Return the part of that name."""
        return next(part for part in self.parts if part.name == name)


def align(nbytes: int) -> int:
    """Return the next multiple of 64 bytes."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def lay_out(cap: int, needs: Iterable[Need]) -> Layout:
    """Place the parts one behind the other, each on a 64-byte line.

    The caller sees to it that they fit; this only places them.
    """
    parts = []
    offset = 0
    for need in needs:
        offset = align(offset)
        regions = tuple(replace(one, offset=offset + one.offset) for one in need.regions)
        parts.append(Part(need.name, offset, need.nbytes, need.purpose, regions))
        offset += need.nbytes
    return Layout(cap, tuple(parts))


def fit_learner(
    cap: int,
    fixed: Sequence[Need],
    plan: Callable[..., Any],
    budget: int | None,
) -> Any:
    """Plan the learner for what the cap leaves behind the fixed parts.

    cap: bytes of the whole block.
    fixed: parts of fixed size, which come first.
    plan: ``plan(budget=b)`` or ``plan(ram=n)`` gives a plan with ``nbytes`` and ``budget``, or
        raises ValueError; RamError where n bytes are too few for any.
    budget: the budget asked for; None for the largest that fits.
    Raises DoesNotFitError: with the smallest cap that would fit.
    Raises SimulatorError: the learner cannot be had at any size: its own message.
    """
    start = align(lay_out(cap, fixed).end)
    try:
        if budget is None:
            return _planned(plan, ram=max(0, cap - start))
        least = _planned(plan, budget=budget)
        if start + least.nbytes <= cap:
            return least
    except RamError as error:
        least = plan(ram=error.least)
    smallest = start + least.nbytes
    taken = " + ".join(f"{need.name} {need.nbytes:,}" for need in fixed)
    message = (
        f"{cap:,} bytes are too few: {taken} + learner with budget {least.budget} "
        f"{least.nbytes:,}, each on a 64-byte line; "
        f"the smallest cap that fits is {smallest:,} bytes (--ram {smallest})"
    )
    if budget is not None:
        with contextlib.suppress(ValueError):  # there may be no budget that fits
            message += f", or keep the cap with --budget {plan(ram=cap - start).budget}"
    raise DoesNotFitError(message, smallest)


class DeviceMemory:
    """The block itself.

    layout: where the parts lie; the block has exactly ``layout.cap`` bytes, ends at a guard page
        where the system has them, and reads as zeros.
    """

    def __init__(self, layout: Layout) -> None:
        if layout.end > layout.cap:
            raise DoesNotFitError(f"the parts need {layout.end:,} bytes", layout.end)
        self.layout = layout
        try:
            self._block = GuardedBlock(layout.cap)
        except (OSError, OverflowError, ValueError) as error:
            raise SimulatorError(f"no memory for a cap of {layout.cap:,} bytes: {error}") from None
        # The block's end is on a 64-byte line, so its start is not unless the cap is a multiple.
        # The bytes up to the first line are then the free ones, instead of some at the end.
        shift = -self._block.address % ALIGNMENT
        self._shift = shift if shift <= layout.free else 0

    def __len__(self) -> int:
        return self._block.nbytes

    def view(self, name: str) -> memoryview:
        """Return the bytes of one part, and no others."""
        part = self.layout.part(name)
        return self._block.view(self._shift + part.offset, part.nbytes)

    def clear(self) -> None:
        """Fill the block with zeros, as when the power comes back."""
        self._block.view(0, len(self))[:] = bytes(len(self))

    @property
    def guarded(self) -> bool:
        """Whether a write beyond the cap ends the process."""
        return not self._block.refusal

    @property
    def enforcement(self) -> str:
        """What keeps the parts under the cap, in words."""
        if self._block.refusal:
            return f"the bounds of each part only, no guard pages: {self._block.refusal}"
        below = self._block.slack
        slack = f", {below:,} writable bytes between the lower one and the cap" if below else ""
        return f"guard pages of {PAGE:,} bytes on both sides{slack}"

    def write_beyond(self, offset: int, nbytes: int) -> None:
        """Write behind the cap, as broken firmware would: the process dies."""
        self._block.write_beyond(offset, nbytes)


def _planned(plan: Callable[..., Any], **size: int) -> Any:
    try:
        return plan(**size)
    except RamError:
        raise
    except (TypeError, ValueError) as error:
        raise SimulatorError(str(error)) from None
