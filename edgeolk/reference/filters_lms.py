"""Kernel adaptive filters with gradient steps: klms, qklms, knlms and kapa.

All kernel adaptive filters learn real targets with the square loss. In every file of them, n is the
number of support vectors, k the kernel row k(s_i, x), kxx = k(x, x), f the answer before the update
and e = y - f its error.
"""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import KernelLearner, among, at_least, not_negative, option, positive


class KernelAdaptiveFilter(KernelLearner):
    """A learner of real targets with a fixed number of support vectors."""

    needs_budget = True
    loss = "square"


class Klms(KernelAdaptiveFilter):
    """Kernel least mean squares: every row enters with the coefficient eta e.
    Liu, Pokharel, Principe, IEEE Trans. Signal Processing 2008."""

    eta: float = positive(0.5)
    full: str = among("stop", "oldest", "random")

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        e = y - f
        if e == 0.0:
            return False
        if self.full == "stop":
            return self.append_or_freeze(x, self.eta * e)
        return self.append_or_replace(x, self.eta * e, lambda: self.slot_of(self.full))


class Qklms(KernelAdaptiveFilter):
    """Quantised kernel least mean squares: a row close to a support vector, or any row on a full
    model, adds its step to the nearest one.
    Chen, Zhao, Zhu, Principe, IEEE Trans. Neural Networks and Learning Systems 2012."""

    eta: float = positive(0.5)
    eps: float = not_negative(0.1)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        e = y - f
        if e == 0.0:
            return False
        if self.m:
            # The Euclidean distance, whatever the kernel.
            distance2 = np.sum((self.sv - x) ** 2, axis=1)
            nearest = int(np.argmin(distance2))
            if distance2[nearest] <= self.eps**2 or self.is_full:
                change = np.zeros(self.m)
                change[nearest] = self.eta * e
                return self.move(change)
        self.append(x, self.eta * e)
        return True


class _Coherence(KernelAdaptiveFilter):
    """A row enters if its coherence with every support vector is at most mu0."""

    eta: float = positive(0.5)
    mu0: float = option(0.95, "must be between 0 and 1", lambda mu0: 0.0 <= mu0 <= 1.0)
    eps: float = positive(0.01)

    def _enter_if_novel(self, x: np.ndarray, row: np.ndarray, kxx: float) -> bool:
        novel = self.m == 0 or (not self.is_full and self._is_incoherent(row, kxx))
        if novel:
            self.append(x, 0.0)
        return novel

    def _is_incoherent(self, row: np.ndarray, kxx: float) -> bool:
        # A row with k(x, x) = 0 is zero in the feature space: it cannot contribute.
        # An indefinite kernel may have k(s, s) < 0.
        norms = np.sqrt(np.maximum(0.0, kxx * self._self_kernels()))
        return kxx > 0.0 and bool(np.all(np.abs(row) <= self.mu0 * norms))


class Knlms(_Coherence):
    """Normalised kernel least mean squares: a step on all coefficients at every row.
    Richard, Bermudez, Honeine, IEEE Trans. Signal Processing 2009."""

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        entered = self._enter_if_novel(x, row, kxx)
        k = np.append(row, kxx) if entered else row
        moved = self.move(self.eta * (y - f) / (self.eps + k @ k) * k)
        return entered or moved


class Kapa(_Coherence):
    """Kernel affine projection: a step on all coefficients for the last p rows together.
    Richard, Bermudez, Honeine, IEEE Trans. Signal Processing 2009."""

    p: int = at_least(1, 4)

    def _begin(self) -> None:
        self.last_rows: list[np.ndarray] = []
        self.last_targets: list[float] = []

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        self.last_rows = [*self.last_rows, x][-self.p :]
        self.last_targets = [*self.last_targets, y][-self.p :]
        entered = self._enter_if_novel(x, row, kxx)
        H = np.array([self.row(r) for r in self.last_rows])
        errors = np.array(self.last_targets) - H @ self.alpha
        within = self.eps * np.eye(len(H)) + H @ H.T
        moved = self.move(self.eta * H.T @ np.linalg.solve(within, errors))
        return entered or moved
