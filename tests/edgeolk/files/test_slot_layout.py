"""Checkpoints that another number of slots has put there: opened whole, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from edgeolk.files.media import misplaced, slot_bytes

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
@pytest.mark.parametrize("slots", [3, 4, 64])
def test_opened_with_the_usual_number_it_says_which_was_used(
    kind: str, slots: int, tmp_path: Path
) -> None:
    place = place_of(kind, tmp_path)
    written(place, slots, slots)
    before = content(place)
    for refused in (
        lambda: ek.Checkpointer.restore(place),
        lambda: ek.Checkpointer(place).open(),
        lambda: ek.Checkpointer(place).write(learner_at(1)),
    ):
        with pytest.raises(ValueError, match=rf"none of slots=2 .* as slots={slots} has them"):
            refused()
    assert content(place) == before
    assert ek.Checkpointer.restore(place, slots=slots).steps == slots


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
            assert f"none of slots={other}" in refused
            assert other != slots
            with pytest.raises(ValueError, match="pass the number of slots"):
                checkpoints.write(learner_at(9))
        else:
            assert found is not None
            assert found.steps == newest
        checkpoints.close()
    assert content(place) == before


def test_the_number_that_fits_everything_is_named() -> None:
    unit, total = 64, 64 * 60
    for slots in (3, 4, 5, 12):
        room = slot_bytes(total, slots, unit)
        heads = {i * room: str(room).encode() for i in range(slots)}

        def said(number: int, heads: dict[int, bytes] = heads) -> str:
            return misplaced(total, number, unit, int, lambda at: heads.get(at, b"0"))

        assert f"slots={slots} " in said(2)
        assert not said(slots)


def test_blank_and_foreign_memory_holds_no_checkpoint() -> None:
    for filled in (b"\0", b"\xff", b"edgeckpt"):
        memory = bytearray(filled * (1 << 16))[: 1 << 16]
        assert ek.Checkpointer.restore(memory) is None


def test_a_checkpoint_larger_than_a_slot_is_of_fewer_slots() -> None:
    """It begins where a slot of eight would, and reaches into the next."""
    unit, total = 64, 64 * 64
    room = slot_bytes(total, 4, unit)
    heads = {room: str(room).encode()}
    said = misplaced(total, 8, unit, int, lambda at: heads.get(at, b"0"))
    assert f"at byte {room}, as slots=4 has them" in said
