"""Passive-aggressive on a budget: choose whom to lose and repair the rest.

The members of the family differ only in which vectors may take over the weight of the
lost one; a new member supplies `_project_victim` and `_project_candidate`.
"""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import (
    KernelLearner,
    among,
    direction,
    flag,
    option,
    piecewise_loss,
    positive,
)
from edgeolk.reference.passive_aggressive import pa_asks_for_update

# Squared error of a replacement, and the weights of the projection that makes it, per unit
# of the lost coefficient: on the old slots, on the candidate.
Repair = tuple[float, np.ndarray, float]


class _BudgetedPa(KernelLearner):
    """PA-I step with one removal chosen to minimise the joint objective Q.
    Wang, Vucetic, AISTATS 2010."""

    needs_budget = True

    C: float = option(1.0, "must be positive and finite", lambda C: 0.0 < C < np.inf)
    loss: str = among("hinge", "ramp", "epsilon")
    allow_skip: bool = flag(True)

    def _repairs(self, row: np.ndarray, kxx: float) -> list[Repair]:
        return [self._project_victim(r, row, kxx) for r in range(self.m)]

    def _project_victim(self, r: int, row: np.ndarray, kxx: float) -> Repair:
        """How the vectors that may do so stand in for slot r."""
        raise NotImplementedError

    def _project_candidate(
        self, x: np.ndarray, row: np.ndarray, kxx: float
    ) -> tuple[float, np.ndarray]:
        """Squared norm of the candidate's projection on the old slots it may use, and the
        weights of that projection."""
        raise NotImplementedError

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not pa_asks_for_update(y, f, kxx, self.loss):
            return False
        H = piecewise_loss(self.loss, y, f)
        y = direction(self.loss, y, f)
        tau = min(self.C, H / kxx)
        if not self.is_full:
            self.append(x, y * tau)
            return True

        repairs = self._repairs(row, kxx)
        # The rest of Q is the same for all old slots; leaving it out keeps near-ties apart.
        costs = [float(self.alpha[r]) ** 2 * repairs[r][0] for r in range(self.m)]
        best = int(np.argmin(costs))
        if self.allow_skip:
            tail = 0.5 * tau * tau * kxx + self.C * (H - tau * kxx)
            q_best = 0.5 * costs[best] + tail
            a, weights = self._project_candidate(x, row, kxx)
            tau_skip = min(self.C, H / a) if a > 0.0 else 0.0
            q_skip = 0.5 * tau_skip * tau_skip * a + self.C * (H - tau_skip * a)
            if q_skip < q_best:
                before = self.alpha
                self.alpha = before + tau_skip * y * weights
                return not np.array_equal(before, self.alpha)
        _, on_old, on_new = repairs[best]
        lost = float(self.alpha[best])
        self.alpha = self.alpha + lost * on_old
        self.replace(best, x, lost * on_new + tau * y)
        return True


def project_on_candidate(k_rr: float, k_rt: float, kxx: float, m: int) -> Repair:
    return max(0.0, k_rr - k_rt * k_rt / kxx), np.zeros(m), k_rt / kxx


class BpaS(_BudgetedPa):
    """Only the candidate takes over the weight of the lost vector.
    BPA-S of Wang, Vucetic, AISTATS 2010."""

    def _project_victim(self, r: int, row: np.ndarray, kxx: float) -> Repair:
        return project_on_candidate(self._self_kernel(self.sv[r]), float(row[r]), kxx, self.m)

    def _project_candidate(
        self, x: np.ndarray, row: np.ndarray, kxx: float
    ) -> tuple[float, np.ndarray]:
        # Without the candidate there is nobody left to adjust.
        return 0.0, np.zeros(self.m)


def nearest(S: np.ndarray, x: np.ndarray, excluded: int | None = None) -> int:
    """Slot of the nearest vector in input space, ties to the lowest."""
    d2 = np.sum((S - x) ** 2, axis=1)
    if excluded is not None:
        d2[excluded] = np.inf
    return int(np.argmin(d2))


class _BudgetedPaWithEps(_BudgetedPa):
    """Projects on several vectors, whose Gram matrix may be singular."""

    eps: float = positive(1e-8)


class BpaNn(_BudgetedPaWithEps):
    """The candidate and the lost vector's nearest neighbour take over its weight.
    BPA-NN of Wang, Vucetic, AISTATS 2010."""

    def _project_victim(self, r: int, row: np.ndarray, kxx: float) -> Repair:
        k_rr, k_rt = self._self_kernel(self.sv[r]), float(row[r])
        alone = project_on_candidate(k_rr, k_rt, kxx, self.m)
        if self.m == 1:
            return alone
        n = nearest(self.sv, self.sv[r], excluded=r)
        k_nn, k_nt = self._self_kernel(self.sv[n]), float(row[n])
        k_rn = float(self.kernel(self.sv[r : r + 1], self.sv[n])[0])
        det = k_nn * kxx - k_nt * k_nt
        if det <= self.eps * k_nn * kxx:
            return alone
        b_n = (kxx * k_rn - k_nt * k_rt) / det
        b_t = (k_nn * k_rt - k_nt * k_rn) / det
        on_old = np.zeros(self.m)
        on_old[n] = b_n
        return max(0.0, k_rr - b_n * k_rn - b_t * k_rt), on_old, b_t

    def _project_candidate(
        self, x: np.ndarray, row: np.ndarray, kxx: float
    ) -> tuple[float, np.ndarray]:
        j = nearest(self.sv, x)
        k_jj = self._self_kernel(self.sv[j])
        weights = np.zeros(self.m)
        weights[j] = row[j] / k_jj
        return float(row[j]) ** 2 / k_jj, weights


class BpaP(_BudgetedPaWithEps):
    """All the others take over the weight of the lost vector; an example in their span
    moves them and takes no slot.
    BPA-P of Wang, Vucetic, AISTATS 2010."""

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not pa_asks_for_update(y, f, kxx, self.loss):
            return False
        a, weights = self._project_candidate(x, row, kxx)
        if kxx - a <= self.eps * kxx:
            before = self.alpha
            H, sign = piecewise_loss(self.loss, y, f), direction(self.loss, y, f)
            self.alpha = before + min(self.C, H / a) * sign * weights
            return not np.array_equal(before, self.alpha)
        return super().update(x, y, f, row, kxx)

    def _project_candidate(
        self, x: np.ndarray, row: np.ndarray, kxx: float
    ) -> tuple[float, np.ndarray]:
        if self.m == 0:
            return 0.0, np.zeros(0)
        u = np.linalg.solve(self.gram(), row)
        return float(row @ u), u

    def _repairs(self, row: np.ndarray, kxx: float) -> list[Repair]:
        # Column r of the inverse Gram of old vectors and candidate is, up to its diagonal
        # entry, minus the weights of the others in the projection of vector r.
        M = np.linalg.inv(np.block([[self.gram(), row[:, None]], [row[None, :], kxx]]))
        repairs = []
        for r in range(self.m):
            weights = -M[:, r] / M[r, r]
            weights[r] = 0.0
            repairs.append((1.0 / float(M[r, r]), weights[:-1], float(weights[-1])))
        return repairs
