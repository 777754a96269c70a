"""A place of every kind for two small checkpoints."""

from __future__ import annotations

import mmap
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeolk.files import locked
from edgeolk.files.slots import Slots

PAYLOAD = bytes(range(256)) * 20
places = pytest.mark.parametrize("kind", ["folder", "file", "bytearray", "numpy", "mmap", "device"])


def place_of(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Space for two slots of 8 KiB."""
    if kind == "folder":
        (folder / "kept").mkdir()
        return folder / "kept"
    if kind == "file":
        return folder / "kept"
    if kind == "device":
        # As far as anybody can tell, a block device: of fixed size, and not a regular file.
        (folder / "kept").write_bytes(bytes(20_000))
        monkeypatch.setattr(locked.stat, "S_ISBLK", stat.S_ISREG)
        monkeypatch.setattr(locked.stat, "S_ISREG", lambda mode: False)
        return folder / "kept"
    if kind == "mmap":
        return mmap.mmap(-1, 20_000)
    return bytearray(20_000) if kind == "bytearray" else np.zeros((5, 500))


def opened(medium: Any) -> tuple[Any, Slots]:
    slots = Slots(medium, bytes)
    return slots.open(), slots
