"""One scale for all inputs, as it is in a learner's block (core/loops/common.h)."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeolk.core.engine import Engine
from edgeolk.preprocessing.record import Preprocessing


class CommonScale(NamedTuple):
    """z = (x - mean) / sd, clipped, for every input.

    Attributes
    ----------
    mean, sd : float
        Of all readings of all inputs; sd is 1 while it would be 0.
    clip : float
        Deviations from the mean at which a reading ends.
    n_seen : int
        Rows in them.
    """

    mean: float
    sd: float
    clip: float
    n_seen: int

    @property
    def method(self) -> str:
        """Its name among the arguments of a learner."""
        return "common"

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Rows, or one row, scaled: an array of the shape of X."""
        readings: Any = np.asarray(X, dtype=np.float64)
        z: NDArray[np.float64] = np.clip(
            (readings / 2.0 - self.mean / 2.0) / (self.sd / 2.0), -self.clip, self.clip
        )
        return z


def common_scale(prepared: Preprocessing, engine: Engine) -> CommonScale | None:
    """The scale of all inputs in a block; None where each has its own."""
    rows = min(engine.counters()["steps"], prepared.freeze_after or 2**62)
    readings = rows * int(engine.config.n_features)
    if "common" in prepared.regions:
        numbers: Any = np.asarray(engine.view("common"))
        mean, squares = map(float, numbers[0])
        sd = sqrt(squares / readings) if readings else 0.0
    elif engine.config.finds_pairs:
        numbers = np.asarray(engine.view("width_follows"))
        _, first, second, others = map(float, numbers[0])
        if others < 0.0:
            return None
        share = others / readings if others else 0.0
        half = second / 2.0 - first / 2.0
        mean = 2.0 * (first / 2.0 + (half * share if share else 0.0))
        sd = 2.0 * abs(half) * sqrt(share * (1.0 - share)) if share else 0.0
    else:
        return None
    return CommonScale(mean, sd if sd > 0.0 else 1.0, prepared.alike_clip, rows)
