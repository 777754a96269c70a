"""Checkpoints of a newer version of the library, after it was rolled back: kept."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from edgeolk.checkpointer import _pieces
from edgeolk.files.slots import HEADER_BYTES


def learner_at(steps: int) -> ek.Learner:
    learner = ek.Learner("rbp", n_features=1, budget=4)
    for _ in range(steps):
        learner.learn_one([1.0], 1)
    return learner


def made(place: Path, slots: int, times: int) -> None:
    """Checkpoints of learners that have taken 1, 2, ... steps, in slots 0, 1, ..."""
    with ek.Checkpointer(place, slots=slots) as checkpoints:
        for steps in range(1, times + 1):
            checkpoints.write(learner_at(steps))


def slot_of(place: Path, slots: int, slot: int) -> bytes:
    data = place.read_bytes()
    room = len(data) // slots
    return data[slot * room : (slot + 1) * room]


def put(place: Path, slots: int, slot: int, head: bytes, payload: bytes) -> None:
    """Give a slot a header, with its CRC-32, and a payload."""
    data = bytearray(place.read_bytes())
    at = slot * (len(data) // slots)
    seal = zlib.crc32(head).to_bytes(4, "little")
    data[at : at + HEADER_BYTES + len(payload)] = head + seal + payload
    place.write_bytes(data)


def newer_header(place: Path, slots: int, slot: int) -> None:
    """As a version with another format of slots has written it."""
    old = slot_of(place, slots, slot)
    (length,) = struct.unpack_from("<Q", old, 16)
    payload = old[HEADER_BYTES : HEADER_BYTES + length]
    put(place, slots, slot, old[:8] + struct.pack("<I", 2) + old[12:28], payload)


def newer_model(place: Path, slots: int, slot: int) -> None:
    """As a version with another format of models has written it."""
    old = slot_of(place, slots, slot)
    (length,) = struct.unpack_from("<Q", old, 16)
    payload = bytearray(old[HEADER_BYTES : HEADER_BYTES + length])
    payload[24 + 4] = 9  # after the table of one object and the mark
    put(place, slots, slot, old[:24] + zlib.crc32(payload).to_bytes(4, "little"), bytes(payload))


@pytest.mark.parametrize("newer", [newer_header, newer_model])
@pytest.mark.parametrize("slots", [3, 8])
@pytest.mark.parametrize("slot", [0, 1, 2])
def test_they_stay_while_two_others_can_be_written(
    newer: Any, slots: int, slot: int, tmp_path: Path
) -> None:
    place = tmp_path / "kept"
    made(place, slots, 3)
    newer(place, slots, slot)
    kept = slot_of(place, slots, slot)
    with ek.Checkpointer(place) as checkpoints:
        assert checkpoints.open().steps == (2 if slot == 2 else 3)
        assert checkpoints.opened is not None
        assert checkpoints.opened.newer == (slot,)
        assert f"format {2 if newer is newer_header else 9}" in checkpoints.opened.refused[slot]
        for steps in range(4, 4 + 3 * slots):
            newest = checkpoints.opened.slot
            before = slot_of(place, slots, newest) if newest is not None else b""
            checkpoints.write(learner_at(steps))
            assert newest is None or slot_of(place, slots, newest) == before
            assert slot_of(place, slots, slot) == kept
    assert ek.Checkpointer.restore(place).steps == 3 + 3 * slots


@pytest.mark.parametrize("newer", [newer_header, newer_model])
@pytest.mark.parametrize(("times", "which"), [(2, (0,)), (2, (1,)), (2, (0, 1)), (1, (0,))])
def test_where_only_one_other_is_left_nothing_is_written(
    newer: Any, times: int, which: tuple[int, ...], tmp_path: Path
) -> None:
    """Of two slots: the second checkpoint would overwrite the only one that can be opened."""
    place = tmp_path / "kept"
    made(place, 2, times)
    for slot in which:
        newer(place, 2, slot)
    before = place.read_bytes()
    with ek.Checkpointer(place) as checkpoints:
        assert (checkpoints.open() is None) == (len(which) == times)
        with pytest.raises(ValueError, match="go on with that version, or keep these checkpoints"):
            checkpoints.write(learner_at(9))
    assert place.read_bytes() == before


def test_what_they_learned_is_older_than_what_was_learned_since(tmp_path: Path) -> None:
    """So that the newer version, when it comes back, goes on from the last one."""
    place = tmp_path / "kept"
    made(place, 4, 4)
    newer_model(place, 4, 3)
    with ek.Checkpointer(place) as checkpoints:
        checkpoints.open()
        assert checkpoints.write(learner_at(9)) == 5


def test_a_damaged_number_of_a_version_is_no_newer_version(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    made(place, 2, 2)
    data = bytearray(place.read_bytes())
    data[len(data) // 2 + HEADER_BYTES + 24 + 4] = 9
    place.write_bytes(data)
    with ek.Checkpointer(place) as checkpoints:
        assert checkpoints.open().steps == 1
        assert checkpoints.opened is not None
        assert checkpoints.opened.newer == ()
        assert "payload is damaged" in checkpoints.opened.refused[1]
        checkpoints.write(learner_at(9))
    assert ek.Checkpointer.restore(place).steps == 9


def test_pieces_begin_with_a_table() -> None:
    """What ``newer_model`` relies on."""
    first, table, model = _pieces((learner_at(1),))
    assert len(first) + len(table) == 24
    assert model[4] == 5
