"""Model files and live blocks changed at random, as damage or an attacker would change them.

Every mutation is a function of the bytes and a generator; it knows where the header stores counts,
enums and the table of regions, so that most mutants pass the first checks. Scalers have the same
header.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

FIXED, ENTRY = 88, 10
#: Where the header has its CRC and length.
CRC_AT, LENGTH_AT = 8, 12
WIDTHS = {1: 4, 2: 8, 3: 2, 4: 1, 5: 4, 6: 8, 7: 8}
#: Fields of the header: place, bytes.
COUNTS = ((16, 4), (20, 4), (24, 8), (46, 2), (48, 1), (49, 1), (50, 2), (52, 4), (56, 8))
COUNTS += ((64, 8), (72, 8), (80, 8), (6, 2), (12, 4), (4, 2))
HUGE = (2**16 - 1, 2**20, 2**31 - 1, 2**31, 2**32 - 1, 10**6, 65_537)
WHOLE = (0, 1, 2, 3, 7, 8, 100, 2**31 - 1, 2**31, 2**40, 2**62, 2**62 + 1, 2**63 - 1, 2**63)
WHOLE += (2**64 - 1,)
NAN, INF = float("nan"), float("inf")
REALS = (NAN, INF, -INF, 0.0, -0.0, -1.0, 1e308, -1e308, 5e-324, 1e-300, 1e30, 0.5, 2.0, 1e9)
HALVES = (0x7C00, 0xFC00, 0x7E00, 0x7BFF, 0x0001, 0x8000)


class Place(NamedTuple):
    """A region as the table of a file describes it."""

    entry: int
    element: int
    offset: int
    nbytes: int


def is_model(data: bytes | bytearray) -> bool:
    return data[:4] == b"eolk"


def places(data: bytes | bytearray) -> list[Place]:
    """The regions in the table that are inside the file."""
    if len(data) < FIXED or not is_model(data):
        return []
    found, at = [], FIXED + 9 * data[48]
    for i in range(data[49]):
        entry = at + ENTRY * i
        if entry + ENTRY > len(data):
            break
        _, element, eighth, count = struct.unpack_from("<BBII", data, entry)
        nbytes = WIDTHS.get(element, 1) * count
        if nbytes and 8 * eighth + nbytes <= len(data):
            found.append(Place(entry, element, 8 * eighth, nbytes))
    return found


def put(data: bytearray, at: int, value: int, width: int) -> None:
    """Write an integer if it fits into the data."""
    if at + width <= len(data):
        data[at : at + width] = (value % 2 ** (8 * width)).to_bytes(width, "little")


def flip_bits(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 1, 2, 8))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def garble(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data))
    new = chance.randbytes(chance.choice((1, 4, 8, 64)))
    data[at : at + len(new)] = new[: len(data) - at]


def truncate(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def extend(data: bytearray, chance: random.Random) -> None:
    n = chance.choice((1, 8, 64, 800))
    data += bytes(n) if chance.random() < 0.5 else chance.randbytes(n)


def swap_regions(data: bytearray, chance: random.Random) -> None:
    """Swap the contents of two regions, or their entries in the table."""
    found = places(data)
    if len(found) < 2:
        return
    a, b = chance.sample(found, 2)
    if chance.random() < 0.5:
        n = min(a.nbytes, b.nbytes)
        first, second = (bytes(data[p.offset : p.offset + n]) for p in (a, b))
        data[a.offset : a.offset + n], data[b.offset : b.offset + n] = second, first
    else:
        lines = [bytes(data[p.entry : p.entry + ENTRY]) for p in (a, b)]
        data[a.entry : a.entry + ENTRY], data[b.entry : b.entry + ENTRY] = lines[1], lines[0]


def move_region(data: bytearray, chance: random.Random) -> None:
    """Change an offset, count, type or number in the table of regions."""
    found = places(data)
    if not found:
        return
    entry = chance.choice(found).entry
    what = chance.randrange(4)
    if what < 2:
        data[entry + what] = chance.randrange(256 if chance.random() < 0.3 else 40)
        return
    at = entry + (2 if what == 2 else 6)
    (old,) = struct.unpack_from("<I", data, at)
    put(data, at, chance.choice((*HUGE, old - 1, old + 1, 0, 2 * old, old // 2)), 4)


def lie_about_length(data: bytearray, chance: random.Random) -> None:
    old = int.from_bytes(data[LENGTH_AT : LENGTH_AT + 4], "little")
    put(data, LENGTH_AT, chance.choice((*HUGE, old + 1, old - 1, 0, 2**63)), 4)


def huge_sizes(data: bytearray, chance: random.Random) -> None:
    """Change B, d or columns: larger than any memory, or by a little."""
    for at, width in chance.sample(((16, 4), (20, 4), (46, 2)), chance.choice((1, 1, 2, 3))):
        old = int.from_bytes(data[at : at + width], "little")
        put(data, at, chance.choice((*HUGE, old - 1, old + 1, 2 * old, 0)), width)


def set_enum(data: bytearray, chance: random.Random) -> None:
    put(data, 32 + chance.randrange(14), chance.choice((*range(24), 35, 128, 255)), 1)


def set_count(data: bytearray, chance: random.Random) -> None:
    at, width = chance.choice(COUNTS)
    put(data, at, chance.choice(WHOLE), width)


def set_value(data: bytearray, chance: random.Random) -> None:
    """Change a parameter, or the number that identifies it."""
    if len(data) < FIXED:
        return
    n = data[48] or 1
    if chance.random() < 0.3:
        put(data, FIXED + 8 * n + chance.randrange(n), chance.randrange(256), 1)
    else:
        at = FIXED + 8 * chance.randrange(n)
        data[at : at + 8] = struct.pack("<d", chance.choice(REALS))[: len(data) - at]


def set_number(data: bytearray, chance: random.Random) -> None:
    """Write NaN, infinity, a large or a small number into a region, in its element type."""
    found = places(data)
    element, offset, nbytes = 2, 0, len(data)
    if found:
        _, element, offset, nbytes = chance.choice(found)
    width = WIDTHS.get(element, 1)
    at = offset + width * chance.randrange(max(1, nbytes // width))
    if element == 1:
        new = struct.pack("<f", max(-3e38, min(3e38, chance.choice(REALS))))
        if chance.random() < 0.5:
            new = struct.pack("<f", chance.choice((NAN, INF, -INF)))
    elif element == 3:
        new = struct.pack("<H", chance.choice(HALVES))
    elif element == 2 or (element == 7 and chance.random() < 0.5):
        new = struct.pack("<d", chance.choice(REALS))
    else:
        new = struct.pack("<Q", chance.choice(WHOLE))[:width]
    data[at : at + width] = new[: max(0, len(data) - at)]


def cut_out(data: bytearray, chance: random.Random) -> None:
    at = 8 * chance.randrange(max(1, len(data) // 8))
    if chance.random() < 0.5:
        del data[at : at + chance.choice((8, 64))]
    else:
        data[at:at] = data[at : at + chance.choice((8, 64))]


MUTATIONS: dict[str, Callable[[bytearray, random.Random], None]] = {
    change.__name__.replace("_", " "): change
    for change in (
        *(flip_bits, garble, truncate, extend, swap_regions, move_region, lie_about_length),
        *(huge_sizes, set_enum, set_count, set_value, set_number, cut_out),
    )
}

#: Most of what is done, so that half of the mutants get past the header: what changes numbers.
_OFTEN = (*MUTATIONS, *3 * ("flip bits", "set number", "set number", "swap regions", "set value"))


def seal(data: bytearray, length: bool) -> None:
    """Correct the CRC-32 and optionally the length, as an attacker would."""
    if length and len(data) >= FIXED:
        put(data, LENGTH_AT, len(data) // 8, 4)
    put(data, CRC_AT, 0, 4)
    put(data, CRC_AT, zlib.crc32(data), 4)


def mutated(
    files: Sequence[bytes], chance: random.Random, live: bool = False
) -> tuple[list[str], bytearray]:
    """A mutant of one of the files, and a description of the mutation.

    In nine of ten the CRC is corrected; a live block has no CRC.
    """
    data = bytearray(chance.choice(files))
    done = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if not data:
            break
        name = chance.choice(_OFTEN)
        MUTATIONS[name](data, chance)
        done.append(name)
    if data and chance.random() < 0.1:
        other = chance.choice(files)
        at = 8 * chance.randrange(max(1, len(data) // 8))
        piece = other[at : at + chance.choice((8, 64, 512))]
        data[at : at + len(piece)] = piece
        done.append("splice")
    if not live and chance.random() < 0.9:
        seal(data, chance.random() < 0.8)
        done.append("sealed")
    return done, data
