"""The parts of an algorithm: their numbers in files, and one row of properties per part."""

from edgeolk.parts.numbers import (
    AXES,
    Algorithm,
    Averaging,
    Basis,
    Coefficients,
    Dtype,
    Family,
    KernelKind,
    Loss,
    Policy,
    Projection,
    Rows,
    Sampling,
    Schedule,
    Update,
)

__all__ = [
    "AXES", "Algorithm", "Averaging", "Basis", "Coefficients", "Dtype", "Family", "KernelKind",
    "Loss", "Policy", "Projection", "Rows", "Sampling", "Schedule", "Update",
]  # fmt: skip
