"""Positions of slots side by side, and traces of another number of slots."""

from __future__ import annotations

from collections.abc import Callable

MOST_SLOTS = 64

#: The bytes that a checkpoint takes, of the first bytes of its slot; 0 if these are no header.
Taken = Callable[[bytes], int]


def room_of(total: int, slots: int, unit: int) -> int:
    """Bytes of each of so many slots side by side that begin on a multiple of a unit."""
    return total // slots // unit * unit


def misplaced(total: int, slots: int, unit: int, taken: Taken, read: Callable[[int], bytes]) -> str:
    """Where slots lie side by side: a checkpoint that is in none of them, in words.

    Looked for at every place where a slot begins if there are 2 to ``MOST_SLOTS`` of them.

    Parameters
    ----------
    total, slots, unit
        Bytes of all slots, how many there are, and what each begins on a multiple of.
    taken : callable
        Bytes of the checkpoint that begins so, 0 if none does.
    read : callable
        The first bytes of what lies at an offset.
    """
    rooms = {n: room_of(total, n, unit) for n in range(2, MOST_SLOTS + 1)}
    starts = {i * room for n, room in rooms.items() if room for i in range(n)}
    found = {at: nbytes for at in sorted(starts) if (nbytes := taken(read(at)))}

    def holds(n: int, at: int) -> bool:
        room = rooms[n]
        return bool(room) and not at % room and at // room < n and found[at] <= room

    for at in found:
        written = [n for n in rooms if holds(n, at)]
        if written and slots not in written:
            fit = [n for n in rooms if all(holds(n, other) for other in found)]
            return f"at byte {at}" + (f", as slots={fit[0]} has them" if fit else "")
    return ""
