"""Sparse passive-aggressive learning with an averaged model."""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import Kernel, KernelLearner, hinge, require


class Spa(KernelLearner):
    """A coin, likelier to say yes the larger the loss, decides whether a PA step is made.
    Lu, Zhao, Hoi, SDM 2016."""

    keeps_average = True

    def __init__(
        self,
        kernel: Kernel,
        budget: int | None,
        seed: int = 0,
        eta: float = 0.1,
        alpha: float = 1.0,
        beta: float = 20.0,
        full: str = "stop",
    ) -> None:
        super().__init__(kernel, budget, seed)
        require(eta > 0.0, "eta must be positive")
        require(beta >= alpha > 0.0, "beta >= alpha > 0 is required")
        require(full == "stop", "a full model only freezes here")
        self.eta = eta
        # `alpha` itself is the coefficient vector, as in every learner here.
        self.loss_cap = alpha
        self.beta = beta

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        loss = hinge(y, f)
        if not loss > 0.0:
            return False
        if self.is_full:
            self.capacity_hits += 1
            return False
        if kxx <= 0.0:
            return False
        rho = min(self.loss_cap, loss) / self.beta
        if not self.rng.bernoulli(rho):
            return False
        self.append(x, y * min(self.eta / rho, loss / kxx))
        return True
