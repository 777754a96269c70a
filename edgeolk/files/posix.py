"""Files on Linux, macOS and similar systems; the same names as in ``windows``.

Functions that a system may lack are looked up when needed: macOS has ``preadv`` since version 11,
no ``posix_fadvise``, and an ``fsync`` that does not reach the device, for which it has
``F_FULLFSYNC``. Python opens all files so that child processes do not inherit them.
"""

from __future__ import annotations

import errno
import os
import stat

REPLACES_OPEN = True
#: Errors that mean "this file system does not support that", not "the data are lost".
_NOT_HERE = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.ENOTTY)


def open_file(path: str, *, write: bool = False, create: bool = False) -> int:
    """A descriptor to read, or to read and write; opening a FIFO does not block."""
    flags = (os.O_RDWR if write else os.O_RDONLY) | (os.O_CREAT if create else 0)
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


def lock(fd: int) -> None:
    """Lock an open file exclusively.

    Raises BlockingIOError: another process has the lock. OSError: the file system has no locks.
    """
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sync(fd: int) -> None:
    """Return when the data of a file, or the names in a folder, are on the device."""
    import fcntl

    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        try:
            fcntl.fcntl(fd, full)
        except OSError as error:
            if error.errno not in _NOT_HERE:
                raise
        else:
            return
    os.fsync(fd)


def read_at(fd: int, memory: memoryview, offset: int) -> int:
    """Read some bytes at an offset; 0 at the end."""
    if hasattr(os, "preadv"):
        return os.preadv(fd, [memory], offset)
    got = os.pread(fd, len(memory), offset)
    memory[: len(got)] = got
    return len(got)


def write_at(fd: int, memory: memoryview, offset: int) -> int:
    """Write some bytes at an offset."""
    return os.pwrite(fd, memory, offset)


def forget(fd: int) -> None:
    """Drop the cached data of a file that failed to reach the device."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def keep_owner_and_mode(fd: int, before: os.stat_result) -> None:
    """Copy owner and mode from the replaced file, as far as this process may set them."""
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
                mode &= ~0o070  # our group does not get the rights of another group
    os.fchmod(fd, mode)


def has_name(fd: int, path: str) -> bool:
    """Whether a path refers to an open file."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def sync_folder_at(path: str) -> None:
    """Sync the names in a folder to the device.

    Skipped without the permission to read it: then this process has created no file there.
    """
    try:
        folder = Folder(path)
    except PermissionError:
        return
    try:
        folder.sync()
    finally:
        folder.close()


def claim_folder(path: str) -> int:
    """Lock a folder exclusively; return the descriptor that holds the lock.

    Raises BlockingIOError: another process has the lock. OSError: the folder cannot be opened.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lock(folder)
    except BaseException:
        os.close(folder)
        raise
    return folder


class Folder:
    """An open folder: operations act in it even if its path is renamed or replaced meanwhile."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def names(self) -> list[str]:
        return os.listdir(self._fd)

    def stat(self, name: str) -> os.stat_result:
        """The status of a name, without following links."""
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def make(self, name: str, mode: int) -> int:
        """A new file, open to read and write. Raises FileExistsError: the name is taken."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_NONBLOCK
        return os.open(name, flags, mode, dir_fd=self._fd)

    def open(self, name: str) -> int:
        """Open a file to read; links are not followed."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        return os.open(name, flags, dir_fd=self._fd)

    def holds(self, name: str, fd: int) -> bool:
        """Whether a name in this folder refers to an open file."""
        try:
            return os.path.samestat(os.fstat(fd), self.stat(name))
        except FileNotFoundError:
            return False

    def remove(self, name: str) -> None:
        os.unlink(name, dir_fd=self._fd)

    def replace(self, name: str, other: str) -> None:
        """Rename a file to ``other`` atomically, replacing it."""
        os.replace(name, other, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def sync(self) -> None:
        """Sync renames and new names to the device, if the file system supports it."""
        try:
            sync(self._fd)
        except OSError as error:
            if error.errno not in _NOT_HERE:
                raise

    def close(self) -> None:
        os.close(self._fd)
