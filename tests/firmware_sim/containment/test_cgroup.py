"""Control groups of both versions, in folders that stand for the kernel's."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from firmware_sim.containment import process
from firmware_sim.containment.cgroup import SLACK, MemoryGroup
from firmware_sim.errors import SimulatorError

#: The names of files by version: the limit, the usage, swapping and kills; and a mount.
FILES = {
    1: (
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "memory.swappiness",
        "memory.oom_control",
    ),
    2: ("memory.max", "memory.current", "memory.swap.max", "memory.events"),
}
MOUNTS = {1: "cgroup cgroup rw,memory", 2: "cgroup2 cgroup2 rw"}
GROUPS = {1: "4:memory:/\n", 2: "0::/\n"}
USAGE, CACHED = 5_000_000, 1_200_000


@pytest.fixture(params=[1, 2])
def group(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: Any) -> MemoryGroup:
    """A group that uses memory, a part of which is cached pages of files."""
    version, make = request.param, Path.mkdir

    def made(folder: Path, *words: Any, **how: Any) -> None:
        make(folder, *words, **how)
        for name in FILES[version]:
            (folder / name).write_text("0\n")
        (folder / FILES[version][1]).write_text(f"{USAGE}\n")
        (folder / "memory.stat").write_text(
            f"anon 3000000\ninactive_file {CACHED - 200_000}\nactive_file 200000\n"
        )

    mounts, own = tmp_path / "mounts", tmp_path / "own"
    mounts.write_text(f"30 1 0:1 / {tmp_path} rw - {MOUNTS[version]}\n")
    own.write_text(GROUPS[version])
    monkeypatch.setattr(Path, "mkdir", made)
    found = MemoryGroup(str(mounts), str(own))
    assert found.version == version
    return found


def file_of(group: MemoryGroup, kind: int) -> Path:
    return group.folder / FILES[group.version][kind]


def test_a_process_enters(group: MemoryGroup) -> None:
    group.enter(4321)
    assert (group.folder / "cgroup.procs").read_text() == "4321"


def test_a_closed_group_may_grow_by_the_slack(group: MemoryGroup) -> None:
    """Pages of files are given up first, and nothing goes to the disk."""
    group.close()
    assert int(file_of(group, 0).read_text()) == USAGE - CACHED + SLACK
    assert file_of(group, 2).read_text() == "0"


@pytest.mark.parametrize(("refusals", "spared"), [(1, CACHED // 2), (2, CACHED)])
def test_pages_that_cannot_be_given_up_are_spared(
    group: MemoryGroup, refusals: int, spared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_limits(monkeypatch, refusals)
    group.close()
    assert int(file_of(group, 0).read_text()) == USAGE - CACHED + spared + SLACK


def test_a_limit_that_is_refused_to_the_end_is_an_error(
    group: MemoryGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_limits(monkeypatch, 3)
    with pytest.raises(OSError, match="busy"):
        group.close()


def refuse_limits(monkeypatch: pytest.MonkeyPatch, refusals: int) -> None:
    """Refuse a limit so many times."""
    left, write = [refusals], Path.write_text

    def written(path: Path, text: str, *words: Any, **how: Any) -> int:
        if path.name in (FILES[1][0], FILES[2][0]) and left[0]:
            left[0] -= 1
            raise OSError(errno.EBUSY, "busy")
        return write(path, text, *words, **how)

    monkeypatch.setattr(Path, "write_text", written)


@pytest.mark.parametrize(
    ("told", "killed"),
    [
        ("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", False),
        ("low 0\noom 3\noom_kill 1\noom_group_kill 0\n", True),
        ("oom_kill_disable 0\nunder_oom 0\n", True),  # a kernel that does not count
    ],
    ids=["none", "one", "not counted"],
)
def test_kills_are_read(group: MemoryGroup, told: str, killed: bool) -> None:
    file_of(group, 3).write_text(told)
    assert group.killed == killed


def test_a_group_that_is_gone_has_killed_nobody(group: MemoryGroup) -> None:
    for file in group.folder.iterdir():
        file.unlink()
    group.remove()
    assert not group.folder.exists()
    assert not group.killed
    group.remove()  # nothing is left to remove


# ---- the process enters --------------------------------------------------------------------------


class Closed:
    """A group that no process may enter."""

    removed: list[Closed] = []  # noqa: RUF012

    def enter(self, pid: int) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    def remove(self) -> None:
        self.removed.append(self)


def test_a_group_that_nobody_may_enter_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another limit is taken unless this one was asked for."""
    monkeypatch.setattr(process, "MemoryGroup", Closed)
    monkeypatch.setattr(Closed, "removed", [])
    assert process._group_for("auto", 1) == (None, "cgroup: Permission denied")
    with pytest.raises(SimulatorError, match="no memory control group: Permission denied"):
        process._group_for("cgroup", 1)
    assert len(Closed.removed) == 2
    assert process._group_for("rlimit", 1) == (None, "")


def test_a_folder_that_takes_no_group_is_named(tmp_path: Path) -> None:
    mounts, own = tmp_path / "mounts", tmp_path / "own"
    mounts.write_text(
        f"30 1 0:1 / {tmp_path}/none rw - {MOUNTS[1]}\n"
        f"31 1 0:2 /other {tmp_path} rw - {MOUNTS[2]}\n"
        f"32 1 0:3 / {tmp_path} rw - cgroup cgroup rw,cpu\n"
    )
    own.write_text("4:memory:/mine\n")
    with pytest.raises(FileNotFoundError) as absent:
        (tmp_path / "none" / "mine").mkdir()
    with pytest.raises(OSError, match=f"^{absent.value.strerror}$"):
        MemoryGroup(str(mounts), str(own))
    own.write_text("0::/mine\n")  # no group of version 1, and that of 2 is not in its mount
    with pytest.raises(OSError, match=r"^no memory control groups are mounted$"):
        MemoryGroup(str(mounts), str(own))


def test_a_group_is_removed_when_its_last_process_has_ended(
    group: MemoryGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Path] = []

    def rmdir(folder: Path) -> None:
        tried.append(folder)
        if len(tried) != 3:
            raise OSError(errno.EBUSY, "busy")

    monkeypatch.setattr(Path, "rmdir", rmdir)
    monkeypatch.setattr("firmware_sim.containment.cgroup.time.sleep", lambda seconds: None)
    group.remove()
    assert tried == [group.folder] * 3
    group.remove()  # after so many tries it stays
    assert len(tried) == 103


def test_without_groups_another_limit_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise OSError("none are mounted")

    monkeypatch.setattr(process, "MemoryGroup", absent)
    assert process._group_for("auto", 1) == (None, "cgroup: none are mounted")
    with pytest.raises(SimulatorError, match="no memory control group: none are mounted"):
        process._group_for("cgroup", 1)
