"""Sampled stochastic gradient descent and sparse kernel logistic regression."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import (
    KernelLearner,
    among,
    at_least,
    logistic_function,
    loss_gradient,
    option,
    positive,
    require,
    softplus,
)


class _Sampled(KernelLearner):
    """A random draw decides whether the example enters; the averaged model is to be used."""

    keeps_average = True

    eta: float = positive(0.1)
    R: float | None = positive(None)
    full: str = among("stop")

    def _chance_and_coefficient(self, y: float, f: float) -> tuple[float, float]:
        """Probability of entering, and the coefficient; coefficient 0 for no update."""
        raise NotImplementedError

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        p, a = self._chance_and_coefficient(y, f)
        if a == 0.0 or self.is_frozen() or not self.rng.bernoulli(p):
            return False
        self.append(x, a)
        self._project_on_ball(self.R)
        return True


class Oskl(_Sampled):
    """Enters with probability |l'| / G, with the full step G, so that the mean is the
    gradient step.
    OSKL of Zhang, Yi, Jin, Lin, He, Int. Conf. Machine Learning 2013."""

    G: float = at_least(1.0, 1.0)
    loss: str = among("logistic", "hinge")

    def _chance_and_coefficient(self, y: float, f: float) -> tuple[float, float]:
        g = loss_gradient(self.loss, y, f)
        if g == 0.0:
            return 0.0, 0.0
        return abs(g) / self.G, -self.eta * self.G * math.copysign(1.0, g)


def auxiliary_ratio(z: float, h: str, gamma: float) -> float:
    """l(z) / h(z), the probability of entering under the auxiliary loss h >= l = log(1 + e^-z)."""
    shift = math.log(gamma)
    if h == "shift":
        upper, limit = shift + softplus(-z - shift), 1.0
    else:
        upper, limit = softplus(shift - z), 1.0 / gamma
    return softplus(-z) / upper if upper > 0.0 else limit


def chance_and_slope(
    z: float, method: str, *, eta: float, h: str = "shift", gamma: float = 2.0, delta: float = 1.0
) -> tuple[float, float]:
    """Probability of entering, and h'(z) = minus the step per unit of rate."""
    if method == "nc":
        return 1.0, -logistic_function(-z)
    if method == "margin":
        p = (2.0 - eta) / (2.0 - eta + eta * logistic_function(z))
        return p, -logistic_function(-z)
    if h == "cut":
        return (1.0, -logistic_function(-z)) if z <= delta else (0.0, 0.0)
    shift = math.log(gamma)
    slope = -logistic_function(-z - shift) if h == "shift" else -logistic_function(shift - z)
    return auxiliary_ratio(z, h, gamma), slope


class Klr(_Sampled):
    """Kernel logistic regression, non-conservative or sampled by margin or by an auxiliary
    loss.
    Zhang, Jin, Chen, Bu, He, AAAI 2012."""

    loss = "logistic"
    method: str = among("auxiliary", "nc", "margin")
    h: str = among("shift", "scale", "cut")
    gamma: float = at_least(1.0, 2.0)
    delta: float = option(1.0, "must be finite", math.isfinite)

    def _begin(self) -> None:
        require(self.method != "margin" or self.eta < 2.0, "the margin method needs eta < 2")

    def posterior(self, x: np.ndarray) -> float:
        return logistic_function(self.decision(x))

    def _chance_and_coefficient(self, y: float, f: float) -> tuple[float, float]:
        p, slope = chance_and_slope(
            y * f, self.method, eta=self.eta, h=self.h, gamma=self.gamma, delta=self.delta
        )
        return p, -self.eta * y * slope
