"""One row a storage type of support vectors, a type of coefficients, and a kind of rows."""

from __future__ import annotations

from edgeolk.lean import dataclass
from edgeolk.parts.numbers import Coefficients, Dtype, Rows
from edgeolk.parts.traits import Part, lacks


@dataclass(frozen=True, kw_only=True)
class StorageTraits(Part):
    """What is true of a storage type.

    Attributes
    ----------
    element : str
        Code of one stored number, as ``struct`` and memoryviews spell it.
    nbytes : int
        Bytes of one stored number.
    computes_in : str
        Code of the type rows are computed in: narrow storage computes in float32.
    computing_bytes : int
        Bytes of one number of that type.
    """

    element: str
    nbytes: int
    computes_in: str = "f"
    computing_bytes: int = 4


_GAMMA_RANGE = (
    lambda c: c.kernel.normalised and not 1e-37 <= c.kernel.fields()[2] <= 1e37,
    "gamma must lie between 1e-37 and 1e37 unless storage is float64",
)

STORAGES: dict[Dtype, StorageTraits] = {
    Dtype.FLOAT32: StorageTraits(element="f", nbytes=4, refuses=(_GAMMA_RANGE,)),
    Dtype.FLOAT64: StorageTraits(element="d", nbytes=8, computes_in="d", computing_bytes=8),
    Dtype.FLOAT16: StorageTraits(element="e", nbytes=2, refuses=(_GAMMA_RANGE,)),
    Dtype.INT8: StorageTraits(
        element="b",
        nbytes=1,
        regions=("levels",),
        refuses=(
            (
                lacks("rows", Rows.DENSE),
                "sparse rows cannot be stored as int8: a zero lies between two of its levels",
            ),
            _GAMMA_RANGE,
        ),
    ),
}


@dataclass(frozen=True, kw_only=True)
class RealTraits(Part):
    """What is true of a type of coefficients.

    Attributes
    ----------
    element : str
        Code of one number, as ``struct`` and memoryviews spell it.
    nbytes : int
        Bytes of one number.
    short_range : bool
        A common factor must be folded into such numbers within ten decades.
    """

    element: str
    nbytes: int
    short_range: bool = False


COEFFICIENTS: dict[Coefficients, RealTraits] = {
    Coefficients.FLOAT32: RealTraits(element="f", nbytes=4, short_range=True),
    Coefficients.FLOAT64: RealTraits(element="d", nbytes=8),
}

ROWS: dict[Rows, Part] = {
    Rows.DENSE: Part(),
    **dict.fromkeys(
        (Rows.SPARSE, Rows.EITHER), Part(regions=("norms", "nonzero_index", "nonzero_value"))
    ),
}
