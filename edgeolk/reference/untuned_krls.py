"""A kernel recursive least squares tracker without settings: krls_auto.

A Gaussian process on at most B vectors in whitened coordinates, plus a linear part. The width of
each input, the ratio of the noise and the scales of inputs and targets are learned on the way.
There are two forms that give the same answers: with the posterior covariance P in full, and with
a factor W of it, P = W W', which remains positive definite in float32.
"""

from __future__ import annotations

import math

import numpy as np

from edgeolk.reference.filters_gp import GaussianPosterior
from edgeolk.reference.filters_rls import bordered_factor

JITTER = 1e-4  # added to k(x, x), everywhere
FIRST_WIDTH = 3.0  # over the number of inputs: gamma of a standardised input at the start
LOG_WIDTH_BOUNDS = (-8.0, 4.0)  # of a log width, relative to its start
WIDTH_WALK = 1e-3  # variance that a log width gains per row
FIRST_NOISE, MIN_NOISE = 0.1, 1e-6  # noise, in units of the scale; at most 1
CONSTANT_PRIOR, LINEAR_PRIOR = 100.0, 1e4  # prior variances, in units of the scale
PHI = 0.995  # forgetting of the scale
EXCHANGE = 0.5  # change of a log width, or of half the log noise, that exchanges the prior
DRIFT = 1e-4  # of the prior's unit per row, and the share of it by kind of coordinate:
CONSTANT_DRIFT, LINEAR_DRIFT, KERNEL_DRIFT = 0.01, 1e-4, 1.0
WAIT = 3  # first rows, which only give the offset and scale of the targets
START = 50.0  # rows before widths and noise are learned
EARLY_ROWS, EARLY_CLIP, CLIP = 20, 30.0, 5.0  # clipping of inputs, in deviations
EARLY_HUBER, HUBER = 30.0, 6.0  # deviations beyond which an error counts less
WIDTH_HUBER = 6.0  # the same for the widths
UNSEEN = 60.0  # log variance of an input that has not varied


class KrlsAuto(GaussianPosterior):
    """Kernel recursive least squares without settings.

    The coordinates are the constant, d linear ones, and one per vector: with L L' = K + jitter I of
    the vectors and M = L^-1, their regressors are M k. They have the prior N(0, I) and the
    posterior N(w, P), in units of the scale num / den.

    Parameters
    ----------
    budget : int
        Maximum number of vectors.

    Examples
    --------
    >>> import numpy as np
    >>> learner = KrlsAuto(20)
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> answers = learner.learn_many(X, 1000.0 * np.sin(2.0 * X[:, 0]))
    >>> round(learner.decision(np.array([0.5, 0.0])), -2)
    800.0
    """

    def __init__(self, budget: int) -> None:
        super().__init__(self._similarity, budget)

    def _begin(self) -> None:
        self.first: list[float] = []  # the first targets
        self.offset = 0.0
        self.num = self.den = 0.0
        self.sn2 = FIRST_NOISE  # noise in use; exp(lsn) is the noise wanted
        self.lsn = math.log(FIRST_NOISE)
        self.noise_rows, self.kap, self.rbar = 0, 0.0, 0.0
        self.x0: np.ndarray | None = None  # origin of the inputs
        self.seen = 0  # rows in the statistics of the inputs
        self.turn = 0  # the coordinate that drifted last
        self.M = np.zeros((0, 0))
        self.weight = 1.0  # of the row that is learned: one of weight 2 is as good as two

    def _begin_inputs(self, d: int) -> None:
        self.dim = d
        self.sv = np.zeros((0, d))
        self.lg_start = math.log(FIRST_WIDTH / d)
        self.lg, self.lg0 = np.full(d, self.lg_start), np.full(d, self.lg_start)
        self.p = np.ones(d)  # variance of each log width
        self.mu, self.v = np.zeros(d), np.zeros(d)
        self.ls, self.ls0 = np.full(d, UNSEEN), np.full(d, UNSEEN)
        self.w = np.zeros(1 + d)
        self._begin_form(1 + d)

    @property
    def s02(self) -> float:
        """The scale: the unit of all variances."""
        return self.num / self.den if self.den > 0.0 else 0.0

    @property
    def n_linear(self) -> int:
        """Number of the coordinates before those of the vectors."""
        assert self.dim is not None
        return 1 + self.dim

    # --- answers ---

    def step(self, x: np.ndarray, y: float) -> float:
        x, y = self._checked(x, y)
        if len(self.first) < WAIT:
            return self._wait(x, y)
        if self.x0 is None:
            self.x0 = x
        u = self._clipped(x)
        self._learn_inputs(u)
        if self._prior_is_old():
            self._exchange()
        return self.offset + super().step(u, y - self.offset)

    def decision(self, x: np.ndarray) -> float:
        """The answer to a row by the present state; nothing is learned.

        `step` may answer the same row a little differently, because it first adds the row to the
        statistics of the inputs, which can exchange the prior.
        """
        if len(self.first) < WAIT:
            return self.first[-1] if self.first else 0.0
        u = self._clipped(np.asarray(x, dtype=float))
        return self.offset + self._score(u, self.row(u))

    def variance_one(self, x: np.ndarray) -> float:
        """The variance of the target of a row; infinite while the scale of targets is unknown."""
        s02 = self.s02
        if s02 == 0.0:
            return math.inf
        u = self._clipped(np.asarray(x, dtype=float))
        z = self._regressor(u, self.row(u))
        return s02 * (self.sn2 + self._delta(z) + self._rest(z))

    def _wait(self, x: np.ndarray, y: float) -> float:
        """The first three rows are answered by the target before; their median is the offset."""
        if self.dim is None:
            self._begin_inputs(x.size)
        f = self.first[-1] if self.first else 0.0
        self.t += 1
        self.sq_error += (y - f) ** 2
        self.first.append(y)
        if len(self.first) == WAIT:
            self.offset = float(np.median(self.first))
            deviation = float(np.median(np.abs(np.array(self.first) - self.offset)))
            if deviation > 0.0:
                self.num, self.den = deviation**2, 1.0
        return f

    def _similarity(self, S: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The Gaussian kernel with one width per input."""
        return np.asarray(np.exp(-np.sum(np.exp(self.lg0 - self.ls0) * (S - u) ** 2, axis=1)))

    def _regressor(self, u: np.ndarray, row: np.ndarray) -> np.ndarray:
        linear = math.sqrt(LINEAR_PRIOR / u.size) * u * np.exp(-self.ls0 / 2.0)
        return np.concatenate([[math.sqrt(CONSTANT_PRIOR)], linear, self.M @ row])

    def _score(self, x: np.ndarray, row: np.ndarray) -> float:
        return float(self._regressor(x, row) @ self.w)

    def _delta(self, z: np.ndarray) -> float:
        """Squared distance of k(x, .) from the span: at least jitter, if there were no rounding."""
        kernel = z[self.n_linear :]
        return max(1.0 + JITTER - float(kernel @ kernel), JITTER / 2.0)

    # --- inputs ---

    def _clipped(self, x: np.ndarray) -> np.ndarray:
        """The row relative to x0, held within the deviations of the rows before."""
        if self.x0 is None:
            return np.zeros(x.size)
        u = x - self.x0
        c = EARLY_CLIP if self.seen < EARLY_ROWS else CLIP
        reach = np.where(self.v > 0.0, c * np.sqrt(self.v), np.inf)
        return np.asarray(np.clip(u, self.mu - reach, self.mu + reach))

    def _learn_inputs(self, u: np.ndarray) -> None:
        self.seen += 1
        change = u - self.mu
        self.mu = self.mu + change / self.seen
        self.v = self.v + (change * (u - self.mu) - self.v) / self.seen
        varied = self.v > 0.0
        self.ls = np.where(varied, np.log(np.where(varied, self.v, 1.0)), UNSEEN)

    # --- one row ---

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        z = self._regressor(x, row)
        delta, e, s02 = self._delta(z), y - f, self.s02
        noise = self.sn2 / self.weight
        if self.weight > 1.0:
            noise = max(noise, MIN_NOISE)
        t = noise + delta + self._rest(z)
        early = self.den <= START
        if s02 > 0.0 and not early:
            self._learn_widths(x, row, e, t)
            self._learn_noise(e, noise, t)
        enters = delta > JITTER
        nu = noise if enters else noise + delta
        cap = math.inf
        if s02 > 0.0:
            limit = EARLY_HUBER if early else HUBER
            nu += t * max(abs(e) / math.sqrt(s02 * t) / limit - 1.0, 0.0)
            cap = s02 * (900.0 if early else 100.0)
        self.num = PHI * self.num + min(e**2 / t, cap)
        self.den = PHI * self.den + 1.0
        if enters:
            self.M = bordered_factor(self.M, z[self.n_linear :], delta)
            z = np.append(z, math.sqrt(delta))
            self.w = np.append(self.w, 0.0)
            self._grow()
            self.append(x, 0.0)
        self._condition(z, nu, e)
        self._drift()
        assert self.budget is not None
        if self.m > self.budget:
            self._remove(self._evicted())
        self.alpha = self.M.T @ self.w[self.n_linear :]
        return True

    def _learn_widths(self, u: np.ndarray, row: np.ndarray, e: float, t: float) -> None:
        """A diagonal extended Kalman filter of the log widths."""
        squares = (self.sv - u) ** 2
        slope = -np.exp(self.lg0 - self.ls0) * ((self.alpha * row) @ squares)
        variance = self.s02 * t + float(self.p @ slope**2)
        reach = WIDTH_HUBER * math.sqrt(self.s02 * t)
        step = self.p * slope * min(max(e, -reach), reach) / variance
        low, high = LOG_WIDTH_BOUNDS
        self.lg = np.clip(self.lg + step, self.lg_start + low, self.lg_start + high)
        self.p = np.minimum(self.p - self.p**2 * slope**2 / variance + WIDTH_WALK, 1.0)

    def _learn_noise(self, e: float, noise: float, t: float) -> None:
        """More noise if errors are too large where noise makes up more of the variance."""
        self.noise_rows += 1
        c = noise / t
        self.rbar += (c - self.rbar) / min(self.noise_rows, 200)
        b = c - self.rbar
        self.kap += b**2 / 2.0
        excess = min(e**2 / (self.s02 * t), 9.0) - 1.0
        lsn = self.lsn + excess * b / (2.0 * (1.0 + self.kap))
        self.lsn = min(max(lsn, math.log(MIN_NOISE)), 0.0)

    def _drift(self) -> None:
        """The uncertainty of one coordinate per row grows, at most to that of the prior."""
        m = self.w.size
        self.turn = i = (self.turn + 1) % m
        share = CONSTANT_DRIFT if i == 0 else LINEAR_DRIFT
        if i >= self.n_linear:
            share = KERNEL_DRIFT
        growth = min(DRIFT * m * share, 0.5, 1.0 - self._variance_of(i))
        if growth > 0.0:
            self._widen(i, growth)
        if i == 0:
            self.w[self.n_linear :] *= math.sqrt(1.0 - min(DRIFT * m, 0.5))

    def _evicted(self) -> int:
        a = self.M.T @ self.w[self.n_linear :]
        return int(np.argmin(np.abs(a) / np.sum(self.M**2, axis=0)))

    def _remove(self, r: int) -> None:
        """Marginalise slot r: rotate neighbouring rows until its column is zero but in the last
        row, which then contains nothing of the others, and leave that row out."""
        last = self.m - 1
        for i in range(r, last):
            length = math.hypot(self.M[i, r], self.M[i + 1, r])
            c, s = self.M[i + 1, r] / length, self.M[i, r] / length
            G = np.array([[c, -s], [s, c]])
            j = self.n_linear + i
            self.M[[i, i + 1]] = G @ self.M[[i, i + 1]]
            self.w[[j, j + 1]] = G @ self.w[[j, j + 1]]
            self._rotate(j, G)
        self.M = np.delete(self.M[:last], r, axis=1)
        self.w = self.w[:-1]
        self._drop_last()
        self.keep(np.delete(np.arange(self.m), r))

    # --- exchange of the prior ---

    def _prior_is_old(self) -> bool:
        moved = (self.lg - self.ls) - (self.lg0 - self.ls0)
        noise = abs(self.lsn - math.log(self.sn2)) / 2.0
        return bool(np.max(np.abs(moved)) > EXCHANGE) or noise > EXCHANGE

    def _exchange(self) -> None:
        """Take the wanted widths, noise and scales into use."""
        if self.m:
            self._change_coordinates()
            self._cap()
        else:
            self.lg0, self.ls0 = self.lg.copy(), self.ls.copy()

    def _change_coordinates(self) -> None:
        """The posterior of the linear part, and of the function at the vectors, remains."""
        identity = np.eye(self.m)
        L = forward(self.M, identity)
        linear = np.where(self.ls0 == UNSEEN, 1.0, np.exp((self.ls - self.ls0) / 2.0))
        self.lg0, self.ls0 = self.lg.copy(), self.ls.copy()
        new = floored_cholesky(self.gram() + JITTER * identity, JITTER / 10.0)
        self.M = forward(new, identity)
        change = np.diag(np.concatenate([[1.0], linear, np.zeros(self.m)]))
        change[self.n_linear :, self.n_linear :] = forward(new, L)
        self.w = change @ self.w
        ratio = self.sn2 / math.exp(self.lsn)
        self.num *= ratio
        self.sn2 = math.exp(self.lsn)
        self._transform(change / math.sqrt(ratio))
        self.alpha = self.M.T @ self.w[self.n_linear :]

    def _cap(self) -> None:
        """No coordinate of a vector is more uncertain than the new prior: a measurement of 0 with
        the noise that brings the variance to 1."""
        for i in range(self.n_linear, self.w.size):
            variance = self._variance_of(i)
            if variance > 1.0:
                unit = np.zeros(self.w.size)
                unit[i] = 1.0
                self._condition(unit, variance / (variance - 1.0), -float(self.w[i]))
        self.alpha = self.M.T @ self.w[self.n_linear :]

    # --- the covariance P; the other form replaces these ---

    def _begin_form(self, m: int) -> None:
        """Start with the covariance I of m coordinates."""
        self.P = np.eye(m)

    def _rest(self, z: np.ndarray) -> float:
        """z'P z: the part of the variance that the coordinates have."""
        return max(float(z @ self.P @ z), 0.0)

    def _variance_of(self, i: int) -> float:
        """P_ii."""
        return float(self.P[i, i])

    def _grow(self) -> None:
        """Add a coordinate with the variance 1."""
        self.P = np.pad(self.P, (0, 1))
        self.P[-1, -1] = 1.0

    def _condition(self, z: np.ndarray, nu: float, e: float) -> None:
        """Learn that z'w was wrong by e, up to noise of the variance nu."""
        h = self.P @ z
        t = nu + float(z @ h)
        self.P = self.P - np.outer(h, h) / t
        self.w = self.w + h * (e / t)

    def _widen(self, i: int, growth: float) -> None:
        """Add to P_ii."""
        self.P[i, i] += growth

    def _rotate(self, i: int, G: np.ndarray) -> None:
        """Rotate the coordinates i and i + 1."""
        pair = [i, i + 1]
        self.P[pair] = G @ self.P[pair]
        self.P[:, pair] = self.P[:, pair] @ G.T

    def _drop_last(self) -> None:
        """Marginalise the last coordinate."""
        self.P = self.P[:-1, :-1]

    def _transform(self, A: np.ndarray) -> None:
        """P becomes A P A'; A is lower triangular."""
        self.P = A @ self.P @ A.T


class FactoredKrlsAuto(KrlsAuto):
    """`KrlsAuto` with a lower triangular factor W of P = W W'."""

    def _begin_form(self, m: int) -> None:
        self.W = np.eye(m)

    def _rest(self, z: np.ndarray) -> float:
        q = self.W.T @ z
        return float(q @ q)

    def _variance_of(self, i: int) -> float:
        return float(self.W[i] @ self.W[i])

    def _grow(self) -> None:
        self.W = np.pad(self.W, (0, 1))
        self.W[-1, -1] = 1.0

    def _condition(self, z: np.ndarray, nu: float, e: float) -> None:
        """Carlson's update. IEEE/AIAA Journal 11, 1973."""
        q, h, before = self.W.T @ z, np.zeros(z.size), nu
        for j in reversed(range(z.size)):
            after = before + q[j] ** 2
            column = self.W[:, j].copy()
            self.W[:, j] = column * math.sqrt(before / after)
            self.W[:, j] -= h * (q[j] / math.sqrt(before * after))
            h += q[j] * column
            before = after
        self.w = self.w + h * (e / before)

    def _widen(self, i: int, growth: float) -> None:
        column = np.zeros(self.w.size)
        column[i] = math.sqrt(growth)
        for j in range(i, self.w.size):
            self.W[:, j], column = _zeroed(self.W[:, j], column, j)

    def _rotate(self, i: int, G: np.ndarray) -> None:
        self.W[[i, i + 1]] = G @ self.W[[i, i + 1]]
        self.W[:, i], self.W[:, i + 1] = _zeroed(self.W[:, i], self.W[:, i + 1], i)

    def _drop_last(self) -> None:
        self.W = self.W[:-1, :-1]

    def _transform(self, A: np.ndarray) -> None:
        self.W = A @ self.W


def _zeroed(a: np.ndarray, b: np.ndarray, i: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns a and b rotated so that b_i is 0."""
    length = math.hypot(a[i], b[i])
    c, s = a[i] / length, b[i] / length
    rotated = c * b - s * a
    rotated[i] = 0.0
    return c * a + s * b, rotated


def floored_cholesky(A: np.ndarray, floor: float) -> np.ndarray:
    """L of A = L L', with pivots of at least ``floor``."""
    L = np.zeros_like(A)
    for j in range(len(A)):
        pivot = max(A[j, j] - float(L[j, :j] @ L[j, :j]), floor)
        L[j, j] = math.sqrt(pivot)
        L[j + 1 :, j] = (A[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
    return L


def forward(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The solution X of L X = B by forward substitution."""
    X = np.zeros_like(B)
    for i in range(len(L)):
        X[i] = (B[i] - L[i, :i] @ X[:i]) / L[i, i]
    return X
