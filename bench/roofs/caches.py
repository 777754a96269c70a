"""The caches of a core, and which of them a ring is read from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PLACE = Path("/sys/devices/system/cpu/cpu0/cache")
LEVELS = ("L1", "L2", "beyond")


@dataclass(frozen=True)
class Caches:
    """Bytes of the first two levels, for data."""

    l1: int
    l2: int

    def level(self, nbytes: int) -> str:
        """Return the smallest level that holds so many bytes.

        All of it counts as free, so that the roof is never below what the machine can do.
        """
        return "L1" if nbytes <= self.l1 else "L2" if nbytes <= self.l2 else "beyond"

    def buffers(self) -> dict[str, int]:
        """Bytes to read so that they come from each level."""
        return {"L1": self.l1 // 2, "L2": self.l2 // 2, "beyond": 4 * self.l2}


def caches(l1: int | None = None, l2: int | None = None) -> Caches:
    """Of this machine, or as given in KiB.

    Raises
    ------
    RuntimeError
        The system does not say and nothing was given.
    """
    sizes = [1024 * size if size else found(level) for level, size in ((1, l1), (2, l2))]
    if not all(sizes):
        raise RuntimeError("the system does not say how large the caches are: give --l1 and --l2")
    return Caches(*sizes)


def found(level: int) -> int:
    """Bytes of a level's cache for data as the system tells them, 0 where it does not."""
    for index in sorted(PLACE.glob("index*")):
        try:
            read = [(index / name).read_text().strip() for name in ("level", "type", "size")]
        except OSError:
            continue
        if read[0] == str(level) and read[1] in ("Data", "Unified"):
            return 1024 * int(read[2].removesuffix("K"))
    name = {1: "SC_LEVEL1_DCACHE_SIZE", 2: "SC_LEVEL2_CACHE_SIZE"}[level]
    return max(os.sysconf(name), 0) if name in os.sysconf_names else 0
