"""Passive-aggressive steps; a full model freezes, or a random vector leaves."""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import (
    KernelLearner,
    among,
    direction,
    option,
    piecewise_loss,
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
