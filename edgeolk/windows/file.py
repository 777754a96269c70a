"""The file of windows: options, the samples in the ring, and when the next row is due.

Little-endian::

    0   4s  mark "eolw"        12  I   features, as the bits of c/window_block.h
    4   B   version            16  H   size           24  H   numbers of edges
    5   B   1: float32         18  H   hop            26  H   samples in the ring
    6   B   1: envelope        20  H   channels       28  f   rate
    7   B   0                  22  H   samples to the next row
    8   I   CRC-32 of the file, with these four bytes as 0

Then the edges (H each) and the samples, the oldest first. Sums are not stored: they are made again
from the samples, so a forged file cannot have impossible ones.
"""

from __future__ import annotations

import io
import struct
import zipfile
from os import PathLike
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from edgeolk.files.atomic import open_regular, write_atomically
from edgeolk.windows.plan import BITS, WindowsPlan, windows_plan
from edgeolk.windows.samples import check_samples

MARK = b"eolw"
#: How an archive begins, and its files.
ARCHIVE = b"PK\x03\x04"
LEARNER, WINDOWS, ABOUT = "learner.olk", "windows.eolw", "about.json"
#: Files of a simulator's archive that a learner alone would miss.
REPLAYED = ("scaler.olk", "targets.olk")
VERSION = 1
_HEAD = struct.Struct("<4s4BI I 6H f")
_CRC = slice(8, 12)
#: The largest possible file, 1,024 samples of 64 channels, is shorter.
_MAX_BYTES = 1 << 19


def packed(plan: WindowsPlan, due: int, samples: NDArray[Any]) -> bytes:
    """The bytes of the file."""
    head = _HEAD.pack(
        *(MARK, VERSION, plan.dtype == "float32", plan.envelope, 0, 0, plan.bits),
        *(plan.size, plan.hop, plan.channels, due, len(plan.edges), len(samples), plan.rate),
    )
    edges = np.array(plan.edges, "<u2").tobytes()
    data = bytearray(head + edges + samples.astype(samples.dtype.newbyteorder("<")).tobytes())
    data[_CRC] = crc32(data).to_bytes(4, "little")
    return bytes(data)


def unpacked(data: bytes) -> tuple[dict[str, Any], int, NDArray[Any]]:
    """The arguments of ``Windows``, samples to the next row, and the samples.

    Raises ValueError: not a complete, consistent file of windows.
    """
    if data[: len(MARK)] != MARK or len(data) < _HEAD.size:
        raise ValueError("not a file of windows: it does not begin with their mark")
    unmarked = bytearray(data)
    unmarked[_CRC] = bytes(4)
    (_, version, is_float, envelope, unused, crc, bits, size, hop, channels, due, n_edges, filled,
     rate) = _HEAD.unpack_from(data)  # fmt: skip
    if version != VERSION:
        raise ValueError(f"the windows are of format {version}; this version reads {VERSION}")
    if crc32(unmarked) != crc:
        raise ValueError("the file of windows is damaged: its CRC-32 does not match")
    edges = np.frombuffer(data, "<u2", n_edges, _HEAD.size) if n_edges else np.zeros(0, np.uint16)
    half = 0.5 * rate / max(size, 1)
    options: dict[str, Any] = {
        **{"channels": channels, "size": size, "hop": hop, "rate": rate},
        "features": tuple(name for name, bit in BITS.items() if bits & bit),
        "dtype": "float32" if is_float else "int16",
        "bands": tuple(float(edge) * rate / size - half for edge in edges) or None,
        "envelope": bool(envelope),
    }
    try:
        plan = windows_plan(**options)
        start = _HEAD.size + 2 * n_edges
        samples = np.frombuffer(data, np.dtype(plan.dtype).newbyteorder("<"), offset=start)
        samples = samples.reshape(-1, plan.channels).astype(plan.dtype)
        samples = check_samples("samples", samples, 2, plan.channels, plan.dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the file of windows is inconsistent: {error}") from None
    if (
        plan.bits != bits
        or plan.edges != tuple(edges)
        or unused
        or max(is_float, envelope) > 1
        or len(samples) != filled
        or filled > size
        or not 1 <= due <= size
        or (due > hop if filled == size else due != size - filled)
    ):
        raise ValueError("the file of windows is inconsistent: its header contradicts itself")
    return options, due, samples


def write(path: str | PathLike[str], data: bytes, learner: Any = None) -> None:
    """Write the bytes to a file, with those of a learner in an archive if there is one.

    Raises TypeError: it is not a learner.
    """
    if learner is None:
        write_atomically(path, (data,))
        return
    if not hasattr(learner, "_sealed"):
        raise TypeError(f"learner must be an edgeolk.Learner, got {type(learner).__name__}")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as box:  # the same state gives the same file
        box.writestr(zipfile.ZipInfo(LEARNER), bytes(learner._sealed()))
        box.writestr(zipfile.ZipInfo(WINDOWS), data)
        if hasattr(type(learner), "_about"):  # a learner with names
            box.writestr(zipfile.ZipInfo(ABOUT), learner._about())
    write_atomically(path, (archive.getvalue(),))


def has_windows(path: str | PathLike[str]) -> bool:
    """Whether a file is an archive with windows."""
    with open_regular(path) as file:
        if file.read(len(ARCHIVE)) != ARCHIVE:
            return False
        with zipfile.ZipFile(file) as box:
            return WINDOWS in box.namelist()


def read(path: str | PathLike[str]) -> bytes:
    """The bytes of windows in a file; only their length is checked.

    Raises ValueError: an archive without windows.
    """
    with open_regular(path) as file:
        start = file.read(_MAX_BYTES)
        if not start.startswith(ARCHIVE):
            return start
        file.seek(0)
        try:
            with zipfile.ZipFile(file) as box:
                about = box.getinfo(WINDOWS)
                if about.compress_type != zipfile.ZIP_STORED or about.file_size > _MAX_BYTES:
                    raise ValueError(f"{WINDOWS} is compressed or too large")
                return box.read(about)
        except (zipfile.BadZipFile, KeyError, NotImplementedError, ValueError) as error:
            raise ValueError(f"the file has no windows: {error}") from None
