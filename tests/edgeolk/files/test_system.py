"""What differs between systems: calls of macOS by stand-ins, and locks wherever this runs."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT

import edgeolk as ek
from edgeolk.files import system
from edgeolk.files.atomic import write_atomically

fcntl: Any = pytest.importorskip("fcntl") if os.name != "nt" else None
posix = pytest.mark.skipif(os.name == "nt", reason="calls of POSIX")
#: The number that macOS has for it.
F_FULLFSYNC = 51


class MacOS:
    """Its fcntl in place of this system's: notes what is synced, and fails where it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: int = 0) -> None:
        self.full: list[int] = []
        self.plain: list[int] = []
        self.error = error
        real = os.fsync
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", F_FULLFSYNC, raising=False)
        monkeypatch.setattr(fcntl, "fcntl", self.fcntl)
        monkeypatch.setattr(os, "fsync", lambda fd: (self.plain.append(fd), real(fd)))

    def fcntl(self, fd: int, command: int) -> int:
        assert command == F_FULLFSYNC
        self.full.append(fd)
        if self.error:
            raise OSError(self.error, os.strerror(self.error))
        return 0


def learner() -> ek.Learner:
    made = ek.Learner("rbp", n_features=1, budget=4)
    made.learn_one([1.0], 1)
    return made


@posix
def test_where_fsync_stops_short_the_device_itself_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files and folders, of models and of checkpoints."""
    there = MacOS(monkeypatch)
    write_atomically(tmp_path / "model", [b"whole"])
    assert len(there.full) == 2
    with ek.Checkpointer(tmp_path / "kept", every=1) as checkpoints:
        checkpoints.write(learner())
    assert len(there.full) > 4
    assert there.plain == []
    monkeypatch.undo()
    assert ek.Checkpointer.restore(tmp_path / "kept").steps == 1


@posix
@pytest.mark.parametrize("error", [errno.ENOTSUP, errno.EINVAL, errno.ENOTTY])
def test_a_file_system_that_cannot_sync_the_device_syncs_as_it_can(
    error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = MacOS(monkeypatch, error)
    write_atomically(tmp_path / "model", [b"whole"])
    assert there.plain == there.full
    assert len(there.full) == 2


@posix
def test_a_device_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").write_bytes(b"old")
    there = MacOS(monkeypatch, errno.EIO)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        write_atomically(tmp_path / "model", [b"new"])
    assert there.plain == []
    assert (tmp_path / "model").read_bytes() == b"old"


@posix
def test_checkpoints_without_preadv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As macOS before version 11; it has no posix_fadvise either."""
    monkeypatch.delattr(os, "preadv", raising=False)
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    with ek.Checkpointer(tmp_path / "kept", every=1) as checkpoints:
        checkpoints.write(learner())
        checkpoints.write(learner())
    assert ek.Checkpointer.restore(tmp_path / "kept").steps == 1
    fd = system.open_file(str(tmp_path / "kept"))
    system.forget(fd)
    os.close(fd)


def test_reads_and_writes_at_an_offset(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    fd = system.open_file(str(tmp_path / "file"), write=True)
    memory = memoryview(bytearray(6))
    assert system.write_at(fd, memoryview(b"abc"), 4) == 3
    assert system.read_at(fd, memory, 3) == 6
    assert bytes(memory) == b"3abc78"
    assert system.read_at(fd, memory, 8) == 2
    assert bytes(memory[:2]) == b"89"
    assert system.read_at(fd, memory, 20) == 0
    os.close(fd)


def test_a_lock_keeps_others_out_but_lets_them_read(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    first = system.open_file(path, write=True, create=True)
    system.lock(first)
    system.write_at(first, memoryview(b"there"), 0)
    second = system.open_file(path, write=True)
    with pytest.raises(BlockingIOError):
        system.lock(second)
    assert Path(path).read_bytes() == b"there"
    os.close(first)
    system.lock(second)
    os.close(second)


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    code = (
        "import sys; from edgeolk.files import system\n"
        "system.lock(system.open_file(sys.argv[1], write=True, create=True))\n"
        "print('locked', flush=True); sys.stdin.read()\n"
    )
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code, path], cwd=ROOT, **pipes) as other:
        assert other.stdout.readline().strip() == b"locked"
        fd = system.open_file(path, write=True)
        with pytest.raises(BlockingIOError):
            system.lock(fd)
        other.kill()
        other.wait()
        system.lock(fd)
        os.close(fd)


def test_a_name_that_leads_elsewhere_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    fd = system.open_file(str(path), write=True, create=True)
    assert system.has_name(fd, str(path))
    path.rename(tmp_path / "other")
    assert not system.has_name(fd, str(path))
    path.write_bytes(b"another one")
    assert not system.has_name(fd, str(path))
    assert system.has_name(fd, str(tmp_path / "other"))
    os.close(fd)


def test_a_folder_that_is_claimed(tmp_path: Path) -> None:
    """Nothing of the claim stays behind."""
    claim = system.claim_folder(str(tmp_path))
    with pytest.raises(BlockingIOError):
        system.claim_folder(str(tmp_path))
    os.close(claim)
    os.close(system.claim_folder(str(tmp_path)))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="none"):
        system.claim_folder(str(tmp_path / "none"))


def test_a_claim_on_windows_that_nobody_can_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim whose file Windows has marked as gone is one that is held; other refusals are not."""
    from edgeolk.files import windows

    def refuses(*_: object) -> int:
        raise PermissionError(13, "refused")

    (tmp_path / "held").mkdir()
    (tmp_path / "held/.claimed").touch()
    monkeypatch.setattr(os, "open", refuses)
    with pytest.raises(BlockingIOError, match="is claimed"):
        windows.claim_folder(str(tmp_path / "held"))
    with pytest.raises(PermissionError, match="refused"):
        windows.claim_folder(str(tmp_path))


@pytest.mark.skipif(os.name != "nt", reason="elsewhere an open file is replaced all the same")
def test_a_file_that_another_program_has_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays as it is, says so, and is replaced when it is closed; nothing lies beside it."""
    from edgeolk.files import windows

    monkeypatch.setattr(windows, "_PAUSE", 0.0)
    path = tmp_path / "model"
    path.write_bytes(b"old")
    with open(path, "rb"), pytest.raises(PermissionError, match="open in another program"):
        write_atomically(path, [b"new"])
    assert path.read_bytes() == b"old"
    write_atomically(path, [b"new"])
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["model"]


@posix
def test_a_name_that_is_taken_is_not_written_to(tmp_path: Path) -> None:
    """Whatever was put there: a file, a link to one, a link that leads nowhere."""
    from edgeolk.files.posix import Folder

    (tmp_path / "victim").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    (tmp_path / "nowhere").symlink_to(tmp_path / "elsewhere")
    folder = Folder(str(tmp_path))
    try:
        for name in ("victim", "link", "nowhere"):
            with pytest.raises(FileExistsError):
                folder.make(name, 0o600)
    finally:
        folder.close()
    assert not (tmp_path / "elsewhere").exists()
