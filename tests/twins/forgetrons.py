"""The Forgetron: shrink just enough that dropping the oldest vector does no harm."""

from __future__ import annotations

import math

import numpy as np

from .base import Kernel, Twin

SHARE = 15.0 / 32.0


def psi(weight: float, mu: float) -> float:
    """Bound on the damage of removing a vector of that weight and margin."""
    return weight * weight + 2.0 * weight - 2.0 * weight * mu


def shrinking_factor(sigma: float, mu: float, slack: float) -> float:
    """Largest p in (0, 1] with psi(sigma p, mu p) <= slack, for slack > 0."""
    a = sigma * sigma - 2.0 * sigma * mu
    b = 2.0 * sigma
    if a + b - slack <= 0.0:
        return 1.0
    # The smaller positive root also when the parabola opens downwards: beyond the larger
    # root the constraint holds again, but that root lies above 1 here.
    return min(1.0, 2.0 * slack / (b + math.sqrt(b * b + 4.0 * a * slack)))


class Forgetron(Twin):
    """Self-tuned Forgetron: a mistake on a full model shrinks all and drops the oldest.
    Dekel, Shalev-Shwartz, Singer, SIAM J. Comput. 2008."""

    needs_budget = True

    def __init__(self, kernel: Kernel, budget: int | None, seed: int = 0) -> None:
        super().__init__(kernel, budget, seed)
        self.Q = 0.0

    def _update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if y * f > 0.0:
            return False
        if not self.is_full:
            self._append(x, y)
            return True
        r = self._oldest()
        sigma = abs(float(self.alpha[r]))
        phi = 1.0
        if sigma > 0.0:
            side = math.copysign(1.0, self.alpha[r])
            mu = side * (self.decision(self.sv[r]) + y * float(row[r]))
            phi = shrinking_factor(sigma, mu, SHARE * self.mistakes - self.Q)
            self.Q += psi(sigma * phi, mu * phi)
        self.alpha = phi * self.alpha
        self._replace(r, x, phi * y)
        return True
