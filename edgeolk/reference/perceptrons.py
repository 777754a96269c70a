"""The kernel perceptron and its simplest budgeted relatives."""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import KernelLearner, among, hinge, positive


class Perceptron(KernelLearner):
    """Every mistake becomes a support vector with weight y; frozen once full.
    Rosenblatt 1958; kernel form of Freund, Schapire, Machine Learning 1999."""

    full: str = among("stop")

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        return not y * f > 0.0 and self.append_or_freeze(x, y)


class Stoptron(Perceptron):
    """The perceptron that never changes again once it holds B vectors.
    Baseline of Wang, Vucetic, AISTATS 2010."""

    needs_budget = True


class Rbp(KernelLearner):
    """A full perceptron overwrites a uniformly drawn slot with the incoming vector.
    Cavallanti, Cesa-Bianchi, Gentile, Machine Learning 2007."""

    needs_budget = True

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        return not y * f > 0.0 and self.append_or_replace(x, y, self.any_slot)


class ShiftingPerceptron(KernelLearner):
    """At the n-th update (from 0) everything shrinks by 1 - l, l = lam / (lam + n), and the
    incoming vector has weight l; when full, it overwrites a uniformly drawn slot.
    Cavallanti, Cesa-Bianchi, Gentile, Machine Learning 2007."""

    lam: float = positive(1.0)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if y * f > 0.0:
            return False
        weight = self.lam / (self.lam + self.updates)
        self.alpha = (1.0 - weight) * self.alpha
        return self.append_or_replace(x, weight * y, self.any_slot)


class Budgeted(KernelLearner):
    """Perceptron or PA-I step; the incoming vector always enters, one is evicted when full.
    Cited baselines of Wang, Vucetic, AISTATS 2010.

    To define a new policy, override ``victim`` in a subclass; to define a new step, override
    ``coefficient``.
    """

    needs_budget = True

    step_rule: str = among("unit", "pa", called="step")
    C: float = positive(1.0)

    def coefficient(self, y: float, f: float, kxx: float) -> float | None:
        """The new coefficient for label, score and k(x, x); None: no update."""
        if self.step_rule == "unit":
            return None if y * f > 0.0 else y
        if not (y * f < 1.0 and kxx > 0.0):
            return None
        return y * min(self.C, hinge(y, f) / kxx)

    def victim(self, row: np.ndarray) -> int:
        """The slot that x overwrites when the budget is used up; row is k(s_i, x), (m,)."""
        raise NotImplementedError

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        a = self.coefficient(y, f, kxx)
        return a is not None and self.append_or_replace(x, a, lambda: self.victim(row))


class RemoveOldest(Budgeted):
    """Drops the vector stored for longest; unit steps by default.
    Cited baseline of Wang, Vucetic, AISTATS 2010."""

    def victim(self, row: np.ndarray) -> int:
        return self.oldest()


class RemoveSmallest(Budgeted):
    """Drops the smallest |alpha|, ties: the oldest; PA-I steps by default.
    Cited baseline of Wang, Vucetic, AISTATS 2010."""

    step_rule: str = among("pa", "unit", called="step")

    def victim(self, row: np.ndarray) -> int:
        return self.smallest()
