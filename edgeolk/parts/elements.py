"""The types of numbers in a block, one row each, by their codes in regions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any


@dataclass(frozen=True)
class Element:
    """The row of a type of numbers."""

    #: Its number in model files.
    number: int
    #: Bytes of one number.
    nbytes: int
    #: Code of a memoryview of them, or of their bits if memoryviews do not support the type.
    cast: str
    #: Type of an array of them in exported C.
    c: str
    #: A memoryview of bits -> numbers, if memoryviews do not support the type.
    read: Callable[[memoryview[Any]], tuple[float, ...]] | None = None


def _halves(bits: memoryview[Any]) -> tuple[float, ...]:
    return Struct(f"={len(bits)}e").unpack(bits.tobytes())


#: "w" is an 8-byte word of a small C struct, of any type.
ELEMENTS = {
    "f": Element(1, 4, "f", "float"),
    "d": Element(2, 8, "d", "double"),
    "e": Element(3, 2, "H", "uint16_t", _halves),
    "b": Element(4, 1, "b", "int8_t"),
    "i": Element(5, 4, "i", "int32_t"),
    "q": Element(6, 8, "q", "int64_t"),
    "w": Element(7, 8, "q", "int64_t"),
}
