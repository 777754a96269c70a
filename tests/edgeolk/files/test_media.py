"""Folders, files, devices and memory as places for checkpoints."""

from __future__ import annotations

import errno
import mmap
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeolk.files import atomic, media
from edgeolk.files.media import SECTOR, FileMedium, FolderMedium, MemoryMedium, medium_at
from edgeolk.files.slots import HEADER_BYTES, MAGIC, Slots

PAYLOAD = bytes(range(256)) * 20
places = pytest.mark.parametrize("kind", ["folder", "file", "bytearray", "numpy", "mmap", "device"])


def place_of(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Room for two slots of 8 KiB."""
    if kind == "folder":
        (folder / "kept").mkdir()
        return folder / "kept"
    if kind == "file":
        return folder / "kept"
    if kind == "device":
        # As far as anybody can tell, a block device: of fixed size, and not a regular file.
        (folder / "kept").write_bytes(bytes(20_000))
        monkeypatch.setattr(media.stat, "S_ISBLK", stat.S_ISREG)
        monkeypatch.setattr(media.stat, "S_ISREG", lambda mode: False)
        return folder / "kept"
    if kind == "mmap":
        return mmap.mmap(-1, 20_000)
    return bytearray(20_000) if kind == "bytearray" else np.zeros((5, 500))


def opened(medium: Any) -> tuple[Any, Slots]:
    slots = Slots(medium, bytes)
    return slots.open(), slots


@places
def test_checkpoints_come_back(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_of(kind, tmp_path, monkeypatch)
    first = medium_at(place, 2)
    found, slots = opened(first)
    assert found is None
    for state in range(5):
        slots.write([bytes([state]), PAYLOAD])
    first.close()
    second = medium_at(place, 2)
    found, slots = opened(second)
    assert found == b"\4" + PAYLOAD
    assert slots.opened is not None
    assert (slots.opened.sequence, slots.opened.refused) == (5, {})
    second.close()


@places
def test_slots_share_no_sector(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies outside the slot that is written stays as it is."""
    place = place_of(kind, tmp_path, monkeypatch)
    medium = medium_at(place, 2)
    slots = Slots(medium, bytes)
    slots.write([b"1" * 5000])
    slots.write([b"2" * 5000])
    step = media.LINE if kind in ("bytearray", "numpy", "mmap") else SECTOR
    assert medium.room(0) % step == 0
    assert medium.room(1) >= 5000 + HEADER_BYTES
    for slot, sign in enumerate(b"12"):
        memory = bytearray(5000)
        assert medium.read_into(slot, HEADER_BYTES, memoryview(memory)) == 5000
        assert memory == bytes([sign]) * 5000
    medium.close()


def test_a_file_is_made_whole_with_its_final_size(tmp_path: Path) -> None:
    """Both slots, marked and claimed, before the first checkpoint; it never grows again."""
    path = tmp_path / "kept"
    medium = FileMedium(path, 2)
    slots = Slots(medium, bytes)
    slots.write([PAYLOAD])
    size = path.stat().st_size
    assert size == 2 * -(-(len(PAYLOAD) + HEADER_BYTES) // SECTOR) * SECTOR
    assert path.stat().st_blocks * 512 >= size, "a hole, to be filled when the disk is full"
    assert path.read_bytes()[size // 2 :].startswith(MAGIC)
    assert medium.bytes_written == size + len(PAYLOAD) + HEADER_BYTES
    for _ in range(5):
        slots.write([PAYLOAD])
    assert path.stat().st_size == size
    assert os.listdir(tmp_path) == ["kept"]
    medium.close()


def test_a_folder_has_all_its_files_at_once(tmp_path: Path) -> None:
    medium = FolderMedium(tmp_path, 3)
    Slots(medium, bytes).write([PAYLOAD])
    assert sorted(os.listdir(tmp_path)) == [f"slot-{i}.checkpoint" for i in range(3)]
    medium.close()


def test_a_folder_takes_larger_checkpoints(tmp_path: Path) -> None:
    """One slot after the other; the newest one stays what it was meanwhile."""
    medium = FolderMedium(tmp_path, 2)
    slots = Slots(medium, bytes)
    slots.write([PAYLOAD])
    for times in (2, 3, 4):
        slots.write([PAYLOAD * times])
        assert opened(FolderMedium(tmp_path, 2))[0] == PAYLOAD * times
    medium.close()


@pytest.mark.parametrize("kind", ["file", "bytearray", "device"])
def test_too_small(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_of(kind, tmp_path, monkeypatch)
    medium = medium_at(place, 2)
    slots = Slots(medium, bytes)
    slots.write([PAYLOAD])
    before = Path(place).read_bytes() if kind != "bytearray" else bytes(place)
    with pytest.raises(ValueError, match=r"a slot of this \w+ has \d+ bytes, the checkpoint needs"):
        slots.write([PAYLOAD * 4])
    after = Path(place).read_bytes() if kind != "bytearray" else bytes(place)
    assert after == before
    assert opened(medium)[0] == PAYLOAD
    medium.close()


class Trace:
    """The calls that reach files, in order: what, and whether on a folder or a file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[str] = []
        for name in ("write", "pwrite", "fsync", "replace"):
            monkeypatch.setattr(os, name, self.noting(name, getattr(os, name)))

    def noting(self, name: str, real: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            what = name
            if name == "fsync" and stat.S_ISDIR(os.fstat(given[0]).st_mode):
                what = "fsync folder"
            if not self.seen or self.seen[-1] != what:
                self.seen.append(what)
            return real(*given, **named)

        return call


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_the_order_of_calls(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name lasts before anything depends on it; a payload before its header."""
    medium = medium_at(place_of(kind, tmp_path, monkeypatch), 2)
    slots = Slots(medium, bytes)
    trace = Trace(monkeypatch)
    slots.write([PAYLOAD])
    made = ["write", "fsync", "replace", "fsync folder"]
    checkpoint = ["pwrite", "fsync", "pwrite", "fsync"]
    assert trace.seen == made * (2 if kind == "folder" else 1) + checkpoint
    trace.seen.clear()
    slots.write([PAYLOAD])
    assert trace.seen == checkpoint
    medium.close()


def test_mapped_memory_is_flushed_in_the_same_order() -> None:
    events: list[str] = []

    class Mapped(bytearray):
        def flush(self) -> None:
            events.append("flush")

    memory = Mapped(4096)
    medium = MemoryMedium(memory, 2)
    real = medium.write

    def write(slot: int, offset: int, piece: bytes) -> None:
        events.append("header" if offset == 0 else "payload")
        real(slot, offset, piece)

    medium.write = write  # type: ignore[method-assign]
    Slots(medium, bytes).write([b"abc"])
    assert events == ["payload", "flush", "header", "flush"]


def test_short_writes_and_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, read = os.pwrite, os.preadv
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: write(fd, bytes(data)[:100], at))
    monkeypatch.setattr(os, "preadv", lambda fd, views, at: read(fd, [views[0][:70]], at))
    medium = FileMedium(tmp_path / "kept", 2)
    Slots(medium, bytes).write([PAYLOAD])
    assert opened(medium)[0] == PAYLOAD
    medium.close()


@pytest.mark.parametrize("call", ["pwrite", "fsync", "write", "replace"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_a_failing_file_system_loses_nothing(
    call: str, error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    medium = FolderMedium(tmp_path, 2)
    slots = Slots(medium, bytes)
    slots.write([PAYLOAD])

    def failing(*_: Any, **__: Any) -> Any:
        raise OSError(error, os.strerror(error))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing)
        with pytest.raises(OSError, match=os.strerror(error)):
            slots.write([PAYLOAD * 4])  # a larger file has to be made for it
    assert opened(FolderMedium(tmp_path, 2))[0] == PAYLOAD
    slots.write([PAYLOAD * 4])
    assert opened(FolderMedium(tmp_path, 2))[0] == PAYLOAD * 4
    medium.close()


# ---- what is not written over --------------------------------------------------------------------


def test_something_else_is_not_written_over(tmp_path: Path) -> None:
    for content in (b"my thesis", b"my thesis" * 5000):
        path = tmp_path / "thesis"
        path.write_bytes(content)
        medium = FileMedium(path, 2)
        found, slots = opened(medium)
        assert found is None
        with pytest.raises(ValueError, match="holds something else than checkpoints"):
            slots.write([PAYLOAD])
        assert path.read_bytes() == content
        medium.close()


@pytest.mark.parametrize("filling", [b"\0", b"\xff"])
def test_a_blank_device_is_taken_and_one_in_use_is_not(
    filling: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of("device", tmp_path, monkeypatch)
    for content, good in ((filling * 20_000, True), (b"partition table" * 2000, False)):
        place.write_bytes(content)
        medium = FileMedium(place, 2)
        if good:
            Slots(medium, bytes).write([PAYLOAD])
            assert opened(medium)[0] == PAYLOAD
            assert place.stat().st_size == 20_000
        else:
            with pytest.raises(ValueError, match="something else"):
                Slots(medium, bytes).write([PAYLOAD])
            assert place.read_bytes() == content
        medium.close()


def test_an_empty_file_is_taken(tmp_path: Path) -> None:
    (tmp_path / "kept").touch(0o600)
    medium = FileMedium(tmp_path / "kept", 2)
    Slots(medium, bytes).write([PAYLOAD])
    assert opened(medium)[0] == PAYLOAD
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o600
    medium.close()


def test_a_fifo_is_refused_and_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    medium = FileMedium(tmp_path / "fifo", 2)
    found, slots = opened(medium)
    assert found is None
    assert slots.opened is not None
    assert "neither a file nor a block device" in slots.opened.refused[0]
    with pytest.raises(OSError, match="neither a file nor a block device"):
        slots.write([PAYLOAD])


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_one_writer_at_a_time(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others may read; the next may write when the first has closed."""
    place = place_of(kind, tmp_path, monkeypatch)
    first, second = medium_at(place, 2), medium_at(place, 2)
    slots = Slots(first, bytes)
    slots.write([b"first"])
    for _ in range(2):
        found, others = opened(second)
        assert found == b"first"
        with pytest.raises(BlockingIOError, match="written by another checkpointer"):
            others.write([b"second"])
    slots.write([b"third"])
    first.close()
    found, others = opened(second)
    assert found == b"third"
    others.write([b"second"])
    assert opened(medium_at(place, 2))[0] == b"second"
    second.close()


# ---- two writers, and files that go away ---------------------------------------------------------

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
    real, refusals = os.replace, []

    def replace(*given: Any, **named: Any) -> None:
        if when == "after":
            real(*given, **named)
        with pytest.raises(BlockingIOError, match="written by another checkpointer"):
            others.write([b"second"])
        refusals.append(given)
        if when == "before":
            real(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
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
    real, calls = media.fcntl.flock, []

    def flock(fd: int, how: int) -> None:
        calls.append(fd)
        if len(calls) == 1:
            replaced(names_of(place)[0])
        real(fd, how)

    with monkeypatch.context() as patch:
        patch.setattr(media.fcntl, "flock", flock)
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
    monkeypatch.setattr(media.fcntl, "flock", lambda *_: replaced(tmp_path / "kept"))
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
    real = os.pwrite

    def pwrite(*given: Any) -> int:
        calls[0] += 1
        done = real(*given)
        if calls[0] == when:
            way(names_of(place)[0])
        return done

    if when == 0:
        way(names_of(place)[0])
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", pwrite)
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

    def failing(_: int) -> None:
        raise OSError(errno.EIO, "the folder is not synced")

    place = place_of(kind, tmp_path, monkeypatch)
    medium = medium_at(place, 2)
    slots = Slots(medium, bytes)
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "sync_folder", failing)
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


@pytest.mark.parametrize("bad", [b"read-only", np.zeros(9)[::2], np.array([None]), 3, [1, 2]])
def test_no_place(bad: Any) -> None:
    if isinstance(bad, bytes):
        bad = memoryview(bad)
    with pytest.raises(TypeError, match="buffer must be"):
        medium_at(bad, 2)
