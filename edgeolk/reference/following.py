"""Preprocessing of a learner on structured features: one scale for all inputs, clamped inputs, a
width that adapts to the rows (section 15 of docs/sorf.md).

The scaler of each input is not implemented here: a row is passed together with its scaled version.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from edgeolk.reference.structured import Sorf
from edgeolk.reference.structured_novelty import SorfNovelty

HELD, COMMON_CLIP, PRIOR, WINDOW, LEAST = 2.5, 8.0, 32, 4096, 1e-6


class Common:
    """Mean and deviation over all readings of all inputs, which are all stored."""

    def __init__(self, clip: float = COMMON_CLIP) -> None:
        self.readings: list[float] = []
        self.clip = clip

    def learn(self, x: np.ndarray) -> None:
        self.readings += [float(v) for v in x]

    @property
    def two(self) -> bool:
        """Whether all readings so far had at most two values."""
        return len(set(self.readings)) <= 2

    def __call__(self, x: np.ndarray) -> np.ndarray:
        readings = np.array(self.readings or [0.0])
        sd = float(readings.std()) if readings.min() < readings.max() else 1.0
        scaled = (np.asarray(x, float) - readings.mean()) / sd
        return np.asarray(np.clip(scaled, -self.clip, self.clip))


class Following:
    """A model of gamma = 1/2 whose angles are divided by sqrt(q).

    ``model`` is a separate learner with that gamma; ``scale`` is the scaler before it: "standard",
    "minmax" (rows are passed scaled by it) or "common".
    """

    def __init__(self, model: Sorf | SorfNovelty, scale: str = "standard") -> None:
        self.model, self.scale = model, scale
        self.unit = model.phi.omega.copy()
        self.real: Any = float if model.a.v.dtype == np.float64 else np.float32
        self.d = model.phi.d
        self.q = float(self.d)
        self.common = Common()
        self.holds = isinstance(model, Sorf) and not model.regression and scale == "standard"

    def prepared(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """The row as passed to the model; sets the current width and clamp of the model."""
        shared = self.scale == "common" or (self.scale == "standard" and self.common.two)
        z = self.common(x) if shared else np.asarray(z, float)
        if isinstance(self.model, Sorf):
            self.model.hold = HELD if self.holds and not shared else math.inf
            self.model.set_omega(self.unit / math.sqrt(self.q))
        else:
            self.model.phi.omega = self.unit / math.sqrt(self.q)
        return z.astype(self.real).astype(float)

    def step(self, x: np.ndarray, z: np.ndarray, *label: float, **more: Any) -> float:
        """Learn x, with z its version scaled by statistics that include it."""
        self.common.learn(x)
        row = self.prepared(x, z)
        score = self.model.step(row, *label, **more)
        if isinstance(self.model, Sorf):
            row = np.clip(row, -self.model.hold, self.model.hold)
        square = float(row @ row)
        if square > 0.0:
            self.q += (square - self.q) / min(self.model.t + PRIOR, WINDOW)
            self.q = float(self.real(max(self.q, LEAST * self.d)))
        return score

    def decision(self, x: np.ndarray, z: np.ndarray) -> float:
        return self.model.decision(self.prepared(x, z))

    def scores(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return self.model.scores(self.prepared(x, z))  # type: ignore[union-attr]
