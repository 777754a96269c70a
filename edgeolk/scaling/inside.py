"""Copies of the scaler in a learner's block: a RunningScaler, or the common scale of all inputs."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeolk.engine.engine import Engine
from edgeolk.scaling.record import Preprocessing
from edgeolk.scaling.scaler import RunningScaler

#: Regions of statistics that a learner's block and a scaler's have.
STATISTICS = ("scaler", "scaler_counts", "scaler_range", "statistics")


class CommonScale(NamedTuple):
    """z = (x - mean) / sd, clipped, for every input.

    Attributes
    ----------
    mean, sd : float
        Of all readings of all inputs; sd is 1 where it would be 0.
    clip : float
        Deviations from the mean at which a reading is clipped.
    n_seen : int
        Rows in the statistics.
    """

    mean: float
    sd: float
    clip: float
    n_seen: int

    @property
    def method(self) -> str:
        """Its name in the ``scale`` argument of a learner."""
        return "common"

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Scale rows, or one row: an array of the shape of X."""
        readings: Any = np.asarray(X, dtype=np.float64)
        z: NDArray[np.float64] = np.clip(
            (readings / 2.0 - self.mean / 2.0) / (self.sd / 2.0), -self.clip, self.clip
        )
        return z


def common_scale(prepared: Preprocessing, engine: Engine) -> CommonScale | None:
    """The common scale in a block (c/common_scale.h); None if inputs are scaled separately."""
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
    return CommonScale(mean, sd if sd > 0.0 else 1.0, prepared.common_clip, rows)


def scaler_of(prepared: Preprocessing, engine: Engine) -> RunningScaler:
    """A scaler with the statistics in the block of a learner."""
    d: int = engine.config.n_features
    views = {name: engine.view(name) for name in STATISTICS if name in prepared.regions}
    return RunningScaler._of(d, prepared, engine.counters()["steps"], views)
