"""The parts of an algorithm: numbers that files hold, and one row of facts a part."""

from edgeolk.parts.numbers import (
    AXES,
    Algorithm,
    Averaging,
    Basis,
    Coefficients,
    Dtype,
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
    "AXES", "Algorithm", "Averaging", "Basis", "Coefficients", "Dtype", "KernelKind", "Loss",
    "Policy", "Projection", "Rows", "Sampling", "Schedule", "Update",
]  # fmt: skip
