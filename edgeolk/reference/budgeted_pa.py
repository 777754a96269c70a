"""Passive-aggressive on a budget: BPA of Wang, Vucetic, AISTATS 2010."""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import (
    KernelLearner,
    among,
    direction,
    flag,
    option,
    piecewise_loss,
    positive,
)
from edgeolk.reference.passive_aggressive import pa_asks_for_update
from edgeolk.reference.repairs import AllOthers, IncomingOnly, Nearest, Step, admit_repaired


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
