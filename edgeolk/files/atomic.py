"""Atomic writes: a reader finds the old content or the new one, even after a power cut.

The bytes go to a temporary file in the target's folder, which is synced to the device and renamed
to the target; then the folder is synced. Symbolic links are followed: the file they point to is
replaced, and they stay links. Only regular files are accepted.

Leftovers: a writer holds an exclusive lock on its temporary file as long as that file exists; the
system releases the lock when the writer dies. Every save removes unlocked temporary files of its
target. A file that was created but is not locked yet may be mistaken for a leftover: its writer
notices once it has the lock, and takes another name.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import zlib
from collections.abc import Iterable
from io import FileIO
from os import PathLike

from edgeolk.files import system

Path = str | bytes | PathLike[str] | PathLike[bytes]

#: Longer names (in bytes) are abbreviated in temporary names; the usual limit of these is 255.
_MAX_NAME = 200


def _refuse_irregular(mode: int, path: str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "is not a regular file: neither read nor replaced", path)


def _write_all(fd: int, pieces: Iterable[bytes | bytearray | memoryview]) -> None:
    for piece in pieces:
        rest = memoryview(piece).cast("B")
        while rest:
            rest = rest[os.write(fd, rest) :]


def _prefix(name: str) -> str:
    """Prefix of a target's temporary names: its name, or the checksum of a long name."""
    raw = os.fsencode(name)
    return f".{name}." if len(raw) <= _MAX_NAME else f".{zlib.crc32(raw):08x}."


def _is_ours(folder: system.Folder, temporary: str, fd: int) -> bool:
    """Lock a new temporary file; False if another process removes it as a leftover."""
    try:
        system.lock(fd)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks: no process removes leftovers there
    return folder.holds(temporary, fd)


def _remove_leftover(folder: system.Folder, temporary: str) -> None:
    """Remove a temporary file unless its writer is alive."""
    try:
        fd = folder.open(temporary)
    except OSError:
        return
    try:
        system.lock(fd)
        if stat.S_ISREG(os.fstat(fd).st_mode) and folder.holds(temporary, fd):
            folder.remove(temporary)
    except OSError:
        return  # locked, gone, or no permission
    finally:
        os.close(fd)


def _remove_leftovers(folder: system.Folder, name: str) -> None:
    # Imported here: reading does not need it.
    import re

    pattern = re.compile(re.escape(_prefix(name)) + r"[0-9a-f]{16}\.part")
    for entry in folder.names():
        if pattern.fullmatch(entry):
            _remove_leftover(folder, entry)


def _replace(
    folder: system.Folder,
    name: str,
    existing: os.stat_result | None,
    pieces: Iterable[bytes | bytearray | memoryview],
) -> int:
    """Write a temporary file and rename it to ``name``; it is removed on failure."""
    mode = 0o666 if existing is None else 0o600
    temporary, fd = "", -1
    try:
        while fd < 0:
            temporary = f"{_prefix(name)}{os.urandom(8).hex()}.part"
            try:
                fd = folder.make(temporary, mode)
            except FileExistsError:
                continue
            if not _is_ours(folder, temporary, fd):
                os.close(fd)
                fd = -1
        _write_all(fd, pieces)
        if existing is not None:
            system.keep_owner_and_mode(fd, existing)
        system.sync(fd)
        folder.replace(temporary, name)
    except BaseException:
        if fd >= 0:
            # The first error is the one to raise.
            with contextlib.suppress(OSError):
                folder.remove(temporary)
            os.close(fd)
        raise
    return fd


def write_atomically(path: Path, pieces: Iterable[bytes | bytearray | memoryview]) -> None:
    """Write a file atomically from these pieces, in order.

    A symbolic link is followed; mode and owner of an existing file are kept. Raises OSError: the
    file cannot be written, or is not a regular file; it is unchanged. Or its folder cannot be
    synced after the rename: the new file is intact, but a power cut may bring back the old one.
    """
    os.close(write_and_open(path, pieces))


def write_and_open(path: Path, pieces: Iterable[bytes | bytearray | memoryview]) -> int:
    """Write a file as ``write_atomically`` does; return its descriptor, open to read and write.

    If the file system has locks, the file was locked before it got its name, so no other process
    has written to it.
    """
    target = os.path.realpath(os.fsdecode(path))
    where, name = os.path.split(target)
    folder = system.Folder(where)
    try:
        existing = None
        with contextlib.suppress(FileNotFoundError):
            existing = folder.stat(name)
            _refuse_irregular(existing.st_mode, target)
        _remove_leftovers(folder, name)
        fd = _replace(folder, name, existing, pieces)
        try:
            folder.sync()
        except BaseException:
            os.close(fd)
            raise
        return fd
    finally:
        folder.close()


def _open_safely(path: str, _flags: int) -> int:
    return system.open_file(path)


def open_regular(path: Path) -> FileIO:
    """Open a regular file for unbuffered reading, without ever blocking.

    Raises OSError: there is no such file, or it is not a regular one.
    """
    name = os.fsdecode(path)
    file = FileIO(name, opener=_open_safely)
    mode = os.fstat(file.fileno()).st_mode
    if not stat.S_ISREG(mode):
        file.close()
        _refuse_irregular(mode, name)
    return file


def read_into(file: FileIO, memory: memoryview) -> int:
    """Fill memory from the file's position; return the bytes read, fewer at its end."""
    done = 0
    while done < len(memory):
        got = file.readinto(memory[done:])
        if not got:
            break
        done += got
    return done
