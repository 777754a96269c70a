"""The least time a score could take: the definition of the roofs.

A score f(x) is B products of d terms each and B exponentials. Two roofs, each the time of the
products at one limit plus the exponentials at the rate of vector instructions:

- arithmetic: d terms of (x_j - s_j)^2 a support vector, at the rate measured for such terms in
  registers (a subtraction and a multiply-add; on SSE2 a multiplication and an addition instead); of
  an example given by its non-zeros, that many multiply-adds;
- bandwidth: the bytes of the ring that are read, at the rate measured for the smallest level of
  memory that the ring fits.

The tighter is the larger. Whatever else a score takes is left to the library to answer for: the
weighted sum in double, the norms of sparse rows, checking the input, the call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.roofs.peak import Caches, Instructions

#: Degree of the polynomial for exp on |r| <= ln(2)/2 that a type's precision asks for.
DEGREES = {"float32": 6, "float64": 10}


@dataclass(frozen=True)
class Shape:
    """Budget and features, and how many of them are not zero in a sparse example."""

    budget: int
    features: int
    nonzeros: int | None = None

    @property
    def title(self) -> str:
        """In words."""
        sparse = f", {self.nonzeros} non-zeros" if self.nonzeros else ""
        return f"{self.budget}, {self.features}{sparse}"

    @property
    def terms(self) -> int:
        """Features that a product has to look at."""
        return self.nonzeros or self.features


HEADLINE = Shape(1350, 123)
SHAPES = (
    HEADLINE,
    Shape(1350, 123, 14),
    Shape(1350, 16),
    Shape(200, 8),
    Shape(100, 16),
    Shape(64, 64),
)


def key_of(shape: Shape, dtype: str, variant: str) -> str:
    """Name of a measurement."""
    return f"score {shape.title} {dtype} {variant}"


def exponential_instructions(dtype: str, fused: bool) -> int:
    """Vector instructions of exp(-gamma t), at least.

    The product with gamma; n = round(x / ln 2) and r = x - n ln 2 in two parts (multiply-add,
    subtraction, two multiply-adds); the polynomial; n into the exponent (shift, addition); and what
    underflows to zero. Without fused instructions a multiply-add is two.
    """
    multiply_adds = 3 + DEGREES[dtype]
    return 5 + multiply_adds * (1 if fused else 2)


@dataclass(frozen=True)
class Roof:
    """Microseconds a score takes at least, by each limit; ``exponentials`` is part of both."""

    arithmetic: float
    bandwidth: float
    exponentials: float
    level: str

    @property
    def tighter(self) -> float:
        """The larger."""
        return max(self.arithmetic, self.bandwidth)

    @property
    def limit(self) -> str:
        """What sets the tighter one."""
        return "arithmetic" if self.arithmetic >= self.bandwidth else self.level


def roof_of(
    shape: Shape,
    dtype: str,
    instructions: Instructions,
    caches: Caches,
    seconds: Callable[[str], float],
) -> Roof:
    """The roofs of one shape; ``seconds`` gives a peak's time for one operation or byte."""
    name = f"{instructions.variant} {dtype}"
    itemsize = np.dtype(dtype).itemsize
    vectors = shape.budget / instructions.lanes(dtype)
    square = seconds(f"squares {name}")
    one = square / (2 if instructions.fused else 3)
    each = exponential_instructions(dtype, instructions.fused)
    exponentials = vectors * each * one
    term = seconds(f"madd {name}") if shape.nonzeros else square
    level = caches.level(shape.budget * shape.features * itemsize)
    read = shape.budget * shape.terms * itemsize * seconds(f"{level} {instructions.variant}")
    return Roof(
        1e6 * (vectors * shape.terms * term + exponentials),
        1e6 * (read + exponentials),
        1e6 * exponentials,
        level,
    )
