"""Online gradient descent on a budget."""

from __future__ import annotations

import math

import numpy as np

from .base import Kernel, Twin, loss_gradient, loss_value, require


def dynamic_budget(budget: int, c: float | None, t: int) -> int:
    """Round-to-nearest reproduces the budgets printed for the published data sets."""
    if c is None:
        return budget
    return min(budget, max(2, math.floor(1.0 + c * math.sqrt(t) + 0.5)))


class Olrd(Twin):
    """Gradient step, uniformly random discarding, survivors scaled up to stay unbiased.
    He, Kwok, Neural Networks 2014."""

    needs_budget = True
    min_budget = 2

    def __init__(
        self,
        kernel: Kernel,
        budget: int,
        seed: int = 0,
        eta: float = 0.1,
        schedule: str = "constant",
        c: float | None = None,
        U: float | None = None,
        projection: str = "inf",
        loss: str = "hinge",
    ) -> None:
        super().__init__(kernel, budget, seed)
        require(eta > 0.0, "eta must be positive")
        require(schedule in ("constant", "sqrt"), "schedule is constant or sqrt")
        require(c is None or c > 0.0, "c must be positive")
        require(U is None or U > 0.0, "U must be positive")
        require(projection in ("inf", "ball", "none"), "projection is inf, ball or none")
        loss_value(loss, 1.0, 0.0)
        self.eta = eta
        self.schedule = schedule
        self.c = c
        self.U = U
        self.projection = projection
        self.loss = loss

    def _update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return False
        eta = self.eta / math.sqrt(self.t) if self.schedule == "sqrt" else self.eta
        a = -eta * g
        capacity = dynamic_budget(self.budget, self.c, self.t)
        if self.m < capacity:
            self._append(x, a)
        else:
            slot = self.rng.index(capacity)
            self.alpha = self.alpha * (capacity / (capacity - 1))
            self._replace(slot, x, a)
        if self.projection == "ball":
            self._project_on_ball(self.U)
        elif self.projection == "inf" and self.U is not None:
            # With the capacity, not the present size: the bound must already hold at the
            # first removal. An indefinite kernel may have k(s, s) < 0.
            sizes = np.abs(self.alpha) * np.sqrt(np.maximum(0.0, self._self_kernels()))
            bound = capacity * float(sizes.max())
            if bound > self.U:
                self.alpha = self.alpha * (self.U / bound)
        return True
