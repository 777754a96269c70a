"""Sparse passive-aggressive learning with an averaged model."""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import KernelLearner, among, hinge, positive, require


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
