"""Unpacks gzip, xz, bzip2 and ZIP files piece by piece, in bounded memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from typing import IO, cast

from firmware_sim.errors import StreamError

#: Most bytes of memory to unpack an xz file, whose author chooses the dictionary size.
MAX_MEMORY = 16 << 20

_PIECE = 1 << 16
GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"
_BZ2 = b"BZh"
_ZIP = b"PK\x03\x04"
#: Bytes inspected to detect the format.
BUFFER = 1 << 16
#: Exceptions that damaged compressed data raise, besides OSError and EOFError.
DAMAGES = (zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError, RuntimeError)
#: Replaces data that cannot be unpacked; the NUL byte cannot occur in a row.
DAMAGED_END = b"\n\0the compressed data end here: they are truncated or damaged\n"
_IS_HIDDEN = re.compile(r"(^|/)(\.|__MACOSX/|README|LICENSE|Thumbs\.db)", re.IGNORECASE)
_LOGS = (".csv", ".tsv", ".txt", ".log", ".dat", ".json", ".jsonl", ".ndjson", ".arff", ".data")


class XzReader(io.RawIOBase):
    """The bytes of an xz file; unlike ``lzma.LZMAFile``, within `MOST_MEMORY`.

    file: the compressed file.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_MEMORY)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Unpack into a buffer; return the number of bytes, 0 at the end."""
        target = memoryview(buffer)  # type: ignore[arg-type]
        while not self._unpacker.eof:
            packed = self._file.read(_PIECE) if self._unpacker.needs_input else b""
            if self._unpacker.needs_input and not packed:
                raise EOFError
            data = self._unpacker.decompress(packed, max_length=len(target))
            if data:
                target[: len(data)] = data
                return len(data)
        return 0


def unpacked(raw: io.BufferedReader) -> io.BufferedReader:
    """Return the unpacked bytes of a file; its first bytes show how it is packed.

    Raises StreamError: an archive contains no log, or several.
    """
    start = raw.peek(len(_XZ))
    if start.startswith(GZIP):
        return _buffered(gzip.GzipFile(fileobj=raw))
    if start.startswith(_XZ):
        return _buffered(XzReader(raw))
    if start.startswith(_BZ2):
        return _buffered(bz2.BZ2File(raw))
    if start.startswith(_ZIP):
        return _buffered(_only_log(raw))
    return raw


def _buffered(file: object) -> io.BufferedReader:
    return io.BufferedReader(_UntilDamage(cast(IO[bytes], file)), BUFFER)


class _UntilDamage(io.RawIOBase):
    """The bytes of a packed file up to the first damage, then a line that reports it.

    After a power cut the end of a file is missing, but the data before it are good. A file of which
    nothing can be unpacked raises an error.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._read = getattr(file, "read1", file.read)
        self._is_over, self._gave = False, False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Unpack into a buffer; return the number of bytes, 0 at the end."""
        target = memoryview(buffer)  # type: ignore[arg-type]
        if self._is_over:
            return 0
        try:
            # read1 returns the data before any damage first.
            data = self._read(min(len(target), _PIECE))
        except (OSError, EOFError, *DAMAGES):
            if not self._gave:
                raise
            self._is_over = True
            data = DAMAGED_END
        self._gave = True
        target[: len(data)] = data
        return len(data)


def _only_log(raw: io.BufferedReader) -> IO[bytes]:
    """Open the only log in a ZIP archive."""
    archive = zipfile.ZipFile(raw)
    members = [one for one in archive.infolist() if not one.is_dir() and one.file_size]
    members = [one for one in members if not _IS_HIDDEN.search(one.filename)]
    logs = [one for one in members if one.filename.lower().endswith(_LOGS)] or members
    if len(members) == 1 or len(logs) == 1:
        if logs[0].flag_bits & 1:
            raise StreamError(f"it is a ZIP archive whose {logs[0].filename!r} needs a password")
        return archive.open(logs[0])
    named = ", ".join(one.filename for one in members[:6]) + (", ..." * (len(members) > 6))
    what = f"several files: {named}; unzip it and name one" if members else "no log"
    raise StreamError(f"it is a ZIP archive that contains {what}")
