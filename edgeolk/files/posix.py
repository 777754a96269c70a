"""Files of Linux, macOS and their like; of the same names as those of ``windows``.

What one of these systems lacks is looked for when it is needed: macOS has ``preadv`` since version
11, no ``posix_fadvise``, and an ``fsync`` that stops short of the device, for which it has
``F_FULLFSYNC``. Python opens everything so that children do not inherit it.
"""

from __future__ import annotations

import errno
import os
import stat

REPLACES_OPEN = True
#: Errors that say "this file system cannot do that", not "the data are lost".
_NOT_HERE = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.ENOTTY)


def open_file(path: str, *, write: bool = False, create: bool = False) -> int:
    """A descriptor to read, or to read and write; opening does not wait for a FIFO's other end."""
    flags = (os.O_RDWR if write else os.O_RDONLY) | (os.O_CREAT if create else 0)
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


def lock(fd: int) -> None:
    """Keep others out of an open file.

    Raises BlockingIOError: another one has it. OSError: there are no locks here.
    """
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sync(fd: int) -> None:
    """Return when what was written to a file, or the names in a folder, are on the device."""
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
    """Drop what the cache has of a file that failed to reach the device."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def keep_owner_and_mode(fd: int, before: os.stat_result) -> None:
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


def has_name(fd: int, path: str) -> bool:
    """Whether an open file is what a path leads to."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def sync_folder_at(path: str) -> None:
    """Make the names in a folder last.

    Who may not read the folder has made no file in it: another one's names are not ours to sync.
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
    """A descriptor that keeps others out of a folder; the lock is the folder's own.

    Raises BlockingIOError: another one has it. OSError: it cannot be opened.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lock(folder)
    except BaseException:
        os.close(folder)
        raise
    return folder


class Folder:
    """An open folder: what is done in it is done there, wherever its name leads meanwhile."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def names(self) -> list[str]:
        return os.listdir(self._fd)

    def stat(self, name: str) -> os.stat_result:
        """What a name is itself, a link being one."""
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def make(self, name: str, mode: int) -> int:
        """A new file, open to read and write. Raises FileExistsError: the name is taken."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_NONBLOCK
        return os.open(name, flags, mode, dir_fd=self._fd)

    def open(self, name: str) -> int:
        """A file, open to read; no link, whatever was put under the name."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        return os.open(name, flags, dir_fd=self._fd)

    def holds(self, name: str, fd: int) -> bool:
        """Whether a name here is an open file's own."""
        try:
            return os.path.samestat(os.fstat(fd), self.stat(name))
        except FileNotFoundError:
            return False

    def remove(self, name: str) -> None:
        os.unlink(name, dir_fd=self._fd)

    def replace(self, name: str, other: str) -> None:
        """Give a file another one's name, at once."""
        os.replace(name, other, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def sync(self) -> None:
        """Make renames and new names last, where the file system can."""
        try:
            sync(self._fd)
        except OSError as error:
            if error.errno not in _NOT_HERE:
                raise

    def close(self) -> None:
        os.close(self._fd)
