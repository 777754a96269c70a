"""Checkpoints on a device whose power fails: what was written, and what is recovered."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from device import Device, PowerCut

from edgeolk.files import slots as module
from edgeolk.files.slots import Slots, packed_head

ROUND = 2**32


class Geometry(NamedTuple):
    """Slots of a device, and bytes of a payload."""

    sector: int
    room: int
    payload: int
    slots: int = 2

    def blank(self) -> bytes:
        return bytes(self.slots * self.room)


TINY = Geometry(sector=64, room=64, payload=5)
#: A header that lies in two sectors: only its own checksum holds it together.
SPLIT = Geometry(sector=16, room=96, payload=40)
USUAL = Geometry(sector=512, room=1536, payload=1100)
LARGE = Geometry(sector=4096, room=8192, payload=5000)
THREE = Geometry(sector=64, room=128, payload=70, slots=3)


def payload_of(state: int, size: int) -> bytes:
    """The bytes of one state, unique to it."""
    return state.to_bytes(3, "little") + random.Random(state).randbytes(size - 3)


def state_in(payload: bytes | bytearray) -> int:
    """The number of the state; fails for a payload that is no state, which these tests look for."""
    state = int.from_bytes(payload[:3], "little")
    assert payload == payload_of(state, len(payload)), "a third state"
    return state


class Run(NamedTuple):
    """What was acknowledged to a run before it ended."""

    device: Device
    acknowledged: int  # 0 for none
    in_flight: int

    def holds(self, recovered: int) -> bool:
        return recovered in (self.acknowledged, self.in_flight)


def recovered(image: bytes | bytearray, geometry: Geometry) -> int:
    """The state found after a cut, or 0; finding it changes nothing."""
    device = Device(image, geometry.slots, geometry.sector)
    found = Slots(device, state_in).open() or 0
    assert device.calls == 0
    return found


def run(device: Device, geometry: Geometry, writes: int) -> Run:
    """Open, then write some checkpoints, until the power fails or the process dies."""
    slots = Slots(device, state_in)
    acknowledged = in_flight = slots.open() or 0
    first = acknowledged + 1
    try:
        for state in range(first, first + writes):
            in_flight = state
            data = payload_of(state, geometry.payload)
            try:
                slots.write([data[:2], bytearray(data[2:]), b""])
            except OSError:
                continue  # unacknowledged; the next state is tried
            acknowledged = state
    except PowerCut:
        return Run(device, acknowledged, in_flight)
    return Run(device, acknowledged, acknowledged)


def length_of(image: bytes | bytearray, geometry: Geometry, writes: int, **faults: Any) -> int:
    """Ticks of a run without a cut."""
    device = Device(image, geometry.slots, geometry.sector, **faults)
    run(device, geometry, writes)
    return device.ticks


def cuts(
    image: bytes | bytearray,
    geometry: Geometry,
    writes: int,
    step: int = 1,
    garble: bool = True,
    **faults: Any,
) -> Iterator[tuple[Run, bytearray]]:
    """Every cut of a run, with every image it may leave."""
    for cut in range(0, length_of(image, geometry, writes, **faults) + 1, step):
        device = Device(image, geometry.slots, geometry.sector, cut=cut, seed=cut, **faults)
        done = run(device, geometry, writes)
        for remains in device.remains(garble):
            yield done, remains


def reopened(left: Device, geometry: Geometry, **faults: Any) -> Device:
    """The device that a process left, as the next process finds it."""
    return Device(left.image, geometry.slots, geometry.sector, cached=left.pending, **faults)


def deaths(
    left: Device, geometry: Geometry, writes: int, every: bool = False
) -> Iterator[tuple[Run, Device]]:
    """A process dies before, during and after each of its calls, or at every byte."""
    whole = reopened(left, geometry)
    run(whole, geometry, writes)
    halves = [sum(pair) // 2 for pair in itertools.pairwise(whole.ends)]
    seen = set()
    for cut in range(whole.ticks + 1) if every else sorted({*whole.ends, *halves}):
        dead = reopened(left, geometry, cut=cut)
        done = run(dead, geometry, writes)
        key = (bytes(dead.image), tuple(dead.pending), done.acknowledged)
        if key not in seen:
            seen.add(key)
            yield done, dead


def counted_after_death(
    before: Run,
    dead: Device,
    geometry: Geometry,
    writes: int,
    step: int = 1,
    garble: bool = True,
    **faults: Any,
) -> int:
    """Check every cut of the process that continues after one that died; return their number."""
    opened = run(reopened(dead, geometry), geometry, 0).acknowledged
    assert before.holds(opened)
    whole, tried = reopened(dead, geometry, **faults), 0
    run(whole, geometry, writes)
    for cut in range(0, whole.ticks + 1, step):
        device = reopened(dead, geometry, cut=cut, seed=cut, **faults)
        done = run(device, geometry, writes)
        allowed = {done.acknowledged, done.in_flight}
        if done.acknowledged == opened and (faults or not device.begun):
            # Nothing relies yet on what was opened: what was acknowledged before it may come back.
            allowed.add(before.acknowledged)
        for remains in device.remains(garble):
            state = recovered(remains, geometry)
            assert state in allowed, (cut, before.acknowledged, opened, done.in_flight, state)
            tried += 1
    return tried


def counted(
    image: bytes | bytearray,
    geometry: Geometry,
    writes: int,
    depth: int = 1,
    step: int = 1,
    **faults: Any,
) -> int:
    """Check every cut, and every cut of the runs that follow it; return their number."""
    tried = 0
    for done, remains in cuts(image, geometry, writes, step, **faults):
        state = recovered(remains, geometry)
        assert done.holds(state), (done.device.cut, done.acknowledged, done.in_flight, state)
        tried += 1
        if depth > 1:
            tried += counted(remains, geometry, 1, depth - 1, step)
    return tried


def written(geometry: Geometry, writes: int, sequence: int = 0) -> bytearray:
    """The image after some checkpoints, the first of them numbered after ``sequence``."""
    image = bytearray(geometry.blank())
    if sequence:
        data = payload_of(0, geometry.payload)
        head = packed_head(sequence, len(data), module._crc([data]))
        image[: len(head) + len(data)] = head + data
    device = Device(image, geometry.slots, geometry.sector)
    run(device, geometry, writes)
    return device.image
