"""Structured Fourier features with two small models (`sorf`): weights only, features from a seed.

Features are in sorf_features.py, experts beside the blends in sorf_outside.py, the group of the
inputs themselves in sorf_linear_group.py. With weights of float64 everything is float64. With int8
and float32 everything is float32, operation by operation as section 17 of docs/sorf.md has it
(sorf_arithmetic.py), except mean and deviation of the targets of regression; an implementation of
that page has the same bits.

Written from the specification, independently of the loops. A row is passed scaled, with the inputs
that have a deviation; an alarm of the scaler is recorded as "scaler". `ScaledSorf`
(sorf_scaling.py) has the scaler and the width inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from edgeolk.reference.base import Pcg32, require
from edgeolk.reference.sorf_features import ROUNDING_STREAM, Features, Weights
from edgeolk.reference.sorf_linear_group import LinearGroup
from edgeolk.reference.sorf_outside import Constant, LastLabel, LinearExpert, Outside


class Sorf:
    """Two classes (y = -1, +1), K classes (`n_classes`, y = 0 .. K-1) or real y (`loss="square"`).

    The weights of the experts derive from their losses L, so they are not state. D may be 0 with a
    `linear_group`, which is True or, without its average, "last".
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
        constant: bool = True,
        linear_group: bool | str = False,
        relevance: bool | str = False,
        drift: bool = True,
        leak: float = 0.0,
    ) -> None:
        require(n_classes is None or (n_classes >= 2 and loss == "hinge"), "K >= 2, hinge")
        require(not (linear and n_classes), "the linear expert has one column")
        require(D >= 1 or bool(linear_group), "D >= 1 is required without a linear group")
        groups = groups if D else ()
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
        averages = linear_group != "last"
        self.linear_group = (
            LinearGroup(n_features, self.K, dtype, self.rounding, self.kappa, averages=averages)
            if linear_group
            else None
        )
        self.feature_groups = len(groups)
        self.G = len(groups) + bool(linear_group)
        task = {"classes": self.classes, "regression": self.regression}
        kept = self.of, self.K
        self.linear = LinearExpert(n_features, *kept, **task) if linear else None
        self.last_label = LastLabel(*kept, **task) if last_label else None
        self.constant = Constant(*kept, **task) if constant else None
        #: In the order of their shares.
        self.outside: list[Outside] = [
            one for one in (self.linear, self.last_label, self.constant) if one is not None
        ]
        self.relevance = bool(relevance) and D > 0
        self.shared, self.drift, self.leak = relevance == "shared", drift, real(leak)
        self._start_blend()
        self.t = self.mistakes = self.updates = self.u = 0
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
        for one in self.outside:
            one.L = real(0.0)
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

    def clamped(self, x: np.ndarray) -> np.ndarray:
        """The inputs as the models see them, before relevance."""
        hold = self.real(self.hold)
        return np.asarray(np.clip(np.asarray(x, dtype=self.real), -hold, hold))

    def inputs(self, x: np.ndarray) -> np.ndarray:
        """The inputs as the features see them."""
        x = self.clamped(x)
        if not self.relevance or self.shared:
            return x
        return np.asarray(x * self.of.exp(self.lam))

    def models(self, x: np.ndarray, phi: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """f_w and f_a of a row, each (G, K); `phi`: its features, if they are known."""
        phi = self.phi(self.inputs(x)) if phi is None else phi
        f: np.ndarray = np.zeros((2, self.G, self.K), dtype=self.real)
        for g in range(self.feature_groups):
            k = self.phi.members(g)
            for i, stored in enumerate((self.w, self.a)):
                f[i, g] = self.of.score(phi[k], stored.v[k], self.divisor(g))
        if self.linear_group:
            f[:, -1] = self.linear_group.scores(self.clamped(x))
        return f[0], f[1]

    def divisor(self, g: int) -> Any:
        """What the sums of a group are divided by."""
        return self.kappa * self.real(self.phi.size(g))

    def shares(self) -> tuple[np.ndarray, np.ndarray, list[Any]]:
        """E_g, alpha_g, and beta of every expert outside."""
        of, real, sharp = self.of, self.real, self.sharp
        costs = [real(one.rho) for one in self.outside]
        least = [one.L + rho / sharp for one, rho in zip(self.outside, costs, strict=True)]
        lowest = min(real(self.L.min()), *least) if least else real(self.L.min())
        e = of.exp(-sharp * (self.L - lowest))
        others = [
            of.exp(-sharp * (one.L - lowest) - rho)
            for one, rho in zip(self.outside, costs, strict=True)
        ]
        Z = of.sum(e)
        for other in others:
            Z = Z + other
        return of.sum(e, axis=1) / Z, of.dot(e, self.blends) / Z, [other / Z for other in others]

    def outside_scores(self, x: np.ndarray) -> list[np.ndarray]:
        """The scores (K,) of every expert outside."""
        return [one.score(x) for one in self.outside]

    def blend(self, fw: np.ndarray, fa: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray:
        E, alpha, betas = self.shares()
        f = self.of.blend(E, alpha, fa, fw - fa)
        for beta, other in zip(betas, others, strict=True):
            f = f + beta * other
        return np.asarray(f)

    def scores(self, x: np.ndarray) -> np.ndarray:
        """Blended scores (K,), in units of the scaled target for regression."""
        x = np.asarray(x, dtype=self.real)
        return self.blend(*self.models(x), self.outside_scores(x))

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
        fw, fa = self.models(x, phi)
        others = self.outside_scores(x)
        f = self.blend(fw, fa, others)
        returned = float(self.margin(f, y) if self.classes else f[0])
        if self.regression:
            returned = self.mean + self.sd() * float(f[0])
            y = self._scaled_target(y)
        elif self.margin(f, y) <= 0.0:
            self.mistakes += 1
        y = self.real(y)
        self._scored(x, y, f, fw, fa)
        count = weight if counted is None else self.real(counted)
        self._count(fw, fa, others, y, count)
        taus = [self._tau(g, x, fw[g], y, weight) for g in range(self.G)]
        live = [tau is not None for tau in taus]
        if self.relevance and self.t > 200 and any(live):
            self._learn_relevance(scaled, phi, f, y, live)
        for g, tau in enumerate(taus):
            if tau is not None:
                self._learn(g, x, phi, fw[g], y, tau)
        self.updates += any(live)
        self._average()
        for one, other in zip(self.outside, others, strict=True):
            one.learn(x, y, other, count)
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

    def candidates(
        self, fw: np.ndarray, fa: np.ndarray, others: Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        """The scores (K,) of every expert: the blends of each group, then those outside."""
        blends = [fa[g] + share * (fw[g] - fa[g]) for g in range(self.G) for share in self.blends]
        return [*blends, *others]

    def _count(
        self, fw: np.ndarray, fa: np.ndarray, others: Sequence[np.ndarray], y: Any, weight: Any
    ) -> None:
        """Step 3."""
        costs = [self.cost(f, y) for f in self.candidates(fw, fa, others)]
        self._add(costs, self.delta, weight)

    def _add(self, costs: Sequence[Any], decay: Any, weight: Any) -> None:
        """Add the costs of all experts to their losses."""
        n = self.L.size
        of_blends: np.ndarray = np.array(costs[:n], dtype=self.real).reshape(self.L.shape)
        self.L = decay * self.L + weight * of_blends
        for one, cost in zip(self.outside, costs[n:], strict=True):
            one.L = decay * one.L + weight * cost

    def is_linear(self, g: int) -> bool:
        """Whether a group has the inputs themselves as features; it is the last one."""
        return g == self.feature_groups

    def _tau(self, g: int, x: np.ndarray, fw: np.ndarray, y: Any, weight: Any) -> Any:
        """None for no update; unsigned for the hinge, with the sign of the error for regression."""
        one, two = self.real(1.0), self.real(2.0)
        square, r = one, self.r  # the mean square of features is 1
        if self.linear_group and self.is_linear(g):
            square, r = self.linear_group.square(self.clamped(x)), self.linear_group.r
        if self.regression:
            gap = y - self.real(fw[0])
            most = min(one / square, weight / (square + r))
            return self.kappa * gap * most if self.t else None
        loss = self.of.sqrt(weight) - self.margin(fw, y)
        if not loss > 0.0:
            return None
        return self.kappa * loss / ((two * square if self.classes else square) + r)

    def _columns(self, fw: np.ndarray, y: float) -> dict[int, float]:
        """The columns to update and their signs, that of the class first."""
        if not self.classes:
            return {0: 1.0 if self.regression else y}
        return {int(y): 1.0, self.rival(fw, y): -1.0}

    def _learn(
        self, g: int, x: np.ndarray, phi: np.ndarray, fw: np.ndarray, y: Any, tau: Any
    ) -> None:
        steps = {c: tau * self.real(sign) for c, sign in self._columns(fw, y).items()}
        if self.linear_group and self.is_linear(g):
            self.linear_group.learn(self.clamped(x), steps)
            return
        k, columns = self.phi.members(g), sorted(steps)
        ascending: np.ndarray = np.array([steps[c] for c in columns], dtype=self.real)
        self.w.add(k, columns, ascending[None, :, None] * phi[k][:, None, :])

    def _average(self) -> None:
        if self.leak > 0.0 and self.wrong:
            self._leak()
        for g, k in self.phi.due(self.t):
            gap = self.w.v[k].astype(self.real) - self.a.v[k].astype(self.real)
            self.a.add(k, range(self.K), self.of.over(gap, self.n[g]))
        if self.linear_group and self.t % 8 == 0:
            self.linear_group.average(self.n[-1])

    def _leak(self) -> None:
        """Section 14."""
        E, alpha, _ = self.shares()
        if self.G == 1:
            E = np.ones(1, dtype=self.real)
        real = self.real
        leaks = (alpha > real(0.7) * E) & (self.n < real(2.0) * self.cmin)
        for g, k in self.phi.due(self.t):
            if leaks[g]:
                self.w.add(k, range(self.K), -self.leak * self.w.v[k].astype(real))
        if self.linear_group and self.t % 8 == 0 and leaks[-1]:
            self.linear_group.leak(self.leak)

    def first_and_last(self, g: int) -> tuple[Any, Any]:
        """The losses of a group's average and of its last weights, which set its window."""
        return self.L[g, 0], self.L[g, -1]

    def _set_windows(self) -> None:
        for g in range(self.G):
            first, last = self.first_and_last(g)
            if first <= last:
                self.n[g] = min(self.n[g] + self.real(1.0), self.cmax)
            else:
                octets = self.real(self.t // 8 + 1)
                self.n[g] = max(self.shrink * self.n[g], min(self.cmin, octets))

    # --- relevance ---

    def by_angles(
        self, phi: np.ndarray, weigh: dict[int, float], live: Sequence[bool]
    ) -> np.ndarray:
        """d/d theta of the blended scores' sum with the given weights, through groups `live`.

        One group leaves the shares of the experts outside out (section 7c).
        """
        E, alpha, _ = self.shares()
        if self.G == 1:
            E = np.ones(1, dtype=self.real)
        delta: np.ndarray = np.zeros(self.phi.D, dtype=self.real)
        for g in range(self.feature_groups):
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
        return np.minimum(self.real(0.999) * G + self.real(0.001) * q * q, self.real(1e30))

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
        if self.linear_group:
            self.linear_group.forget()
        self._start_blend()

    def _alarm(self, what: str) -> None:
        self.last = self.t
        self.alarms += 1
        self.alarm_log.append((self.t, what))
