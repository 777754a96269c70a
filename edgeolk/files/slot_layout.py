"""Positions of adjacent slots, and detection of checkpoints from another number of slots."""

from __future__ import annotations

from collections.abc import Callable

MAX_SLOTS = 64

#: First bytes of a slot -> bytes of the checkpoint in it; 0 if they are not a header.
Taken = Callable[[bytes], int]


def slot_bytes(total: int, slots: int, unit: int) -> int:
    """Bytes of each of this many adjacent slots, each starting at a multiple of ``unit``."""
    return total // slots // unit * unit


def misplaced(total: int, slots: int, unit: int, taken: Taken, read: Callable[[int], bytes]) -> str:
    """The place of a checkpoint that is in none of the adjacent slots, as text; "" if none is.

    Looks at every offset at which a slot starts if there are 2 to ``MAX_SLOTS`` slots.

    Parameters
    ----------
    total, slots, unit
        Bytes of all slots, their number, and the alignment of each.
    taken : callable
        First bytes of a checkpoint -> its size, 0 if they are not a header.
    read : callable
        Offset -> the first bytes there.
    """
    sizes = {n: slot_bytes(total, n, unit) for n in range(2, MAX_SLOTS + 1)}
    starts = {i * nbytes for n, nbytes in sizes.items() if nbytes for i in range(n)}
    found = {at: size for at in sorted(starts) if (size := taken(read(at)))}

    def holds(n: int, at: int) -> bool:
        nbytes = sizes[n]
        return bool(nbytes) and not at % nbytes and at // nbytes < n and found[at] <= nbytes

    for at in found:
        written = [n for n in sizes if holds(n, at)]
        if written and slots not in written:
            fit = [n for n in sizes if all(holds(n, other) for other in found)]
            return f"at byte {at}" + (f", as slots={fit[0]} has them" if fit else "")
    return ""
