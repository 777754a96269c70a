"""Structured Fourier features with two small models (`sorf`): weights only, features from a seed.

Features after Yu, Suresh, Choromanski, Holtmann-Rice, Kumar, NeurIPS 2016. Arithmetic is float64
except for stored numbers; with int8 the stored weights are integers, rounded by draws in the order
of the specification. Details not in the specification: with float32 and int8 storage the scaled
inputs x' and the gradient q of `relevance`, summed block by block, are float32.

Written from the specification, independently of the loops. The alarm on drift (section 13) and the
learned width of all inputs (7e) are float64, rounded when stored: to float32 except for float64
storage. A row is passed scaled, with the inputs that have a deviation; an alarm of the scaler is
recorded as "scaler". `ScaledSorf` (sorf_scaling.py) has the scaler and the width inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from edgeolk.reference.base import Pcg32, require

P = 64  # lines of a block
FEATURE_STREAM, ROUNDING_STREAM = 55, 54


def hadamard(n: int) -> np.ndarray:
    """Natural order, entries +-1, not normalised."""
    if n == 1:
        return np.ones((1, 1))
    half = hadamard(n // 2)
    return np.block([[half, half], [half, -half]])


H = hadamard(P)


class Signs(Pcg32):
    """Random signs, 32 per word; counts the words drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, FEATURE_STREAM)
        self.drawn = 0

    def signs(self, n: int) -> np.ndarray:
        words = [self.next_u32() for _ in range(-(-n // 32))]
        self.drawn += len(words)
        return np.array([-1.0 if words[i // 32] >> (i % 32) & 1 else 1.0 for i in range(n)])


class Features:
    """cos and sin of D structured frequencies; `groups` has a tuple of widths per group."""

    def __init__(
        self, d: int, D: int, gamma: float, groups: Sequence[Sequence[float]], seed: int
    ) -> None:
        require(d >= 1 and D >= 1, "n_features >= 1 and D >= 1 are required")
        require(gamma > 0.0 and math.isfinite(gamma), "gamma > 0 is required")
        require(1 <= len(groups) <= 4, "1 to 4 groups")
        for widths in groups:
            require(1 <= len(widths) <= 8 and min(widths) > 0.0, "1 to 8 widths > 0")
        self.d, self.D, self.N = d, D, -(-D // P)
        require(len(groups) <= self.N, "a group needs a block")
        generator = Signs(seed)
        self.s1, self.s2, self.s3 = (np.zeros((self.N, n)) for n in (d, P, P))
        for b in range(self.N):
            self.s1[b] = generator.signs(d)
            self.s2[b] = generator.signs(P)
            self.s3[b] = generator.signs(P)
        self.words = generator.drawn
        share, rest = divmod(self.N, len(groups))
        sizes = [share + (g < rest) for g in range(len(groups))]
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        self.omega = np.concatenate(
            [
                [math.sqrt(2.0 * gamma * widths[k % len(widths)]) / P for k in range(P * size)]
                for widths, size in zip(groups, sizes, strict=True)
            ]
        ).reshape(self.N, P)

    def members(self, g: int) -> slice:
        """The frequencies of a group."""
        return slice(P * self.first[g], min(self.D, P * self.first[g + 1]))

    def size(self, g: int) -> int:
        """The divisor of the sums of a group."""
        if len(self.first) == 2:
            return self.D
        return int(P * (self.first[g + 1] - self.first[g]))

    def sketch(self, x: np.ndarray) -> np.ndarray:
        v = np.zeros((self.N, P))
        for i in range(self.d):
            v[:, i % P] += self.s1[:, i] * x[i]
        return v

    def transform(self, v: np.ndarray) -> np.ndarray:
        return np.asarray(((v @ H * self.s2) @ H * self.s3) @ H)

    def angles(self, x: np.ndarray) -> np.ndarray:
        """theta (D,)."""
        return np.asarray((self.transform(self.sketch(x)) * self.omega).ravel()[: self.D])

    def due(self, t: int) -> Iterator[tuple[int, slice]]:
        """Group and frequencies of every block that is due in row t."""
        for b in range(t % 8, self.N, 8):
            g = int(np.searchsorted(self.first, b, side="right")) - 1
            yield g, slice(P * b, min(self.D, P * (b + 1)))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """(D, 2): cosine and sine."""
        theta = self.angles(x)
        return np.stack([np.cos(theta), np.sin(theta)], axis=1)

    def transpose(self, delta: np.ndarray, real: type) -> np.ndarray:
        """The transpose of the linear map from x to theta, applied to delta (D,)."""
        padded = np.zeros(self.N * P)
        padded[: self.D] = delta
        h = padded.reshape(self.N, P) * self.omega
        h = ((h @ H * self.s3) @ H * self.s2) @ H
        q: np.ndarray = np.zeros(self.d, dtype=real)
        at = np.arange(self.d) % P
        for b in range(self.N):
            q = (q + self.s1[b] * h[b, at]).astype(real)
        return q.astype(float)


class Weights:
    """D x K x 2 stored numbers; int8 rounds by one random word per frequency and column."""

    def __init__(self, D: int, K: int, dtype: str, rounding: Pcg32) -> None:
        self.v = np.zeros((D, K, 2), dtype=dtype)
        self.rounding = rounding

    def add(self, k: slice, columns: Sequence[int], change: np.ndarray) -> None:
        """change: (frequencies, columns, 2), in stored units."""
        at = (k, list(columns))
        target = self.v[at].astype(float) + change
        if self.v.dtype == np.int8:
            target = rounded(target, self.rounding)
        self.v[at] = target


def rounded(v: np.ndarray, rounding: Pcg32) -> np.ndarray:
    """Stochastic rounding of (..., 2) numbers: cos by the high half of a word, sin by the low."""
    words = np.array([rounding.next_u32() for _ in range(v[..., 0].size)], dtype=np.int64)
    bits = np.stack([words >> 16, words & 0xFFFF], axis=-1).reshape(v.shape)
    return np.clip(np.floor(v + (bits + 0.5) / 65536.0), -127, 127)


class Sorf:
    """Two classes (y = -1, +1), K classes (`n_classes`, y = 0 .. K-1) or real y (`loss="square"`).

    The weights of the experts derive from their losses L, so they are not state.
    """

    def __init__(
        self,
        n_features: int,
        D: int,
        gamma: float,
        *,
        groups: Sequence[Sequence[float]] = ((0.3, 1.0, 3.0),),
        seed: int = 0,
        dtype: str = "float64",
        n_classes: int | None = None,
        loss: str = "hinge",
        r: float = 0.03,
        unit: float = 3.0,
        sharp: float = 1.0,
        delta: float = 0.999,
        cmin: float = 30.0,
        cmax: float = 4096.0,
        shrink: float = 0.9,
        blends: Sequence[float] = (0.0, 0.1, 0.3, 1.0),
        linear: bool = False,
        last_label: bool = False,
        relevance: bool | str = False,
        drift: bool = True,
        leak: float = 0.0,
    ) -> None:
        require(n_classes is None or (n_classes >= 2 and loss == "hinge"), "K >= 2, hinge")
        require(not (linear and n_classes), "the linear expert has one column")
        self.phi = Features(n_features, D, gamma, groups, seed)
        self.K, self.classes, self.regression = n_classes or 1, bool(n_classes), loss == "square"
        self.real = float if dtype == "float64" else np.float32
        self.rounding = Pcg32(seed, ROUNDING_STREAM)
        self.kappa = unit if dtype == "int8" else 1.0
        self.w = Weights(D, self.K, dtype, self.rounding)
        self.a = Weights(D, self.K, dtype, self.rounding)
        self.r, self.sharp, self.delta = r, sharp, delta
        self.cmin, self.cmax, self.shrink = cmin, cmax, shrink
        self.blends = np.array(blends)
        self.G = len(groups)
        self.linear, self.last_label, self.relevance = linear, last_label, bool(relevance)
        self.shared, self.drift, self.leak = relevance == "shared", drift, leak
        self._start_blend()
        self.t = self.mistakes = self.updates = self.u = 0
        self.wl = np.zeros(n_features + 1, dtype=self.real)
        self.Sl = np.ones(n_features + 1, dtype=self.real)
        self.f_last = np.zeros(self.K)
        self.lam = np.zeros(n_features, dtype=self.real)
        self.grad2 = np.zeros(n_features, dtype=self.real)
        self.mean, self.m2 = 0.0, 0.0
        self.hold = math.inf  # bound on the inputs of the features (section 15)
        self.gl, self.gg = self.real(0.0), self.real(0.0)
        self.plain_omega = self.phi.omega.copy()
        self.v, self.g, self.ef, self.es = (self.real(number) for number in (1.0, 0.0, 0.0, 0.0))
        self.last = self.alarms = 0
        self.wrong = False
        self.alarm_log: list[tuple[int, str]] = []

    def _start_blend(self) -> None:
        self.L = np.zeros((self.G, len(self.blends)))
        self.L_linear = 0.0 if self.linear else math.inf
        self.L_last = 0.0 if self.last_label else math.inf
        self.n = np.ones(self.G)

    def set_omega(self, omega: np.ndarray) -> None:
        """Set the width: angles per unit of the transform."""
        self.plain_omega = omega
        self.set_scale(float(self.gl))

    def set_scale(self, gl: float) -> None:
        """Set the learned width of all inputs (section 7e)."""
        self.gl = self.real(gl)
        self.phi.omega = self.plain_omega * math.exp(float(self.gl))

    # --- scores ---

    def inputs(self, x: np.ndarray) -> np.ndarray:
        x = np.clip(np.asarray(x, dtype=float), -self.hold, self.hold)
        if not self.relevance or self.shared:
            return x
        scaled = (x * np.exp(self.lam.astype(float))).astype(self.real)
        return np.asarray(scaled, dtype=float)

    def models(self, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """f_w and f_a, each (G, K)."""
        f = np.zeros((2, self.G, self.K))
        for g in range(self.G):
            k = self.phi.members(g)
            for i, stored in enumerate((self.w, self.a)):
                total = np.einsum("ki,kci->c", phi[k], stored.v[k].astype(float))
                f[i, g] = total / (self.kappa * self.phi.size(g))
        return f[0], f[1]

    def shares(self) -> tuple[np.ndarray, np.ndarray, float, float]:
        """E_g, alpha_g, beta, beta_p."""
        lowest = min(self.L.min(), self.L_linear, self.L_last)
        e = np.exp(-self.sharp * (self.L - lowest))
        e_l = math.exp(-self.sharp * (self.L_linear - lowest))
        e_p = math.exp(-self.sharp * (self.L_last - lowest))
        Z = e.sum() + e_l + e_p
        return e.sum(axis=1) / Z, e @ self.blends / Z, e_l / Z, e_p / Z

    def linear_score(self, x: np.ndarray) -> float:
        return float(self.wl.astype(float) @ np.append(x, 1.0)) if self.linear else 0.0

    def blend(self, fw: np.ndarray, fa: np.ndarray, f_l: float) -> np.ndarray:
        E, alpha, beta, beta_p = self.shares()
        return np.asarray(E @ fa + alpha @ (fw - fa) + beta * f_l + beta_p * self.f_last)

    def scores(self, x: np.ndarray) -> np.ndarray:
        """Blended scores (K,), in units of the scaled target for regression."""
        x = np.asarray(x, dtype=float)
        fw, fa = self.models(self.phi(self.inputs(x)))
        return self.blend(fw, fa, self.linear_score(x))

    def decision(self, x: np.ndarray) -> float:
        f = self.scores(x)
        if self.classes:
            raise AttributeError("several scores")
        return self.mean + self.sd() * float(f[0]) if self.regression else float(f[0])

    def predict(self, x: np.ndarray) -> int:
        f = self.scores(x)
        return int(np.argmax(f)) if self.classes else (1 if f[0] > 0.0 else -1)

    def sd(self) -> float:
        variance = self.m2 / (self.t - 1) if self.t > 1 else 0.0
        return math.sqrt(variance) if variance > 0.0 else 1.0

    # --- the step ---

    def margin(self, f: np.ndarray, y: float) -> float:
        if not self.classes:
            return y * float(f[0])
        return float(f[int(y)] - f[self.rival(f, y)])

    def rival(self, f: np.ndarray, y: float) -> int:
        """Best wrong class, the lowest on ties."""
        others = np.array(f, dtype=float)
        others[int(y)] = -math.inf
        return int(np.argmax(others))

    def cost(self, f: np.ndarray, y: float) -> float:
        """The loss that is added to the counter of an expert."""
        if self.regression:
            return min(4.0, (y - float(f[0])) ** 2)
        return float(self.margin(f, y) <= 0.0)

    def step(
        self,
        x: np.ndarray,
        y: float,
        weight: float = 1.0,
        deviates: np.ndarray | None = None,
        follows: bool = True,
        counted: float | None = None,
    ) -> float:
        """Learn a row; returns f before it, the margin of K classes, or the predicted target.

        `deviates`: the inputs with a deviation in the scaler, None without a scaler; `follows`:
        whether it is a standard scaler that is not frozen; `counted`: what the row weighs in the
        counters, None: as in its step.
        """
        x, y = np.array(x, dtype=float), float(y)
        scaled = self.inputs(x)
        phi = self.phi(scaled)
        fw, fa = self.models(phi)
        f_l = self.linear_score(x)
        f = self.blend(fw, fa, f_l)
        returned = self.margin(f, y) if self.classes else float(f[0])
        if self.regression:
            returned = self.mean + self.sd() * float(f[0])
            y = self._scaled_target(y)
        elif self.margin(f, y) <= 0.0:
            self.mistakes += 1
        self._scored(x, y, f, fw, fa)
        self._count(fw, fa, f_l, y, weight if counted is None else counted)
        if self.linear:
            self._learn_linear(x, y, f_l)
        taus = [self._tau(fw[g], y, weight) for g in range(self.G)]
        live = [tau is not None for tau in taus]
        if self.relevance and self.t > 200 and any(live):
            self._learn_relevance(scaled, phi, f, y, live)
        for g, tau in enumerate(taus):
            if tau is not None:
                self._learn(g, phi, fw[g], y, tau)
        self.updates += any(live)
        self._average()
        self.f_last = np.eye(self.K)[int(y)] if self.classes else np.array([y])
        self.t += 1
        if self.t % 8 == 0:
            self._set_windows()
        if self.drift:
            self._watch(x, deviates, follows)
        return returned

    def _scaled_target(self, y: float) -> float:
        """The target scaled by mean and deviation that include it, before self.t grows."""
        gap = y - self.mean
        self.mean += gap / (self.t + 1)
        self.m2 += gap * (y - self.mean)
        variance = self.m2 / self.t if self.t else 0.0
        return (y - self.mean) / (math.sqrt(variance) if variance > 0.0 else 1.0)

    def _scored(
        self, x: np.ndarray, y: float, f: np.ndarray, fw: np.ndarray, fa: np.ndarray
    ) -> None:
        """What the alarm and the leak need of the scores, before anything else has changed."""
        leader = int(np.argmax(self.shares()[0]))
        max_cost = 4.0 if self.regression else 1.0
        output = self.output(x, f)
        self.costs = [self.cost(part, y) / max_cost for part in (output, fw[leader], fa[leader])]
        self.wrong = not self.regression and self.cost(f, y) > 0.0

    def output(self, x: np.ndarray, f: np.ndarray) -> np.ndarray:
        """The score of a row, f being that of the features."""
        return f

    def _count(self, fw: np.ndarray, fa: np.ndarray, f_l: float, y: float, weight: float) -> None:
        for g in range(self.G):
            for q, share in enumerate(self.blends):
                cost = weight * self.cost(fa[g] + share * (fw[g] - fa[g]), y)
                self.L[g, q] = self.delta * self.L[g, q] + cost
        if self.linear:
            cost = weight * self.cost(np.array([f_l]), y)
            self.L_linear = self.delta * self.L_linear + cost
        if self.last_label:
            self.L_last = self.delta * self.L_last + weight * self.cost(self.f_last, y)

    def _tau(self, fw: np.ndarray, y: float, weight: float) -> float | None:
        """None for no update; unsigned for the hinge, with the sign of the error for regression."""
        if self.regression:
            gap = y - float(fw[0])
            return self.kappa * gap * min(1.0, weight / (1.0 + self.r)) if self.t else None
        loss = math.sqrt(weight) - self.margin(fw, y)
        if not loss > 0.0:
            return None
        return self.kappa * loss / ((2.0 if self.classes else 1.0) + self.r)

    def _columns(self, fw: np.ndarray, y: float) -> dict[int, float]:
        """The columns to update and their signs, ascending."""
        if not self.classes:
            return {0: 1.0 if self.regression else y}
        return dict(sorted({int(y): 1.0, self.rival(fw, y): -1.0}.items()))

    def _learn(self, g: int, phi: np.ndarray, fw: np.ndarray, y: float, tau: float) -> None:
        k, columns = self.phi.members(g), self._columns(fw, y)
        signs = np.array(list(columns.values()))
        self.w.add(k, list(columns), tau * signs[None, :, None] * phi[k][:, None, :])

    def _average(self) -> None:
        if self.leak > 0.0 and self.wrong:
            self._leak()
        for g, k in self.phi.due(self.t):
            change = (self.w.v[k].astype(float) - self.a.v[k].astype(float)) / self.n[g]
            self.a.add(k, range(self.K), change)

    def _leak(self) -> None:
        """Section 14."""
        E, alpha, _, _ = self.shares()
        share = alpha / E if self.G > 1 else alpha
        for g, k in self.phi.due(self.t):
            if share[g] > 0.7 and self.n[g] < 2.0 * self.cmin:
                self.w.add(k, range(self.K), -self.leak * self.w.v[k].astype(float))

    def _set_windows(self) -> None:
        for g in range(self.G):
            if self.L[g, 0] <= self.L[g, -1]:
                self.n[g] = min(self.n[g] + 1.0, self.cmax)
            else:
                self.n[g] = max(self.shrink * self.n[g], min(self.cmin, self.t // 8 + 1))

    def _learn_linear(self, x: np.ndarray, y: float, f_l: float) -> None:
        """AROW with one variance per weight."""
        push = y - f_l if self.regression else y * (1.0 - y * f_l)
        if not self.regression and not 1.0 - y * f_l > 0.0:
            return
        x1, S = np.append(x, 1.0), self.Sl.astype(float)
        q = S * x1
        b = 1.0 / (x1 @ q + 1.0)
        self.wl = (self.wl + push * b * q).astype(self.real)
        self.Sl = (S - b * q * q).astype(self.real)

    # --- relevance ---

    def by_angles(
        self, phi: np.ndarray, weigh: dict[int, float], live: Sequence[bool]
    ) -> np.ndarray:
        """d/d theta of the blended scores' sum with the given weights, through groups `live`.

        One group leaves the shares of the linear expert and the last label out (section 7c).
        """
        E, alpha, _, _ = self.shares()
        if self.G == 1:
            E = np.ones(1)
        delta = np.zeros(self.phi.D)
        for g in range(self.G):
            if not live[g]:
                continue
            k = self.phi.members(g)
            w, a = self.w.v[k].astype(float), self.a.v[k].astype(float)
            p = sum(s * (E[g] * a[:, c] + alpha[g] * (w[:, c] - a[:, c])) for c, s in weigh.items())
            change = -p[:, 0] * phi[k, 1] + p[:, 1] * phi[k, 0]
            delta[k] = change / (self.kappa * self.phi.size(g))
        return delta

    def gradient(
        self, scaled: np.ndarray, phi: np.ndarray, weigh: dict[int, float], live: Sequence[bool]
    ) -> np.ndarray:
        """by_angles, with respect to lambda."""
        return np.asarray(scaled * self.phi.transpose(self.by_angles(phi, weigh, live), self.real))

    def error(self, f: np.ndarray, y: float) -> tuple[dict[int, float], float] | None:
        """The columns whose scores are wrong, and the residual; None for no error."""
        if self.regression:
            return {0: 1.0}, y - float(f[0])
        if not 1.0 - self.margin(f, y) > 0.0:
            return None
        return ({int(y): 1.0, self.rival(f, y): -1.0}, 1.0) if self.classes else ({0: 1.0}, y)

    def _learn_relevance(
        self, scaled: np.ndarray, phi: np.ndarray, f: np.ndarray, y: float, live: list[bool]
    ) -> None:
        if (error := self.error(f, y)) is None:
            return
        columns, residual = error
        self.u += 1
        if self.shared:
            self._learn_scale(residual * self.slope(scaled, phi, columns, live))
            return
        q = residual * self.gradient(scaled, phi, columns, live)
        self.grad2 = (0.999 * self.grad2.astype(float) + 0.001 * q * q).astype(self.real)
        G, some = self.grad2.astype(float), self.grad2 > 0.0
        rms = np.sqrt(G[some] / (1.0 - 0.999**self.u) + 1e-12)
        lam = self.lam.astype(float)
        lam[some] = np.clip(lam[some] + 0.003 * q[some] / rms, -2.0, 2.0)
        self.lam = lam.astype(self.real)

    # --- one learned width (7e) ---

    def slope(
        self, x: np.ndarray, phi: np.ndarray, weigh: dict[int, float], live: Sequence[bool]
    ) -> float:
        """The derivative by gl of the blended scores' sum with these weights."""
        return float(self.by_angles(phi, weigh, live) @ self.phi.angles(x))

    def _learn_scale(self, q: float) -> None:
        self.gg = self.real(0.999 * float(self.gg) + 0.001 * q * q)
        if self.gg > 0.0:
            rms = math.sqrt(float(self.gg) / (1.0 - 0.999**self.u) + 1e-12)
            self.set_scale(min(2.0, max(-2.0, float(self.gl) + 0.01 * q / rms)))

    # --- the alarm (13) ---

    def _watch(self, x: np.ndarray, deviates: np.ndarray | None, follows: bool) -> None:
        e, e_w, e_a = self.costs
        if deviates is not None and deviates.any():
            self.v = self._followed(self.v, float(np.mean(x[deviates] ** 2)), 128)
        self.g = self._followed(self.g, e_w - e_a, 128)
        self.ef = self._followed(self.ef, e, 128)
        self.es = self._followed(self.es, e, 2048)
        self._check(deviates is not None and follows)

    def _followed(self, old: Any, new: float, rows: int) -> Any:
        return self.real(float(old) + (new - float(old)) / min(self.t, rows))

    def _check(self, has_scaler: bool) -> None:
        if not (self.t - self.last > 256 and self.t > 500):
            return
        if not float(self.ef) > 2.0 * float(self.es) + 0.1:
            return
        if has_scaler and (self.v < 0.6 or self.v > 1.0 / 0.6):
            self._alarm("scaler")
        elif self.g <= -0.1:
            self._forget()
            self._alarm("weights")
        else:
            self.last = self.t - 240

    def _forget(self) -> None:
        self.w.v[:] = 0
        self.a.v[:] = 0
        self._start_blend()

    def _alarm(self, what: str) -> None:
        self.last = self.t
        self.alarms += 1
        self.alarm_log.append((self.t, what))
