"""Format version 1, frozen: the block of ``v2_block.py`` but for three regions.

Projectron's and POMDR's factor was L of the Gram matrix K = L L', now it is L^-1. BPA-P's inverse
was a full matrix, now it is a packed lower triangle. The greedy Forgetron kept no scores.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import mul

from edgeolk.files import v2_block as block
from edgeolk.files import v2_regions as regions
from edgeolk.files.stored import Stored
from edgeolk.files.v2_block import numbers
from edgeolk.files.v2_regions import triangle
from edgeolk.lean import replace

SIZES: dict[str, regions.Size] = {
    **regions.SIZES,
    "inverse": lambda s: ("d", s.budget, s.budget**2),
}
POLICY_REGIONS: dict[int, tuple[str, ...]] = {
    **regions.POLICY_REGIONS,
    regions.MERGE: ("distance_row", "column", "arrivals"),
    regions.FORGETRON_GREEDY: ("column", "arrivals"),
}


def _region(nbytes: int, lines: Iterable[Sequence[float]]) -> tuple[str, int, memoryview]:
    """Lines one after the other, then zeros."""
    made, at = bytearray(nbytes), 0
    for line in lines:
        struct.pack_into(f"<{len(line)}d", made, at, *line)
        at += 8 * len(line)
    return "d", 0, memoryview(made).toreadonly()


def _inverted(factor: memoryview, n: int) -> Iterator[list[float]]:
    """Lines of L^-1 for the first n rows of L, packed.

    Raises
    ------
    ValueError
        A diagonal entry is not positive.
    """
    columns: list[array[float]] = []
    for i in range(n):
        line = numbers("d", factor[8 * triangle(i) :], i + 1)
        pivot = line[i]
        if not 0.0 < pivot < math.inf or 1.0 / pivot == math.inf:
            raise ValueError("the model is inconsistent: its factor has a pivot that is none")
        for j, column in enumerate(columns):
            column.append(-sum(map(mul, line[j:i], column)) / pivot)
        columns.append(array("d", [1.0 / pivot]))
        yield [column[-1] for column in columns]


def _features(stored: Stored) -> list[array[float]]:
    """The support vectors held, as the learner sees them, feature by feature."""
    kind, stride, ring = stored.regions["support_vectors"]
    n, d = int(stored.words["n_support"]), stored.n_features
    width = regions.WIDTH[kind]
    held = [array("d", numbers(kind, ring[width * j * stride :], n)) for j in range(d)]
    if kind == "b":
        scales = numbers("f", stored.regions["quantum_scale"][2], d)
        offsets = numbers("f", stored.regions["quantum_offset"][2], d)
        for row, scale, offset in zip(held, scales, offsets, strict=True):
            row[:] = array("d", (scale * level + offset for level in row))
    return held


def _kernel(stored: Stored, x: Sequence[float], s: Sequence[float]) -> float:
    kind, degree, gamma, scale, offset = stored.kernel
    if kind == regions.GAUSSIAN:
        return math.exp(-gamma * sum((a - b) * (a - b) for a, b in zip(x, s, strict=True)))
    if kind == regions.LAPLACIAN:
        return math.exp(-gamma * sum(abs(a - b) for a, b in zip(x, s, strict=True)))
    inner: float = sum(map(mul, x, s))
    if kind == regions.LINEAR:
        return inner
    if kind == regions.SIGMOID:
        return math.tanh(scale * inner + offset)
    power = 1.0
    for _ in range(degree):  # ** would raise where a number leaves its range
        power *= scale * inner + offset
    return power


def _scores(stored: Stored) -> list[float]:
    """f of each support vector over the common scale."""
    features = _features(stored)
    weights = numbers("d", stored.regions["coefficients"][2], int(stored.words["n_support"]))

    def vector(i: int) -> list[float]:
        return [row[i] for row in features]

    return [
        sum(w * _kernel(stored, vector(i), vector(j)) for j, w in enumerate(weights))
        for i in range(len(weights))
    ]


def length(data: bytes | bytearray) -> int:
    """As ``v2_block.length``."""
    return block.length(data, SIZES, POLICY_REGIONS)


def read(data: bytes | bytearray | memoryview) -> Stored:
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
    made = dict(stored.regions)
    # Once POMDR has ceased to project, nothing reads its factor any more.
    anchors = policy == regions.ANCHOR
    if (policy == regions.SPAN or (anchors and not stored.words["anchored"])) and "factor" in made:
        factor = made["factor"][2]
        rows = min(n, int(stored.parameters["b0"])) if anchors else n
        made["factor"] = _region(len(factor), _inverted(factor, rows))
    if policy == regions.PROJECT:
        _, stride, full = made["inverse"]
        lines = (numbers("d", full[8 * i * stride :], i + 1) for i in range(n))
        made["inverse"] = _region(8 * triangle(stored.budget), lines)
    if policy == regions.FORGETRON_GREEDY:
        made["scores"] = _region(8 * stored.budget, [_scores(stored)])
    return replace(stored, regions=made)
