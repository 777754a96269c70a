"""Passive-aggressive learning: PA, PA-I, PA-II, sparse PA, and BPA on a budget.

PA on a full model freezes, or a random vector leaves. BPA (Wang, Vucetic, AISTATS 2010) chooses a
vector to remove and compensates with others; its rules differ only in which vectors may compensate.
There coefficients are a number per vector, or a row with one per class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from edgeolk.reference.base import (
    KernelLearner,
    Vectors,
    among,
    direction,
    flag,
    hinge,
    option,
    piecewise_loss,
    positive,
    require,
)


def pa_asks_for_update(y: float, f: float, kxx: float, loss: str) -> bool:
    """The ramp loss is flat for |f| > 1 on the wrong side, hence no step there."""
    if not piecewise_loss(loss, y, f) > 0.0 or not kxx > 0.0:
        return False
    return not (loss == "ramp" and abs(f) > 1.0)


class PassiveAggressive(KernelLearner):
    """Smallest change of the model that reduces the hinge (or ramp) loss.
    Crammer et al., JMLR 2006; ramp form of Wang, Vucetic, AISTATS 2010."""

    C: float = option(1.0, "must be positive and finite", lambda C: 0.0 < C < np.inf)
    loss: str = among("hinge", "ramp", "epsilon")
    full: str = among("stop", "random")

    def _begin(self) -> None:
        require(self.full == "stop" or self.budget is not None, "replacing needs a budget")

    def tau(self, H: float, kxx: float) -> float:
        """The size of the step for a loss H > 0 and k(x, x) > 0."""
        raise NotImplementedError

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not pa_asks_for_update(y, f, kxx, self.loss):
            return False
        a = direction(self.loss, y, f) * self.tau(piecewise_loss(self.loss, y, f), kxx)
        if self.full == "random":
            return self.append_or_replace(x, a, self.any_slot)
        return self.append_or_freeze(x, a)


class Pa(PassiveAggressive):
    """PA: zero loss on the example as a hard constraint (C has no effect).
    Crammer et al., JMLR 2006."""

    def tau(self, H: float, kxx: float) -> float:
        return H / kxx


class Pa1(PassiveAggressive):
    """PA-I: minimises 1/2 ||f - f_t||^2 + C loss.
    Crammer et al., JMLR 2006."""

    def tau(self, H: float, kxx: float) -> float:
        return min(self.C, H / kxx)


class PaRand(Pa1):
    """PA-I; a full model overwrites a uniformly drawn slot with the incoming vector.
    PA+Rand of Wang, Vucetic, AISTATS 2010."""

    needs_budget = True

    full: str = among("random")


class Pa2(PassiveAggressive):
    """PA-II: minimises 1/2 ||f - f_t||^2 + C loss^2.
    Crammer et al., JMLR 2006."""

    def tau(self, H: float, kxx: float) -> float:
        return H / (kxx + 1.0 / (2.0 * self.C))


class Spa(KernelLearner):
    """A random draw, likelier to succeed the larger the loss, decides whether to step.
    Lu, Zhao, Hoi, SDM 2016."""

    keeps_average = True

    eta: float = positive(0.1)
    loss_cap: float = positive(1.0, called="alpha")
    beta: float = positive(20.0)
    full: str = among("stop")

    def _begin(self) -> None:
        require(self.beta >= self.loss_cap, "beta >= alpha is required")

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        loss = hinge(y, f)
        if not loss > 0.0 or self.is_frozen() or kxx <= 0.0:
            return False
        rho = min(self.loss_cap, loss) / self.beta
        if not self.rng.bernoulli(rho):
            return False
        self.append(x, y * min(self.eta / rho, loss / kxx))
        return True


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

    def tau(self, norm2: float) -> float:
        """The best size if the direction of the step has the squared norm ``reach``."""
        if self.fixed is not None:
            return self.fixed
        return min(self.C, self.H / (self.square * norm2)) if norm2 > 0.0 else 0.0

    def cost(self, norm2: float) -> float:
        """The cost of that step, including the remaining loss."""
        tau, square = self.tau(norm2), self.square
        return 0.5 * square * tau * tau * norm2 + self.C * (self.H - square * tau * norm2)


class IncomingOnly:
    """Only the incoming vector compensates for the removed one."""

    #: Whether an incoming vector in the span of the others changes their coefficients only.
    spans = False

    def __init__(self, eps: float = 0.0) -> None:
        self.eps = eps

    def victims(self, vectors: Vectors, row: np.ndarray, kxx: float) -> list[Repair]:
        """The compensation for the removal of each slot."""
        return [self.victim(vectors, r, row, kxx) for r in range(vectors.m)]

    def victim(self, vectors: Vectors, r: int, row: np.ndarray, kxx: float) -> Repair:
        """The compensation for the removal of slot r."""
        k_rr, k_rt = vectors._self_kernel(vectors.sv[r]), float(row[r])
        return max(0.0, k_rr - k_rt * k_rt / kxx), np.zeros(vectors.m), k_rt / kxx

    def project(self, vectors: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        """Squared norm of the projection of the incoming vector on the permitted old slots, and
        the weights of that projection."""
        # Without the incoming vector there is no coefficient to adjust.
        return 0.0, np.zeros(vectors.m)


def nearest(S: np.ndarray, x: np.ndarray, excluded: int | None = None) -> int:
    """Slot of the nearest vector in input space, ties to the lowest."""
    d2 = np.sum((S - x) ** 2, axis=1)
    if excluded is not None:
        d2[excluded] = np.inf
    return int(np.argmin(d2))


class Nearest(IncomingOnly):
    """The incoming vector and the nearest neighbour of the removed one compensate."""

    def victim(self, vectors: Vectors, r: int, row: np.ndarray, kxx: float) -> Repair:
        single = super().victim(vectors, r, row, kxx)
        if vectors.m == 1:
            return single
        k_rr, k_rt = vectors._self_kernel(vectors.sv[r]), float(row[r])
        n = nearest(vectors.sv, vectors.sv[r], excluded=r)
        k_nn, k_nt = vectors._self_kernel(vectors.sv[n]), float(row[n])
        k_rn = float(vectors.kernel(vectors.sv[r : r + 1], vectors.sv[n])[0])
        det = k_nn * kxx - k_nt * k_nt
        if det <= self.eps * k_nn * kxx:
            return single
        b_n = (kxx * k_rn - k_nt * k_rt) / det
        b_t = (k_nn * k_rt - k_nt * k_rn) / det
        old_weights = np.zeros(vectors.m)
        old_weights[n] = b_n
        return max(0.0, k_rr - b_n * k_rn - b_t * k_rt), old_weights, b_t

    def project(self, vectors: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        j = nearest(vectors.sv, x)
        k_jj = vectors._self_kernel(vectors.sv[j])
        weights = np.zeros(vectors.m)
        weights[j] = row[j] / k_jj
        return float(row[j]) ** 2 / k_jj, weights


class AllOthers(IncomingOnly):
    """All other vectors compensate for the removed one."""

    spans = True

    def victims(self, vectors: Vectors, row: np.ndarray, kxx: float) -> list[Repair]:
        # Column r of the inverse Gram matrix of old and incoming vectors is, up to its diagonal
        # entry, minus the weights of the others in the projection of vector r.
        M = np.linalg.inv(np.block([[vectors.gram(), row[:, None]], [row[None, :], kxx]]))
        repairs = []
        for r in range(vectors.m):
            weights = -M[:, r] / M[r, r]
            weights[r] = 0.0
            repairs.append((1.0 / float(M[r, r]), weights[:-1], float(weights[-1])))
        return repairs

    def project(self, vectors: Vectors, x: np.ndarray, row: np.ndarray) -> tuple[float, np.ndarray]:
        if vectors.m == 0:
            return 0.0, np.zeros(0)
        u = np.linalg.solve(vectors.gram(), row)
        return float(row @ u), u


def admit_repaired(
    vectors: Vectors, rule: IncomingOnly, step: Step, x: np.ndarray, row: np.ndarray, kxx: float,
    allow_skip: bool,
) -> bool:  # fmt: skip
    """Make the step for an incoming x; returns whether the model changed.

    A full model removes the vector with the cheapest removal, or leaves out x if that is cheaper.
    """
    if rule.spans:
        norm2, weights = rule.project(vectors, x, row)
        if kxx - norm2 <= rule.eps * kxx:
            return vectors.move(np.multiply.outer(weights, step.tau(norm2) * step.e))
    tau = step.tau(kxx)
    if not vectors.is_full:
        vectors.append(x, tau * step.e)
        return True
    if kxx <= 0.0:
        return False

    repairs = rule.victims(vectors, row, kxx)
    # The other costs are the same for all old slots; omitting them keeps near-ties distinct.
    costs = [float(np.sum(vectors.alpha[r] ** 2)) * repairs[r][0] for r in range(vectors.m)]
    best = int(np.argmin(costs))
    if allow_skip:
        norm2, weights = rule.project(vectors, x, row)
        if step.cost(norm2) < 0.5 * costs[best] + step.cost(kxx):
            return vectors.move(np.multiply.outer(weights, step.tau(norm2) * step.e))
    _, old_weights, new_weight = repairs[best]
    removed = vectors.alpha[best].copy()
    vectors.alpha = vectors.alpha + np.multiply.outer(old_weights, removed)
    vectors.replace(best, x, removed * new_weight + tau * step.e)
    return True


class _BudgetedPa(KernelLearner):
    """PA-I step with one removal chosen to minimise the joint objective Q.
    Wang, Vucetic, AISTATS 2010."""

    needs_budget = True

    C: float = option(1.0, "must be positive and finite", lambda C: 0.0 < C < np.inf)
    loss: str = among("hinge", "ramp", "epsilon")
    allow_skip: bool = flag(True)

    def rule(self) -> IncomingOnly:
        """The vectors that compensate for a removed one."""
        raise NotImplementedError

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if not pa_asks_for_update(y, f, kxx, self.loss):
            return False
        step = Step(direction(self.loss, y, f), piecewise_loss(self.loss, y, f), self.C)
        return admit_repaired(self, self.rule(), step, x, row, kxx, self.allow_skip)


class BpaS(_BudgetedPa):
    """Only the incoming vector compensates for the removed one.
    BPA-S of Wang, Vucetic, AISTATS 2010."""

    def rule(self) -> IncomingOnly:
        return IncomingOnly()


class BpaNn(_BudgetedPa):
    """The incoming vector and the nearest neighbour of the removed one compensate.
    BPA-NN of Wang, Vucetic, AISTATS 2010."""

    eps: float = positive(1e-8)  # below it a Gram matrix counts as singular

    def rule(self) -> IncomingOnly:
        return Nearest(self.eps)


class BpaP(_BudgetedPa):
    """All other vectors compensate for the removed one; an example in their span changes
    their coefficients and takes no slot.
    BPA-P of Wang, Vucetic, AISTATS 2010."""

    eps: float = positive(1e-8)

    def rule(self) -> IncomingOnly:
        return AllOthers(self.eps)
