"""Novelty on structured features, of single rows.

The mean feature of all rows, and a quantile of the score: kernel mean embedding of Smola, Gretton,
Song, Scholkopf, ALT 2007; quantile tracking by stochastic gradient. ``sorf_watch`` is for rows in
the order of time. Features, their mean and the scores are in the arithmetic of sorf_arithmetic.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from edgeolk.reference.base import Pcg32, require
from edgeolk.reference.sorf_features import ROUNDING_STREAM, Features, Weights


class MeanFeature:
    """The mean feature of all rows, in stored numbers."""

    def __init__(self, phi: Features, seed: int, dtype: str) -> None:
        self.phi = phi
        self.of, self.real = phi.of, phi.real
        self.kappa = self.real(127.0 if dtype == "int8" else 1.0)
        self.rounding = Pcg32(seed, ROUNDING_STREAM)
        self.a = Weights(phi.D, 1, dtype, self.rounding)

    def similarity(self, phi: np.ndarray) -> Any:
        return self.of.similarity(phi, self.a.v, self.kappa * self.real(self.phi.D))

    def average(self, phi: np.ndarray, t: int, n: float) -> None:
        """Update the blocks that are due in row t towards its features, by 1 / n."""
        for _, k in self.phi.due(t):
            gap = self.kappa * phi[k] - self.a.v[k, 0].astype(self.real)
            self.a.add(k, [0], self.of.over(gap, self.real(n))[:, None, :])


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
        super().__init__(Features(n_features, D, gamma, groups, seed, dtype), seed, dtype)
        self.nu, self.window = self.real(nu), self.real(window)
        self.rho = self.m = self.real(0.0)
        self.t = self.mistakes = 0

    def decision(self, x: np.ndarray) -> float:
        return float(self.similarity(self.phi(np.asarray(x, dtype=self.real))) - self.rho)

    def predict(self, x: np.ndarray) -> int:
        return -1 if self.decision(x) < 0.0 else 1

    def step(self, x: np.ndarray) -> float:
        real = self.real
        phi = self.phi(np.asarray(x, dtype=real))
        f = self.similarity(phi)
        novel = bool(f < self.rho)
        returned = f - self.rho
        self.mistakes += novel
        self.m = self.m + (abs(f) - self.m) / real(min(self.t + 1, 1000))
        g = self.m * max(real(0.02), min(real(1.0), real(10.0) / real(self.t + 1)))
        rho = self.rho + (-g * (real(1.0) - self.nu) if novel else g * self.nu)
        self.rho = max(real(0.0), rho)
        self.average(phi, self.t, min(self.t // 8 + 1, self.window / real(8.0)))
        self.t += 1
        return float(returned)
