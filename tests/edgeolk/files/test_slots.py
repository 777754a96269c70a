"""Power cuts at every byte of a checkpoint: the newest complete one is found, or the one before."""

from __future__ import annotations

import contextlib
import errno
import random

import pytest
from checkpoints import (
    LARGE,
    SPLIT,
    THREE,
    TINY,
    USUAL,
    Geometry,
    counted,
    length_of,
    payload_of,
    recovered,
    run,
    state_in,
    written,
)
from device import Device, PowerCut

from edgeolk.files import slots as module
from edgeolk.files.slots import HEADER_BYTES, Slots, is_newer, packed_head

ROUND = 2**32


# ---- cuts ----------------------------------------------------------------------------------------

GEOMETRIES = {"tiny": TINY, "split": SPLIT, "three slots": THREE}
LONG = {"usual": USUAL, "large": LARGE}


@pytest.mark.parametrize("already", [0, 1, 2, 3])
@pytest.mark.parametrize("name", GEOMETRIES)
@pytest.mark.spread(3)
def test_a_cut_after_every_byte(name: str, already: int) -> None:
    geometry = GEOMETRIES[name]
    assert counted(written(geometry, already), geometry, writes=3) > 500


@pytest.mark.parametrize("step", [37, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("already", [0, 2])
@pytest.mark.parametrize("name", LONG)
def test_cuts_of_usual_sizes(name: str, already: int, step: int) -> None:
    geometry = LONG[name]
    assert counted(written(geometry, already), geometry, writes=2, step=step) > 7_400 / step


@pytest.mark.parametrize(
    ("already", "writes", "step"),
    [(2, 1, 3), *(pytest.param(n, 2, 1, marks=pytest.mark.slow) for n in (0, 1, 2))],
)
def test_a_cut_of_the_recovery_from_a_cut(already: int, writes: int, step: int) -> None:
    assert counted(written(TINY, already), TINY, writes=writes, depth=2, step=step) > 5_000


@pytest.mark.parametrize("sequence", range(ROUND - 4, ROUND))
def test_cuts_where_the_numbers_wrap(sequence: int) -> None:
    image = written(TINY, 0, sequence)
    assert counted(image, TINY, writes=4) > 500
    final = written(TINY, 4, sequence)
    assert recovered(final, TINY) == 4


@pytest.mark.parametrize(
    ("a", "b", "newer"),
    [
        (1, 0, True), (0, 1, False), (5, 5, False), (0, ROUND - 1, True), (ROUND - 1, 0, False),
        (2, ROUND - 2, True), (ROUND // 2 - 1, 0, True), (ROUND // 2 + 1, 0, False),
    ],
)  # fmt: skip
def test_which_number_is_newer(a: int, b: int, newer: bool) -> None:
    assert is_newer(a, b) is newer


# ---- the order of writes, whatever checksums are worth ------------------------------------------


@pytest.fixture
def worthless_checksums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every payload has the same checksum: only the order of writes is left to protect it."""
    monkeypatch.setattr(module, "_crc", lambda pieces: 7)


@pytest.mark.parametrize("already", [0, 1, 2, 3])
@pytest.mark.usefixtures("worthless_checksums")
def test_the_order_alone_protects_against_torn_payloads(already: int) -> None:
    for geometry in (TINY, THREE):
        assert counted(written(geometry, already), geometry, writes=3, garble=False) > 200


@pytest.mark.usefixtures("worthless_checksums")
def test_the_order_protects_after_a_failure_too() -> None:
    """A header that may have reached the device does not vouch for what is written next."""
    image, tried = written(TINY, 2), 0
    for fail in range(8):
        for seed in range(4):
            tried += counted_after_failure(image, TINY, fail, seed, garble=False)
    assert tried > 1_000


def picky(payload: bytearray) -> int:
    """The state, if it is one that somebody likes."""
    state = state_in(payload)
    if state == 2:
        raise ValueError("a state nobody likes")
    return state


@pytest.mark.usefixtures("worthless_checksums")
def test_a_refused_slot_does_not_vouch_for_what_is_written_next() -> None:
    """Though its header has the newest number."""
    image = written(TINY, 2)
    for cut in range(130):
        device = Device(image, sector=64, cut=cut)
        slots = Slots(device, picky)
        assert slots.open() == 1
        with contextlib.suppress(PowerCut):
            slots.write([payload_of(7, 5)])
        for remains in device.remains(garble=False):
            assert Slots(Device(remains, sector=64), picky).open() in (1, 7)


# ---- failures ------------------------------------------------------------------------------------


def counted_after_failure(
    image: bytes | bytearray,
    geometry: Geometry,
    fail: int,
    seed: int,
    garble: bool = True,
    error: int = errno.EIO,
) -> int:
    """A call fails, the program goes on, and the power is cut at any time after."""
    faults = {"fail": fail, "error": error}
    tried = 0
    for cut in range(length_of(image, geometry, 3, seed=seed, **faults) + 1):
        device = Device(image, geometry.slots, geometry.sector, cut=cut, seed=seed, **faults)
        done = run(device, geometry, 3)
        # What failed was in flight too, and may have been completed by the device.
        allowed = set(range(done.acknowledged, done.in_flight + 1))
        for remains in device.remains(garble):
            assert recovered(remains, geometry) in allowed
            tried += 1
    return tried


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("fail", range(13))
@pytest.mark.spread(3)
def test_a_failure_of_every_call(fail: int, error: int) -> None:
    assert counted_after_failure(written(TINY, 2), TINY, fail, fail, error=error) > 200


def test_a_failure_is_told_and_the_next_checkpoint_succeeds() -> None:
    for fail in range(5):
        device = Device(written(TINY, 2), sector=64, fail=fail)
        slots = Slots(device, state_in)
        assert slots.open() == 2
        with pytest.raises(OSError, match="failed"):
            slots.write([payload_of(3, 5)])
        assert slots.opened is not None
        assert slots.opened.sequence == 2
        slots.write([payload_of(4, 5)])
        assert recovered(device.image, TINY) == 4


def test_a_slot_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device(written(TINY, 2), sector=64)
    real = device.read_into

    def read_into(slot: int, offset: int, memory: memoryview) -> int:
        if slot == 1:
            raise OSError(errno.EIO, "a bad sector")
        return real(slot, offset, memory)

    monkeypatch.setattr(device, "read_into", read_into)
    slots = Slots(device, state_in)
    assert slots.open() == 1
    assert slots.opened is not None
    assert "cannot be read" in slots.opened.refused[1]


# ---- damage at rest ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GEOMETRIES)
def test_every_single_bit_flip(name: str) -> None:
    """A flip in the newest checkpoint leads to the one before; any other one does not matter."""
    geometry = GEOMETRIES[name]
    image = written(geometry, 4)
    newest = 3 % geometry.slots
    used = range(newest * geometry.room, newest * geometry.room + HEADER_BYTES + geometry.payload)
    for at in range(8 * len(image)):
        image[at // 8] ^= 1 << at % 8
        slots = Slots(Device(image, geometry.slots, geometry.sector), state_in)
        assert slots.open() == (3 if at // 8 in used else 4)
        assert slots.opened is not None
        assert (newest in slots.opened.refused) == (at // 8 in used)
        image[at // 8] ^= 1 << at % 8


def test_every_word_of_a_header_may_be_hostile() -> None:
    """With right checksums: never a crash, never memory beyond the slot."""
    rng = random.Random(0)
    words = [0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
    image = written(TINY, 2)
    for _ in range(3000):
        head = packed_head(
            rng.choice(words) % ROUND,
            rng.choice(words) if rng.random() < 0.9 else 5,
            rng.choice(words) % ROUND,
        )
        image[64 : 64 + HEADER_BYTES] = head
        assert recovered(image, TINY) == 1


def test_why_a_slot_was_refused() -> None:
    def said(image: bytearray) -> str:
        slots = Slots(Device(image, 2, 64), state_in)
        slots.open()
        assert slots.opened is not None
        return str(slots.opened)

    image = written(TINY, 2)
    assert said(image) == "slot 1, no. 2"
    assert said(bytearray(128)) == "no checkpoint; slot 0: empty; slot 1: empty"
    flipped = {64: "not that of a", 64 + 17: "header is damaged", 64 + 33: "payload is damaged"}
    for at, why in flipped.items():
        damaged = bytearray(image)
        damaged[at] ^= 4
        assert said(damaged).startswith("slot 0, no. 1; slot 1: ")
        assert why in said(damaged)
    longer = bytearray(image)
    longer[64 : 64 + HEADER_BYTES] = packed_head(2, 33, 0)
    assert "33 bytes do not fit" in said(longer)
    other = bytearray(image)
    fields = module._FIELDS.pack(module.MAGIC, 9, 2, 5, 0)
    other[64 : 64 + HEADER_BYTES] = fields + module._SEAL.pack(module.zlib.crc32(fields))
    assert "checkpoint format 9; this version reads 1" in said(other)


def test_the_header_is_what_it_was_when_released() -> None:
    """Format 1, byte for byte; it opens for ever."""
    header = bytes.fromhex("65646765636b7074 01000000 78563412 0500000000000000 11ca74a7 bac9daa9")
    assert packed_head(0x12345678, 5, module._crc([b"hello"[:4], b"!"])) == header
    device = Device(header + b"hell!" + bytes(27) + bytes(64), 2, 64)
    slots = Slots(device, bytes)
    assert slots.open() == b"hell!"
    assert slots.opened is not None
    assert slots.opened.sequence == 0x12345678


# ---- what is written -----------------------------------------------------------------------------


def test_the_newest_slot_is_never_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device(THREE.blank(), 3, 64)
    slots = Slots(device, state_in)
    touched: list[int] = []
    real = device.write

    def write(slot: int, offset: int, piece: bytes) -> None:
        assert slots.opened is not None
        assert slot != slots.opened.slot
        touched.append(slot)
        real(slot, offset, piece)

    monkeypatch.setattr(device, "write", write)
    for state in range(1, 10):
        slots.write([payload_of(state, 70)])
    assert touched == [slot for slot in (0, 1, 2) * 3 for _ in range(2)]


def test_a_checkpoint_writes_its_payload_and_one_header() -> None:
    device = Device(USUAL.blank())
    slots = Slots(device, state_in)
    for state in range(1, 6):
        before = device.bytes_written
        slots.write([payload_of(state, 1100)])
        assert device.bytes_written - before == 1100 + HEADER_BYTES
        assert device.calls == 4 * state + 1  # the first one syncs what is there
        assert not device.pending


def test_a_payload_that_does_not_fit_writes_nothing() -> None:
    device = Device(written(TINY, 2), sector=64)
    slots = Slots(device, state_in)
    with pytest.raises(ValueError, match="too small"):
        slots.write([bytes(33)])
    assert device.bytes_written == 0
    assert recovered(device.image, TINY) == 2


def test_a_checkpoint_that_is_refused_by_its_content_is_not_the_newest() -> None:
    """Whole by its checksum, but nothing this program can use: it gives its slot."""
    device = Device(written(TINY, 2), sector=64)
    slots = Slots(device, picky)
    assert slots.open() == 1
    assert slots.opened is not None
    assert slots.opened.refused == {1: "a state nobody likes"}
    slots.write([payload_of(7, 5)])
    assert slots.opened.slot == 1
    assert recovered(device.image, TINY) == 7


def test_writing_without_opening_looks_first() -> None:
    device = Device(written(TINY, 2), sector=64)
    Slots(device, state_in).write([payload_of(3, 5)])
    slots = Slots(device, state_in)
    assert slots.open() == 3
    assert slots.opened is not None
    assert (slots.opened.slot, slots.opened.sequence) == (0, 3)


# ---- another writer before ----------------------------------------------------------------------


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("writes", [1, 2, 3, 4])
@pytest.mark.parametrize("geometry", [TINY, THREE])
def test_what_another_one_wrote_since_the_opening_is_kept(
    geometry: Geometry, writes: int, again: bool
) -> None:
    """A program that overlaps with its successor: the last of its checkpoints is the one before."""
    device = Device(written(geometry, 2), geometry.slots, geometry.sector)
    size = geometry.payload
    slots = Slots(device, state_in)
    assert slots.open() == 2
    first = 3
    if again:  # one that had the medium for itself, let go, and comes back
        slots.write([payload_of(3, size)])
        device.claims += 1
        first = 4
    other = Slots(device, state_in)
    for state in range(first, first + writes):
        other.write([payload_of(state, size)])
    last = first + writes - 1
    assert slots.write([payload_of(90, size)]) == last + 1
    assert slots.opened is not None
    assert recovered(device.image, geometry) == 90
    device.image[slots.opened.slot * geometry.room] ^= 1
    assert recovered(device.image, geometry) == last


class Restless(Device):
    """A medium that its writer lets go of after every checkpoint."""

    def claim(self) -> int:
        self.claims += 1
        return self.claims


@pytest.mark.parametrize("fail", [-1, *range(9)])
def test_cuts_and_failures_where_every_checkpoint_looks_again(fail: int) -> None:
    image, faults = written(TINY, 2), {"fail": fail, "seed": fail}
    whole = Restless(image, sector=64, **faults)
    run(whole, TINY, 3)
    for cut in range(whole.ticks + 1):
        device = Restless(image, sector=64, cut=cut, **faults)
        done = run(device, TINY, 3)
        allowed = range(done.acknowledged, done.in_flight + 1)
        for remains in device.remains():
            assert recovered(remains, TINY) in allowed


def test_nothing_is_read_again_while_nobody_else_can_write() -> None:
    device = Device(written(TINY, 2), sector=64)
    slots = Slots(device, state_in)
    slots.write([payload_of(3, 5)])
    device.read_into = None  # type: ignore[method-assign, assignment]
    for state in range(4, 9):
        slots.write([payload_of(state, 5)])
    assert recovered(device.image, TINY) == 8


def test_a_checkpoint_that_failed_is_not_trusted_when_it_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It can be read, as what is cached can, but nobody knows whether the device has it."""
    device = Device(written(TINY, 2), sector=64)
    slots = Slots(device, state_in)
    assert slots.open() == 2
    syncs: list[int] = []

    def sync(slot: int) -> None:
        syncs.append(slot)
        if len(syncs) == 2:
            raise OSError(errno.EIO, "failed")

    with monkeypatch.context() as patch:
        patch.setattr(device, "sync", sync)
        with pytest.raises(OSError, match="failed"):
            slots.write([payload_of(3, 5)])
    assert slots.opened is not None
    assert Slots(device, state_in).open() == 3
    durable = slots.opened.slot
    device.claims += 1
    slots.write([payload_of(4, 5)])
    assert slots.opened.slot != durable
    device.image[slots.opened.slot * TINY.room] ^= 1
    assert recovered(device.image, TINY) == 2


def test_a_payload_that_ends_early_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device(written(TINY, 2), sector=64)
    real = device.read_into

    def read_into(slot: int, offset: int, memory: memoryview) -> int:
        return real(slot, offset, memory) - 2 * (slot == 1 and offset == HEADER_BYTES)

    monkeypatch.setattr(device, "read_into", read_into)
    slots = Slots(device, state_in)
    assert slots.open() == 1
    assert slots.opened is not None
    assert slots.opened.refused == {1: "it ends after 3 of 5 bytes"}


def test_an_older_checkpoint_that_cannot_be_looked_at_is_passed_over() -> None:
    def look(length: int, part: object) -> None:
        looked.append(length)
        if len(looked) > 1:
            raise ValueError("damaged")

    looked: list[int] = []
    slots = Slots(Device(written(TINY, 2), sector=64), state_in, look)
    assert slots.open() == 2
    assert looked == [5, 5]
    assert slots.opened is not None
    assert slots.opened.refused == {}
