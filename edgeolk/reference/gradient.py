"""Online gradient descent, with and without a budget, and NORMA's novelty on a ring."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import (
    LOSSES,
    Kernel,
    KernelLearner,
    Vectors,
    among,
    at_least,
    loss_gradient,
    not_negative,
    option,
    positive,
    require,
)


def dynamic_budget(budget: int, c: float | None, t: int) -> int:
    """Rounding to nearest reproduces the published budgets."""
    if c is None:
        return budget
    return min(budget, max(2, math.floor(1.0 + c * math.sqrt(t) + 0.5)))


class Olrd(KernelLearner):
    """Gradient step, uniformly random discarding, survivors scaled up to stay unbiased.
    He, Kwok, Neural Networks 2014."""

    needs_budget = True
    min_budget = 2

    eta: float = positive(0.1)
    schedule: str = among("constant", "sqrt")
    c: float | None = positive(None)
    U: float | None = positive(None)
    projection: str = among("inf", "ball", "none")
    loss: str = among(*LOSSES)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return False
        eta = self.eta / math.sqrt(self.t) if self.schedule == "sqrt" else self.eta
        a = -eta * g
        assert self.budget is not None
        capacity = dynamic_budget(self.budget, self.c, self.t)
        if self.m < capacity:
            self.append(x, a)
        else:
            slot = self.rng.index(capacity)
            self.alpha = self.alpha * (capacity / (capacity - 1))
            self.replace(slot, x, a)
        if self.projection == "ball":
            self._project_on_ball(self.U)
        elif self.projection == "inf" and self.U is not None:
            # With the capacity, not the current size: the bound must already hold at the
            # first removal. An indefinite kernel may have k(s, s) < 0.
            sizes = np.abs(self.alpha) * np.sqrt(np.maximum(0.0, self._self_kernels()))
            bound = capacity * float(sizes.max())
            if bound > self.U:
                self.alpha = self.alpha * (self.U / bound)
        return True


class _ProjectedGradient(KernelLearner):
    """Gradient step and exact projection on a ball; never removes."""

    keeps_average = True
    U: float | None

    def _insert(self, x: np.ndarray, coefficient: float) -> bool:
        self.append(x, coefficient)
        self._project_on_ball(self.U)
        return True


class Ogd(KernelLearner):
    """Gradient step on the regularised loss: everything shrinks at every example.
    NORMA of Kivinen, Smola, Williamson, IEEE Trans. Signal Processing 2004."""

    eta: float = positive(0.1)
    lam: float = not_negative(0.0)
    loss: str = among(*LOSSES)
    full: str = among("oldest", "stop")

    def _begin(self) -> None:
        require_shrinkage(self.eta, self.lam)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        self.alpha = self.alpha * (1.0 - self.eta * self.lam)
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return False
        if self.full == "stop":
            return self.append_or_freeze(x, -self.eta * g)
        return self.append_or_replace(x, -self.eta * g, self.oldest)


def require_shrinkage(eta: float, lam: float) -> None:
    require(eta * lam < 1.0, "eta lam < 1 is required")


class Olk(_ProjectedGradient):
    """Projected gradient descent that keeps every example with a loss.
    OLK of He, Kwok, Neural Networks 2014."""

    eta: float = positive(0.1)
    schedule: str = among("constant", "sqrt")
    U: float | None = positive(None)
    loss: str = among(*LOSSES)
    full: str = among("stop")

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        g = loss_gradient(self.loss, y, f)
        if g == 0.0 or self.is_frozen():
            return False
        eta = self.eta / math.sqrt(self.t) if self.schedule == "sqrt" else self.eta
        return self._insert(x, -eta * g)


class Olru(_ProjectedGradient):
    """A coin decides whether the gradient step is made, enlarged to stay unbiased.
    OLRU of He, Kwok, Neural Networks 2014."""

    eta: float = positive(0.1)
    gamma: float = option(0.25, "must be between 0 and 1", lambda gamma: 0.0 < gamma < 1.0)
    c: float = positive(1.0)
    T: int | None = at_least(1, None)
    schedule: str = among("dynamic", "constant")
    U: float | None = positive(None)
    loss: str = among(*LOSSES)
    full: str = among("stop")

    def _begin(self) -> None:
        require(self.schedule == "dynamic" or self.T is not None, "constant needs T >= 1")

    def _chance_and_rate(self) -> tuple[float, float]:
        if self.schedule == "constant":
            assert self.T is not None
            return min(1.0, self.c * float(self.T) ** -self.gamma), self.eta
        t = float(self.t)
        return min(1.0, self.c * t**-self.gamma), self.eta * t ** (-(1.0 + self.gamma) / 2.0)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        g = loss_gradient(self.loss, y, f)
        if g == 0.0 or self.is_frozen():
            return False
        p, eta = self._chance_and_rate()
        if not self.rng.bernoulli(p):
            return False
        return self._insert(x, -eta * g / p)


class Bogd(KernelLearner):
    """Shrinking gradient step; a random vector leaves, survivors are scaled up, and
    coefficients are kept within eta gamma.
    BOGD of Zhao, Wang, Wu, Jin, Hoi, ICML 2012."""

    needs_budget = True
    min_budget = 2

    eta: float = positive(0.1)
    lam: float = not_negative(0.0)
    gamma: float | None = positive(None)
    projection: str = among("clip", "scale", "none")
    loss: str = among(*LOSSES)

    def _begin(self) -> None:
        require_shrinkage(self.eta, self.lam)

    def _make_room(self) -> int:
        """Rescale the survivors of a removal; returns the free slot."""
        return self.unbiased_slot()

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        self.alpha = self.alpha * (1.0 - self.eta * self.lam)
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return False
        self.append_or_replace(x, -self.eta * g, self._make_room)
        if self.gamma is not None:
            self._bound_coefficients(self.eta * self.gamma)
        return True

    def _bound_coefficients(self, bound: float) -> None:
        largest = float(np.abs(self.alpha).max())
        if self.projection == "clip":
            self.alpha = np.minimum(np.maximum(self.alpha, -bound), bound)
        elif self.projection == "scale" and largest > bound:
            self.alpha = self.alpha * (bound / largest)


def keep_probabilities(w: np.ndarray) -> np.ndarray:
    """min(1, c w) with c such that on average exactly one of the sizes w > 0 is lost."""
    certain = np.zeros(len(w), dtype=bool)
    while True:
        c = (len(w) - 1 - certain.sum()) / w[~certain].sum()
        more = ~certain & (c * w > 1.0)
        if not more.any():
            return np.where(certain, 1.0, c * w)
        certain |= more


class BogdPlusPlus(Bogd):
    """Bogd, but light vectors are more likely to leave; each survivor is divided by its
    probability of staying.
    BOGD++ of Zhao, Wang, Wu, Jin, Hoi, ICML 2012, with probabilities that cannot exceed 1."""

    def _make_room(self) -> int:
        w = np.abs(self.alpha) * np.sqrt(np.maximum(0.0, self._self_kernels()))
        weightless = np.flatnonzero(w == 0.0)
        if weightless.size:
            return int(weightless[0])
        keep = keep_probabilities(w)
        u, total, slot = self.rng.uniform(), 0.0, -1
        for j, lose in enumerate(1.0 - keep):
            total += lose
            if lose > 0.0:
                slot = j
            if total > u:
                break
        self.alpha = self.alpha / keep
        return slot


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
