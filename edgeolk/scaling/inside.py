"""Copies of the scaler in a learner's block: a RunningScaler, or the common scale of all inputs."""

from __future__ import annotations

import struct
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeolk.core.arena import ALIGNMENT
from edgeolk.engine.engine import Engine
from edgeolk.files import checksums
from edgeolk.scaling.block import FEATURE, FORMAT_VERSION, HEAD, MAGIC, plan_of
from edgeolk.scaling.record import COMPACT, Preprocessing
from edgeolk.scaling.scaler import RunningScaler


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
    """The common scale in a block (c/scaler.h); None if inputs are scaled separately."""
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


def copied(prepared: Preprocessing, engine: Engine) -> RunningScaler:
    """A scaler with the statistics in the block of a learner, created via the file format."""
    d: int = engine.config.n_features
    plan = plan_of(d, prepared.method, True)
    steps = engine.counters()["steps"]
    last = prepared.freeze_after
    frozen = 0 < last <= steps
    block = bytearray(plan.nbytes - ALIGNMENT)
    HEAD.pack_into(
        block, 0, MAGIC, FORMAT_VERSION, 0, len(block), d, last, min(steps, last or steps),
        prepared.method, frozen, prepared.window, prepared.clip,
    )  # fmt: skip
    at = {region.name: region.offset for region in plan.regions}
    if prepared.method == COMPACT:
        records = bytes(engine.view("statistics"))
        block[at["statistics"] : at["statistics"] + len(records)] = records
        return RunningScaler._from_block(checksums.sealed(block))
    features = np.frombuffer(block, FEATURE, d, at["features"])
    numbers: Any = np.asarray(engine.view("scaler")).reshape(-1, 4)
    counts: Any = np.asarray(engine.view("scaler_counts")).reshape(-1, 2)
    features["numbers"], features["counts"] = numbers, counts.view(np.uint32)
    if "min" in at:
        span: Any = np.asarray(engine.view("scaler_range")).reshape(2, d)
        for name, values in zip(("min", "max"), span, strict=True):
            struct.pack_into(f"<{d}d", block, at[name], *values)
    del features
    return RunningScaler._from_block(checksums.sealed(block))
