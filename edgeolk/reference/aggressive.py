"""Perceptrons that also learn from small margins, inside a ball."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import (
    KernelLearner,
    among,
    flag,
    not_negative,
    option,
    positive,
    require,
)
from edgeolk.reference.vectors import Vectors


class _Aggressive(KernelLearner):
    """Shared by the two variants: margin test, insertion with rate lam, ball.
    Ahpatron, AAAI 2024, algorithms 1 and 2."""

    U: float = positive(None)
    lam: float | None = positive(None)
    eps: float = option(0.5, "must be between 0 and 1", lambda eps: 0.0 < eps < 1.0)

    def _begin(self) -> None:
        self.margin_updates = 0

    def _asks_for_update(self, y: float, f: float) -> bool:
        return y * f < 1.0 - self.eps

    def _insert(self, x: np.ndarray, y: float, f: float) -> None:
        n = self.updates + 1
        lam = self.U / math.sqrt(n) if self.lam is None else self.lam
        self.append(x, lam * y)
        self._project_on_ball(self.U)
        if y * f > 0.0:
            self.margin_updates += 1


class Avp(_Aggressive):
    """Updates on margins below 1 - eps and projects on a ball; frozen once full.
    Algorithm 1 (AVP) of Ahpatron, AAAI 2024."""

    U: float = positive(...)
    full: str = among("stop")

    def _begin(self) -> None:
        super()._begin()
        require(self.lam is not None or math.isfinite(self.U), "the adaptive rate needs a finite U")

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not self._asks_for_update(y, f) or self.is_frozen():
            return False
        self._insert(x, y, f)
        return True


def split_by_size(alpha: np.ndarray, h: int) -> tuple[np.ndarray, np.ndarray]:
    """Slots of the h largest |alpha| (ties to the lower slot) and the others."""
    order = sorted(range(len(alpha)), key=lambda i: (-abs(alpha[i]), i))
    return np.array(sorted(order[:h]), dtype=int), np.array(sorted(order[h:]), dtype=int)


def takeover_weights(
    K_keep: np.ndarray, K_cross: np.ndarray, alpha_gone: np.ndarray, ridge: float
) -> np.ndarray:
    """Ridge regression of the removed part on the kept vectors: their additional weights.

    The ridge is raised until the system is positive definite.
    """
    target = K_cross @ alpha_gone
    eye = np.eye(len(K_keep))
    while True:
        system = K_keep + ridge * eye
        try:
            L = np.linalg.cholesky(system)
        except np.linalg.LinAlgError:
            # The last term only matters for an all-zero Gram matrix, to end the loop.
            floor = 1e-12 * float(np.mean(np.diag(K_keep)))
            ridge = max(10.0 * ridge, floor, np.finfo(float).tiny)
            continue
        return np.linalg.solve(L.T, np.linalg.solve(L, target))


def halve(vectors: Vectors, ridge: float, rescale: bool, U: float) -> None:
    """Keep the heavier half, which compensates for the other; rescale, or project on the ball."""
    keep, gone = split_by_size(vectors.sizes(), vectors.m // 2)
    K, old2 = vectors.gram(), max(0.0, vectors.norm2())
    theta = takeover_weights(
        K[np.ix_(keep, keep)], K[np.ix_(keep, gone)], vectors.alpha[gone], ridge
    )
    vectors.keep(keep)
    vectors.alpha = vectors.alpha + theta
    new2 = vectors.norm2()
    # A kept part that cancels out must not be scaled up from rounding noise.
    if rescale and new2 > 1e-12 * old2:
        vectors.alpha = vectors.alpha * math.sqrt(old2 / new2)
    else:
        vectors._project_on_ball(U)


class Ahpatron(_Aggressive):
    """The same update; a full model drops its lighter half, whose weight is projected.
    Algorithm 2 of Ahpatron, AAAI 2024, with the authors' program's renormalisation."""

    needs_budget = True
    min_budget = 2

    eta: float = not_negative(5e-4)
    rescale: bool = flag(True)

    def _begin(self) -> None:
        super()._begin()
        assert self.budget is not None
        self.U = math.sqrt(self.budget) / 2.0 if self.U is None else self.U
        self.lam = self.U / math.sqrt(4.0 * self.budget) if self.lam is None else self.lam
        require(self.eps >= self.lam / 2.0, "eps must be at least lam / 2")
        self.halvings = 0

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not self._asks_for_update(y, f):
            return False
        if self.is_full:
            halve(self, self.eta, self.rescale, self.U)
            self.halvings += 1
        self._insert(x, y, f)
        return True
