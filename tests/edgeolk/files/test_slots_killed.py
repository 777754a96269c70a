"""A process dies, another one goes on, and then the power fails: what was cached may be lost."""

from __future__ import annotations

import errno

import pytest
from checkpoints import (
    SPLIT,
    THREE,
    TINY,
    Geometry,
    Run,
    counted_after_death,
    deaths,
    payload_of,
    recovered,
    reopened,
    state_in,
    written,
)
from device import Device

from edgeolk.files import slots as module
from edgeolk.files.slots import Slots

GEOMETRIES = {"tiny": TINY, "split": SPLIT, "three slots": THREE}
geometries = pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=GEOMETRIES)


def left_by(geometry: Geometry, already: int) -> Device:
    """A device that somebody has used and left in order."""
    return Device(written(geometry, already), geometry.slots, geometry.sector)


@geometries
@pytest.mark.parametrize(
    ("already", "every"),
    [*((n, False) for n in (0, 1, 2)),
     *(pytest.param(n, True, marks=pytest.mark.slow) for n in (0, 1, 2, 3))],
)  # fmt: skip
def test_a_death_at_every_call_then_a_cut(geometry: Geometry, already: int, every: bool) -> None:
    """The successor relies on nothing that is in the cache alone; at night dead at every byte."""
    writes, step, tried = 1 + every, (1 if geometry is TINY else 3 if every else 5), 0
    for done, dead in deaths(left_by(geometry, already), geometry, writes, every=every):
        tried += counted_after_death(done, dead, geometry, writes, step)
    assert tried > (20_000 if every else 500)


def test_deaths_of_two_processes_then_a_cut() -> None:
    """The second may have died before it made anything of the first one's last."""
    tried = 0
    for before, dead in deaths(left_by(TINY, 2), TINY, 1):
        for after, again in deaths(dead, TINY, 1):
            sure = after.acknowledged if again.begun else before.acknowledged
            known = Run(again, sure, max(after.in_flight, before.in_flight))
            if again.begun or after.acknowledged in (sure, known.in_flight):
                tried += counted_after_death(known, again, TINY, 1, step=9)
    assert tried > 1000


@pytest.mark.parametrize("already", [0, 2])
def test_the_order_alone_protects_after_a_death(
    already: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every payload has the same checksum: only the order of writes is left to protect it."""
    monkeypatch.setattr(module, "_crc", lambda pieces: 7)
    tried = 0
    for done, dead in deaths(left_by(TINY, already), TINY, 2):
        tried += counted_after_death(done, dead, TINY, 1, garble=False)
    assert tried > 200


def test_what_was_opened_and_cannot_be_synced_is_not_relied_on() -> None:
    """The call says so, and the next one goes by what the device has."""
    tried = 0
    for done, dead in deaths(left_by(TINY, 2), TINY, 1):
        for seed in range(2):
            tried += counted_after_death(done, dead, TINY, 2, step=4 + seed, fail=0)
    assert tried > 200


def test_a_sync_that_fails_is_told_and_nothing_is_written() -> None:
    device = Device(written(TINY, 2), sector=64, fail=0)
    slots = Slots(device, state_in)
    assert slots.open() == 2
    with pytest.raises(OSError, match="failed") as caught:
        slots.write([payload_of(3, 5)])
    assert caught.value.errno == errno.EIO
    assert device.bytes_written == 0
    assert recovered(device.image, TINY) == 2
    slots.write([payload_of(3, 5)])
    assert recovered(device.image, TINY) == 3


def test_what_a_failed_sync_has_spoilt_is_looked_at_again() -> None:
    """Under a header that is as it was."""
    device = Device(written(TINY, 2), sector=64, fail=0)
    slots = Slots(device, state_in)
    assert slots.open() == 2
    with pytest.raises(OSError, match="failed"):
        slots.write([payload_of(3, 5)])
    device.image[64 + 33] ^= 1
    slots.write([payload_of(3, 5)])
    assert slots.opened is not None
    assert slots.opened.slot == 1
    device.image[64] ^= 1
    assert recovered(device.image, TINY) == 1


def test_only_the_first_checkpoint_syncs_what_was_there() -> None:
    device = reopened(left_by(TINY, 2), TINY)
    slots = Slots(device, state_in)
    slots.open()
    assert device.calls == 0
    for state in range(3, 8):
        slots.write([payload_of(state, 5)])
        assert device.calls == 1 + 4 * (state - 2)
    device.claims += 1  # it has let go, and comes back
    slots.write([payload_of(8, 5)])
    assert device.calls == 2 + 4 * 6


# ---- memory --------------------------------------------------------------------------------------


def heavy(payload: bytearray) -> int:
    """The state, if there is memory for it."""
    state = state_in(payload)
    if state == 2:
        raise MemoryError
    return state


def test_a_checkpoint_without_memory_for_it_is_passed_over_and_kept() -> None:
    device = Device(written(TINY, 2), sector=64)
    slots = Slots(device, heavy)
    assert slots.open() == 1
    assert slots.opened is not None
    assert "no memory" in slots.opened.refused[1]
    for _ in range(2):
        with pytest.raises(OSError, match="cannot overwrite the other") as caught:
            slots.write([payload_of(7, 5)])
        assert caught.value.errno == errno.ENOMEM
    assert device.bytes_written == 0
    assert Slots(device, state_in).open() == 2
    slots._check = state_in
    assert slots.open() == 2
    slots.write([payload_of(3, 5)])
    assert recovered(device.image, TINY) == 3


def test_no_memory_for_any_checkpoint_is_not_none() -> None:
    image = written(TINY, 2)
    image[33] ^= 1  # slot 0 is damaged
    slots = Slots(Device(image, sector=64), heavy)
    for call in (slots.open, lambda: Slots(Device(image, sector=64), heavy).write([b"x"])):
        with pytest.raises(MemoryError, match="no memory for the objects in its 5 bytes"):
            call()
    with pytest.raises(OSError, match="cannot overwrite the other"):
        slots.write([payload_of(3, 5)])


def test_a_payload_that_is_none_by_its_beginning_is_not_read() -> None:
    first, second = (payload_of(state, 5) for state in (1, 2))
    read: list[bytearray] = []

    def look(length: int, part: module.Part) -> None:
        if part(0, 3) == second[:3]:
            assert part(4, 99) == second[4:]
            raise ValueError(f"{length} bytes that nobody likes")

    slots = Slots(Device(written(TINY, 2), sector=64), read.append, look)
    assert slots.open() is None
    assert read == [first]
    assert slots.opened is not None
    assert (slots.opened.slot, slots.opened.refused) == (0, {1: "5 bytes that nobody likes"})
