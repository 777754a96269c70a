"""Structured Fourier features with two small models (`sorf`): weights only, features from a seed.

Features after Yu, Suresh, Choromanski, Holtmann-Rice, Kumar, NeurIPS 2016. With weights of float64
everything is float64. With int8 and float32 everything is float32, operation by operation as
section 17 of docs/sorf.md has it (sorf_arithmetic.py), except mean and deviation of the targets of
regression; an implementation of that page has the same bits.

Written from the specification, independently of the loops. A row is passed scaled, with the inputs
that have a deviation; an alarm of the scaler is recorded as "scaler". `ScaledSorf`
(sorf_scaling.py) has the scaler and the width inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from edgeolk.reference.base import Pcg32, require
from edgeolk.reference.sorf_arithmetic import Double, P, Single

FEATURE_STREAM, ROUNDING_STREAM = 55, 54
DOUBLE, SINGLE = Double(), Single()


def arithmetic_of(dtype: str) -> Any:
    """That of a type of weights."""
    return DOUBLE if dtype == "float64" else SINGLE


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
        self,
        d: int,
        D: int,
        gamma: float,
        groups: Sequence[Sequence[float]],
        seed: int,
        dtype: str = "float64",
    ) -> None:
        require(d >= 1 and D >= 1, "n_features >= 1 and D >= 1 are required")
        require(gamma > 0.0 and math.isfinite(gamma), "gamma > 0 is required")
        require(1 <= len(groups) <= 4, "1 to 4 groups")
        for widths in groups:
            require(1 <= len(widths) <= 8 and min(widths) > 0.0, "1 to 8 widths > 0")
        self.d, self.D, self.N = d, D, -(-D // P)
        self.of = arithmetic_of(dtype)
        self.real = self.of.real
        require(len(groups) <= self.N, "a group needs a block")
        generator = Signs(seed)
        self.s1, self.s2, self.s3 = (np.zeros((self.N, n), dtype=self.real) for n in (d, P, P))
        for b in range(self.N):
            self.s1[b] = generator.signs(d)
            self.s2[b] = generator.signs(P)
            self.s3[b] = generator.signs(P)
        self.words = generator.drawn
        share, rest = divmod(self.N, len(groups))
        sizes = [share + (g < rest) for g in range(len(groups))]
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        of_lines = [
            widths[k % len(widths)]
            for widths, size in zip(groups, sizes, strict=True)
            for k in range(P * size)
        ]
        self.widths: np.ndarray = np.array(of_lines, dtype=self.real).reshape(self.N, P)
        twice = self.real(2.0) * self.real(gamma)
        self.omega = np.asarray(self.of.sqrt(twice * self.widths) / self.real(P))

    def members(self, g: int) -> slice:
        """The frequencies of a group."""
        return slice(P * self.first[g], min(self.D, P * self.first[g + 1]))

    def size(self, g: int) -> int:
        """The divisor of the sums of a group."""
        if len(self.first) == 2:
            return self.D
        return int(P * (self.first[g + 1] - self.first[g]))

    def sketch(self, x: np.ndarray) -> np.ndarray:
        v: np.ndarray = np.zeros((self.N, P), dtype=self.real)
        for i in range(self.d):
            v[:, i % P] += self.s1[:, i] * x[i]
        return v

    def transform(self, v: np.ndarray) -> np.ndarray:
        H = self.of.transform
        return np.asarray(H(H(H(v) * self.s2) * self.s3))

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
        return np.asarray(self.of.cos_sin(self.angles(x)))

    def transpose(self, delta: np.ndarray) -> np.ndarray:
        """The transpose of the linear map from x to theta, applied to delta (D,)."""
        H = self.of.transform
        padded: np.ndarray = np.zeros(self.N * P, dtype=self.real)
        padded[: self.D] = delta
        h = padded.reshape(self.N, P) * self.omega
        h = H(H(H(h) * self.s3) * self.s2)
        q: np.ndarray = np.zeros(self.d, dtype=self.real)
        at = np.arange(self.d) % P
        for b in range(self.N):
            q = q + self.s1[b] * h[b, at]
        return q


class Weights:
    """D x K x 2 stored numbers; int8 rounds by one random word per frequency and column."""

    def __init__(self, D: int, K: int, dtype: str, rounding: Pcg32) -> None:
        self.v = np.zeros((D, K, 2), dtype=dtype)
        self.rounding = rounding

    def add(self, k: slice, columns: Sequence[int], change: np.ndarray) -> None:
        """change: (frequencies, columns, 2), in stored units."""
        at = (k, list(columns))
        if self.v.dtype == np.int8:
            self.v[at] = rounded(self.v[at], change, self.rounding)
        else:
            self.v[at] += change


def rounded(levels: np.ndarray, change: np.ndarray, rounding: Pcg32) -> np.ndarray:
    """Levels (..., 2) after changes, whose 65,536ths are rounded stochastically.

    Cosines take the high half of a word, sines the low one.
    """
    F = np.float32
    words = np.array([rounding.next_u32() for _ in range(change[..., 0].size)], dtype=np.int64)
    bits = np.stack([words >> 16, words & 0xFFFF], axis=-1).reshape(change.shape)
    parts = np.floor(np.clip(change * F(65536), F(-65536000), F(65536000)) + F(0.5))
    risen = parts.astype(np.int64) + bits >> 16
    return np.asarray(np.clip(levels + risen, -127, 127))


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
        self.phi = Features(n_features, D, gamma, groups, seed, dtype)
        self.K, self.classes, self.regression = n_classes or 1, bool(n_classes), loss == "square"
        self.of = self.phi.of
        self.real = real = self.of.real
        self.rounding = Pcg32(seed, ROUNDING_STREAM)
        self.kappa = real(unit if dtype == "int8" else 1.0)
        self.w = Weights(D, self.K, dtype, self.rounding)
        self.a = Weights(D, self.K, dtype, self.rounding)
        self.r, self.sharp, self.delta = real(r), real(sharp), real(delta)
        self.cmin, self.cmax, self.shrink = real(cmin), real(cmax), real(shrink)
        self.blends: np.ndarray = np.array(blends, dtype=real)
        self.G = len(groups)
        self.linear, self.last_label, self.relevance = linear, last_label, bool(relevance)
        self.shared, self.drift, self.leak = relevance == "shared", drift, real(leak)
        self._start_blend()
        self.t = self.mistakes = self.updates = self.u = 0
        self.wl: np.ndarray = np.zeros(n_features + 1, dtype=real)
        self.Sl: np.ndarray = np.ones(n_features + 1, dtype=real)
        self.f_last: np.ndarray = np.zeros(self.K, dtype=real)
        self.lam: np.ndarray = np.zeros(n_features, dtype=real)
        self.grad2: np.ndarray = np.zeros(n_features, dtype=real)
        self.mean, self.m2 = 0.0, 0.0
        self.hold = math.inf  # bound on the inputs of the features (section 15)
        self.gl, self.gg = real(0.0), real(0.0)
        self.plain_omega = self.phi.omega.copy()
        self.v, self.g, self.ef, self.es = (real(number) for number in (1.0, 0.0, 0.0, 0.0))
        self.last = self.alarms = 0
        self.wrong = False
        self.alarm_log: list[tuple[int, str]] = []

    def _start_blend(self) -> None:
        real = self.real
        self.L: np.ndarray = np.zeros((self.G, len(self.blends)), dtype=real)
        self.L_linear = real(0.0 if self.linear else math.inf)
        self.L_last = real(0.0 if self.last_label else math.inf)
        self.n: np.ndarray = np.ones(self.G, dtype=real)

    def set_omega(self, omega: np.ndarray) -> None:
        """Set the width: angles per unit of the transform."""
        self.plain_omega = omega
        self.set_scale(self.gl)

    def set_scale(self, gl: Any) -> None:
        """Set the learned width of all inputs (section 7e)."""
        self.gl = self.real(gl)
        self.phi.omega = self.plain_omega * self.of.exp(self.gl)

    # --- scores ---

    def inputs(self, x: np.ndarray) -> np.ndarray:
        hold = self.real(self.hold)
        x = np.clip(np.asarray(x, dtype=self.real), -hold, hold)
        if not self.relevance or self.shared:
            return x
        return np.asarray(x * self.of.exp(self.lam))

    def models(self, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """f_w and f_a, each (G, K)."""
        f: np.ndarray = np.zeros((2, self.G, self.K), dtype=self.real)
        for g in range(self.G):
            k = self.phi.members(g)
            for i, stored in enumerate((self.w, self.a)):
                f[i, g] = self.of.score(phi[k], stored.v[k], self.divisor(g))
        return f[0], f[1]

    def divisor(self, g: int) -> Any:
        """What the sums of a group are divided by."""
        return self.kappa * self.real(self.phi.size(g))

    def shares(self) -> tuple[np.ndarray, np.ndarray, Any, Any]:
        """E_g, alpha_g, beta, beta_p."""
        of = self.of
        lowest = min(self.real(self.L.min()), self.L_linear, self.L_last)
        e = of.exp(-self.sharp * (self.L - lowest))
        e_l = of.exp(-self.sharp * (self.L_linear - lowest))
        e_p = of.exp(-self.sharp * (self.L_last - lowest))
        Z = of.sum(e) + e_l + e_p
        return of.sum(e, axis=1) / Z, of.dot(e, self.blends) / Z, e_l / Z, e_p / Z

    def linear_score(self, x: np.ndarray) -> Any:
        return self.of.linear(self.wl, x) if self.linear else self.real(0.0)

    def blend(self, fw: np.ndarray, fa: np.ndarray, f_l: Any) -> np.ndarray:
        E, alpha, beta, beta_p = self.shares()
        f = self.of.blend(E, alpha, fa, fw - fa)
        return np.asarray(f + beta * f_l + beta_p * self.f_last)

    def scores(self, x: np.ndarray) -> np.ndarray:
        """Blended scores (K,), in units of the scaled target for regression."""
        x = np.asarray(x, dtype=self.real)
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

    def margin(self, f: np.ndarray, y: Any) -> Any:
        if not self.classes:
            return self.real(y) * self.real(f[0])
        return self.real(f[int(y)] - f[self.rival(f, y)])

    def rival(self, f: np.ndarray, y: float) -> int:
        """Best wrong class, the lowest on ties."""
        others = np.array(f, dtype=float)
        others[int(y)] = -math.inf
        return int(np.argmax(others))

    def cost(self, f: np.ndarray, y: Any) -> Any:
        """The loss that is added to the counter of an expert."""
        if self.regression:
            return min(self.real(4.0), self.of.squared(y - self.real(f[0])))
        return self.real(self.margin(f, y) <= 0.0)

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
        x, y, weight = np.array(x, dtype=self.real), float(y), self.real(weight)
        scaled = self.inputs(x)
        phi = self.phi(scaled)
        fw, fa = self.models(phi)
        f_l = self.linear_score(x)
        f = self.blend(fw, fa, f_l)
        returned = float(self.margin(f, y) if self.classes else f[0])
        if self.regression:
            returned = self.mean + self.sd() * float(f[0])
            y = self._scaled_target(y)
        elif self.margin(f, y) <= 0.0:
            self.mistakes += 1
        y = self.real(y)
        self._scored(x, y, f, fw, fa)
        self._count(fw, fa, f_l, y, weight if counted is None else self.real(counted))
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
        self.f_last = np.eye(self.K, dtype=self.real)[int(y)] if self.classes else np.array([y])
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

    def _scored(self, x: np.ndarray, y: Any, f: np.ndarray, fw: np.ndarray, fa: np.ndarray) -> None:
        """What the alarm and the leak need of the scores, before anything else has changed."""
        leader = int(np.argmax(self.shares()[0]))
        max_cost = self.real(4.0 if self.regression else 1.0)
        last = self.of.last(fw[leader], fa[leader])
        parts = (self.output(x, f), last, fa[leader])
        self.costs = [self.cost(part, y) / max_cost for part in parts]
        self.wrong = not self.regression and self.cost(f, y) > 0.0

    def output(self, x: np.ndarray, f: np.ndarray) -> np.ndarray:
        """The score of a row, f being that of the features."""
        return f

    def _count(self, fw: np.ndarray, fa: np.ndarray, f_l: Any, y: Any, weight: Any) -> None:
        for g in range(self.G):
            for q, share in enumerate(self.blends):
                cost = weight * self.cost(fa[g] + share * (fw[g] - fa[g]), y)
                self.L[g, q] = self.delta * self.L[g, q] + cost
        if self.linear:
            cost = weight * self.cost(np.array([f_l]), y)
            self.L_linear = self.delta * self.L_linear + cost
        if self.last_label:
            self.L_last = self.delta * self.L_last + weight * self.cost(self.f_last, y)

    def _tau(self, fw: np.ndarray, y: Any, weight: Any) -> Any:
        """None for no update; unsigned for the hinge, with the sign of the error for regression."""
        one = self.real(1.0)
        if self.regression:
            gap = y - self.real(fw[0])
            return self.kappa * gap * min(one, weight / (one + self.r)) if self.t else None
        loss = self.of.sqrt(weight) - self.margin(fw, y)
        if not loss > 0.0:
            return None
        return self.kappa * loss / (self.real(2.0 if self.classes else 1.0) + self.r)

    def _columns(self, fw: np.ndarray, y: float) -> dict[int, float]:
        """The columns to update and their signs, ascending."""
        if not self.classes:
            return {0: 1.0 if self.regression else y}
        return dict(sorted({int(y): 1.0, self.rival(fw, y): -1.0}.items()))

    def _learn(self, g: int, phi: np.ndarray, fw: np.ndarray, y: Any, tau: Any) -> None:
        k, columns = self.phi.members(g), self._columns(fw, y)
        signs: np.ndarray = np.array(list(columns.values()), dtype=self.real)
        self.w.add(k, list(columns), tau * signs[None, :, None] * phi[k][:, None, :])

    def _average(self) -> None:
        if self.leak > 0.0 and self.wrong:
            self._leak()
        for g, k in self.phi.due(self.t):
            gap = self.w.v[k].astype(self.real) - self.a.v[k].astype(self.real)
            self.a.add(k, range(self.K), self.of.over(gap, self.n[g]))

    def _leak(self) -> None:
        """Section 14."""
        E, alpha, _, _ = self.shares()
        if self.G == 1:
            E = np.ones(1, dtype=self.real)
        for g, k in self.phi.due(self.t):
            if alpha[g] > self.real(0.7) * E[g] and self.n[g] < self.real(2.0) * self.cmin:
                self.w.add(k, range(self.K), -self.leak * self.w.v[k].astype(self.real))

    def _set_windows(self) -> None:
        for g in range(self.G):
            if self.L[g, 0] <= self.L[g, -1]:
                self.n[g] = min(self.n[g] + self.real(1.0), self.cmax)
            else:
                octets = self.real(self.t // 8 + 1)
                self.n[g] = max(self.shrink * self.n[g], min(self.cmin, octets))

    def _learn_linear(self, x: np.ndarray, y: Any, f_l: Any) -> None:
        """AROW with one variance per weight."""
        one = self.real(1.0)
        push = y - f_l if self.regression else y * (one - y * f_l)
        if not self.regression and not one - y * f_l > 0.0:
            return
        q = self.Sl * np.append(x, one)
        b = one / self.of.spread(self.Sl, x)
        self.wl = self.wl + push * b * q
        self.Sl = self.Sl - b * q * q

    # --- relevance ---

    def by_angles(
        self, phi: np.ndarray, weigh: dict[int, float], live: Sequence[bool]
    ) -> np.ndarray:
        """d/d theta of the blended scores' sum with the given weights, through groups `live`.

        One group leaves the shares of the linear expert and the last label out (section 7c).
        """
        E, alpha, _, _ = self.shares()
        if self.G == 1:
            E = np.ones(1, dtype=self.real)
        delta: np.ndarray = np.zeros(self.phi.D, dtype=self.real)
        for g in range(self.G):
            if not live[g]:
                continue
            k = self.phi.members(g)
            w, a = self.w.v[k].astype(self.real), self.a.v[k].astype(self.real)
            p = sum(
                self.real(s) * (E[g] * a[:, c] + alpha[g] * (w[:, c] - a[:, c]))
                for c, s in weigh.items()
            )
            change = -p[:, 0] * phi[k, 1] + p[:, 1] * phi[k, 0]
            delta[k] = self.of.over(change, self.divisor(g))
        return delta

    def gradient(
        self,
        scaled: np.ndarray,
        phi: np.ndarray,
        weigh: dict[int, float],
        live: Sequence[bool],
        residual: float = 1.0,
    ) -> np.ndarray:
        """by_angles, with respect to lambda, times the residual."""
        back = self.phi.transpose(self.by_angles(phi, weigh, live))
        return np.asarray(self.of.gradient(self.real(residual), scaled, back))

    def error(self, f: np.ndarray, y: Any) -> tuple[dict[int, float], Any] | None:
        """The columns whose scores are wrong, and the residual; None for no error."""
        one = self.real(1.0)
        if self.regression:
            return {0: 1.0}, y - self.real(f[0])
        if not one - self.margin(f, y) > 0.0:
            return None
        return ({int(y): 1.0, self.rival(f, y): -1.0}, one) if self.classes else ({0: 1.0}, y)

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
        real = self.real
        q = self.gradient(scaled, phi, columns, live, residual)
        self.grad2 = self._decayed(self.grad2, q)
        some = self.grad2 > 0.0
        stepped = self.lam[some] + real(0.003) * q[some] / self._rms(self.grad2[some])
        self.lam[some] = np.clip(stepped, real(-2.0), real(2.0))

    def _decayed(self, G: Any, q: Any) -> Any:
        """The running squared gradient with a new one."""
        return self.real(0.999) * G + self.real(0.001) * q * q

    def _rms(self, G: Any) -> Any:
        known = self.real(1.0) - self.of.decayed(0.999, self.u)
        return self.of.sqrt(G / known + self.real(1e-12))

    # --- one learned width (7e) ---

    def slope(
        self, x: np.ndarray, phi: np.ndarray, weigh: dict[int, float], live: Sequence[bool]
    ) -> Any:
        """The derivative by gl of the blended scores' sum with these weights."""
        v = self.phi.transform(self.phi.sketch(x))
        return self.of.slope(self.by_angles(phi, weigh, live), self.phi.omega, v)

    def _learn_scale(self, q: Any) -> None:
        real = self.real
        self.gg = self._decayed(self.gg, q)
        if self.gg > 0.0:
            stepped = self.gl + real(0.01) * q / self._rms(self.gg)
            self.set_scale(min(real(2.0), max(real(-2.0), stepped)))

    # --- the alarm (13) ---

    def _watch(self, x: np.ndarray, deviates: np.ndarray | None, follows: bool) -> None:
        e, e_w, e_a = self.costs
        if deviates is not None and deviates.any():
            self.v = self._followed(self.v, self.of.mean_square(x[deviates]), 128)
        self.g = self._followed(self.g, e_w - e_a, 128)
        self.ef = self._followed(self.ef, e, 128)
        self.es = self._followed(self.es, e, 2048)
        self._check(deviates is not None and follows)

    def _followed(self, old: Any, new: Any, rows: int) -> Any:
        return old + (new - old) / self.real(min(self.t, rows))

    def _check(self, has_scaler: bool) -> None:
        if not (self.t - self.last > 256 and self.t > 500):
            return
        real = self.real
        if not self.ef > real(2.0) * self.es + real(0.1):
            return
        if has_scaler and (self.v < real(0.6) or self.v > real(1.0) / real(0.6)):
            self._alarm("scaler")
        elif self.g <= real(-0.1):
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
