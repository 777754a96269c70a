"""Unpacking of text files: gzip and xz, a piece at a time and in bounded memory."""

from __future__ import annotations

import gzip
import io
import lzma
from typing import IO, cast

#: Bytes an xz file may ask for to be unpacked: its dictionary, which is its author's choice.
MOST_MEMORY = 16 << 20

_PIECE = 1 << 16
_GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"


class XzReader(io.RawIOBase):
    """The bytes of an xz file; unlike ``lzma.LZMAFile``, within `MOST_MEMORY`.

    file: where it is read from.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Unpack into a buffer; returns how many bytes, 0 at the end."""
        room = memoryview(buffer)  # type: ignore[arg-type]
        while not self._unpacker.eof:
            packed = self._file.read(_PIECE) if self._unpacker.needs_input else b""
            if self._unpacker.needs_input and not packed:
                raise EOFError
            data = self._unpacker.decompress(packed, max_length=len(room))
            if data:
                room[: len(data)] = data
                return len(data)
        return 0


def unpacked(raw: io.BufferedReader) -> io.BufferedReader:
    """Return the text of a file as bytes, whichever way it is packed, by its first bytes."""
    start = raw.peek(len(_XZ))
    if start.startswith(_GZIP):
        return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=raw)))
    if start.startswith(_XZ):
        return io.BufferedReader(XzReader(raw))
    return raw
