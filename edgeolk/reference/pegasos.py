"""Stochastic subgradient for the support vector machine, with and without a budget."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import (
    KernelLearner,
    among,
    at_least,
    lightest,
    not_negative,
    positive,
    width_of,
)

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


class _Subgradient(KernelLearner):
    """Rate 1 / (lam t), so that the model is the sum of `beta` divided by lam t."""

    lam: float = positive(1e-4)

    def _begin(self) -> None:
        self.beta = np.zeros(0)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        changed = y * f < 1.0 and self._add(x, y)
        self.alpha = self.beta / (self.lam * self.t)
        return changed

    def _add(self, x: np.ndarray, y: float) -> bool:
        raise NotImplementedError


class Pegasos(_Subgradient):
    """Every example inside the margin enters; none is ever removed.
    Kernel form of Pegasos, Shalev-Shwartz, Singer, Srebro, Cotter, Math. Programming 2011."""

    keeps_average = True

    full: str = among("stop")

    def _add(self, x: np.ndarray, y: float) -> bool:
        if not self.append_or_freeze(x, y):
            return False
        self.beta = np.append(self.beta, y)
        return True


def merged_size(h: float, L: float, share: float) -> float:
    """Weight (per unit) of the merged vector at h between its parents (1 = the first)."""
    return share * math.exp(-L * (1.0 - h) ** 2) + (1.0 - share) * math.exp(-L * h * h)


def merge_height(L: float, share: float, iters: int) -> float:
    """Where the merged vector is heaviest; with share <= 1/2 that is in [0, 1/2], where
    there is a single bump."""
    a, b = 0.0, 0.5
    for _ in range(iters):
        p, q = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        if merged_size(p, L, share) >= merged_size(q, L, share):
            b = q
        else:
            a = p
    return (a + b) / 2.0


class Bsgd(_Subgradient):
    """A full model removes its lightest vector: dropped, projected, or merged with another.
    BSGD of Wang, Crammer, Vucetic, JMLR 2012."""

    needs_budget = True

    maintenance: str = among("merge", "remove", "random", "project")
    ridge: float = not_negative(1e-8)
    iters: int = at_least(1, 40)

    def _begin(self) -> None:
        super()._begin()
        self.width = width_of(self.kernel) if self.maintenance == "merge" else 0.0
        self.stamp = np.zeros(0, dtype=int)

    def _add(self, x: np.ndarray, y: float) -> bool:
        S = np.vstack([self.sv, x])
        beta = np.append(self.beta, y)
        stamp = np.append(self.stamp, self.t)
        if not self.is_full:
            self._install(S, beta, stamp, np.arange(len(beta)))
            return True
        if self.maintenance == "random":
            p = self.rng.index(self.m)
        else:
            p = self._lightest(S, beta, stamp)
        if self.maintenance == "project":
            others = np.flatnonzero(np.arange(len(beta)) != p)
            K = self._gram_of(S)
            system = K[np.ix_(others, others)] + self.ridge * np.eye(self.m)
            beta[others] += np.linalg.solve(system, K[others, p]) * beta[p]
            freed = p
        elif self.maintenance == "merge":
            freed = self._merge(S, beta, stamp, p)
        else:
            freed = p
        # The freed slot receives the incoming vector, which is last, unless that one is removed.
        slots, used = np.arange(self.m), True
        if freed < self.m:
            slots[freed] = self.m
        else:
            used = not np.array_equal(self.beta, beta[:-1])
        self._install(S, beta, stamp, slots)
        return used

    def _lightest(self, S: np.ndarray, beta: np.ndarray, stamp: np.ndarray) -> int:
        kernels = np.array([max(0.0, self._self_kernel(s)) for s in S])
        size = np.abs(beta) * np.sqrt(kernels)
        return lightest(size, stamp)

    def _merge(self, S: np.ndarray, beta: np.ndarray, stamp: np.ndarray, p: int) -> int:
        """Merge p in place with its best partner; returns the slot that becomes free."""
        best = None
        for j in range(len(beta)):
            if j == p or not beta[j] * beta[p] > 0.0:
                continue
            L = self.width * float(np.sum((S[p] - S[j]) ** 2))
            h = merge_height(L, beta[p] / (beta[p] + beta[j]), self.iters)
            heavy = beta[p] * math.exp(-L * (1.0 - h) ** 2) + beta[j] * math.exp(-L * h * h)
            loss = beta[p] ** 2 + beta[j] ** 2 + 2.0 * beta[p] * beta[j] * math.exp(-L) - heavy**2
            if best is None or loss < best[0]:
                best = (loss, j, h, heavy)
        if best is None:
            return p
        _, j, h, heavy = best
        target = min(p, j)
        S[target] = h * S[p] + (1.0 - h) * S[j]
        beta[target] = heavy
        stamp[target] = self.t
        return max(p, j)

    def _install(
        self, S: np.ndarray, beta: np.ndarray, stamp: np.ndarray, slots: np.ndarray
    ) -> None:
        self.sv, self.beta, self.stamp = S[slots], beta[slots], stamp[slots]
        self.arrival = self.stamp
