"""Several classes over one ring, written out: one vector and K coefficients a slot.

Crammer & Singer, JMLR 2003; Crammer et al., JMLR 2006, section 8. Nothing is kept but the model;
every matrix is made afresh.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from edgeolk.reference.base import Kernel, Pcg32, logistic_function


class Several:
    """An update and a policy by name, as ``ek.Learner`` takes them."""

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
        self.kernel, self.budget, self.K = kernel, budget, classes
        self.update, self.policy, self.loss, self.sampling = update, policy, loss, sampling
        self.rng = Pcg32(seed)
        self.p = {
            "C": 1.0, "eta": 0.1, "lam": 0.0, "allow_skip": True, "singular": 1e-8, "ridge": 5e-4,
            "rescale": True, "U": math.inf, "alpha": 1.0, "beta": 20.0, "G": 1.0,
            "projection": "none", "clip_coefficients": math.inf, **params,
        }  # fmt: skip
        self.S = np.zeros((0, 0))
        self.A = np.zeros((0, classes))
        self.came: list[int] = []
        self.total: dict[int, np.ndarray] = {}
        self.t = self.mistakes = self.updates = self.hits = self.cursor = 0

    # ---- scores -------------------------------------------------------------------------------

    def row(self, x: np.ndarray) -> np.ndarray:
        return self.kernel(self.S, x) if len(self.S) else np.zeros(0)

    def k(self, a: np.ndarray, b: np.ndarray) -> float:
        return float(self.kernel(a[None, :], b)[0])

    def scores(self, x: np.ndarray) -> np.ndarray:
        return self.row(x) @ self.A

    def predict(self, x: np.ndarray) -> int:
        return int(np.argmax(self.scores(x)))

    def gram(self) -> np.ndarray:
        return np.array([self.kernel(self.S, s) for s in self.S]).reshape(len(self.S), -1)

    def norm2(self) -> float:
        return float(np.sum(self.A * (self.gram() @ self.A))) if len(self.S) else 0.0

    def averaged(self) -> np.ndarray:
        """Coefficients of the mean of the models that made the predictions; nobody ever leaves."""
        assert self.sums is not None
        return self.sums / max(self.t, 1)

    sums: np.ndarray | None = None

    # ---- the step -----------------------------------------------------------------------------

    def step(self, x: np.ndarray, y: int, weight: float = 1.0) -> float:
        if not self.S.size:
            self.S = np.zeros((0, len(x)))
        f, row, kxx = self.scores(x), self.row(x), self.k(x, x)
        others = [k for k in range(self.K) if k != y]
        r = others[int(np.argmax(f[others]))]
        m = float(f[y] - f[r])
        self.t += 1
        held = np.zeros((self.budget, self.K))
        held[: len(self.A)] = self.A
        self.sums = held if self.sums is None else self.sums + held
        self.mistakes += m <= 0.0
        e = np.zeros(self.K)
        e[y], e[r] = 1.0, -1.0
        if self.loss == "logistic":
            odds = np.exp(f - f.max())
            p = odds / odds.sum()
            e = -p
            e[y] += 1.0
        a, tau = self.candidate(m, e, kxx, weight, float(e[y]))
        if self.update == "gradient":
            self.A = self.A * (1.0 - self.p["eta"] * self.p["lam"])
        if a is None:
            return m
        changed = self.admit(x, row, kxx, a, e, tau, m, weight)
        if changed:
            self.updates += 1
            self.bound()
        return m

    def candidate(
        self, m: float, e: np.ndarray, kxx: float, weight: float, steep: float
    ) -> tuple[np.ndarray | None, float]:
        H, C, eta = max(0.0, 1.0 - m), self.p["C"] * weight, self.p["eta"]
        nothing = None, 0.0
        if self.loss == "ramp" and m < -1.0:
            return nothing
        softmax = self.loss == "logistic"
        asks = m <= 0.0 if self.update == "perceptron" else (softmax and bool(e.any())) or m < 1.0
        if self.update in ("pa", "pa1", "pa2"):
            asks = asks and kxx > 0.0
        if not asks:
            return nothing
        if self.policy in ("stop", "raise") and len(self.S) == self.budget:
            self.hits += 1
            return nothing
        p = 1.0
        if self.sampling == "loss":
            if kxx <= 0.0:
                return nothing
            p = min(self.p["alpha"], H) / self.p["beta"]
        elif self.sampling == "derivative":
            p = (steep if softmax else 1.0) / self.p["G"]
        elif self.sampling == "margin":
            p = (2.0 - eta) / (2.0 - eta + eta * logistic_function(m))
        if not self.rng.bernoulli(p):
            return nothing
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
        return tau * e, tau

    def bound(self) -> None:
        if self.p["projection"] == "ball":
            norm2 = self.norm2()
            if norm2 > self.p["U"] ** 2:
                self.A = self.A * (self.p["U"] / math.sqrt(norm2))
        elif self.p["projection"] == "clip":
            most = self.p["clip_coefficients"] * self.p["eta"]
            self.A = np.clip(self.A, -most, most)

    # ---- the budget ---------------------------------------------------------------------------

    def append(self, x: np.ndarray, a: np.ndarray) -> bool:
        self.S, self.A = np.vstack([self.S, x]), np.vstack([self.A, a])
        self.came.append(self.t)
        return True

    def replace(self, slot: int, x: np.ndarray, a: np.ndarray) -> bool:
        self.S[slot], self.A[slot], self.came[slot] = x, a, self.t
        return True

    def least(self, sizes: np.ndarray, came: list[int]) -> int:
        return min(range(len(sizes)), key=lambda i: (sizes[i], came[i]))

    def admit(
        self, x: np.ndarray, row: np.ndarray, kxx: float, a: np.ndarray, e: np.ndarray,
        tau: float, m: float, weight: float,
    ) -> bool:  # fmt: skip
        if self.policy == "project":
            return self.admit_project(x, row, kxx, a, e, tau, m, weight)
        if self.policy == "halve" and len(self.S) == self.budget:
            self.halve()
            return self.append(x, a)
        if len(self.S) < self.budget:
            return self.append(x, a)
        if self.policy == "oldest":
            slot, self.cursor = self.cursor, (self.cursor + 1) % self.budget
            return self.replace(slot, x, a)
        if self.policy == "random":
            return self.replace(self.rng.index(self.budget), x, a)
        if self.policy == "unbiased":
            slot = self.rng.index(self.budget)
            self.A = self.A * (self.budget / (self.budget - 1))
            return self.replace(slot, x, a)
        if self.policy == "smallest":
            return self.replace(self.least(np.sum(self.A**2, axis=1), self.came), x, a)
        if self.policy in ("lightest", "lightest_project"):
            return self.admit_lightest(x, a)
        return self.admit_repaired(x, row, kxx, a, e, tau, m, weight)

    def costs(self, reach: float, tau: float, m: float, weight: float) -> float:
        """tau^2 reach + C (H - 2 tau reach): what a step of tau along e costs."""
        C: float = self.p["C"] * weight
        return tau * tau * reach + C * (max(0.0, 1.0 - m) - 2.0 * tau * reach)

    def admit_repaired(
        self, x: np.ndarray, row: np.ndarray, kxx: float, a: np.ndarray, e: np.ndarray,
        tau: float, m: float, weight: float,
    ) -> bool:  # fmt: skip
        """BPA-S and BPA-NN."""
        if kxx <= 0.0:
            return False
        repairs = [self.repair(r, row, kxx) for r in range(len(self.S))]
        losses = np.array([np.sum(self.A[r] ** 2) * repairs[r][0] for r in range(len(self.S))])
        r = int(np.argmin(losses))
        if self.p["allow_skip"] and self.update == "pa1":
            reach, j = 0.0, -1
            if self.policy == "nearest":
                j = int(np.argmin(np.sum((self.S - x) ** 2, axis=1)))
                reach = row[j] ** 2 / self.k(self.S[j], self.S[j])
            H = max(0.0, 1.0 - m)
            step = min(self.p["C"] * weight, H / (2.0 * reach)) if reach > 0.0 else 0.0
            kept = 0.5 * losses[r] + self.costs(kxx, tau, m, weight)
            if self.costs(reach, step, m, weight) < kept:
                if step == 0.0:
                    return False
                self.A[j] += step * e * row[j] / self.k(self.S[j], self.S[j])
                return True
        _, n, to_n, to_x = repairs[r]
        lost = self.A[r].copy()
        if n >= 0:
            self.A[n] += lost * to_n
        return self.replace(r, x, lost * to_x + a)

    def repair(self, r: int, row: np.ndarray, kxx: float) -> tuple[float, int, float, float]:
        """Squared distance left, who helps, the helper's share and the candidate's."""
        own = self.k(self.S[r], self.S[r])
        alone = (max(0.0, own - row[r] ** 2 / kxx), -1, 0.0, row[r] / kxx)
        if self.policy == "simple" or len(self.S) == 1:
            return alone
        d2 = np.sum((self.S - self.S[r]) ** 2, axis=1)
        d2[r] = np.inf
        n = int(np.argmin(d2))
        k_nn, k_rn = self.k(self.S[n], self.S[n]), self.k(self.S[r], self.S[n])
        det = k_nn * kxx - row[n] ** 2
        if det <= self.p["singular"] * k_nn * kxx:
            return alone
        to_n = (kxx * k_rn - row[n] * row[r]) / det
        to_x = (k_nn * row[r] - row[n] * k_rn) / det
        return max(0.0, own - to_n * k_rn - to_x * row[r]), n, to_n, to_x

    def admit_project(
        self, x: np.ndarray, row: np.ndarray, kxx: float, a: np.ndarray, e: np.ndarray,
        tau: float, m: float, weight: float,
    ) -> bool:  # fmt: skip
        """BPA-P: everyone else repairs."""
        n, H = len(self.S), max(0.0, 1.0 - m)
        u = np.linalg.solve(self.gram(), row) if n else np.zeros(0)
        reach = float(row @ u)
        if kxx - reach <= self.p["singular"] * kxx:
            if self.update == "pa1":
                tau = min(self.p["C"] * weight, H / (2.0 * reach))
            self.A = self.A + np.outer(u, tau * e)
            return True
        if n < self.budget:
            return self.append(x, a)
        M = np.linalg.inv(np.block([[self.gram(), row[:, None]], [row[None, :], kxx]]))
        losses = np.array([np.sum(self.A[r] ** 2) / M[r, r] for r in range(n)])
        r = int(np.argmin(losses))
        if self.p["allow_skip"] and self.update == "pa1":
            step = min(self.p["C"] * weight, H / (2.0 * reach)) if reach > 0.0 else 0.0
            kept = 0.5 * losses[r] + self.costs(kxx, tau, m, weight)
            if self.costs(reach, step, m, weight) < kept:
                if step == 0.0:
                    return False
                self.A = self.A + np.outer(u, step * e)
                return True
        weights = -M[:, r] / M[r, r]
        lost = self.A[r].copy()
        weights[r] = 0.0
        self.A = self.A + np.outer(weights[:-1], lost)
        return self.replace(r, x, weights[-1] * lost + a)

    def halve(self) -> None:
        h = len(self.S) // 2
        sizes = np.sum(self.A**2, axis=1)
        order = sorted(range(len(sizes)), key=lambda i: (-sizes[i], i))
        keep, gone = sorted(order[:h]), sorted(order[h:])
        K, before = self.gram(), self.norm2()
        system = K[np.ix_(keep, keep)] + self.p["ridge"] * np.eye(h)
        theta = np.linalg.solve(system, K[np.ix_(keep, gone)] @ self.A[gone])
        self.S, self.A = self.S[keep].copy(), self.A[keep] + theta
        self.came = [self.came[i] for i in keep]
        after = self.norm2()
        if self.p["rescale"] and after > 1e-12 * before:
            self.A = self.A * math.sqrt(before / after)
        elif after > self.p["U"] ** 2:
            self.A = self.A * (self.p["U"] / math.sqrt(after))

    def admit_lightest(self, x: np.ndarray, a: np.ndarray) -> bool:
        S, A, came = np.vstack([self.S, x]), np.vstack([self.A, a]), [*self.came, self.t]
        own = np.array([self.k(s, s) for s in S])
        p, last = self.least(np.sum(A**2, axis=1) * own, came), len(S) - 1
        if self.policy == "lightest_project":
            rest = [i for i in range(len(S)) if i != p]
            K = np.array([self.kernel(S, s) for s in S])
            system = K[np.ix_(rest, rest)] + self.p["ridge"] * np.eye(len(rest))
            A[rest] += np.outer(np.linalg.solve(system, K[rest, p]), A[p])
        elif p == last:
            return False
        S[p], A[p], came[p] = S[last], A[last], came[last]
        self.S, self.A, self.came = S[:last], A[:last], came[:last]
        return True
