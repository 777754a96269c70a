"""Checkpoints that another number of slots has put there: opened whole, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from edgeolk.files.media import arrangement, slot_bytes

NUMBERS = (2, 3, 5, 8, 33, 64)


def learner_at(steps: int) -> ek.Learner:
    learner = ek.Learner("rbp", n_features=1, budget=4)
    for _ in range(steps):
        learner.learn_one([1.0], 1)
    return learner


def place_of(kind: str, folder: Path) -> Any:
    if kind == "folder":
        (folder / "kept").mkdir()
    return bytearray(1 << 17) if kind == "buffer" else folder / "kept"


def written(place: Any, slots: int, times: int) -> None:
    """So many checkpoints, the last of a learner that has taken so many steps."""
    learner = learner_at(0)
    with ek.Checkpointer(place, slots=slots) as checkpoints:
        for _ in range(times):
            learner.learn_one([1.0], 1)
            checkpoints.write(learner)


def content(place: Any) -> Any:
    if isinstance(place, bytearray):
        return bytes(place)
    files = sorted(place.iterdir()) if place.is_dir() else [place]
    return [(file.name, file.read_bytes()) for file in files]


@pytest.mark.parametrize("kind", ["folder", "file", "buffer"])
@pytest.mark.parametrize("slots", [2, 3, 4, 8, 64])
@pytest.mark.parametrize("times", [1, 3, 70])
@pytest.mark.spread(6)
def test_the_number_is_found(kind: str, slots: int, times: int, tmp_path: Path) -> None:
    """Where none is given; a folder and a file know theirs after the first checkpoint."""
    place = place_of(kind, tmp_path)
    written(place, slots, times)
    assert ek.Checkpointer.restore(place).steps == times
    with ek.Checkpointer(place) as checkpoints:
        checkpoints.write(learner_at(9))
        found = checkpoints.slots
    # In a buffer with fewer checkpoints than slots, another number can fit as well.
    assert found == slots or (kind == "buffer" and times <= slots)
    assert ek.Checkpointer.restore(place).steps == 9
    assert ek.Checkpointer.restore(place, slots=found).steps == 9


def test_the_number_is_found_where_slots_are_damaged(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    written(place, 8, 8)
    data, room = bytearray(place.read_bytes()), place.stat().st_size // 8
    for slot in (0, 3, 6):
        data[slot * room : slot * room + 40] = bytes(40)
    place.write_bytes(data)
    with ek.Checkpointer(place) as checkpoints:
        assert checkpoints.open().steps == 8
        assert checkpoints.slots == 8
        assert set(checkpoints.opened.refused) == {0, 3, 6}  # type: ignore[union-attr]


def test_a_place_that_another_process_makes_meanwhile(tmp_path: Path) -> None:
    late = ek.Checkpointer(tmp_path / "kept")
    assert late.open() is None
    written(tmp_path / "kept", 5, 1)
    late.write(learner_at(9))
    assert late.slots == 5
    late.close()
    assert ek.Checkpointer.restore(tmp_path / "kept").steps == 9


@pytest.mark.parametrize("kind", ["folder", "file"])
@pytest.mark.parametrize("slots", [3, 8])
@pytest.mark.parametrize("times", [1, 3])
def test_another_number_is_refused_and_the_right_one_named(
    kind: str, slots: int, times: int, tmp_path: Path
) -> None:
    place = place_of(kind, tmp_path)
    written(place, slots, times)
    before = content(place)
    for other in (2, 5, 6, 7):
        if kind == "folder" and other > slots:
            continue  # it gets more files
        with ek.Checkpointer(place, slots=other) as checkpoints:
            for refused in (checkpoints.open, lambda: checkpoints.write(learner_at(1))):
                sentence = rf"in {slots} slots, got slots={other}: pass slots={slots}, or"
                with pytest.raises(ValueError, match=sentence):
                    refused()
    assert content(place) == before


@pytest.mark.parametrize("kind", ["folder", "file", "buffer"])
@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("slots", NUMBERS)
@pytest.mark.spread(6)
def test_never_an_older_state(kind: str, times: int, slots: int, tmp_path: Path) -> None:
    """Whatever the number then and now, the newest is opened or it is refused, and stays there."""
    place = place_of(kind, tmp_path)
    written(place, slots, times * slots // 2 + 1)
    newest = ek.Checkpointer.restore(place, slots=slots).steps
    before = content(place)
    for other in NUMBERS:
        checkpoints = ek.Checkpointer(place, slots=other)
        found, refused = None, ""
        try:
            found = checkpoints.open()
        except ValueError as error:
            refused = str(error)
        if refused:
            assert f"got slots={other}: pass" in refused
            assert other != slots
            with pytest.raises(ValueError, match="or leave it out"):
                checkpoints.write(learner_at(9))
        else:
            assert found is not None
            assert found.steps == newest
        checkpoints.close()
    assert content(place) == before


def test_the_number_that_fits_everything_comes_first() -> None:
    unit, total = 64, 64 * 60
    for slots in (3, 4, 5, 12):
        room = slot_bytes(total, slots, unit)
        heads = {i * room: str(room).encode() for i in range(slots)}
        found = arrangement(total, unit, int, lambda at, heads=heads: heads.get(at, b"0"))
        assert found.numbers[0] == slots


def test_headers_that_no_number_explains() -> None:
    """As two programs leave them that write one file with different numbers."""
    memory = bytearray(1 << 17)
    written(memory, 2, 2)
    other = bytearray(1 << 17)
    written(other, 3, 3)
    room = slot_bytes(1 << 17, 3, 64)
    memory[room : room + 4096] = other[room : room + 4096]
    with pytest.raises(ValueError, match="number of slots: keep them under another name"):
        ek.Checkpointer.restore(memory)
    with pytest.raises(ValueError, match="number of slots: keep them under another name"):
        ek.Checkpointer.restore(memory, slots=2)


def test_blank_and_foreign_memory_holds_no_checkpoint() -> None:
    for filled in (b"\0", b"\xff", b"edgeckpt"):
        memory = bytearray(filled * (1 << 16))[: 1 << 16]
        assert ek.Checkpointer.restore(memory) is None


def test_a_checkpoint_larger_than_a_slot_is_of_fewer_slots() -> None:
    """It begins where a slot of eight would, and reaches into the next."""
    unit, total = 64, 64 * 64
    room = slot_bytes(total, 4, unit)
    heads = {room: str(room).encode()}
    found = arrangement(total, unit, int, lambda at: heads.get(at, b"0"))
    assert found.places == (f"byte {room}",)
    assert found.numbers[0] == 4
    assert 8 not in found.numbers
