"""Files and locks of each operating system: the only module that differs between systems.

Both modules behind it have the same names, and the rest of the library asks for nothing that one
system lacks. Design: a lock is one of an open file, taken at once or not at all, and ends with the
process. Libraries were looked at: ``filelock`` locks a file of its own beside, which stays behind
and says nothing of a file that was replaced; ``portalocker`` would be a dependency of a few lines.

open_file : a descriptor to read, or to read and write; never waits for anybody
lock : keep others out of an open file; BlockingIOError where one is there
sync : return when what was written to a file is on the device
read_at, write_at : some bytes at an offset; how many
forget : read the device again, not what the cache keeps
keep_owner_and_mode : those of the file that is replaced
has_name : whether an open file is what a path leads to
sync_folder_at : make the names in a folder last
claim_folder : a descriptor that keeps others out of a folder until it is closed
Folder : an open folder, in which names are made, replaced and removed
REPLACES_OPEN : whether a file that is open can be replaced
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from edgeolk.files.windows import (
        REPLACES_OPEN,
        Folder,
        claim_folder,
        forget,
        has_name,
        keep_owner_and_mode,
        lock,
        open_file,
        read_at,
        sync,
        sync_folder_at,
        write_at,
    )
else:
    from edgeolk.files.posix import (
        REPLACES_OPEN,
        Folder,
        claim_folder,
        forget,
        has_name,
        keep_owner_and_mode,
        lock,
        open_file,
        read_at,
        sync,
        sync_folder_at,
        write_at,
    )

__all__ = [
    "REPLACES_OPEN",
    "Folder",
    "claim_folder",
    "forget",
    "has_name",
    "keep_owner_and_mode",
    "lock",
    "open_file",
    "read_at",
    "sync",
    "sync_folder_at",
    "write_at",
]
