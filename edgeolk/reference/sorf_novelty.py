"""Novelty on structured features, of single rows.

The mean feature of all rows, and a quantile of the score: kernel mean embedding of Smola, Gretton,
Song, Scholkopf, ALT 2007; quantile tracking by stochastic gradient. ``sorf_watch`` is for rows in
the order of time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgeolk.reference.base import Pcg32, require
from edgeolk.reference.sorf import ROUNDING_STREAM, Features, Weights


class MeanFeature:
    """The mean feature of all rows, in stored numbers."""

    def __init__(self, phi: Features, seed: int, dtype: str) -> None:
        self.phi = phi
        self.kappa = 127.0 if dtype == "int8" else 1.0
        self.rounding = Pcg32(seed, ROUNDING_STREAM)
        self.a = Weights(phi.D, 1, dtype, self.rounding)

    def similarity(self, phi: np.ndarray) -> float:
        return float(np.sum(phi * self.a.v[:, 0].astype(float))) / (self.kappa * self.phi.D)

    def average(self, phi: np.ndarray, t: int, n: float) -> None:
        """Update the blocks that are due in row t towards its features, by 1 / n."""
        for _, k in self.phi.due(t):
            change = (self.kappa * phi[k] - self.a.v[k, 0].astype(float)) / n
            self.a.add(k, [0], change[:, None, :])


class SorfNovelty(MeanFeature):
    """Rows without labels; a negative `decision` means novel."""

    def __init__(
        self,
        n_features: int,
        D: int,
        gamma: float,
        *,
        groups: Sequence[Sequence[float]] = ((0.3, 1.0, 3.0),),
        seed: int = 0,
        dtype: str = "float64",
        nu: float = 0.05,
        window: int = 4096,
    ) -> None:
        require(0.0 < nu < 1.0 and window >= 8, "0 < nu < 1 and window >= 8 are required")
        super().__init__(Features(n_features, D, gamma, groups, seed), seed, dtype)
        self.nu, self.window = nu, window
        self.rho = self.m = 0.0
        self.t = self.mistakes = 0

    def decision(self, x: np.ndarray) -> float:
        return self.similarity(self.phi(np.asarray(x, dtype=float))) - self.rho

    def predict(self, x: np.ndarray) -> int:
        return -1 if self.decision(x) < 0.0 else 1

    def step(self, x: np.ndarray) -> float:
        phi = self.phi(np.asarray(x, dtype=float))
        f = self.similarity(phi)
        novel = f < self.rho
        returned = f - self.rho
        self.mistakes += novel
        self.m += (abs(f) - self.m) / min(self.t + 1, 1000)
        g = self.m * max(0.02, min(1.0, 10.0 / (self.t + 1)))
        self.rho = max(0.0, self.rho + (-g * (1.0 - self.nu) if novel else g * self.nu))
        self.average(phi, self.t, min(self.t // 8 + 1, self.window / 8))
        self.t += 1
        return returned
