"""Perceptrons that also learn from small margins, inside a ball."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import Kernel, KernelLearner, require


class _Aggressive(KernelLearner):
    """What the two variants share: margin test, insertion with rate lam, ball.
    Ahpatron, AAAI 2024, algorithms 1 and 2."""

    U: float
    lam: float | None
    eps: float

    def __init__(self, kernel: Kernel, budget: int | None, seed: int = 0) -> None:
        super().__init__(kernel, budget, seed)
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

    def __init__(
        self,
        kernel: Kernel,
        budget: int | None,
        seed: int = 0,
        *,
        U: float,
        lam: float | None = None,
        eps: float = 0.5,
        full: str = "stop",
    ) -> None:
        super().__init__(kernel, budget, seed)
        require(U > 0.0, "U must be positive")
        require(lam is None or lam > 0.0, "lam must be positive")
        require(lam is not None or math.isfinite(U), "the adaptive rate needs a finite U")
        require(0.0 < eps < 1.0, "0 < eps < 1 is required")
        require(full == "stop", "a full model only freezes here")
        self.U = U
        self.lam = lam
        self.eps = eps

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not self._asks_for_update(y, f):
            return False
        if self.is_full:
            self.capacity_hits += 1
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
    """Weights on the kept vectors that stand in best for the removed part, ridged.

    A ridge too small to make the system positive definite is raised until it does.
    """
    target = K_cross @ alpha_gone
    eye = np.eye(len(K_keep))
    while True:
        system = K_keep + ridge * eye
        try:
            L = np.linalg.cholesky(system)
        except np.linalg.LinAlgError:
            # The last term only matters for an all-zero Gram, which would never end.
            floor = 1e-12 * float(np.mean(np.diag(K_keep)))
            ridge = max(10.0 * ridge, floor, np.finfo(float).tiny)
            continue
        return np.linalg.solve(L.T, np.linalg.solve(L, target))


class Ahpatron(_Aggressive):
    """The same update; a full model drops its lighter half, whose weight is projected.
    Algorithm 2 of Ahpatron, AAAI 2024, with the authors' program's renormalisation."""

    needs_budget = True
    min_budget = 2

    def __init__(
        self,
        kernel: Kernel,
        budget: int,
        seed: int = 0,
        U: float | None = None,
        lam: float | None = None,
        eps: float = 0.5,
        eta: float = 5e-4,
        rescale: bool = True,
    ) -> None:
        super().__init__(kernel, budget, seed)
        self.U = math.sqrt(budget) / 2.0 if U is None else U
        require(self.U > 0.0, "U must be positive")
        self.lam = self.U / math.sqrt(4.0 * budget) if lam is None else lam
        require(self.lam > 0.0, "lam must be positive")
        require(0.0 < eps < 1.0 and eps >= self.lam / 2.0, "max(0, lam / 2) <= eps < 1")
        require(eta >= 0.0, "eta must not be negative")
        self.eps = eps
        self.eta = eta
        self.rescale = rescale
        self.halvings = 0

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not self._asks_for_update(y, f):
            return False
        if self.is_full:
            self._halve()
        self._insert(x, y, f)
        return True

    def _halve(self) -> None:
        keep, gone = split_by_size(self.alpha, self.m // 2)
        K = self.gram()
        old2 = max(0.0, float(self.alpha @ K @ self.alpha))
        K_keep = K[np.ix_(keep, keep)]
        theta = takeover_weights(K_keep, K[np.ix_(keep, gone)], self.alpha[gone], self.eta)
        kept = self.alpha[keep] + theta
        new2 = float(kept @ K_keep @ kept)
        self.keep(keep)
        self.alpha = kept
        # A kept part that cancels must not be blown up out of rounding noise.
        if self.rescale and new2 > 1e-12 * old2:
            self.alpha = self.alpha * math.sqrt(old2 / new2)
        else:
            self._project_on_ball(self.U)
        self.halvings += 1
