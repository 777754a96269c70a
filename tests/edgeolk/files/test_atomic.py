"""Saving as a good citizen of the file system: links, modes, odd files, other savers, kills."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT

import edgeolk as ek
from edgeolk.files import system
from edgeolk.files.atomic import open_regular, read_into, write_atomically

OLD, NEW = b"old" * 100, (b"new", bytearray(b" and "), memoryview(b"whole"))
WHOLE = b"new and whole"


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("kind", ["str", "bytes", "path"])
def test_every_kind_of_path(kind: str, tmp_path: Path) -> None:
    """Also names that are not UTF-8."""
    raw = os.fsencode(tmp_path) + b"/model\xff"
    path: Any = {"str": os.fsdecode(raw), "bytes": raw, "path": Path(os.fsdecode(raw))}[kind]
    write_atomically(path, NEW)
    assert Path(os.fsdecode(raw)).read_bytes() == WHOLE
    learner = ek.Learner("rbp", n_features=2, budget=3)
    learner.learn_one([1.0, 2.0], 1)
    learner.save(path)
    assert ek.load(path).steps == 1
    scaler = ek.RunningScaler(2)
    scaler.save(path)
    assert ek.RunningScaler.load(path).n_seen == 0


def test_a_path_in_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_atomically("model", NEW)
    assert (tmp_path / "model").read_bytes() == WHOLE


def test_links_are_followed(tmp_path: Path) -> None:
    """Also two in a row, relative ones, and one that leads to nothing yet."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "model").write_bytes(OLD)
    (tmp_path / "second").symlink_to("far/model")
    (tmp_path / "first").symlink_to(tmp_path / "second")
    (tmp_path / "dangling").symlink_to("far/fresh")
    write_atomically(tmp_path / "first", NEW)
    write_atomically(tmp_path / "dangling", NEW)
    assert (tmp_path / "first").is_symlink()
    assert (tmp_path / "second").is_symlink()
    assert (tmp_path / "dangling").is_symlink()
    assert (tmp_path / "far" / "model").read_bytes() == WHOLE
    assert (tmp_path / "far" / "fresh").read_bytes() == WHOLE
    assert names(tmp_path / "far") == ["fresh", "model"]


def test_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=r"regular|symbolic links"):
        write_atomically(tmp_path / "a", NEW)
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o4755])
def test_mode_is_kept(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(OLD)
    path.chmod(mode)
    write_atomically(path, NEW)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "model", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o640


@pytest.mark.skipif(getattr(os, "geteuid", int)() != 0, reason="only root may give files away")
def test_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(OLD)
    os.chown(path, 12345, 23456)
    path.chmod(0o640)
    write_atomically(path, NEW)
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o640)


def test_a_group_that_cannot_be_kept_is_given_no_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: int) -> None:
        raise PermissionError(errno.EPERM, "not yours")

    path = tmp_path / "model"
    path.write_bytes(OLD)
    path.chmod(0o664)
    before = path.stat()
    other = os.stat_result((*before[:4], before.st_uid + 1, *before[5:]))
    monkeypatch.setattr(os, "fchown", forbidden)
    with open(path, "rb") as file:
        system.keep_owner_and_mode(file.fileno(), other)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@pytest.fixture(params=["fifo", "device", "socket"])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Something that is no regular file."""
    import socket

    path = tmp_path / "odd"
    if request.param == "fifo":
        os.mkfifo(path)
    elif request.param == "device":
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))  # a null device of our own
        except PermissionError:
            pytest.skip("only root may make devices")
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(path))
            yield path
        return
    yield path


def test_what_is_no_regular_file_is_refused(odd: Path) -> None:
    """And a FIFO without a writer hangs nobody."""
    before = odd.stat()
    learner = ek.Learner("rbp", n_features=2, budget=3)
    for path in (odd, os.fsencode(odd)):
        with pytest.raises(OSError, match="regular file"):
            learner.save(path)
        with pytest.raises(OSError, match=r"regular file|No such device"):
            ek.load(path)
    after = odd.stat()
    assert (after.st_mode, after.st_ino, after.st_rdev) == (
        before.st_mode,
        before.st_ino,
        before.st_rdev,
    )
    assert names(odd.parent) == ["odd"]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for call in (lambda p: write_atomically(p, NEW), ek.load):
        with pytest.raises(IsADirectoryError):
            call(tmp_path / "folder")
    assert names(tmp_path) == ["folder"]


# ---- cuts and failures ---------------------------------------------------------------------------


class Calls:
    """Notes the calls of the os module that matter, in order; one of them may fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fail_at: int = -1, error: int = 0) -> None:
        self.seen: list[str] = []
        for name in ("open", "write", "fsync", "fchmod", "replace"):
            monkeypatch.setattr(os, name, self.noting(name, getattr(os, name), fail_at, error))

    def noting(self, name: str, real: Any, fail_at: int, error: int) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            self.seen.append(name)
            if len(self.seen) - 1 == fail_at:
                raise OSError(error, os.strerror(error))
            if name == "write":
                return real(given[0], bytes(given[1])[:4])  # a short write
            return real(*given, **named)

        return call


def test_the_file_is_synced_before_it_is_renamed_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").write_bytes(OLD)
    calls = Calls(monkeypatch)
    write_atomically(tmp_path / "model", NEW)
    order = [name for name in calls.seen if name != "open"]
    assert order == [*["write"] * 5, "fchmod", "fsync", "replace", "fsync"]
    monkeypatch.undo()
    assert (tmp_path / "model").read_bytes() == WHOLE


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("fail_at", range(11))
def test_a_failure_anywhere_leaves_the_old_file_or_the_new_one(
    fail_at: int, error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    path.write_bytes(OLD)
    calls = Calls(monkeypatch, fail_at, error)
    with pytest.raises(OSError, match=os.strerror(error)):
        write_atomically(path, NEW)
    failed = calls.seen[fail_at]
    monkeypatch.undo()
    renamed = "replace" in calls.seen[:fail_at]
    assert path.read_bytes() == (WHOLE if renamed else OLD), failed
    assert names(tmp_path) == ["model"]


def test_what_went_wrong_first_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the temporary file cannot be removed either."""

    def failing(error: int) -> Any:
        def call(*_: Any, **__: Any) -> Any:
            raise OSError(error, os.strerror(error))

        return call

    (tmp_path / "model").write_bytes(OLD)
    monkeypatch.setattr(os, "write", failing(errno.ENOSPC))
    monkeypatch.setattr(os, "unlink", failing(errno.EROFS))
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        write_atomically(tmp_path / "model", NEW)
    assert (tmp_path / "model").read_bytes() == OLD


def test_a_folder_that_cannot_be_synced_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fsync(fd: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not here")
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    write_atomically(tmp_path / "model", NEW)
    assert (tmp_path / "model").read_bytes() == WHOLE


def test_a_planted_link_is_not_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if its name could be guessed."""
    victim = tmp_path / "victim"
    victim.write_bytes(OLD)
    draws = iter([b"\0" * 8, b"\1" * 8])
    monkeypatch.setattr(os, "urandom", lambda n: next(draws))
    (tmp_path / f".model.{'00' * 8}.part").symlink_to(victim)
    write_atomically(tmp_path / "model", NEW)
    assert victim.read_bytes() == OLD
    assert (tmp_path / "model").read_bytes() == WHOLE


# ---- leftovers and other savers ------------------------------------------------------------------

LEFTOVER = f".model.{'ab' * 8}.part"


def test_leftovers_of_the_dead_are_removed_and_nothing_else(tmp_path: Path) -> None:
    strangers = [".model.part", f".other.{'ab' * 8}.part", f"model.{'ab' * 8}.part"]
    for name in (LEFTOVER, *strangers):
        (tmp_path / name).write_bytes(OLD)
    write_atomically(tmp_path / "model", NEW)
    assert names(tmp_path) == sorted(["model", *strangers])


def test_the_file_of_a_live_saver_stays(tmp_path: Path) -> None:
    with open(tmp_path / LEFTOVER, "wb") as file:
        system.lock(file.fileno())
        write_atomically(tmp_path / "model", NEW)
        assert names(tmp_path) == [LEFTOVER, "model"]
    write_atomically(tmp_path / "model", NEW)
    assert names(tmp_path) == ["model"]


def test_a_saver_taken_for_dead_before_it_has_its_lock_starts_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tries = system.lock, []

    def lock(fd: int) -> None:
        tries.append(fd)
        if len(tries) == 1:
            raise BlockingIOError(errno.EAGAIN, "a cleaner looks at it")
        if len(tries) == 2:
            for name in names(tmp_path):
                os.unlink(tmp_path / name)  # ... and has removed it
        real(fd)

    monkeypatch.setattr(system, "lock", lock)
    write_atomically(tmp_path / "model", NEW)
    assert (tmp_path / "model").read_bytes() == WHOLE
    assert len(tries) == 3


def test_without_locks_leftovers_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lock(_: int) -> None:
        raise OSError(errno.ENOLCK, "no locks here")

    (tmp_path / LEFTOVER).write_bytes(OLD)
    monkeypatch.setattr(system, "lock", lock)
    write_atomically(tmp_path / "model", NEW)
    assert names(tmp_path) == [LEFTOVER, "model"]
    assert (tmp_path / "model").read_bytes() == WHOLE


def test_a_planted_leftover_neither_hangs_nor_leads_astray(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(OLD)
    os.mkfifo(tmp_path / f".model.{'00' * 8}.part")
    (tmp_path / f".model.{'11' * 8}.part").symlink_to(victim)
    write_atomically(tmp_path / "model", NEW)
    assert victim.read_bytes() == OLD


@pytest.mark.parametrize("length", [200, 201, 255])
def test_long_names(length: int, tmp_path: Path) -> None:
    path = tmp_path / ("m" * length)
    write_atomically(path, NEW)
    write_atomically(path, NEW)
    assert names(tmp_path) == ["m" * length]


def test_killed_savers_leave_nothing_for_long(tmp_path: Path) -> None:
    """Killed at any moment: the file is whole, and the next save cleans up."""
    code = (
        "import sys; from edgeolk.files.atomic import write_atomically\n"
        "print('go', flush=True)\n"
        "while True: write_atomically(sys.argv[1], [sys.argv[2].encode() * 3000] * 20)\n"
    )
    path = tmp_path / "model"
    for i in range(12):
        saver = subprocess.Popen(
            [sys.executable, "-c", code, str(path), "abcdefghijkl"[i]],
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        with saver:
            assert saver.stdout is not None
            saver.stdout.readline()
            # Let it save a few times, then a few instructions more each round.
            for _ in range(200 + 37 * i):
                os.stat(tmp_path)
            saver.kill()
        if path.exists():
            content = path.read_bytes()
            assert len(content) == 60_000
            assert len(set(content)) == 1
    write_atomically(path, NEW)
    assert names(tmp_path) == ["model"]
    assert path.read_bytes() == WHOLE


# ---- reading -------------------------------------------------------------------------------------


def test_reading_stops_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"12345")
    memory = bytearray(8)
    with open_regular(tmp_path / "model") as file:
        assert file.read(2) == b"12"
        assert read_into(file, memoryview(memory)) == 3
    assert memory == b"345" + bytes(5)
    with pytest.raises(FileNotFoundError), open_regular(tmp_path / "none"):
        pass
