"""Passive-aggressive on a budget: choose whom to lose and repair the rest.

The members of the family differ only in which vectors may take over the weight of the
lost one; a new member supplies `_project_victim` and `_project_newcomer`.
"""

from __future__ import annotations

import numpy as np

from .base import Kernel, Twin, hinge, require
from .passive_aggressive import pa_asks_for_update


class _BudgetedPa(Twin):
    """PA-I step with one removal chosen to minimise the joint objective Q.
    Wang, Vucetic, AISTATS 2010."""

    needs_budget = True

    def __init__(
        self,
        kernel: Kernel,
        budget: int | None,
        seed: int = 0,
        C: float = 1.0,
        loss: str = "hinge",
        allow_skip: bool = True,
    ) -> None:
        super().__init__(kernel, budget, seed)
        require(C > 0.0 and np.isfinite(C), "C must be positive and finite")
        require(loss in ("hinge", "ramp"), "loss is hinge or ramp")
        self.C = C
        self.loss = loss
        self.allow_skip = allow_skip

    def _project_victim(
        self, r: int, row: np.ndarray, kxx: float
    ) -> tuple[float, np.ndarray, float]:
        """Squared error of replacing slot r, the weights on the old slots and on the
        newcomer that do so, per unit of alpha_r."""
        raise NotImplementedError

    def _project_newcomer(self, row: np.ndarray, kxx: float) -> tuple[float, np.ndarray]:
        """Squared norm of the newcomer's projection on the old slots it may use, and the
        weights of that projection."""
        raise NotImplementedError

    def _update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not pa_asks_for_update(y, f, kxx, self.loss):
            return False
        H = hinge(y, f)
        tau = min(self.C, H / kxx)
        if not self.is_full:
            self._append(x, y * tau)
            return True

        repairs = [self._project_victim(r, row, kxx) for r in range(self.m)]
        # The rest of Q is the same for all old slots; leaving it out keeps near-ties apart.
        costs = [float(self.alpha[r]) ** 2 * repairs[r][0] for r in range(self.m)]
        best = int(np.argmin(costs))
        if self.allow_skip:
            tail = 0.5 * tau * tau * kxx + self.C * (H - tau * kxx)
            q_best = 0.5 * costs[best] + tail
            a, weights = self._project_newcomer(row, kxx)
            tau_skip = min(self.C, H / a) if a > 0.0 else 0.0
            q_skip = 0.5 * tau_skip * tau_skip * a + self.C * (H - tau_skip * a)
            if q_skip < q_best:
                before = self.alpha
                self.alpha = before + tau_skip * y * weights
                return not np.array_equal(before, self.alpha)
        _, on_old, on_new = repairs[best]
        lost = float(self.alpha[best])
        self.alpha = self.alpha + lost * on_old
        self._replace(best, x, lost * on_new + tau * y)
        return True


class BpaS(_BudgetedPa):
    """Only the newcomer takes over the weight of the lost vector.
    BPA-S of Wang, Vucetic, AISTATS 2010."""

    def _project_victim(
        self, r: int, row: np.ndarray, kxx: float
    ) -> tuple[float, np.ndarray, float]:
        k_rt = float(row[r])
        error = max(0.0, self._self_kernel(self.sv[r]) - k_rt * k_rt / kxx)
        return error, np.zeros(self.m), k_rt / kxx

    def _project_newcomer(self, row: np.ndarray, kxx: float) -> tuple[float, np.ndarray]:
        # Without the newcomer there is nobody left to adjust.
        return 0.0, np.zeros(self.m)
