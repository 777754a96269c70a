"""Passive-aggressive on a budget: choose a vector to remove and compensate with the others.

The rules differ only in which vectors may compensate for the removed one. Coefficients are a number
per vector, or a row with one per class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from edgeolk.reference.vectors import Vectors

# Squared error of a projection, and its weights per unit of the removed coefficient: on the old
# slots, on the incoming vector.
Repair = tuple[float, np.ndarray, float]


@dataclass(frozen=True)
class Step:
    """A step of tau along e for a loss H: that of PA-I with rate C, or one of fixed size."""

    e: Any  # the sign, or a number for each class
    H: float
    C: float
    square: float = 1.0  # of e; 2 where two classes move
    fixed: float | None = None

    def tau(self, norm2: float) -> float:
        """The best size if the direction of the step has the squared norm ``reach``."""
        if self.fixed is not None:
            return self.fixed
        return min(self.C, self.H / (self.square * norm2)) if norm2 > 0.0 else 0.0

    def cost(self, norm2: float) -> float:
        """The cost of that step, including the remaining loss."""
        tau, square = self.tau(norm2), self.square
        return 0.5 * square * tau * tau * norm2 + self.C * (self.H - square * tau * norm2)


class IncomingOnly:
    """Only the incoming vector compensates for the removed one."""

    #: Whether an incoming vector in the span of the others changes their coefficients only.
    spans = False

    def __init__(self, eps: float = 0.0) -> None:
        self.eps = eps

    def victims(self, vectors: Vectors, row: np.ndarray, kxx: float) -> list[Repair]:
        """The compensation for the removal of each slot."""
        return [self.victim(vectors, r, row, kxx) for r in range(vectors.m)]

    def victim(self, vectors: Vectors, r: int, row: np.ndarray, kxx: float) -> Repair:
        """The compensation for the removal of slot r."""
        k_rr, k_rt = vectors._self_kernel(vectors.sv[r]), float(row[r])
        return max(0.0, k_rr - k_rt * k_rt / kxx), np.zeros(vectors.m), k_rt / kxx

    def project(self, vectors: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        """Squared norm of the projection of the incoming vector on the permitted old slots, and
        the weights of that projection."""
        # Without the incoming vector there is no coefficient to adjust.
        return 0.0, np.zeros(vectors.m)


def nearest(S: np.ndarray, x: np.ndarray, excluded: int | None = None) -> int:
    """Slot of the nearest vector in input space, ties to the lowest."""
    d2 = np.sum((S - x) ** 2, axis=1)
    if excluded is not None:
        d2[excluded] = np.inf
    return int(np.argmin(d2))


class Nearest(IncomingOnly):
    """The incoming vector and the nearest neighbour of the removed one compensate."""

    def victim(self, vectors: Vectors, r: int, row: np.ndarray, kxx: float) -> Repair:
        single = super().victim(vectors, r, row, kxx)
        if vectors.m == 1:
            return single
        k_rr, k_rt = vectors._self_kernel(vectors.sv[r]), float(row[r])
        n = nearest(vectors.sv, vectors.sv[r], excluded=r)
        k_nn, k_nt = vectors._self_kernel(vectors.sv[n]), float(row[n])
        k_rn = float(vectors.kernel(vectors.sv[r : r + 1], vectors.sv[n])[0])
        det = k_nn * kxx - k_nt * k_nt
        if det <= self.eps * k_nn * kxx:
            return single
        b_n = (kxx * k_rn - k_nt * k_rt) / det
        b_t = (k_nn * k_rt - k_nt * k_rn) / det
        old_weights = np.zeros(vectors.m)
        old_weights[n] = b_n
        return max(0.0, k_rr - b_n * k_rn - b_t * k_rt), old_weights, b_t

    def project(self, vectors: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        j = nearest(vectors.sv, x)
        k_jj = vectors._self_kernel(vectors.sv[j])
        weights = np.zeros(vectors.m)
        weights[j] = row[j] / k_jj
        return float(row[j]) ** 2 / k_jj, weights


class AllOthers(IncomingOnly):
    """All other vectors compensate for the removed one."""

    spans = True

    def victims(self, vectors: Vectors, row: np.ndarray, kxx: float) -> list[Repair]:
        # Column r of the inverse Gram matrix of old and incoming vectors is, up to its diagonal
        # entry, minus the weights of the others in the projection of vector r.
        M = np.linalg.inv(np.block([[vectors.gram(), row[:, None]], [row[None, :], kxx]]))
        repairs = []
        for r in range(vectors.m):
            weights = -M[:, r] / M[r, r]
            weights[r] = 0.0
            repairs.append((1.0 / float(M[r, r]), weights[:-1], float(weights[-1])))
        return repairs

    def project(self, vectors: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        if vectors.m == 0:
            return 0.0, np.zeros(0)
        u = np.linalg.solve(vectors.gram(), row)
        return float(row @ u), u


def admit_repaired(
    vectors: Vectors, rule: IncomingOnly, step: Step, x: np.ndarray, row: np.ndarray, kxx: float,
    allow_skip: bool,
) -> bool:  # fmt: skip
    """Make the step for an incoming x; returns whether the model changed.

    A full model removes the vector with the cheapest removal, or leaves out x if that is cheaper.
    """
    if rule.spans:
        norm2, weights = rule.project(vectors, x, row)
        if kxx - norm2 <= rule.eps * kxx:
            return vectors.move(np.multiply.outer(weights, step.tau(norm2) * step.e))
    tau = step.tau(kxx)
    if not vectors.is_full:
        vectors.append(x, tau * step.e)
        return True
    if kxx <= 0.0:
        return False

    repairs = rule.victims(vectors, row, kxx)
    # The other costs are the same for all old slots; omitting them keeps near-ties distinct.
    costs = [float(np.sum(vectors.alpha[r] ** 2)) * repairs[r][0] for r in range(vectors.m)]
    best = int(np.argmin(costs))
    if allow_skip:
        norm2, weights = rule.project(vectors, x, row)
        if step.cost(norm2) < 0.5 * costs[best] + step.cost(kxx):
            return vectors.move(np.multiply.outer(weights, step.tau(norm2) * step.e))
    _, old_weights, new_weight = repairs[best]
    removed = vectors.alpha[best].copy()
    vectors.alpha = vectors.alpha + np.multiply.outer(old_weights, removed)
    vectors.replace(best, x, removed * new_weight + tau * step.e)
    return True
