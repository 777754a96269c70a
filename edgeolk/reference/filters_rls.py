"""Kernel adaptive filters with recursive least squares: krls, sw_krls and fb_krls."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import positive
from edgeolk.reference.filters_lms import KernelAdaptiveFilter


class Krls(KernelAdaptiveFilter):
    """Recursive least squares on the support vectors; a row enters if it is not approximately
    linearly dependent on them.
    Engel, Mannor, Meir, IEEE Trans. Signal Processing 2004.

    In whitened coordinates: with K = L L' the kernel matrix of the support vectors, M = L^-1, the
    regressor of a row is z = M k, the answer z'v, and R is the inverse of the sum of z z' over all
    rows. The published recursion keeps K^-1 instead and diverges in float64 on clean series.
    """

    nu: float = positive(1e-4)

    def _begin(self) -> None:
        self.M = np.zeros((0, 0))
        self.R = np.zeros((0, 0))
        self.v = np.zeros(0)

    def _score(self, x: np.ndarray, row: np.ndarray) -> float:
        return float((self.M @ row) @ self.v)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        e = y - f
        z = self.M @ row
        delta = kxx - float(z @ z)  # squared distance of k(x, .) from the span of the vectors
        if self.m == 0 and delta <= 0.0:
            return False  # zero in the feature space: it says nothing
        if self.m == 0 or (delta > self.nu and not self.is_full):
            self._enter(x, e, z, delta)
        else:
            h = self.R @ z
            g = h / (1.0 + z @ h)
            self.R = self.R - np.outer(g, h)
            self.v = self.v + g * e
        self.alpha = self.M.T @ self.v
        return True

    def _enter(self, x: np.ndarray, e: float, z: np.ndarray, delta: float) -> None:
        """One more coordinate, in which the row is sqrt(delta): it is fitted exactly."""
        Rz, length = self.R @ z, math.sqrt(delta)
        self.R = np.block(
            [
                [self.R, -Rz[:, None] / length],
                [-Rz[None, :] / length, np.array([[(1.0 + z @ Rz) / delta]])],
            ]
        )
        self.M = bordered_factor(self.M, z, delta)
        self.v = np.append(self.v, e / length)
        self.append(x, 0.0)


def bordered_factor(M: np.ndarray, z: np.ndarray, delta: float) -> np.ndarray:
    """M = L^-1 of K = L L', after a row with z = M k and delta = k(x, x) - z'z joins K."""
    length = math.sqrt(delta)
    last = np.append(-(z @ M), 1.0) / length
    return np.vstack([np.hstack([M, np.zeros((len(M), 1))]), last])


class _Regularised(KernelAdaptiveFilter):
    """Holds rows with their targets; the coefficients solve (K + c I) a = targets.

    The compiled filters keep the inverse and update it; here it is made again at every row.
    """

    c: float = positive(0.01)

    def _begin(self) -> None:
        self.targets = np.zeros(0)

    def _solve(self) -> np.ndarray:
        """Set the coefficients; returns the inverse of K + c I."""
        inverse = np.linalg.inv(self.gram() + self.c * np.eye(self.m))
        self.alpha = inverse @ self.targets
        return inverse


class SwKrls(_Regularised):
    """Sliding window: the last B rows.
    Van Vaerenbergh, Via, Santamaria, ICASSP 2006."""

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if self.is_full:
            slot = self.oldest()
            self.replace(slot, x, 0.0)
            self.targets[slot] = y
        else:
            self.append(x, 0.0)
            self.targets = np.append(self.targets, y)
        self._solve()
        return True


class FbKrls(_Regularised):
    """Fixed budget: of B + 1 rows the one leaves whose removal changes the answers least.
    Van Vaerenbergh, Santamaria, Liu, Principe, ICASSP 2010."""

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        was_full = self.is_full
        self.append(x, 0.0)
        self.targets = np.append(self.targets, y)
        inverse = self._solve()
        if was_full:
            last = self.m - 1
            slot = int(np.argmin(np.abs(self.alpha) / np.diag(inverse)))
            # The incoming row takes the place of the one that leaves; it may be that one.
            order = np.arange(last)
            if slot != last:
                order[slot] = last
            self.keep(order)
            self.targets = self.targets[order]
            self._solve()
        return True
