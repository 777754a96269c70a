"""How numbers are stored: types of numbers in a block, then one row per storage type of support
vectors, type of coefficients, and kind of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any

from edgeolk.parts.numbers import Coefficients, Dtype, Rows
from edgeolk.parts.traits import Part, Refusals, lacks


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


MAX_FLOAT, MAX_DOUBLE = 3.4028234663852886e38, 1.7976931348623157e308


@dataclass(frozen=True, kw_only=True)
class StorageTraits(Part):
    """The row of a storage type."""

    #: Code of the type of a stored number, in ``ELEMENTS``.
    element: str
    #: Code of the type that rows are computed in: float32 for narrow storage.
    computes_in: str = "f"
    #: The largest number of a row that is finite in storage.
    most: float = MAX_FLOAT

    @property
    def nbytes(self) -> int:
        """Bytes of one stored number."""
        return ELEMENTS[self.element].nbytes

    @property
    def computing_bytes(self) -> int:
        """Bytes of one number of the type rows are computed in."""
        return ELEMENTS[self.computes_in].nbytes


#: A rule of every storage type but float64.
GAMMA_RANGE: Refusals = {
    "gamma must be between 1e-37 and 1e37 unless storage is float64": (
        lambda c: c.kernel.normalised and not 1e-37 <= c.kernel.fields()[2] <= 1e37
    ),
}

#: The largest number that rows stored as float16 may be clipped to.
_HALF = 65504.0
_HALF_RANGE = {
    (
        "float16 holds numbers up to 65504: clip= must be at most a quarter of that, clip_rows= at"
        " most that"
    ): (lambda c: max(4.0 * c.preprocessing.clip, c.preprocessing.clip_rows) > _HALF),
}

STORAGES: dict[Dtype, StorageTraits] = {
    Dtype.FLOAT32: StorageTraits(element="f", refuses=GAMMA_RANGE),
    Dtype.FLOAT64: StorageTraits(element="d", computes_in="d", most=MAX_DOUBLE),
    Dtype.FLOAT16: StorageTraits(element="e", most=65519.0, refuses=_HALF_RANGE | GAMMA_RANGE),
    Dtype.INT8: StorageTraits(
        element="b",
        regions=("levels",),
        refuses={
            "sparse rows cannot be stored as int8: zero may be between two of its levels": lacks(
                Rows.DENSE
            ),
            **GAMMA_RANGE,
        },
    ),
}


@dataclass(frozen=True, kw_only=True)
class RealTraits(Part):
    """The row of a type of coefficients."""

    #: Its code in ``ELEMENTS``.
    element: str
    #: Largest coefficient of an incoming vector: a power of ten that is finite even divided by the
    #: smallest common scale.
    most: float
    #: Largest k(x, x) of a row.
    max_kernel: float
    #: Largest common scale: beyond it, and below its inverse, it is multiplied into coefficients.
    max_factor: float
    #: Largest coefficients in files: with the common scale (squares are finite), and without.
    max_alpha: float
    max_stored: float

    @property
    def nbytes(self) -> int:
        """Bytes of one number."""
        return ELEMENTS[self.element].nbytes


COEFFICIENTS: dict[Coefficients, RealTraits] = {
    Coefficients.FLOAT32: RealTraits(
        element="f", most=1e25, max_kernel=1e30, max_factor=1e10, max_alpha=1e36,
        max_stored=1e36,
    ),
    Coefficients.FLOAT64: RealTraits(
        element="d", most=1e100, max_kernel=1e100, max_factor=1e100, max_alpha=1e150,
        max_stored=1e250,
    ),
}


def largest_coefficients() -> str:
    """The largest coefficient of an incoming vector as text, for the default type first."""
    limits = {kind: f"{row.most:.0e}".replace("+", "") for kind, row in COEFFICIENTS.items()}
    default = limits.pop(Coefficients.FLOAT64)
    others = (f"{most} with coefficients='{k.name.lower()}'" for k, most in limits.items())
    return ", or ".join([default, *others])


ROWS: dict[Rows, Part] = {
    Rows.DENSE: Part(),
    **dict.fromkeys(
        (Rows.SPARSE, Rows.EITHER), Part(regions=("norms", "nonzero_index", "nonzero_value"))
    ),
}
