"""Who writes where a process forks: its parent alone, and no lock stays behind."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from edgeolk.files import locked, system

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here"),
    # Of threads that numpy's libraries have, and that the child does not use.
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]


def in_child(act: Callable[[], str]) -> str:
    """What a forked process says."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        try:
            said = act()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(into, said.encode())
        os._exit(0)
    os.close(into)
    with open(out, "rb") as file:
        said = file.read().decode()
    os.waitpid(child, 0)
    return said


def learner_at(steps: int) -> ek.Learner:
    learner = ek.Learner("rbp", n_features=1, budget=4)
    for _ in range(steps):
        learner.learn_one([1.0], 1)
    return learner


def place_of(kind: str, folder: Path) -> Any:
    if kind == "mapped":
        return mmap.mmap(-1, 1 << 16)
    if kind == "folder":
        (folder / "kept").mkdir()
    return folder / "kept"


@pytest.mark.parametrize("kind", ["folder", "file", "mapped"])
def test_a_forked_process_does_not_write_with_its_parents(kind: str, tmp_path: Path) -> None:
    place = place_of(kind, tmp_path)
    checkpoints = ek.Checkpointer(place, every=1)
    checkpoints.write(learner_at(1))
    said = in_child(lambda: str(checkpoints.write(learner_at(5))))
    assert said.startswith("RuntimeError: these checkpoints are written by process")
    assert str(os.getpid()) in said
    assert in_child(lambda: str(checkpoints.step(learner_at(5)))).startswith("RuntimeError")
    assert in_child(lambda: str(checkpoints.open().steps)) == "1"
    # The parent goes on.
    assert checkpoints.write(learner_at(2)) == 2
    assert ek.Checkpointer.restore(place).steps == 2


def test_a_checkpointer_of_its_own_waits_for_the_parents(tmp_path: Path) -> None:
    checkpoints = ek.Checkpointer(tmp_path / "kept")
    checkpoints.write(learner_at(1))

    def write() -> str:
        return str(ek.Checkpointer(tmp_path / "kept").write(learner_at(5)))

    assert "is being written by another checkpointer" in in_child(write)
    checkpoints.close()
    assert in_child(write) == "2"


def test_made_before_the_fork_it_is_of_whom_writes_first(tmp_path: Path) -> None:
    """A program that begins, forks and ends, leaving its child to run."""
    checkpoints = ek.Checkpointer(tmp_path / "kept")
    assert in_child(lambda: str(checkpoints.write(learner_at(3)))) == "1"
    assert checkpoints.open().steps == 3
    assert checkpoints.write(learner_at(4)) == 2


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_lock_ends_with_its_process_though_a_child_lives(kind: str, tmp_path: Path) -> None:
    place = place_of(kind, tmp_path)
    ready, told = os.pipe()
    boss = os.fork()
    if not boss:
        checkpoints = ek.Checkpointer(place)
        checkpoints.write(learner_at(1))
        if not os.fork():
            os.write(told, os.getpid().to_bytes(4, "little"))
        while True:
            signal.pause()
    os.close(told)
    worker = int.from_bytes(os.read(ready, 4), "little")
    os.kill(boss, signal.SIGKILL)
    os.waitpid(boss, 0)
    os.close(ready)
    try:
        with ek.Checkpointer(place) as checkpoints:
            found = checkpoints.open()
            found.learn_one([1.0], 1)
            assert checkpoints.write(found) == 2
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


def test_a_child_closes_the_files_of_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = locked.OpenFile(str(tmp_path / "kept"))
    assert file.fd(True) >= 0
    monkeypatch.setattr(locked, "_open_files", {file})
    locked._let_go()
    assert file._fd == -1


def test_another_process_owns_the_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints = ek.Checkpointer(tmp_path / "kept")
    checkpoints.write(learner_at(1))
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    with pytest.raises(RuntimeError, match=f"process {here}, from which process {here + 1}"):
        checkpoints.write(learner_at(2))
    monkeypatch.undo()
    assert checkpoints.open().steps == 1


def test_a_file_system_without_locks_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(system, "lock", refuse)
    ek.Checkpointer(tmp_path / "kept").write(learner_at(3))
    assert ek.Checkpointer.restore(tmp_path / "kept").steps == 3


def test_a_system_that_replaces_no_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "REPLACES_OPEN", False)
    with ek.Checkpointer(tmp_path / "kept") as checkpoints:
        for steps in (1, 2):
            assert checkpoints.write(learner_at(steps)) == steps
    assert ek.Checkpointer.restore(tmp_path / "kept").steps == 2


def test_a_folder_of_this_name_has_no_bytes(tmp_path: Path) -> None:
    assert locked.OpenFile(str(tmp_path)).start(0, 8) == b""
    (tmp_path / "kept").write_bytes(b"12345")
    assert locked.OpenFile(str(tmp_path / "kept")).start(1, 8) == b"2345"
