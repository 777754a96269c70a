"""Novelty on a ring: NORMA of Kivinen, Smola & Williamson 2004."""

from __future__ import annotations

import numpy as np

from edgeolk.reference.vectors import Kernel, Vectors


class Norma(Vectors):
    """Tracks a threshold such that a share nu of the rows is below it."""

    def __init__(
        self,
        kernel: Kernel,
        budget: int,
        policy: str,
        *,
        nu: float = 0.05,
        eta: float = 0.1,
        lam: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, budget, seed)
        self.policy = policy
        self.nu, self.eta, self.lam = nu, eta, lam
        self.rho = 0.0
        self.t = self.novelties = 0

    def decision(self, x: np.ndarray) -> float:
        return float(self.alpha @ self.row(x)) - self.rho

    def step(self, x: np.ndarray, weight: float = 1.0) -> float:
        g = self.decision(x)
        self.t += 1
        novel = g < 0.0
        self.novelties += novel
        self.alpha = self.alpha * (1.0 - self.eta * self.lam)
        if novel or self.m == 0:
            self.rho -= self.eta * weight * (1.0 - self.nu)
            self.admit(x, self.eta * weight)
        else:
            self.rho += self.eta * weight * self.nu
        return g

    def admit(self, x: np.ndarray, a: float) -> None:
        policy = self.policy
        if policy == "lightest":
            # The incoming vector is the youngest: it is left out only if it is the lightest.
            if self.is_full and a < self.alpha.min():
                return
            policy = "smallest"
        self.append_or_replace(x, a, lambda: self.slot_of(policy))
