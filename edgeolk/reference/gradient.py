"""Online gradient descent, with and without a budget."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import Kernel, KernelLearner, loss_gradient, loss_value, require


def dynamic_budget(budget: int, c: float | None, t: int) -> int:
    """Round-to-nearest reproduces the budgets printed for the published data sets."""
    if c is None:
        return budget
    return min(budget, max(2, math.floor(1.0 + c * math.sqrt(t) + 0.5)))


class Olrd(KernelLearner):
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
            # With the capacity, not the present size: the bound must already hold at the
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

    def _frozen(self) -> bool:
        if self.is_full:
            self.capacity_hits += 1
        return self.is_full


class Ogd(KernelLearner):
    """Gradient step on the regularised loss: everything shrinks at every example.
    NORMA of Kivinen, Smola, Williamson, IEEE Trans. Signal Processing 2004."""

    def __init__(
        self,
        kernel: Kernel,
        budget: int | None,
        seed: int = 0,
        *,
        eta: float = 0.1,
        lam: float = 0.0,
        loss: str = "hinge",
        full: str = "oldest",
    ) -> None:
        super().__init__(kernel, budget, seed)
        require_shrinkage(eta, lam)
        require(full in ("oldest", "stop"), "full is oldest or stop")
        loss_value(loss, 1.0, 0.0)
        self.eta = eta
        self.lam = lam
        self.loss = loss
        self.full = full
        self.next_slot = 0

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        self.alpha = self.alpha * (1.0 - self.eta * self.lam)
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return False
        if not self.is_full or self.full == "stop":
            return self.append_or_freeze(x, -self.eta * g)
        self.replace(self.next_slot, x, -self.eta * g)
        self.next_slot = (self.next_slot + 1) % self.m
        return True


def require_shrinkage(eta: float, lam: float) -> None:
    require(eta > 0.0, "eta must be positive")
    require(lam >= 0.0 and eta * lam < 1.0, "0 <= eta lam < 1 is required")


class Olk(_ProjectedGradient):
    """Projected gradient descent that keeps every example with a loss.
    OLK of He, Kwok, Neural Networks 2014."""

    def __init__(
        self,
        kernel: Kernel,
        budget: int | None,
        seed: int = 0,
        *,
        eta: float = 0.1,
        schedule: str = "constant",
        U: float | None = None,
        loss: str = "hinge",
        full: str = "stop",
    ) -> None:
        super().__init__(kernel, budget, seed)
        require(eta > 0.0, "eta must be positive")
        require(schedule in ("constant", "sqrt"), "schedule is constant or sqrt")
        require(U is None or U > 0.0, "U must be positive")
        require(full == "stop", "a full model only freezes here")
        loss_value(loss, 1.0, 0.0)
        self.eta = eta
        self.schedule = schedule
        self.U = U
        self.loss = loss

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        g = loss_gradient(self.loss, y, f)
        if g == 0.0 or self._frozen():
            return False
        eta = self.eta / math.sqrt(self.t) if self.schedule == "sqrt" else self.eta
        return self._insert(x, -eta * g)


class Olru(_ProjectedGradient):
    """A coin decides whether the gradient step is made, enlarged to stay unbiased.
    OLRU of He, Kwok, Neural Networks 2014."""

    def __init__(
        self,
        kernel: Kernel,
        budget: int | None,
        seed: int = 0,
        *,
        eta: float = 0.1,
        gamma: float = 0.25,
        c: float = 1.0,
        T: int | None = None,
        schedule: str = "dynamic",
        U: float | None = None,
        loss: str = "hinge",
        full: str = "stop",
    ) -> None:
        super().__init__(kernel, budget, seed)
        require(eta > 0.0 and c > 0.0, "eta and c must be positive")
        require(0.0 < gamma < 1.0, "0 < gamma < 1 is required")
        require(schedule in ("constant", "dynamic"), "schedule is constant or dynamic")
        require(schedule == "dynamic" or (T is not None and T >= 1), "constant needs T >= 1")
        require(U is None or U > 0.0, "U must be positive")
        require(full == "stop", "a full model only freezes here")
        loss_value(loss, 1.0, 0.0)
        self.eta = eta
        self.gamma = gamma
        self.c = c
        self.T = T
        self.schedule = schedule
        self.U = U
        self.loss = loss

    def _chance_and_rate(self) -> tuple[float, float]:
        if self.schedule == "constant":
            assert self.T is not None
            return min(1.0, self.c * float(self.T) ** -self.gamma), self.eta
        t = float(self.t)
        return min(1.0, self.c * t**-self.gamma), self.eta * t ** (-(1.0 + self.gamma) / 2.0)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        g = loss_gradient(self.loss, y, f)
        if g == 0.0 or self._frozen():
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

    def __init__(
        self,
        kernel: Kernel,
        budget: int,
        seed: int = 0,
        *,
        eta: float = 0.1,
        lam: float = 0.0,
        gamma: float | None = None,
        projection: str = "clip",
        loss: str = "hinge",
    ) -> None:
        super().__init__(kernel, budget, seed)
        require_shrinkage(eta, lam)
        require(gamma is None or gamma > 0.0, "gamma must be positive")
        require(projection in ("clip", "scale", "none"), "projection is clip, scale or none")
        loss_value(loss, 1.0, 0.0)
        self.eta = eta
        self.lam = lam
        self.gamma = gamma
        self.projection = projection
        self.loss = loss

    def _make_room(self) -> int:
        """Rescale the survivors of a removal and say which slot is free."""
        slot = self.rng.index(self.m)
        self.alpha = self.alpha * (self.m / (self.m - 1))
        return slot

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        self.alpha = self.alpha * (1.0 - self.eta * self.lam)
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return False
        if self.is_full:
            self.replace(self._make_room(), x, -self.eta * g)
        else:
            self.append(x, -self.eta * g)
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
    """min(1, c w) with c such that exactly one of the positive sizes w is lost on average."""
    certain = np.zeros(len(w), dtype=bool)
    while True:
        c = (len(w) - 1 - certain.sum()) / w[~certain].sum()
        more = ~certain & (c * w > 1.0)
        if not more.any():
            return np.where(certain, 1.0, c * w)
        certain |= more


class BogdPlusPlus(Bogd):
    """The same with light vectors likelier to leave; each survivor is divided by its own
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
