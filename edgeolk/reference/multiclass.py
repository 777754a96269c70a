"""Several classes on one ring: one vector and K coefficients per slot.

Crammer & Singer, JMLR 2003; Crammer et al., JMLR 2006, section 8. Only the model is stored; every
matrix is recomputed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from edgeolk.reference.base import Kernel, Vectors, lightest, logistic_function
from edgeolk.reference.halving import halve
from edgeolk.reference.passive_aggressive import (
    AllOthers,
    IncomingOnly,
    Nearest,
    Step,
    admit_repaired,
)

#: The vectors that compensate for a removed one, by policy.
RULES = {"simple": IncomingOnly, "nearest": Nearest, "project": AllOthers}


class Several(Vectors):
    """A learner with update and policy by name, as in ``ek.Learner``."""

    def __init__(
        self,
        kernel: Kernel,
        budget: int,
        classes: int,
        update: str,
        policy: str,
        *,
        loss: str = "hinge",
        sampling: str = "always",
        seed: int = 0,
        **params: Any,
    ) -> None:
        super().__init__(kernel, budget, seed, (classes,))
        self.K = classes
        self.update, self.policy, self.loss, self.sampling = update, policy, loss, sampling
        self.p = {
            "C": 1.0, "eta": 0.1, "lam": 0.0, "allow_skip": True, "singular": 1e-8, "ridge": 5e-4,
            "rescale": True, "U": math.inf, "alpha": 1.0, "beta": 20.0, "G": 1.0,
            "projection": "none", "clip_coefficients": math.inf, **params,
        }  # fmt: skip
        self.sums = np.zeros((budget, classes))
        self.t = self.mistakes = self.updates = self.hits = 0

    # ---- scores -------------------------------------------------------------------------------

    def scores(self, x: np.ndarray) -> np.ndarray:
        return self.row(x) @ self.alpha

    def predict(self, x: np.ndarray) -> int:
        return int(np.argmax(self.scores(x)))

    def averaged(self) -> np.ndarray:
        """Coefficients of the mean of the models that made the predictions; without evictions."""
        return self.sums / max(self.t, 1)

    # ---- the step -----------------------------------------------------------------------------

    def step(self, x: np.ndarray, y: int, weight: float = 1.0) -> float:
        f, row, kxx = self.scores(x), self.row(x), self._self_kernel(x)
        others = [k for k in range(self.K) if k != y]
        r = others[int(np.argmax(f[others]))]
        m = float(f[y] - f[r])
        self.t += 1
        self.sums[: self.m] += self.alpha
        self.mistakes += m <= 0.0
        e = np.zeros(self.K)
        e[y], e[r] = 1.0, -1.0
        if self.loss == "logistic":
            odds = np.exp(f - f.max())
            p = odds / odds.sum()
            e = -p
            e[y] += 1.0
        tau = self.step_size(m, e, kxx, weight, float(e[y]))
        if self.update == "gradient":
            self.alpha = self.alpha * (1.0 - self.p["eta"] * self.p["lam"])
        if tau is not None and self.admit(x, row, kxx, e, tau, m, weight):
            self.updates += 1
            self.bound()
        return m

    def step_size(
        self, m: float, e: np.ndarray, kxx: float, weight: float, share: float
    ) -> float | None:
        """The size of the step along e; None for no step."""
        H, C, eta = max(0.0, 1.0 - m), self.p["C"] * weight, self.p["eta"]
        if self.loss == "ramp" and m < -1.0:
            return None
        softmax = self.loss == "logistic"
        wanted = m <= 0.0 if self.update == "perceptron" else (softmax and bool(e.any())) or m < 1.0
        if self.update in ("pa", "pa1", "pa2"):
            wanted = wanted and kxx > 0.0
        if not wanted:
            return None
        if self.policy in ("stop", "raise") and self.is_full:
            self.hits += 1
            return None
        p = 1.0
        if self.sampling == "loss":
            if kxx <= 0.0:
                return None
            p = min(self.p["alpha"], H) / self.p["beta"]
        elif self.sampling == "derivative":
            p = (share if softmax else 1.0) / self.p["G"]
        elif self.sampling == "margin":
            p = (2.0 - eta) / (2.0 - eta + eta * logistic_function(m))
        if not self.rng.bernoulli(p):
            return None
        tau = 1.0
        if self.update == "pa":
            tau = H / (2.0 * kxx)
        elif self.update == "pa1":
            tau = min(C, H / (2.0 * kxx))
        elif self.update == "pa2":
            tau = H / (2.0 * kxx + 1.0 / (2.0 * C))
        elif self.update == "sparse_pa":
            tau = min(eta / p, H / (2.0 * kxx))
        elif self.update == "gradient":
            tau = eta * weight / p
        elif self.update == "logistic":
            tau = eta * weight
        return tau

    def bound(self) -> None:
        if self.p["projection"] == "ball":
            self._project_on_ball(self.p["U"])
        elif self.p["projection"] == "clip":
            limit = self.p["clip_coefficients"] * self.p["eta"]
            self.alpha = np.clip(self.alpha, -limit, limit)

    # ---- the budget ---------------------------------------------------------------------------

    def admit(
        self, x: np.ndarray, row: np.ndarray, kxx: float, e: np.ndarray, tau: float, m: float,
        weight: float,
    ) -> bool:  # fmt: skip
        if self.policy in RULES:
            rule, pa1 = RULES[self.policy](self.p["singular"]), self.update == "pa1"
            C, H = self.p["C"] * weight, max(0.0, 1.0 - m)
            step = Step(e, H, C, 2.0, None if pa1 else tau)
            return admit_repaired(self, rule, step, x, row, kxx, self.p["allow_skip"] and pa1)
        a = tau * e
        if self.policy == "halve" and self.is_full:
            halve(self, self.p["ridge"], self.p["rescale"], self.p["U"])
        if self.policy in ("lightest", "lightest_project") and self.is_full:
            return self.admit_lightest(x, a)
        return self.append_or_replace(x, a, lambda: self.slot_of(self.policy))

    def admit_lightest(self, x: np.ndarray, a: np.ndarray) -> bool:
        S, A = np.vstack([self.sv, x]), np.vstack([self.alpha, a])
        k_self = np.array([self._self_kernel(s) for s in S])
        arrival = np.append(self.arrival, self.arrivals)
        p, last = lightest(np.sum(A**2, axis=1) * k_self, arrival), self.m
        if self.policy == "lightest_project":
            rest = [i for i in range(len(S)) if i != p]
            K = self._gram_of(S)
            system = K[np.ix_(rest, rest)] + self.p["ridge"] * np.eye(len(rest))
            A[rest] += np.outer(np.linalg.solve(system, K[rest, p]), A[p])
        elif p == last:
            return False
        self.alpha = A[:last]
        if p < last:
            self.replace(p, x, A[last])
        return True
