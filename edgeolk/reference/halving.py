"""Ahpatron, POMDR, and AVP (Ahpatron without a budget): a full model gives up half its vectors."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from edgeolk.reference.base import (
    KernelLearner,
    Vectors,
    among,
    at_least,
    flag,
    not_negative,
    option,
    positive,
    require,
)
from edgeolk.reference.projectron import NEGLIGIBLE, project_on_span


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


class Pomdr(KernelLearner):
    """Scores with the model plus a hint, updates the model; a full model merges its younger
    half into the nearest vectors of the older half.
    POMDR of Li, Liao 2023, from the authors' program."""

    needs_budget = True
    min_budget = 2

    U: float = option(25.0, "must be positive and finite", lambda U: 0.0 < U < math.inf)
    M: int = at_least(1, 15)
    coe: float = positive(0.1)
    b0: int = not_negative(None)
    ald: float = not_negative(0.005)

    def _begin(self) -> None:
        assert self.budget is not None
        self.b0 = self.budget // 2 if self.b0 is None else self.b0
        self.window: deque[tuple[np.ndarray, float]] = deque(maxlen=self.M)
        self.projecting = self.b0 > 0
        self.S = 0.0
        self.halvings = 0

    # --- scores ---

    def rate(self) -> float:
        return (self.coe if self.halvings else 1.0) * self.U / math.sqrt(3.0 + self.S)

    def hint(self, x: np.ndarray) -> float:
        """Mean of y_r k(x_r, x) over the window."""
        if not self.window:
            return 0.0
        past = np.array([z for z, _ in self.window])
        labels = np.array([label for _, label in self.window])
        return float(np.mean(labels * self.kernel(past, x)))

    def base(self, x: np.ndarray) -> float:
        return super().decision(x)

    def decision(self, x: np.ndarray) -> float:
        return self.base(x) + self.rate() * self.hint(np.asarray(x, dtype=float))

    def _score(self, x: np.ndarray, row: np.ndarray) -> float:
        return super()._score(x, row) + self.rate() * self.hint(x)

    # --- learning ---

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        changed = False
        if y * f < 1.0:
            projected = self._project(x, y, row, kxx)
            changed = self._insert(x, y, kxx) if projected is None else projected
        self.window.append((x, y))
        return changed

    def _project(self, x: np.ndarray, y: float, row: np.ndarray, kxx: float) -> bool | None:
        """None if the example is not projected; else whether the projection changed the model."""
        if not self.projecting or self.m == 0:
            return None
        beta, p, delta2 = project_on_span(self.gram(), row, kxx)
        if math.sqrt(delta2) > self.ald and delta2 > NEGLIGIBLE * kxx:
            return None
        changed = self.move(self.rate() * y * beta)
        self._project_on_ball(self.U)
        hint_of_projection = sum(b * self.hint(s) for b, s in zip(beta, self.sv, strict=True))
        self.S += max(0.0, p - 2.0 * y * hint_of_projection)
        return changed

    def _insert(self, x: np.ndarray, y: float, kxx: float) -> bool:
        if self.m == 0 and kxx <= 0.0:
            return False
        self.append(x, self.rate() * y)
        self._project_on_ball(self.U)
        self.S += max(0.0, kxx - 2.0 * y * self.hint(x))
        if self.m >= self.b0:
            self.projecting = False
        if self.is_full:
            self._halve()
        return True

    def _halve(self) -> None:
        h = self.m // 2
        merged = self.alpha[:h].copy()
        for r in range(h, self.m):
            merged[int(np.argmax(self.kernel(self.sv[:h], self.sv[r])))] += self.alpha[r]
        self.keep(np.arange(h))
        norm2 = float(merged @ self.gram() @ merged)
        # A sum that cancels out must not be scaled up from rounding noise.
        scale = self.U / math.sqrt(norm2) if norm2 > 1e-12 * self.U**2 else 1.0
        self.alpha = merged * scale
        self.S = 0.0
        self.halvings += 1
