"""Optimistic mirror descent: recent examples hint at the next gradient."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from edgeolk.reference.base import KernelLearner, at_least, not_negative, option, positive
from edgeolk.reference.projections import NEGLIGIBLE, project_on_span


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
        folded = self.alpha[:h].copy()
        for r in range(h, self.m):
            folded[int(np.argmax(self.kernel(self.sv[:h], self.sv[r])))] += self.alpha[r]
        self.keep(np.arange(h))
        norm2 = float(folded @ self.gram() @ folded)
        # A sum that cancels out must not be scaled up from rounding noise.
        scale = self.U / math.sqrt(norm2) if norm2 > 1e-12 * self.U**2 else 1.0
        self.alpha = folded * scale
        self.S = 0.0
        self.halvings += 1
