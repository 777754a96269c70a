"""Format version 1, frozen: the block of ``block.py`` but for three regions.

Projectron's and POMDR's factor was L of the Gram matrix K = L L', now it is L^-1. BPA-P's inverse
was a full matrix, now it is a packed lower triangle. The greedy Forgetron kept no scores.
"""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from operator import mul

from edgeolk.files import block
from edgeolk.files.block import numbers, triangle
from edgeolk.files.stored import Stored

Vector = tuple[float, ...]

SIZES: dict[str, block.Size] = {
    **block.SIZES,
    "inverse": lambda s: ("d", s.budget, s.budget**2),
}
POLICY_REGIONS: dict[int, tuple[str, ...]] = {
    **block.POLICY_REGIONS,
    block.MERGE: ("distance_row", "column", "arrivals"),
    block.FORGETRON_GREEDY: ("column", "arrivals"),
}


def _packed(values: list[float], length: int) -> tuple[str, int, memoryview]:
    values += [0.0] * (length - len(values))
    return "d", 0, memoryview(struct.pack(f"<{length}d", *values))


def _inverted(factor: memoryview, n: int) -> list[float]:
    """L^-1 of the first n rows of L, both packed.

    Raises
    ------
    ValueError
        A diagonal entry is not positive.
    """
    packed = numbers("d", factor, triangle(n))
    columns: list[list[float]] = []
    made: list[float] = []
    for i in range(n):
        line = packed[triangle(i) : triangle(i + 1)]
        if not 0.0 < line[i] < math.inf or 1.0 / line[i] == math.inf:
            raise ValueError("the model is inconsistent: its factor has a pivot that is none")
        for j, column in enumerate(columns):
            column.append(-sum(map(mul, line[j:i], column)) / line[i])
            made.append(column[-1])
        columns.append([1.0 / line[i]])
        made.append(1.0 / line[i])
    return made


def _lower(inverse: memoryview, n: int, stride: int) -> list[float]:
    """The lower triangle of the first n rows and columns."""
    made: list[float] = []
    for i in range(n):
        made += numbers("d", inverse[8 * i * stride :], i + 1)
    return made


def _vectors(stored: Stored) -> list[Vector]:
    """The support vectors held, as the learner sees them."""
    kind, stride, ring = stored.regions["support_vectors"]
    n, d = int(stored.words["n_support"]), stored.n_features
    width = block.WIDTH[kind]
    rows = [numbers(kind, ring[width * j * stride :], n) for j in range(d)]
    if kind == "b":
        scale = numbers("f", stored.regions["quantum_scale"][2], d)
        offset = numbers("f", stored.regions["quantum_offset"][2], d)
        rows = [
            tuple(a * q + b for q in row) for a, b, row in zip(scale, offset, rows, strict=True)
        ]
    return list(zip(*rows, strict=True))


def _kernel(stored: Stored, x: Vector, s: Vector) -> float:
    kind, degree, gamma, scale, offset = stored.kernel
    if kind == block.GAUSSIAN:
        return math.exp(-gamma * sum((a - b) * (a - b) for a, b in zip(x, s, strict=True)))
    if kind == block.LAPLACIAN:
        return math.exp(-gamma * sum(abs(a - b) for a, b in zip(x, s, strict=True)))
    inner = sum(map(mul, x, s))
    if kind == block.LINEAR:
        return inner
    if kind == block.SIGMOID:
        return math.tanh(scale * inner + offset)
    power = 1.0
    for _ in range(degree):  # ** would raise where a number leaves its range
        power *= scale * inner + offset
    return power


def _scores(stored: Stored) -> list[float]:
    """f of each support vector over the common scale."""
    held = _vectors(stored)
    weights = numbers("d", stored.regions["coefficients"][2], len(held))
    return [
        sum(w * _kernel(stored, s, other) for w, other in zip(weights, held, strict=True))
        for s in held
    ]


def read(data: bytes) -> Stored:
    """A model of format 1, its regions in the meaning of format 2.

    Parameters
    ----------
    data : bytes
        The whole file. The regions that meant the same are views of it.

    Raises
    ------
    ValueError
        Not a whole, consistent model of this format.
    """
    stored = block.read(data, 1, SIZES, POLICY_REGIONS)
    n, policy = int(stored.words["n_support"]), stored.choices["policy"]
    regions = dict(stored.regions)
    # Once POMDR has ceased to project, nothing reads its factor any more.
    projecting = policy == block.SPAN or (policy == block.ANCHOR and not stored.words["anchored"])
    if projecting and "factor" in regions:
        factor = regions["factor"][2]
        rows = n if policy == block.SPAN else min(n, int(stored.parameters["b0"]))
        regions["factor"] = _packed(_inverted(factor, rows), len(factor) // 8)
    if policy == block.PROJECT:
        _, stride, inverse = regions["inverse"]
        regions["inverse"] = _packed(_lower(inverse, n, stride), triangle(stored.budget))
    if policy == block.FORGETRON_GREEDY:
        regions["scores"] = _packed(_scores(stored), stored.budget)
    return replace(stored, regions=regions)
