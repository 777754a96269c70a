"""Gradient descent in explicit features: random Fourier and Nystroem."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import (
    LOSSES,
    KernelLearner,
    among,
    at_least,
    loss_gradient,
    not_negative,
    option,
    positive,
    require,
    width_of,
)
from edgeolk.reference.gradient import require_shrinkage
from edgeolk.reference.normals import standard_normals


class Fogd(KernelLearner):
    """Linear gradient descent on random Fourier features; stores no vectors.
    FOGD of Lu, Hoi, Wang, Zhao, Liu, JMLR 2016."""

    keeps_average = True

    D: int = at_least(1, 100)
    eta: float = positive(0.1)
    lam: float = not_negative(0.0)
    loss: str = among(*LOSSES)

    def _begin(self) -> None:
        require_shrinkage(self.eta, self.lam)
        self.width = width_of(self.kernel)
        self.omega: np.ndarray | None = None
        self.w = np.zeros(2 * self.D)
        self.w_sum = np.zeros(2 * self.D)

    def features(self, x: np.ndarray) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        if self.omega is None:
            draws = standard_normals(self.seed, (self.D, x.size))
            self.omega = draws * math.sqrt(2.0 * self.width)
        angles = self.omega @ x
        return np.concatenate([np.cos(angles), np.sin(angles)]) / math.sqrt(self.D)

    def decision(self, x: np.ndarray) -> float:
        return float(self.w @ self.features(x)) if self.t else 0.0

    def averaged(self, x: np.ndarray, include_current: bool = False) -> float:
        if not self.t:
            return 0.0
        if include_current:
            return float((self.w_sum + self.w) @ self.features(x)) / (self.t + 1)
        return float(self.w_sum @ self.features(x)) / self.t

    def _score(self, x: np.ndarray, row: np.ndarray) -> float:
        return float(self.w @ self.features(x))

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        self.w_sum = self.w_sum + self.w
        if self.lam > 0.0:
            self.w = self.w * (1.0 - self.eta * self.lam)
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return False
        self.w = self.w - self.eta * g * self.features(x)
        return True


def nystroem_map(K: np.ndarray, k: int, rcond: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The map M with z = M k_x, the kept eigenvalues (descending) and eigenvectors (rows)."""
    values, vectors = np.linalg.eigh(K)
    values, vectors = values[::-1], vectors[:, ::-1]
    rank = min(k, int(np.sum(values > rcond * values[0])))
    kept, rows = values[:rank], vectors[:, :rank].T
    return rows / np.sqrt(kept)[:, None], kept, rows


class Nogd(KernelLearner):
    """Kernel gradient descent until full; from then on linear gradient descent in the
    leading Nystroem features of the stored vectors.
    NOGD of Lu, Hoi, Wang, Zhao, Liu, JMLR 2016."""

    needs_budget = True

    k: int = at_least(1, None)
    eta: float = positive(0.1)
    eta2: float = positive(None)
    loss: str = among(*LOSSES)
    rcond: float = option(1e-10, "must be from 0 to below 1", lambda rcond: 0.0 <= rcond < 1.0)

    def _begin(self) -> None:
        assert self.budget is not None
        self.k = max(1, math.floor(0.2 * self.budget + 0.5)) if self.k is None else self.k
        require(self.k <= self.budget, "k must be at most the budget")
        self.eta2 = self.eta if self.eta2 is None else self.eta2
        self.M: np.ndarray | None = None
        self.w: np.ndarray | None = None

    def decision(self, x: np.ndarray) -> float:
        if self.M is None:
            return super().decision(x)
        return self._score(x, self.kernel(self.sv, np.asarray(x, dtype=float)))

    def _score(self, x: np.ndarray, row: np.ndarray) -> float:
        if self.M is None:
            return super()._score(x, row)
        return float(self.w @ (self.M @ row))

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return False
        if self.M is None:
            self.append(x, -self.eta * g)
            if self.is_full:
                self._start_features()
        else:
            self.w = self.w - self.eta2 * g * (self.M @ row)
            self.alpha = self.M.T @ self.w
        return True

    def _start_features(self) -> None:
        """Project the model orthogonally on the kept eigenfunctions."""
        self.M, kept, rows = nystroem_map(self.gram(), self.k, self.rcond)
        self.w = np.sqrt(kept) * (rows @ self.alpha)
        self.alpha = self.M.T @ self.w
