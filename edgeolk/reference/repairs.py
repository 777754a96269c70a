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

    def tau(self, reach: float) -> float:
        """The best size if the direction of the step has the squared norm ``reach``."""
        if self.fixed is not None:
            return self.fixed
        return min(self.C, self.H / (self.square * reach)) if reach > 0.0 else 0.0

    def cost(self, reach: float) -> float:
        """The cost of that step, including the remaining loss."""
        tau, square = self.tau(reach), self.square
        return 0.5 * square * tau * tau * reach + self.C * (self.H - square * tau * reach)


class Alone:
    """Only the incoming vector compensates for the removed one."""

    #: Whether an incoming vector in the span of the others changes their coefficients only.
    spans = False

    def __init__(self, eps: float = 0.0) -> None:
        self.eps = eps

    def victims(self, held: Vectors, row: np.ndarray, kxx: float) -> list[Repair]:
        """The compensation for the removal of each slot."""
        return [self.victim(held, r, row, kxx) for r in range(held.m)]

    def victim(self, held: Vectors, r: int, row: np.ndarray, kxx: float) -> Repair:
        """The compensation for the removal of slot r."""
        k_rr, k_rt = held._self_kernel(held.sv[r]), float(row[r])
        return max(0.0, k_rr - k_rt * k_rt / kxx), np.zeros(held.m), k_rt / kxx

    def candidate(self, held: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        """Squared norm of the projection of the incoming vector on the permitted old slots, and
        the weights of that projection."""
        # Without the incoming vector there is no coefficient to adjust.
        return 0.0, np.zeros(held.m)


def nearest(S: np.ndarray, x: np.ndarray, excluded: int | None = None) -> int:
    """Slot of the nearest vector in input space, ties to the lowest."""
    d2 = np.sum((S - x) ** 2, axis=1)
    if excluded is not None:
        d2[excluded] = np.inf
    return int(np.argmin(d2))


class Nearest(Alone):
    """The incoming vector and the nearest neighbour of the removed one compensate."""

    def victim(self, held: Vectors, r: int, row: np.ndarray, kxx: float) -> Repair:
        alone = super().victim(held, r, row, kxx)
        if held.m == 1:
            return alone
        k_rr, k_rt = held._self_kernel(held.sv[r]), float(row[r])
        n = nearest(held.sv, held.sv[r], excluded=r)
        k_nn, k_nt = held._self_kernel(held.sv[n]), float(row[n])
        k_rn = float(held.kernel(held.sv[r : r + 1], held.sv[n])[0])
        det = k_nn * kxx - k_nt * k_nt
        if det <= self.eps * k_nn * kxx:
            return alone
        b_n = (kxx * k_rn - k_nt * k_rt) / det
        b_t = (k_nn * k_rt - k_nt * k_rn) / det
        on_old = np.zeros(held.m)
        on_old[n] = b_n
        return max(0.0, k_rr - b_n * k_rn - b_t * k_rt), on_old, b_t

    def candidate(self, held: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        j = nearest(held.sv, x)
        k_jj = held._self_kernel(held.sv[j])
        weights = np.zeros(held.m)
        weights[j] = row[j] / k_jj
        return float(row[j]) ** 2 / k_jj, weights


class Everybody(Alone):
    """All other vectors compensate for the removed one."""

    spans = True

    def victims(self, held: Vectors, row: np.ndarray, kxx: float) -> list[Repair]:
        # Column r of the inverse Gram matrix of old and incoming vectors is, up to its diagonal
        # entry, minus the weights of the others in the projection of vector r.
        M = np.linalg.inv(np.block([[held.gram(), row[:, None]], [row[None, :], kxx]]))
        repairs = []
        for r in range(held.m):
            weights = -M[:, r] / M[r, r]
            weights[r] = 0.0
            repairs.append((1.0 / float(M[r, r]), weights[:-1], float(weights[-1])))
        return repairs

    def candidate(self, held: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        if held.m == 0:
            return 0.0, np.zeros(0)
        u = np.linalg.solve(held.gram(), row)
        return float(row @ u), u


def admit_repaired(
    held: Vectors, rule: Alone, step: Step, x: np.ndarray, row: np.ndarray, kxx: float,
    allow_skip: bool,
) -> bool:  # fmt: skip
    """Make the step for an incoming x; returns whether the model changed.

    A full model removes the vector with the cheapest removal, or leaves out x if that is cheaper.
    """
    if rule.spans:
        reach, weights = rule.candidate(held, x, row)
        if kxx - reach <= rule.eps * kxx:
            return held.move(np.multiply.outer(weights, step.tau(reach) * step.e))
    tau = step.tau(kxx)
    if not held.is_full:
        held.append(x, tau * step.e)
        return True
    if kxx <= 0.0:
        return False

    repairs = rule.victims(held, row, kxx)
    # The other costs are the same for all old slots; omitting them keeps near-ties distinct.
    costs = [float(np.sum(held.alpha[r] ** 2)) * repairs[r][0] for r in range(held.m)]
    best = int(np.argmin(costs))
    if allow_skip:
        reach, weights = rule.candidate(held, x, row)
        if step.cost(reach) < 0.5 * costs[best] + step.cost(kxx):
            return held.move(np.multiply.outer(weights, step.tau(reach) * step.e))
    _, on_old, on_new = repairs[best]
    lost = held.alpha[best].copy()
    held.alpha = held.alpha + np.multiply.outer(on_old, lost)
    held.replace(best, x, lost * on_new + tau * step.e)
    return True
