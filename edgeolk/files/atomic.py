"""Files written whole: a reader finds the old content or the new one, also after a power cut.

The bytes go to a temporary file in the target's own folder, are synced to the device, and the file
is renamed over the target; then the folder is synced. Symbolic links are followed, so the file they
lead to is replaced and they stay links. Whatever is not a regular file is refused.

Leftovers. A saver holds an exclusive lock on its temporary file for as long as that file
exists; the system takes the lock away when the saver dies. Every save removes the temporary files
of its own target that nobody has locked. A file between its creation and its lock may be taken for
a leftover: the saver finds that out when it has the lock, and takes another name.
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

#: Bytes of a name that leave room for what a temporary name adds, 255 being the usual limit.
_LONGEST = 200


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


def _beginning(name: str) -> str:
    """How the temporary names of a target begin; those of a long name hold its checksum."""
    raw = os.fsencode(name)
    return f".{name}." if len(raw) <= _LONGEST else f".{zlib.crc32(raw):08x}."


def _is_ours(folder: system.Folder, beside: str, fd: int) -> bool:
    """Lock a fresh temporary file; False if somebody takes it for a leftover meanwhile."""
    try:
        system.lock(fd)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks here: then nobody removes leftovers either
    return folder.holds(beside, fd)


def _remove_leftover(folder: system.Folder, beside: str) -> None:
    """Remove a temporary file unless its saver lives."""
    try:
        fd = folder.open(beside)
    except OSError:
        return
    try:
        system.lock(fd)
        if stat.S_ISREG(os.fstat(fd).st_mode) and folder.holds(beside, fd):
            folder.remove(beside)
    except OSError:
        return  # locked, gone, or not ours to remove
    finally:
        os.close(fd)


def _remove_leftovers(folder: system.Folder, name: str) -> None:
    # Imported here: who only reads does not need it.
    import re

    pattern = re.compile(re.escape(_beginning(name)) + r"[0-9a-f]{16}\.part")
    for entry in folder.names():
        if pattern.fullmatch(entry):
            _remove_leftover(folder, entry)


def _replace(
    folder: system.Folder,
    name: str,
    before: os.stat_result | None,
    pieces: Iterable[bytes | bytearray | memoryview],
) -> int:
    """Write a temporary file and rename it over the name; on a failure it is gone."""
    mode = 0o666 if before is None else 0o600
    beside, fd = "", -1
    try:
        while fd < 0:
            beside = f"{_beginning(name)}{os.urandom(8).hex()}.part"
            try:
                fd = folder.make(beside, mode)
            except FileExistsError:
                continue
            if not _is_ours(folder, beside, fd):
                os.close(fd)
                fd = -1
        _write_all(fd, pieces)
        if before is not None:
            system.keep_owner_and_mode(fd, before)
        system.sync(fd)
        folder.replace(beside, name)
    except BaseException:
        if fd >= 0:
            # What went wrong first is what the caller is told.
            with contextlib.suppress(OSError):
                folder.remove(beside)
            os.close(fd)
        raise
    return fd


def write_whole(path: Path, pieces: Iterable[bytes | bytearray | memoryview]) -> None:
    """Write a file that is either as it was or as it shall be, of these pieces in order.

    A symbolic link is followed; mode and owner of an existing file are kept. Raises OSError: the
    file cannot be written, or is not a regular file: it is as it was. Or its folder cannot be
    synced once it has the name: it is whole and new, and a cut of the power may bring back the old
    one.
    """
    os.close(placed_whole(path, pieces))


def placed_whole(path: Path, pieces: Iterable[bytes | bytearray | memoryview]) -> int:
    """Write a file as ``write_whole`` does, and keep it: its descriptor, to read and write.

    Where there are locks the file is locked, and was before it had its name: nobody has written to
    it.
    """
    target = os.path.realpath(os.fsdecode(path))
    where, name = os.path.split(target)
    folder = system.Folder(where)
    try:
        before = None
        with contextlib.suppress(FileNotFoundError):
            before = folder.stat(name)
            _refuse_irregular(before.st_mode, target)
        _remove_leftovers(folder, name)
        fd = _replace(folder, name, before, pieces)
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


def opened_regular(path: Path) -> FileIO:
    """A regular file, open for unbuffered reading; never waits for anybody.

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
    """Fill memory from where the file stands; returns the bytes read, fewer at its end."""
    done = 0
    while done < len(memory):
        got = file.readinto(memory[done:])
        if not got:
            break
        done += got
    return done
