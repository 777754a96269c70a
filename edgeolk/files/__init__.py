"""Model files: a reader per format version, kept for ever, and one writer; checkpoints.

``system`` has the files and locks of this operating system. Both modules behind it define the same
names, and nothing else in the library asks which system it is. Design: a lock is one of an open
file, taken at once or not at all, and ends with the process. Libraries were considered:
``filelock`` locks a file of its own beside, which stays behind and does not notice that a file was
replaced; ``portalocker`` would be a dependency for a few lines.
"""

import sys

if sys.platform == "win32":
    from edgeolk.files import windows as system
else:
    from edgeolk.files import posix as system

__all__ = ["system"]
