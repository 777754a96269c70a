"""Kernel adaptive filters that are Gaussian processes on a budget: krls_t and sogp.

Both keep the posterior of the function at the support vectors, and so know the variance of their
answers. They differ in what leaves a full model, and only krls_t forgets. Each is here in two
forms that give the same answers: with the matrices Q and C as published, and in whitened
coordinates, as the compiled filters compute in float32, where Q and C diverge.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from edgeolk.reference.base import option, positive
from edgeolk.reference.filters_lms import KernelAdaptiveFilter
from edgeolk.reference.filters_rls import bordered_factor

SMALLEST = 1e-30


class GaussianPosterior(KernelAdaptiveFilter):
    """A filter that knows the variance of its answers; subclasses supply ``variance_one``."""

    def variance_one(self, x: np.ndarray) -> float:
        """The variance of the target of a row."""
        raise NotImplementedError

    def variance(self, X: np.ndarray) -> np.ndarray:
        """The variances of the targets of rows (n, d)."""
        return np.array([self.variance_one(x) for x in X])

    def interval_one(self, x: np.ndarray, level: float = 0.9) -> tuple[float, float]:
        """Bounds between which the target of a row is with this probability."""
        half = NormalDist().inv_cdf((1.0 + level) / 2.0) * math.sqrt(self.variance_one(x))
        f = self.decision(x)
        return f - half, f + half


class _GaussianProcess(GaussianPosterior):
    """What does not depend on the form: the step's frame, forgetting, and the noise's scale.

    ``jitter`` is added to k(x, x), everywhere. The prior has the variance k(x, x), the noise sn2,
    both in units of a scale num / den that is the mean of e^2 / variance over all rows.
    """

    lam = 1.0
    sn2: float = positive(0.01)
    jitter: float = positive(1e-6)

    def _begin(self) -> None:
        self.num = 0.0
        self.den = 0.0
        self._begin_form()

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        weight = self.lam if self.m else 1.0
        self._forget()
        error = y - math.sqrt(self.lam) * f  # f was the answer before forgetting
        sy2 = self._target_variance(row, kxx + self.jitter)
        self.num += weight * error**2 / sy2
        self.den += weight
        self._learn(x, row, kxx + self.jitter, error, sy2)
        return True

    def variance_one(self, x: np.ndarray) -> float:
        """The variance of the target of a row; infinite before the first row is learned."""
        if self.den == 0.0:
            return math.inf
        x = np.asarray(x, dtype=float)
        sy2 = self._target_variance(self.row(x), self._self_kernel(x) + self.jitter)
        return self.num / self.den * sy2

    # --- of a form ---

    def _begin_form(self) -> None:
        raise NotImplementedError

    def _forget(self) -> None:
        """Move the posterior towards the prior: its mean shrinks by sqrt(lam), and its covariance
        becomes lam times itself plus 1 - lam times that of the prior."""
        raise NotImplementedError

    def _target_variance(self, row: np.ndarray, kxx: float) -> float:
        """sn2 plus the posterior variance of f(x), in units of the scale."""
        raise NotImplementedError

    def _learn(self, x: np.ndarray, row: np.ndarray, kxx: float, error: float, sy2: float) -> None:
        """Condition the posterior on a row; of B + 1 support vectors one leaves."""
        raise NotImplementedError

    def _cost(self, a: np.ndarray, prior: np.ndarray, posterior: np.ndarray) -> np.ndarray:
        """What the removal of each support vector costs.

        Parameters
        ----------
        a : ndarray (n,)
            The coefficients.
        prior, posterior : ndarray (n,)
            Diagonals of the inverse of K + jitter I, that is of Q, and of Q - C.
        """
        raise NotImplementedError


class _KrlsTCost(_GaussianProcess):
    """The change of the answer at the removed vector."""

    lam: float = option(1.0, "must be above 0 and at most 1", lambda lam: 0.0 < lam <= 1.0)

    def _cost(self, a: np.ndarray, prior: np.ndarray, posterior: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(a) / prior)


class _SogpCost(_GaussianProcess):
    """The divergence of the posterior without the vector from that with it, by its means."""

    def _cost(self, a: np.ndarray, prior: np.ndarray, posterior: np.ndarray) -> np.ndarray:
        return np.asarray(a**2 / np.maximum(posterior, SMALLEST))


class _QandC(_GaussianProcess):
    """The posterior has the mean k'a and the covariance K - K C K; Q is the inverse of K, jitter
    included."""

    def _begin_form(self) -> None:
        self.Q = np.zeros((0, 0))
        self.C = np.zeros((0, 0))

    def _forget(self) -> None:
        self.alpha = self.alpha * math.sqrt(self.lam)
        self.C = self.C * self.lam

    def _target_variance(self, row: np.ndarray, kxx: float) -> float:
        return self.sn2 + max(kxx - float(row @ self.C @ row), 0.0)

    def _learn(self, x: np.ndarray, row: np.ndarray, kxx: float, error: float, sy2: float) -> None:
        n = self.m
        q, c = self.Q @ row, self.C @ row
        g2 = kxx - float(row @ q)  # squared distance of k(x, .) from the span of the vectors
        g = error / sy2
        leaves = None
        within = n > 0 and g2 < self.jitter
        if not within and self.is_full:
            leaves = self._evicted(q, c, g, g2, sy2)
            within = leaves == n
        if within:
            self._learn_within(q - c, g, sy2)
        elif leaves is None:
            self._enter(x, q, c, g, g2, sy2)
        else:
            self._exchange(leaves, x, q, c, g, g2, sy2)

    def _evicted(self, q: np.ndarray, c: np.ndarray, g: float, g2: float, sy2: float) -> int:
        """The slot that costs least, the incoming vector last, after the row is learned."""
        a = np.append(self.alpha - g * c, g)
        prior = np.append(np.diag(self.Q) + q**2 / g2, 1.0 / g2)
        learned = np.append(np.diag(self.C) + c**2 / sy2, 1.0 / sy2)
        return int(np.argmin(self._cost(a, prior, prior - learned)))

    def _learn_within(self, w: np.ndarray, g: float, sy2: float) -> None:
        """Learn the projection of the row on the span of the support vectors."""
        self.alpha = self.alpha + g * w
        self.C = self.C + np.outer(w, w) / sy2

    def _enter(
        self, x: np.ndarray, q: np.ndarray, c: np.ndarray, g: float, g2: float, sy2: float
    ) -> None:
        p, v = np.append(q, -1.0), np.append(-c, 1.0)
        self.Q = np.pad(self.Q, (0, 1)) + np.outer(p, p) / g2
        self.C = np.pad(self.C, (0, 1)) + np.outer(v, v) / sy2
        self.alpha = self.alpha - g * c
        self.append(x, g)

    def _exchange(
        self, r: int, x: np.ndarray, q: np.ndarray, c: np.ndarray, g: float, g2: float, sy2: float
    ) -> None:
        """Enter, and marginalise slot r, whose place the incoming vector takes."""
        w = (self.Q + np.outer(q, q) / g2)[:, r]
        d = (self.C + np.outer(c, c) / sy2)[:, r]
        qr, dr, ar = w[r], d[r], self.alpha[r] - g * c[r]
        # Slot r now is the incoming vector: its entries of the column that leaves.
        w[r], d[r] = -q[r] / g2, -c[r] / sy2
        p, v = q.copy(), -c
        p[r], v[r] = -1.0, 1.0
        u = -w / qr

        a = self.alpha - g * c
        a[r] = g
        others = np.arange(self.m) != r
        keep = np.outer(others, others)
        self.Q = self.Q * keep + np.outer(p, p) / g2 - np.outer(w, w) / qr
        self.C = self.C * keep + np.outer(v, v) / sy2
        if dr > 0.0:
            u2 = u + d / dr
            self.C = self.C + dr * np.outer(u2, u2) - np.outer(d, d) / dr
        self.alpha = a
        self.replace(r, x, g)
        self.alpha = self.alpha + ar * u


class _Whitened(_GaussianProcess):
    """With K + jitter I = L L' and M = L^-1, the function at the support vectors is L t; t has the
    prior N(0, I) and the posterior N(w, P). The answer is z'w with z = M k."""

    def _begin_form(self) -> None:
        self.M = np.zeros((0, 0))
        self.P = np.zeros((0, 0))
        self.w = np.zeros(0)

    def _score(self, x: np.ndarray, row: np.ndarray) -> float:
        return float((self.M @ row) @ self.w)

    def _forget(self) -> None:
        self.w = self.w * math.sqrt(self.lam)
        self.P = self.lam * self.P + (1.0 - self.lam) * np.eye(self.m)

    def _target_variance(self, row: np.ndarray, kxx: float) -> float:
        z = self.M @ row
        return self.sn2 + self._delta(z, kxx) + max(float(z @ self.P @ z), 0.0)

    def _delta(self, z: np.ndarray, kxx: float) -> float:
        """Squared distance of k(x, .) from the span: at least jitter, if there were no rounding."""
        return max(kxx - float(z @ z), self.jitter / 2.0)

    def _learn(self, x: np.ndarray, row: np.ndarray, kxx: float, error: float, sy2: float) -> None:
        z = self.M @ row
        delta, h, g = self._delta(z, kxx), self.P @ z, error / sy2
        if delta >= self.jitter:
            was_full = self.is_full
            self.M = bordered_factor(self.M, z, delta)
            self.P = np.pad(self.P, (0, 1))
            self.P[-1, -1] = 1.0
            self.w = np.append(self.w, 0.0)
            h = np.append(h, math.sqrt(delta))
            self.append(x, 0.0)
        else:
            was_full = False
        self.P = self.P - np.outer(h, h) / sy2
        self.w = self.w + g * h
        if was_full:
            self._remove(self._evicted())
        self.alpha = self.M.T @ self.w

    def _evicted(self) -> int:
        prior = np.sum(self.M**2, axis=0)
        posterior = np.einsum("ji,jk,ki->i", self.M, self.P, self.M)
        return int(np.argmin(self._cost(self.M.T @ self.w, prior, posterior)))

    def _remove(self, r: int) -> None:
        """Marginalise slot r: rotate neighbouring rows until its column is zero but in the last
        row, which then contains nothing of the others, and leave that row out."""
        last = self.m - 1
        for i in range(r, last):
            length = math.hypot(self.M[i, r], self.M[i + 1, r])
            c, s = self.M[i + 1, r] / length, self.M[i, r] / length
            G = np.array([[c, -s], [s, c]])
            pair = [i, i + 1]
            self.M[pair] = G @ self.M[pair]
            self.P[pair] = G @ self.P[pair]
            self.P[:, pair] = self.P[:, pair] @ G.T
            self.w[pair] = G @ self.w[pair]
        self.M = np.delete(self.M[:last], r, axis=1)
        self.P = self.P[:last, :last]
        self.w = self.w[:last]
        self.keep(np.delete(np.arange(self.m), r))


class KrlsT(_KrlsTCost, _QandC):
    """Recursive least squares that tracks: old rows are forgotten by the factor lam.
    Van Vaerenbergh, Lazaro-Gredilla, Santamaria, IEEE Trans. Neural Networks and Learning
    Systems 2012."""


class Sogp(_SogpCost, _QandC):
    """Sparse online Gaussian process.
    Csato, Opper, Neural Computation 2002."""


class WhitenedKrlsT(_KrlsTCost, _Whitened):
    """`KrlsT` in whitened coordinates."""


class WhitenedSogp(_SogpCost, _Whitened):
    """`Sogp` in whitened coordinates."""
