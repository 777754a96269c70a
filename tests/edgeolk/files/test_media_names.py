"""Two writers of one place, and files that lose their name while they are written."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from media_places import PAYLOAD, opened, place_of, places

from edgeolk.files import system
from edgeolk.files.media import FileMedium, medium_at
from edgeolk.files.slots import Slots

on_disk = pytest.mark.parametrize("kind", ["file", "folder"])


def whole_in(place: Any, refused: bytes = b"") -> Any:
    """What is opened by somebody who refuses one payload."""

    def check(payload: bytearray) -> bytes:
        if payload == refused:
            raise ValueError("not this one")
        return bytes(payload)

    medium = medium_at(place, 2)
    try:
        return Slots(medium, check).open()
    finally:
        medium.close()


@places
@pytest.mark.parametrize("writes", [1, 2, 3])
def test_a_program_that_overlaps_with_its_successor_loses_nothing(
    kind: str, writes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It wrote between the successor's opening and its first checkpoint."""
    place = place_of(kind, tmp_path, monkeypatch)
    before, after = medium_at(place, 2), medium_at(place, 2)
    Slots(before, bytes).write([b"first"])
    before.close()
    found, slots = opened(after)
    assert found == b"first"
    before = medium_at(place, 2)
    others = Slots(before, bytes)
    for state in range(writes):
        others.write([b"other %d" % state])
    before.close()
    assert slots.write([b"mine"]) == writes + 2
    after.close()
    assert whole_in(place) == b"mine"
    assert whole_in(place, refused=b"mine") == b"other %d" % (writes - 1)


@on_disk
@pytest.mark.parametrize("when", ["before", "after"])
def test_of_two_who_make_a_file_at_once_one_is_refused(
    kind: str, when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a file is made, and when it has its name but its maker has not looked again."""
    place = place_of(kind, tmp_path, monkeypatch)
    first, second = medium_at(place, 2), medium_at(place, 2)
    (_, slots), (_, others) = opened(first), opened(second)
    real, refusals = system.Folder.replace, []

    def replace(*given: Any) -> None:
        if when == "after":
            real(*given)
        with pytest.raises(BlockingIOError, match="written by another checkpointer"):
            others.write([b"second"])
        refusals.append(given)
        if when == "before":
            real(*given)

    with monkeypatch.context() as patch:
        patch.setattr(system.Folder, "replace", replace)
        slots.write([b"first"])
    assert len(refusals) == (1 if kind == "file" else 2)
    with pytest.raises(BlockingIOError, match="written by another checkpointer"):
        others.write([b"second"])
    assert whole_in(place) == b"first"
    first.close()
    others.write([b"second"])
    second.close()
    assert whole_in(place) == b"second"
    assert whole_in(place, refused=b"second") == b"first"


def names_of(place: Path) -> list[Path]:
    return sorted(place.iterdir()) if place.is_dir() else [place]


def replaced(path: Path) -> None:
    """Another file of the same content has the name."""
    beside = path.with_name("beside")
    beside.write_bytes(path.read_bytes())
    beside.replace(path)


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


@on_disk
def test_a_lock_counts_only_while_its_file_has_the_name(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replaced between opening and locking: the one that is there now is locked."""
    place = place_of(kind, tmp_path, monkeypatch)
    medium = medium_at(place, 2)
    Slots(medium, bytes).write([b"first"])
    medium.close()
    real, calls = system.lock, []

    def lock(fd: int) -> None:
        calls.append(fd)
        if len(calls) == 1:
            replaced(names_of(place)[0])
        real(fd)

    with monkeypatch.context() as patch:
        patch.setattr(system, "lock", lock)
        slots = Slots(medium, bytes)
        slots.write([b"second"])
    assert len(calls) == (2 if kind == "file" else 3)
    assert whole_in(place) == b"second"
    slots.write([b"third"])
    assert whole_in(place) == b"third"
    medium.close()


def test_a_file_that_is_replaced_all_the_time_ends_in_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    medium = FileMedium(tmp_path / "kept", 2)
    Slots(medium, bytes).write([b"first"])
    medium.close()
    monkeypatch.setattr(system, "lock", lambda *_: replaced(tmp_path / "kept"))
    with pytest.raises(OSError, match="removed or replaced by another program"):
        Slots(medium, bytes).write([b"second"])
    assert whole_in(tmp_path / "kept") == b"first"


@pytest.mark.parametrize("kind", ["file", "folder", "device"])
@pytest.mark.parametrize("way", [os.unlink, moved, replaced])
@pytest.mark.parametrize("when", [0, 1, 2])
def test_nothing_is_acknowledged_into_a_file_without_a_name(
    kind: str, way: Any, when: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lost before a checkpoint, or while it is written; the next one goes where the name is."""
    place = place_of(kind, tmp_path, monkeypatch)
    medium = medium_at(place, 2)
    slots = Slots(medium, bytes)
    slots.write([PAYLOAD])
    slots.write([PAYLOAD])
    calls = [0]
    real = system.write_at

    def write_at(*given: Any) -> int:
        calls[0] += 1
        done = real(*given)
        if calls[0] == when:
            way(names_of(place)[0])
        return done

    if when == 0:
        way(names_of(place)[0])
    with monkeypatch.context() as patch:
        patch.setattr(system, "write_at", write_at)
        with pytest.raises(OSError, match="was removed or replaced by another program"):
            slots.write([b"lost"])
    if kind == "device" and way is not replaced:
        place.write_bytes(bytes(20_000))  # it is plugged in again
    slots.write([b"kept"])
    assert whole_in(place) == b"kept"
    medium.close()


@on_disk
def test_a_reader_follows_the_name(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the file open that is replaced by a larger one, or by one after none."""
    place = place_of(kind, tmp_path, monkeypatch)
    writer, reader = medium_at(place, 2), medium_at(place, 2)
    slots = Slots(writer, bytes)
    slots.write([PAYLOAD])
    assert opened(reader)[0] == PAYLOAD
    if kind == "folder":
        for times in (2, 3):
            slots.write([PAYLOAD * times])
            assert opened(reader)[0] == PAYLOAD * times
    for path in names_of(place):
        path.unlink()
    assert opened(reader)[0] is None
    for medium in (writer, reader):
        medium.close()


def test_a_program_may_go_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one does that becomes a daemon."""
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path)
    medium = FileMedium("kept", 2)
    slots = Slots(medium, bytes)
    slots.write([PAYLOAD])
    os.chdir(tmp_path / "else")
    slots.write([b"second"])
    medium.close()
    slots.write([b"third"])
    medium.close()
    assert whole_in(tmp_path / "kept") == b"third"
    assert os.listdir(tmp_path / "else") == []


@on_disk
def test_a_file_that_was_made_though_it_failed_is_written_by_the_next_checkpoint(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has its name, but nobody knows whether that lasts."""

    def failing(_: system.Folder) -> None:
        raise OSError(errno.EIO, "the folder is not synced")

    place = place_of(kind, tmp_path, monkeypatch)
    medium = medium_at(place, 2)
    slots = Slots(medium, bytes)
    with monkeypatch.context() as patch:
        patch.setattr(system.Folder, "sync", failing)
        with pytest.raises(OSError, match="the folder is not synced"):
            slots.write([b"first"])
    slots.write([b"second"])
    assert whole_in(place) == b"second"
    medium.close()


@on_disk
def test_an_empty_file_is_all_that_a_cut_while_making_leaves(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And whoever comes next takes it."""

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "full")

    place = place_of(kind, tmp_path, monkeypatch)
    medium = medium_at(place, 2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="full"):
            Slots(medium, bytes).write([b"first"])
    assert {path.stat().st_size for path in names_of(place)} == {0}
    medium.close()
    assert whole_in(place) is None
    Slots(medium, bytes).write([b"first"])
    medium.close()
    assert whole_in(place) == b"first"
