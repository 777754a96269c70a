"""Slots that say they hold what they do not: refused by their beginning, and another one opened."""

from __future__ import annotations

import os
import struct
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from edgeolk.checkpointer import _pieces
from edgeolk.configuration.layout import layout
from edgeolk.files import live
from edgeolk.files.slots import HEADER_BYTES, packed_head
from edgeolk.scaling.block import head_of
from edgeolk.scaling.record import Preprocessing

ROOM = 20 * 2**30
LENGTH = ROOM - HEADER_BYTES
#: What refusing one may take.
MOST_SECONDS, MOST_MEMORY = 0.5, 500_000


def learner_of() -> ek.Learner:
    learner = ek.Learner("rbp", n_features=2, budget=5)
    learner.learn_one([1.0, 2.0], 1)
    return learner


def table(*entries: tuple[int, int], count: int | None = None) -> bytes:
    head = struct.pack("<Q", len(entries) if count is None else count)
    return head + b"".join(struct.pack("<QQ", *entry) for entry in entries)


def large_learner() -> bytes:
    """The header of one that fills a slot, and says so."""
    config = ek.Config("rbp", n_features=1000, budget=2_000_000, dtype="float64")._settings
    head = live.head_of(config, layout(config))
    assert LENGTH // 2 < head.nbytes < LENGTH
    return table((1, head.nbytes)) + head.pack("<")


def large_scaler() -> bytes:
    head = head_of(500_000_000, Preprocessing(1))
    return table((2, head.nbytes)) + head.pack()


def old_learner() -> bytes:
    """As format 2 began, which was never released."""
    made = bytearray(520)
    made[:12] = b"edgeolk\0" + (2).to_bytes(4, "little")
    made[16:24] = (LENGTH - 24).to_bytes(8, "little")
    return table((1, LENGTH - 24)) + made


def longer_learner() -> bytes:
    data = bytes(learner_of()._sealed())
    return table((1, LENGTH - 24)) + data


def left_over() -> bytes:
    data = bytes(learner_of()._sealed())
    return table((1, len(data))) + data


HOSTILE: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "many objects": lambda: table(count=LENGTH // 16 - 1),
    "more objects than bytes": lambda: table(count=2**64 - 1),
    "an empty model": lambda: table((1, LENGTH - 24)),
    "an empty scaler": lambda: table((2, LENGTH - 24)),
    "an object of no kind": lambda: table((3, LENGTH - 24)),
    "a longer model": longer_learner,
    "an old model": old_learner,
    "bytes left over": left_over,
}
#: They are what they say: only the caller knows that they cannot be.
LARGE: dict[str, Callable[[], bytes]] = {"learner": large_learner, "scaler": large_scaler}


def slot_of(start: bytes, length: int) -> bytes:
    return packed_head(2, length, 0) + start


def place_with(folder: Path, kind: str, forged: bytes) -> Path:
    """A good older checkpoint, and a newer slot of tens of GiB, most of them holes."""
    payload = b"".join(_pieces((learner_of(),)))
    good = packed_head(1, len(payload), zlib.crc32(payload)) + payload
    if kind == "folder":
        for slot, data in enumerate((good, forged)):
            path = folder / f"slot-{slot}.checkpoint"
            path.write_bytes(data)
            os.truncate(path, ROOM)
        return folder
    with open(folder / "kept", "wb") as file:
        file.write(good)
        file.seek(ROOM)
        file.write(forged)
    os.truncate(folder / "kept", 2 * ROOM)
    return folder / "kept"


def opened(place: Any, **options: Any) -> tuple[Any, str]:
    """What is opened, and why the forged slot was not; quickly, and in little memory."""
    ek.Learner._from_block(bytes(learner_of()._sealed()))  # what it needs is imported
    tracemalloc.start()
    try:
        before = time.process_time()
        with ek.Checkpointer(place, **options) as checkpoints:
            found = checkpoints.open()
            assert time.process_time() - before < MOST_SECONDS
            assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
            assert checkpoints.opened is not None
            return found, checkpoints.opened.refused[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("what", HOSTILE)
def test_a_slot_that_cannot_be_one_is_not_read(what: str, kind: str, tmp_path: Path) -> None:
    found, why = opened(place_with(tmp_path, kind, slot_of(HOSTILE[what](), LENGTH)))
    assert found.steps == 1
    assert any(letter.isalpha() for letter in why)
    assert "CRC" not in why


@pytest.mark.parametrize("what", LARGE)
def test_a_slot_that_takes_more_than_is_allowed_is_not_read(what: str, tmp_path: Path) -> None:
    start = LARGE[what]()
    (size,) = struct.unpack_from("<Q", start, 16)
    place = place_with(tmp_path, "file", slot_of(start, 24 + size))
    found, why = opened(place, ram="1MiB")
    assert found.steps == 1
    assert "more than ram allows: 1048576" in why
    assert ek.Checkpointer.restore(place, ram=2**20).steps == 1


def test_what_is_allowed_is_for_all_objects_together() -> None:
    learner, scaler = learner_of(), ek.RunningScaler(300)
    place, both = bytearray(40_000), (learner, learner, scaler)
    enough = sum(part.nbytes for part in both)
    with ek.Checkpointer(place, ram=enough) as checkpoints:
        checkpoints.write(both)
    assert len(ek.Checkpointer.restore(place, ram=enough)) == 3
    for most in (enough - 1, enough - learner.nbytes, 0):
        with ek.Checkpointer(place, ram=most) as checkpoints:
            assert checkpoints.open() is None
            assert "more than ram allows" in checkpoints.opened.refused[0]


def test_what_could_not_be_opened_again_is_not_written() -> None:
    learner, place = learner_of(), bytearray(9000)
    with ek.Checkpointer(place, ram=learner.nbytes) as checkpoints:
        assert checkpoints.write(learner) == 1
        with pytest.raises(ValueError, match="more than ram allows"):
            checkpoints.write((learner, learner))
        assert checkpoints.open().steps == 1


@pytest.mark.parametrize("bad", ["lots", -1, 1.5, True])
def test_no_size(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="ram"):
        ek.Checkpointer(bytearray(9000), ram=bad)
