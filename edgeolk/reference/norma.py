"""Novelty on a ring, written out: NORMA of Kivinen, Smola & Williamson 2004."""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import Kernel, Pcg32


class Norma:
    """A threshold that keeps a share nu of the rows below it."""

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
        self.kernel, self.budget, self.policy = kernel, budget, policy
        self.nu, self.eta, self.lam = nu, eta, lam
        self.rng = Pcg32(seed)
        self.S = np.zeros((0, 0))
        self.a = np.zeros(0)
        self.came: list[int] = []
        self.rho = 0.0
        self.t = self.novelties = self.cursor = 0

    def decision(self, x: np.ndarray) -> float:
        f = float(self.a @ self.kernel(self.S, x)) if len(self.S) else 0.0
        return f - self.rho

    def step(self, x: np.ndarray, weight: float = 1.0) -> float:
        g = self.decision(x)
        self.t += 1
        novel = g < 0.0
        self.novelties += novel
        empty = len(self.S) == 0
        self.a = self.a * (1.0 - self.eta * self.lam)
        if novel or empty:
            self.rho -= self.eta * weight * (1.0 - self.nu)
            self.admit(x, self.eta * weight)
        else:
            self.rho += self.eta * weight * self.nu
        return g

    def admit(self, x: np.ndarray, a: float) -> None:
        if len(self.S) == 0:
            self.S = np.zeros((0, len(x)))
        if len(self.S) < self.budget:
            self.S, self.a = np.vstack([self.S, x]), np.append(self.a, a)
            self.came.append(self.t)
            return
        if self.policy == "lightest":
            # The candidate is the youngest: it leaves only where it weighs least.
            if a < self.a.min():
                return
            slot = self.least()
            # Its place is taken by the last one.
            self.S[slot], self.a[slot], self.came[slot] = x, a, self.t
            return
        if self.policy == "oldest":
            slot, self.cursor = self.cursor, (self.cursor + 1) % self.budget
        elif self.policy == "smallest":
            slot = self.least()
        else:
            slot = self.rng.index(self.budget)
            if self.policy == "unbiased":
                self.a = self.a * (self.budget / (self.budget - 1))
        self.S[slot], self.a[slot], self.came[slot] = x, a, self.t

    def least(self) -> int:
        return min(range(len(self.a)), key=lambda i: (self.a[i], self.came[i]))
