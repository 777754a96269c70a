"""A forecaster that has stopped learning."""

from __future__ import annotations

from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.streams import Row


class FrozenForecaster:
    """What a forecaster knows stays as it is; the history of its target goes on.

    Means and unit of the target go on with it, as the history is told in them. Rows whose targets
    come at once.

    block: a copy of a learner's whole memory; changed.
    """

    def __init__(self, block: bytearray) -> None:
        self._learner: Any = ek.attach(block)
        self._learner._engine.freeze()

    def answers(self, X: Row, y: Row) -> Row:
        """Return the answers to rows, each from before its target is known."""
        return np.asarray(self._learner.learn_many(X, y))
