"""A forecaster that has stopped learning."""

from __future__ import annotations

from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.streams import Row

_MARK = b"eolk"
#: Regions of the block in which the history of the target lies.
_GOES_ON = ("history", "season")


class FrozenForecaster:
    """What a forecaster knows stays as it is; the history of its target goes on.

    Means and unit of the target go on with it, as the history is told in them. Rows whose targets
    come at once.

    block: a copy of a learner's whole memory; changed.
    """

    def __init__(self, block: bytearray) -> None:
        self._block = block
        self._learner: Any = ek.attach(block)
        start = block.find(_MARK)
        self._kept: list[tuple[int, int, bytes]] = []
        at = start
        regions = sorted(self._learner.plan.regions, key=lambda region: region.offset)
        for region in (region for region in regions if region.name in _GOES_ON):
            first = start + region.offset
            self._kept.append((at, first, bytes(block[at:first])))
            at = first + region.nbytes
        self._kept.append((at, len(block), bytes(block[at:])))

    def answers(self, X: Row, y: Row) -> Row:
        """Return the answers to rows, each from before its target is known."""
        said = np.empty(len(X))
        for at, (row, target) in enumerate(zip(X, y.tolist(), strict=True)):
            said[at] = self._learner.learn_one(row, target)
            for first, end, kept in self._kept:
                self._block[first:end] = kept
        return said
