"""Files written whole: a reader finds the old content or the new one, also after a power cut.

The bytes go to a temporary file in the target's own folder, are synced to the device, and the file
is renamed over the target; then the folder is synced. Symbolic links are followed, so the file they
lead to is replaced and they stay links. Whatever is not a regular file is refused.

Leftovers. A saver holds an exclusive ``flock`` on its temporary file for as long as that file
exists; the kernel takes the lock away when the saver dies. Every save removes the temporary files
of its own target that nobody has locked. A file between its creation and its lock may be taken for
a leftover: the saver finds that out when it has the lock, and takes another name.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import zlib
from collections.abc import Iterable
from io import FileIO
from os import PathLike

Path = str | bytes | PathLike[str] | PathLike[bytes]

#: Reading and writing must not hang on a FIFO, nor follow what was put under a temporary name.
_SAFE = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_FRESH = os.O_RDWR | os.O_CREAT | os.O_EXCL | _SAFE
#: Bytes of a name that leave room for what a temporary name adds, 255 being the usual limit.
_LONGEST = 200
#: Errors that say "this file system cannot do that", not "the data are lost".
_NOT_HERE = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


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


def _is_ours(fd: int) -> bool:
    """Lock a fresh temporary file; False if somebody takes it for a leftover meanwhile."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks here: then nobody removes leftovers either
    return os.fstat(fd).st_nlink > 0


def _remove_leftover(folder: int, beside: str) -> None:
    """Remove a temporary file unless its saver lives."""
    try:
        fd = os.open(beside, os.O_RDONLY | _SAFE, dir_fd=folder)
    except OSError:
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ours, theirs = os.fstat(fd), os.stat(beside, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(ours.st_mode) and os.path.samestat(ours, theirs):
            os.unlink(beside, dir_fd=folder)
    except OSError:
        return  # locked, gone, or not ours to remove
    finally:
        os.close(fd)


def _remove_leftovers(folder: int, name: str) -> None:
    # Imported here: who only reads does not need it.
    import re

    pattern = re.compile(re.escape(_beginning(name)) + r"[0-9a-f]{16}\.part")
    for entry in os.listdir(folder):
        if pattern.fullmatch(entry):
            _remove_leftover(folder, entry)


def _keep_owner_and_mode(fd: int, before: os.stat_result) -> None:
    """Those of the file that is replaced, as far as this process may set them."""
    mode = stat.S_IMODE(before.st_mode)
    now = os.fstat(fd)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(fd, before.st_uid, before.st_gid)
        except OSError:
            mode &= 0o777
            try:
                os.fchown(fd, -1, before.st_gid)
            except OSError:
                mode &= ~0o070  # the rights of another group are not given to ours
    os.fchmod(fd, mode)


def sync_folder(folder: int) -> None:
    """Make renames and new names of an open folder last, where the file system can."""
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _NOT_HERE:
            raise


def sync_folder_at(path: str) -> None:
    """Make the names in a folder last.

    Who may not read the folder has made no file in it: another one's names are not ours to sync.
    """
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        sync_folder(folder)
    finally:
        os.close(folder)


def _replace(
    folder: int,
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
                fd = os.open(beside, _FRESH, mode, dir_fd=folder)
            except FileExistsError:
                continue
            if not _is_ours(fd):
                os.close(fd)
                fd = -1
        _write_all(fd, pieces)
        if before is not None:
            _keep_owner_and_mode(fd, before)
        os.fsync(fd)
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        if fd >= 0:
            # What went wrong first is what the caller is told.
            with contextlib.suppress(OSError):
                os.unlink(beside, dir_fd=folder)
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
    folder = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        before = None
        with contextlib.suppress(FileNotFoundError):
            before = os.stat(name, dir_fd=folder, follow_symlinks=False)
            _refuse_irregular(before.st_mode, target)
        _remove_leftovers(folder, name)
        fd = _replace(folder, name, before, pieces)
        try:
            sync_folder(folder)
        except BaseException:
            os.close(fd)
            raise
        return fd
    finally:
        os.close(folder)


def _open_safely(path: str, _flags: int) -> int:
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)


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
