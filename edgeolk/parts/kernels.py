"""Kernels and their parameters, as frozen records. Without numpy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from edgeolk.checks import check_real
from edgeolk.parts.numbers import KernelKind


def _number(name: str, value: float, low: float, *, strict: bool = True) -> float:
    number = check_real(name, value)
    if not math.isfinite(number) or number < low or (strict and number == low):
        sign = ">" if strict else ">="
        raise ValueError(f"{name} must be finite and {sign} {low:g}, got {value!r}")
    return number


@dataclass(frozen=True)
class Kernel:
    """Base of the kernels, for ``isinstance``; create one of its subclasses.

    Page: docs/rows.md.
    """

    kind: ClassVar[KernelKind]
    #: Whether k(x, x) = 1 for every x.
    normalised: ClassVar[bool] = False
    #: Whether every Gram matrix is positive semidefinite.
    definite: ClassVar[bool] = True

    def fields(self) -> tuple[int, int, float, float, float]:
        """(kind, degree, gamma, scale, offset) as stored in a model block."""
        get = self.__dict__.get
        return (
            int(self.kind),
            int(get("degree", 0)),
            float(get("gamma", 0.0)),
            float(get("scale", 0.0)),
            float(get("offset", 0.0)),
        )


@dataclass(frozen=True)
class Gaussian(Kernel):
    """exp(-gamma ||x - s||^2), for ``ek.Learner(kernel=ek.Gaussian(0.5), ...)``.

    Page: docs/rows.md.

    Parameters
    ----------
    gamma : float
        > 0. With a width sigma, gamma = 1 / (2 sigma^2). ``ek.gamma_from`` suggests one for rows;
        ``ek.Learner(gamma="auto", ...)`` finds one itself.
    """

    gamma: float
    kind: ClassVar[KernelKind] = KernelKind.GAUSSIAN
    normalised: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", _number("gamma", self.gamma, 0.0))


@dataclass(frozen=True)
class Laplacian(Kernel):
    """exp(-gamma sum_j |x_j - s_j|), for ``ek.Learner(kernel=ek.Laplacian(0.5), ...)``.

    Page: docs/rows.md.

    Parameters
    ----------
    gamma : float
        > 0.
    """

    gamma: float
    kind: ClassVar[KernelKind] = KernelKind.LAPLACIAN
    normalised: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", _number("gamma", self.gamma, 0.0))


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(scale <x, s> + offset)^degree, for ``ek.Learner(kernel=ek.Polynomial(3), ...)``.

    Page: docs/rows.md.

    Parameters
    ----------
    degree : int, default 2
        1 to 32.
    scale : float, default 1
        > 0.
    offset : float, default 1
        >= 0, so that the kernel is positive semidefinite.
    """

    degree: int = 2
    scale: float = 1.0
    offset: float = 1.0
    kind: ClassVar[KernelKind] = KernelKind.POLYNOMIAL

    def __post_init__(self) -> None:
        is_number = isinstance(self.degree, (int, float)) or hasattr(self.degree, "__index__")
        if not is_number or isinstance(self.degree, bool) or self.degree not in range(1, 33):
            raise ValueError(f"degree must be an integer from 1 to 32, got {self.degree!r}")
        object.__setattr__(self, "degree", int(self.degree))
        object.__setattr__(self, "scale", _number("scale", self.scale, 0.0))
        object.__setattr__(self, "offset", _number("offset", self.offset, 0.0, strict=False))


@dataclass(frozen=True)
class Linear(Kernel):
    """<x, s>, for ``ek.Learner(kernel=ek.Linear(), ...)``; no parameters.

    Page: docs/rows.md.
    """

    kind: ClassVar[KernelKind] = KernelKind.LINEAR


@dataclass(frozen=True)
class Sigmoid(Kernel):
    """tanh(scale <x, s> + offset). Not positive semidefinite: bounds on the norm need not hold.

    Page: docs/rows.md.

    Parameters
    ----------
    scale : float, default 1
        > 0.
    offset : float, default 0
        Finite.
    """

    scale: float = 1.0
    offset: float = 0.0
    kind: ClassVar[KernelKind] = KernelKind.SIGMOID
    definite: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _number("scale", self.scale, 0.0))
        object.__setattr__(self, "offset", _number("offset", self.offset, -math.inf))


#: The fields of a kernel that a block stores after its kind.
_FIELDS = ("degree", "gamma", "scale", "offset")
#: The class of each kind.
KERNELS: dict[KernelKind, type[Kernel]] = {
    row.kind: row for row in (Gaussian, Laplacian, Polynomial, Linear, Sigmoid)
}


def kernel_from_fields(fields: tuple[int, int, float, float, float]) -> Kernel:
    """The kernel with these ``fields()``.

    Raises ValueError: unknown kind, or parameters out of range.
    """
    kind, *numbers = fields
    row: Any = {int(known): row for known, row in KERNELS.items()}.get(kind)
    if row is None:
        raise ValueError(f"unknown kernel kind {kind}")
    given = dict(zip(_FIELDS, numbers, strict=True))
    kernel: Kernel = row(**{name: given[name] for name in row.__annotations__ if name in given})
    if kernel.fields() != tuple(fields):
        raise ValueError(f"inconsistent kernel fields {fields}")
    return kernel
