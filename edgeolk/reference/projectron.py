"""Perceptrons that project a mistake on the stored vectors if possible."""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.base import KernelLearner, among, not_negative, positive

NEGLIGIBLE = 1e-10


def project_on_span(K: np.ndarray, kx: np.ndarray, kxx: float) -> tuple[np.ndarray, float, float]:
    """Weights of the projection of k(x, .), its squared norm, and the squared residual."""
    beta = np.linalg.solve(K, kx)
    p = float(kx @ beta)
    return beta, p, max(0.0, kxx - p)


class Projectron(KernelLearner):
    """A mistake within eta of the span of the stored vectors, or on a full model, is
    projected on that span; any other is stored as a vector.
    Orabona, Keshet, Caputo, JMLR 2009."""

    eta: float = not_negative(None)

    def _begin(self) -> None:
        if self.eta is None:
            self.eta = 0.1 if self.budget is None else 0.0

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        if y * f > 0.0:
            return False
        return self._full_step(x, y, row, kxx)

    def _full_step(self, x: np.ndarray, y: float, row: np.ndarray, kxx: float) -> bool:
        if self.m == 0:
            if kxx > 0.0:
                self.append(x, y)
            return kxx > 0.0
        beta, _, delta2 = project_on_span(self.gram(), row, kxx)
        if self.is_full or delta2 <= self.eta**2 or delta2 <= NEGLIGIBLE * kxx:
            return self.move(y * beta)
        self.append(x, y)
        return True


class ProjectronPlusPlus(Projectron):
    """Also updates, within the span, on correct predictions with a margin below 1.
    Orabona, Keshet, Caputo, ICML 2008 and JMLR 2009; rule "loose" is the one in
    the experiments of Ahpatron."""

    U: float = positive(None)
    rule: str = among("jmlr", "icml", "loose")

    def _begin(self) -> None:
        super()._begin()
        if self.U is None and self.eta > 0.0:
            self.U = 1.0 / self.eta
        elif self.U is None and self.budget is not None:
            self.U = math.sqrt((self.budget + 1) / math.log(self.budget + 1)) / 4.0
        elif self.U is None:
            self.U = math.inf

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        missing = 1.0 - y * f
        if y * f <= 0.0 or (self.rule == "loose" and missing > 0.0):
            return self._full_step(x, y, row, kxx)
        if missing <= 0.0:
            return False
        beta, p, delta2 = project_on_span(self.gram(), row, kxx)
        tau = self._margin_step(missing, p, delta2, kxx)
        return tau > 0.0 and self.move(y * tau * beta)

    def _margin_step(self, missing: float, p: float, delta2: float, kxx: float) -> float:
        """Length of the step along the projection; 0 if it might do harm."""
        if p <= NEGLIGIBLE * kxx:
            return 0.0
        in_span = delta2 <= NEGLIGIBLE * kxx
        penalty = 0.0 if in_span else self.U * math.sqrt(delta2)
        if self.rule == "jmlr":
            if missing <= penalty:
                return 0.0
            return min(missing / p, 2.0 * (missing - penalty) / p, 1.0)
        tau = min(missing / p, 1.0)
        return tau if 2.0 * missing - tau * p - 2.0 * penalty >= 0.0 else 0.0
