"""The RAM of the simulated device: one block of exactly the cap, and its layout.

Design: the layout is computed as plain numbers first, so that a configuration that does not fit
is refused before anything is allocated, with the smallest cap that would fit. Then one block of
exactly the cap's bytes is allocated between guard pages, and every part receives a slice of it. A
part cannot grow beyond its slice, and a write beyond the cap kills the process.

One mapping contains a guard page, the block and another guard page. The block ends where the upper
page begins, so an access to the first byte beyond it kills the process at that instruction. If the
size is not a multiple of a page, up to a page less a byte between the lower guard page and the
block remains writable; ``slack`` reports how much.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from edgeolk.hosting import RamError
from firmware_sim.errors import DoesNotFitError, SimulatorError

ALIGNMENT = 64
PAGE = mmap.PAGESIZE
_FORBIDDEN = 0  # PROT_NONE: not in the mmap module
_NO_ACCESS = 1  # PAGE_NOACCESS of Windows


@dataclass(frozen=True)
class Region:
    """A named region of the device's memory; offsets are relative to the start of the block."""

    name: str
    offset: int
    nbytes: int
    purpose: str


@dataclass(frozen=True)
class Part(Region):
    """A part of the device in the block, and its own regions."""

    regions: tuple[Region, ...] = ()


@dataclass(frozen=True)
class Need:
    """The memory requirement of a part: bytes, and regions with offsets from its start."""

    name: str
    nbytes: int
    purpose: str
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True)
class Layout:
    """The positions of all parts under the cap."""

    cap: int
    parts: tuple[Part, ...]

    @property
    def used(self) -> int:
        """The bytes of all parts."""
        return sum(part.nbytes for part in self.parts)

    @property
    def gaps(self) -> int:
        """The bytes lost between parts, which start on 64-byte lines."""
        return self.end - self.used

    @property
    def end(self) -> int:
        """The offset of the end of the last part."""
        return max((part.offset + part.nbytes for part in self.parts), default=0)

    @property
    def free(self) -> int:
        """The bytes after the last part."""
        return self.cap - self.end

    def part(self, name: str) -> Part:
        """Return the part of that name."""
        return next(part for part in self.parts if part.name == name)


def align(nbytes: int) -> int:
    """Return the next multiple of 64 bytes."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def lay_out(cap: int, needs: Iterable[Need]) -> Layout:
    """Place the parts one after the other, each on a 64-byte line.

    Does not check whether they fit.
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
    """Plan the learner for the memory that the fixed parts leave.

    cap: bytes of the block.
    fixed: parts of fixed size, which come first.
    plan: ``plan(budget=b)`` or ``plan(ram=n)`` returns a plan with ``nbytes`` and ``budget``, or
        raises ValueError; RamError if n bytes are too few for any plan.
    budget: the given budget; None for the largest that fits.
    Raises DoesNotFitError: with the smallest cap that would fit.
    Raises SimulatorError: the library refuses the learner at any size; with its message.
    """
    start = align(lay_out(cap, fixed).end)
    try:
        if budget is None:
            return _planned(plan, ram=max(0, cap - start))
        smallest_plan = _planned(plan, budget=budget)
        if start + smallest_plan.nbytes <= cap:
            return smallest_plan
    except RamError as error:
        smallest_plan = plan(ram=error.least)
    smallest = start + smallest_plan.nbytes
    taken = " + ".join(f"{need.name} {need.nbytes:,}" for need in fixed)
    message = (
        f"{cap:,} bytes are too few: {taken} + learner with budget {smallest_plan.budget} "
        f"{smallest_plan.nbytes:,}, each on a 64-byte line; "
        f"the smallest cap that fits is {smallest:,} bytes (--ram {smallest})"
    )
    if budget is not None:
        with contextlib.suppress(ValueError):  # perhaps no budget fits
            message += f", or keep the cap with --budget {plan(ram=cap - start).budget}"
    raise DoesNotFitError(message, smallest)


class DeviceMemory:
    """The block.

    layout: the positions of the parts; the block has exactly ``layout.cap`` bytes, initially zero,
        and ends at a guard page if the system has them.
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
        # Then free bytes are at the start, up to the first line, instead of at the end.
        shift = -self._block.address % ALIGNMENT
        self._shift = shift if shift <= layout.free else 0

    def __len__(self) -> int:
        return self._block.nbytes

    def view(self, name: str) -> memoryview:
        """Return a view of one part."""
        part = self.layout.part(name)
        return self._block.view(self._shift + part.offset, part.nbytes)

    def clear(self) -> None:
        """Fill the block with zeros, as after a power cut."""
        self._block.view(0, len(self))[:] = bytes(len(self))

    @property
    def guarded(self) -> bool:
        """Whether a write beyond the cap kills the process."""
        return not self._block.refusal

    @property
    def enforcement(self) -> str:
        """How the cap is enforced, as text."""
        if self._block.refusal:
            return f"the bounds of each part only, no guard pages: {self._block.refusal}"
        below = self._block.slack
        slack = f", {below:,} writable bytes between the lower one and the cap" if below else ""
        return f"guard pages of {PAGE:,} bytes on both sides{slack}"

    def write_beyond(self, offset: int, nbytes: int) -> None:
        """Write beyond the cap, as broken firmware would: the process is killed."""
        self._block.write_beyond(offset, nbytes)


def _planned(plan: Callable[..., Any], **size: int) -> Any:
    try:
        return plan(**size)
    except RamError:
        raise
    except (TypeError, ValueError) as error:
        raise SimulatorError(str(error)) from None


class GuardedBlock:
    """Zeroed memory of an exact size, with guard pages on both sides if the system allows them.

    nbytes: size of the block, at least 1.
    refusal: why there are no guard pages; empty if there are.
    slack: bytes below the block that are as writable as the block itself.
    Raises OSError, OverflowError, ValueError: the memory cannot be allocated.
    """

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        body = -(-nbytes // PAGE) * PAGE
        self._map = mmap.mmap(-1, body + 2 * PAGE)
        self.refusal = _protect(self._map, (0, PAGE + body))
        if self.refusal:
            self._map = mmap.mmap(-1, nbytes)
            self._start = self.slack = 0
        else:
            self.slack = body - nbytes
            self._start = PAGE + self.slack
        self.address = _address(self._map) + self._start

    def view(self, offset: int, nbytes: int) -> memoryview:
        """Return bytes of the block.

        Raises ValueError: they are not within the block.
        """
        if not 0 <= offset <= offset + nbytes <= self.nbytes:
            raise ValueError(f"{nbytes} bytes at {offset} are not within {self.nbytes}")
        start = self._start + offset
        return memoryview(self._map)[start : start + nbytes]

    def write_beyond(self, offset: int, nbytes: int) -> None:
        """Write beyond the end of the block, as broken firmware would: the process is killed.

        Raises RuntimeError: there is no guard page to stop it.
        """
        if self.refusal:
            raise RuntimeError(self.refusal)
        # Not with ctypes.memset: on Windows that raises an exception instead.
        there = (ctypes.c_ubyte * nbytes).from_address(self.address + self.nbytes + offset)
        memoryview(there).cast("B")[:] = b"\xee" * nbytes


def _address(block: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(block))


def _protect(block: mmap.mmap, offsets: tuple[int, ...]) -> str:
    """Remove all access rights from the page at each offset; return why that failed, or ""."""
    if hasattr(ctypes, "WinDLL"):
        return _protect_on_windows(_address(block), offsets)
    try:
        mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    except (OSError, AttributeError, TypeError) as error:
        return f"no mprotect here: {error}"
    mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    start = _address(block)
    for offset in offsets:
        if mprotect(start + offset, PAGE, _FORBIDDEN) != 0:
            return f"mprotect failed with error {ctypes.get_errno()}"
    return ""


def _protect_on_windows(start: int, offsets: tuple[int, ...]) -> str:
    protect = ctypes.WinDLL("kernel32", use_last_error=True).VirtualProtect  # type: ignore[attr-defined,unused-ignore]
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_void_p)
    before = ctypes.c_uint32()
    for offset in offsets:
        if not protect(start + offset, PAGE, _NO_ACCESS, ctypes.byref(before)):
            number = ctypes.get_last_error()  # type: ignore[attr-defined,unused-ignore]
            return f"VirtualProtect failed with error {number}"
    return ""
