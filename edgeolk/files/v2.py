"""Format version 2, frozen: the block of ``v2_block.py`` as it stands there."""

from __future__ import annotations

from edgeolk.files import v2_block as block
from edgeolk.files.stored import Stored

#: Length of the file that a header begins.
length = block.length


def read(data: bytes | bytearray | memoryview) -> Stored:
    """A model of format 2.

    Parameters
    ----------
    data : bytes
        The whole file. The regions of the result are views of it.

    Raises
    ------
    ValueError
        Not a whole, consistent model of this format.
    """
    return block.read(data, 2)
