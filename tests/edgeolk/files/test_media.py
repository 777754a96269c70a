"""Folders, files, devices and memory as places for checkpoints."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from media_places import PAYLOAD, opened, place_of, places

from edgeolk.files import media, system
from edgeolk.files.media import SECTOR, FileMedium, FolderMedium, MemoryMedium, medium_at
from edgeolk.files.slots import HEADER_BYTES, MAGIC, Slots


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
    assert medium.capacity(0) % step == 0
    assert medium.capacity(1) >= 5000 + HEADER_BYTES
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
        self.synced: list[os.stat_result] = []
        for name in ("write", "pwrite", "fsync", "replace"):
            monkeypatch.setattr(os, name, self.noting(name, getattr(os, name)))

    def noting(self, name: str, real: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            what = name
            if name == "fsync":
                self.synced.append(os.fstat(given[0]))
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


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("kind", ["file", "folder", "device"])
def test_what_another_process_left_is_synced_before_it_is_relied_on(
    kind: str, link: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its name: that process may have been killed before it did so. Reading syncs nothing."""
    place = place_of(kind, tmp_path, monkeypatch)
    if link:
        (tmp_path / "link").symlink_to(place)
        place = tmp_path / "link"
    medium = medium_at(place, 2)
    Slots(medium, bytes).write([PAYLOAD])
    medium.close()
    medium = medium_at(place, 2)
    trace = Trace(monkeypatch)
    found, slots = opened(medium)
    assert found == PAYLOAD
    assert trace.seen == []
    slots.write([PAYLOAD])
    checkpoint = ["pwrite", "fsync", "pwrite", "fsync"]
    assert trace.seen == ["fsync", *(["fsync folder"] if kind != "device" else []), *checkpoint]
    folders = {info.st_ino for info in trace.synced if stat.S_ISDIR(info.st_mode)}
    kept = place.resolve() if kind == "folder" else place.resolve().parent
    assert folders == ({kept.stat().st_ino} if kind != "device" else set())
    files = sorted(place.iterdir()) if kind == "folder" else [place]
    assert {file.stat().st_ino for file in files} == {
        info.st_ino for info in trace.synced[: len(files)]
    }
    trace.seen.clear()
    slots.write([PAYLOAD])
    assert trace.seen == checkpoint
    medium.close()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_file_that_was_made_and_never_written_is_synced_too(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its maker was killed between the rename and the sync of the folder."""
    place = place_of(kind, tmp_path, monkeypatch)
    medium = medium_at(place, 2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", None)
        with pytest.raises(TypeError):
            Slots(medium, bytes).write([PAYLOAD])
    medium.close()
    medium = medium_at(place, 2)
    trace = Trace(monkeypatch)
    Slots(medium, bytes).write([PAYLOAD])
    assert trace.seen == ["fsync", "fsync folder", "pwrite", "fsync", "pwrite", "fsync"]
    medium.close()


def test_a_folder_that_may_not_be_read_is_not_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files in it may be written all the same, as long as nothing else fails."""
    medium = FileMedium(tmp_path / "kept", 2)
    Slots(medium, bytes).write([PAYLOAD])
    medium.close()
    real = os.open

    def refusing(error: int) -> Any:
        def call(path: Any, flags: int, *given: Any, **named: Any) -> int:
            if flags & os.O_DIRECTORY:
                raise OSError(error, os.strerror(error))
            return real(path, flags, *given, **named)

        return call

    slots = Slots(medium, bytes)
    monkeypatch.setattr(os, "open", refusing(errno.EMFILE))
    with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
        slots.write([PAYLOAD * 1])
    monkeypatch.setattr(os, "open", refusing(errno.EACCES))
    slots.write([b"second"])
    assert opened(medium)[0] == b"second"
    medium.close()


def test_what_could_not_be_synced_is_read_from_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed sync the cache has what the device has not."""
    medium = FileMedium(tmp_path / "kept", 2)
    Slots(medium, bytes).write([PAYLOAD])
    dropped: list[tuple[int, ...]] = []

    def failing(_: int) -> None:
        raise OSError(errno.EIO, "failed")

    monkeypatch.setattr(os, "fsync", failing)
    monkeypatch.setattr(os, "posix_fadvise", lambda fd, *given: dropped.append(given))
    with pytest.raises(OSError, match="failed"):
        medium.sync(0)
    assert dropped == [(0, 0, os.POSIX_FADV_DONTNEED)]
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
    assert events == ["flush", "payload", "flush", "header", "flush"]


def test_short_writes_and_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, read = system.write_at, system.read_at
    monkeypatch.setattr(system, "write_at", lambda fd, data, at: write(fd, data[:100], at))
    monkeypatch.setattr(system, "read_at", lambda fd, memory, at: read(fd, memory[:70], at))
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
        with pytest.raises(ValueError, match="does not hold checkpoints"):
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
            with pytest.raises(ValueError, match="does not hold"):
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


@pytest.mark.parametrize("bad", [b"read-only", np.zeros(9)[::2], np.array([None]), 3, [1, 2]])
def test_no_place(bad: Any) -> None:
    if isinstance(bad, bytes):
        bad = memoryview(bad)
    with pytest.raises(TypeError, match="buffer must be"):
        medium_at(bad, 2)


def test_a_folder_of_fewer_slots_closes_the_other_files(tmp_path: Path) -> None:
    medium = FolderMedium(tmp_path, 3)
    files = list(medium._files)
    for file in files:
        file.fd(True)
    medium.use(2)
    assert medium.slots == 2
    assert medium._files == files[:2]
    assert [file._fd >= 0 for file in files] == [True, True, False]
    medium.close()
