"""The Forgetron: shrink just enough that dropping the oldest vector does no harm."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import KernelLearner, positive

SHARE = 15.0 / 32.0


def psi(weight: float, mu: float) -> float:
    """Upper bound on the cost of removing a vector of that weight and margin."""
    return weight * weight + 2.0 * weight - 2.0 * weight * mu


def shrinking_factor(sigma: float, mu: float, slack: float) -> float:
    """Largest p in (0, 1] with psi(sigma p, mu p) <= slack, for slack > 0."""
    a = sigma * sigma - 2.0 * sigma * mu
    b = 2.0 * sigma
    if a + b - slack <= 0.0:
        return 1.0
    # The smaller positive root, even if the parabola opens downwards: beyond the larger root the
    # constraint holds again, but that root is above 1 here.
    return min(1.0, 2.0 * slack / (b + math.sqrt(b * b + 4.0 * a * slack)))


class Forgetron(KernelLearner):
    """Self-tuned Forgetron: a mistake on a full model shrinks all and drops the oldest.
    Dekel, Shalev-Shwartz, Singer, SIAM J. Comput. 2008."""

    needs_budget = True

    def _begin(self) -> None:
        self.Q = 0.0

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if y * f > 0.0:
            return False
        if not self.is_full:
            self.append(x, y)
            return True
        r = self._victim(y, row)
        sigma, mu = self._weight_and_margin(r, y, row)
        phi = 1.0
        if sigma > 0.0:
            phi = self._factor(sigma, mu, self.norm2() + 2.0 * y * f + kxx)
            self.Q += psi(sigma * phi, mu * phi)
        self.alpha = phi * self.alpha
        self.replace(r, x, phi * y)
        return True

    def _victim(self, y: float, row: np.ndarray) -> int:
        return self.oldest()

    def _weight_and_margin(self, r: int, y: float, row: np.ndarray) -> tuple[float, float]:
        """|alpha_r| and the margin at s_r of the model with the incoming vector added."""
        side = math.copysign(1.0, self.alpha[r])
        return abs(float(self.alpha[r])), side * (self.decision(self.sv[r]) + y * float(row[r]))

    def _factor(self, sigma: float, mu: float, grown2: float) -> float:
        """`grown2` is the squared norm of the model with the incoming vector added."""
        return shrinking_factor(sigma, mu, SHARE * self.mistakes - self.Q)


class ForgetronBasic(Forgetron):
    """Shrinks by a fixed factor, or more to stay within the ball of radius U.
    Dekel, Shalev-Shwartz, Singer, SIAM J. Comput. 2008."""

    U: float = positive(None)

    def _begin(self) -> None:
        super()._begin()
        assert self.budget is not None
        B = self.budget + 1
        self.U = math.sqrt(B / math.log(B)) / 4.0 if self.U is None else self.U

    def _factor(self, sigma: float, mu: float, grown2: float) -> float:
        assert self.budget is not None
        phi: float = (self.budget + 1) ** (-1.0 / (2.0 * (self.budget + 1)))
        if grown2 > 0.0:
            phi = min(phi, self.U / math.sqrt(grown2))
        return phi


class ForgetronGreedy(Forgetron):
    """Self-tuned, but drops the old vector with the cheapest removal; ties: the oldest.
    Dekel, Shalev-Shwartz, Singer, SIAM J. Comput. 2008."""

    def _victim(self, y: float, row: np.ndarray) -> int:
        def damage(r: int) -> tuple[float, int]:
            return psi(*self._weight_and_margin(r, y, row)), int(self.arrival[r])

        return min(range(self.m), key=damage)
