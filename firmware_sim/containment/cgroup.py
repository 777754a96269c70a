"""A new memory control group, version 1 or 2, if the system allows one.

The group is created below (version 2: or next to) the group of this process, so that the limits of
this process also apply to its child.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

#: Bytes by which a closed group may still grow: the kernel charges memory in batches of 256 KiB.
SLACK = 256 * 1024


class MemoryGroup:
    """An empty group; raises ``OSError`` if none can be created.

    mounts, own: files that list the mounted file systems and the groups of this process.
    version: 1 or 2.
    """

    def __init__(
        self, mounts: str = "/proc/self/mountinfo", own: str = "/proc/self/cgroup"
    ) -> None:
        reasons = []
        for version, place in _places(Path(mounts).read_text(), Path(own).read_text()):
            folder = place / f"firmware-sim-{os.getpid()}-{time.monotonic_ns()}"
            try:
                folder.mkdir()
            except OSError as error:
                reasons.append(f"{error.strerror or error}")
                continue
            self.folder, self.version = folder, version
            if self._file("limit").exists():
                return
            reasons.append(f"no memory controller in version {version}")
            self.remove()
        raise OSError("; ".join(dict.fromkeys(reasons)) or "no memory control groups are mounted")

    def _file(self, what: str) -> Path:
        names = {
            "limit": ("memory.limit_in_bytes", "memory.max"),
            "usage": ("memory.usage_in_bytes", "memory.current"),
            "swap": ("memory.swappiness", "memory.swap.max"),
            "kills": ("memory.oom_control", "memory.events"),
        }
        return self.folder / names[what][self.version - 1]

    def enter(self, pid: int) -> None:
        """Put a process into the group."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def close(self) -> None:
        """Limit the growth of the group to `SLACK`; cached file pages are evicted first."""
        with contextlib.suppress(OSError):
            self._file("swap").write_text("0")
        usage = int(self._file("usage").read_text())
        cached = self._cached()
        for spared in (0, cached // 2, cached):  # mapped pages cannot be evicted
            try:
                self._file("limit").write_text(str(max(usage - cached + spared, 0) + SLACK))
                return
            except OSError as error:
                failure = error
        raise failure

    @property
    def killed(self) -> bool:
        """Whether the kernel has killed a process of the group at its memory limit."""
        try:
            lines = self._file("kills").read_text().split("\n")
        except OSError:
            return False
        counts = [int(line.split()[1]) for line in lines if line.startswith("oom_kill ")]
        # Kernels before 4.13 do not count kills: assume that the limit was the reason.
        return any(counts) if counts else True

    def _cached(self) -> int:
        lines = (self.folder / "memory.stat").read_text().splitlines()
        wanted = ("inactive_file", "active_file")
        return sum(int(line.split()[1]) for line in lines if line.split()[0] in wanted)

    def remove(self) -> None:
        """Remove the group; its processes must have ended."""
        for _ in range(100):
            try:
                self.folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:  # the last process may still be exiting
                time.sleep(0.001)


def _places(mounts: str, own: str) -> list[tuple[int, Path]]:
    """Return possible parent folders, version 1 first: only one version controls memory."""
    groups = {}
    for line in own.splitlines():
        _, controllers, group = line.split(":", 2)
        groups[controllers] = group
    found = []
    path: str | None
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        root, point = before.split()[3:5]
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup" and "memory" in options.split(","):
            path = next((p for names, p in groups.items() if "memory" in names.split(",")), None)
            version = 1
        elif kind == "cgroup2":
            path, version = groups.get(""), 2
        else:
            continue
        if path is None or not (root == "/" or (path + "/").startswith(root + "/")):
            continue
        place = Path(point) / path.removeprefix(root if root != "/" else "").lstrip("/")
        found.append((version, place))
        if version == 2 and place != Path(point):
            found.append((version, place.parent))  # a group with processes has no children
    return sorted(found, key=lambda item: item[0])
