"""Model files: a reader per format version, kept for ever, and one writer; checkpoints.

``system`` is the module for files and locks of this operating system, ``posix`` or ``windows``.
Both define the same names, and no other code depends on the system. Design: a lock belongs to an
open file, is taken at once or not at all, and ends with the process. Rejected: ``filelock`` locks a
separate file, which stays behind and does not notice that the target was replaced; ``portalocker``
would be a dependency for a few lines.
"""

import sys

if sys.platform == "win32":
    from edgeolk.files import windows as system
else:
    from edgeolk.files import posix as system

__all__ = ["system"]
