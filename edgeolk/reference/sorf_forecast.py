"""The forecaster over a kernel learner, from the text of docs/forecast.md, in plain numpy.

Names are those of the text. ``real`` is the type of state: stored numbers are rounded to it,
everything else is float64. The caller supplies scaler and kernel: ``scale(x)`` returns z for a row
that is learned, ``peek(x)`` for one that is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from edgeolk.reference.sorf_scaling import followed

LAM, HUB, W_SC, W_ME, W_1, W_2, W_M = 0.998, 3.0, 200.0, 200.0, 16.0, 256.0, 10_000.0
DELTA, GCLIP, GAIN, DEAD = 0.999, 4.0, 3.0, 200


def clip(v: float, a: float) -> float:
    return min(a, max(-a, v))


class Linear:
    """Section 5: weights, P (full or its diagonal), mean error."""

    def __init__(self, m: int, full: bool, real: type) -> None:
        self.full, self.real = full, real
        self.w: np.ndarray = np.zeros(m, dtype=real)
        self.P: np.ndarray = np.eye(m, dtype=real) if full else np.ones(m, dtype=real)
        self.me = real(0.0)

    def __call__(self, h: np.ndarray) -> float:
        return float(self.w.astype(float) @ h)

    def learn(self, h: np.ndarray, t: float, n: int) -> None:
        w, P, me = self.w.astype(float), self.P.astype(float), float(self.me)
        q = P @ h if self.full else P * h
        e = t - w @ h
        a, b = abs(e), 1.0
        if n > 5 and me > 0.0:
            if a > HUB * me:
                b = max(HUB * me / a, 1e-6)
            a = min(a, 10.0 * me)
        self.me = self.real(me + (a - me) / min(n, W_ME))
        o = LAM / b + q @ h
        self.w = (w + e / o * q).astype(self.real)
        if not self.full:
            P = P - q * q / o
            self.P = np.where(P < LAM, P / LAM, P).astype(self.real)
            return
        P = (P - np.outer(q, q) / o).astype(self.real)
        for j in range(len(w)):
            if float(P[j, j]) < LAM:
                twice = self.real(float(P[j, j]) / LAM)
                P[j] = (P[j].astype(float) * LAM**-0.5).astype(self.real)
                P[:, j] = P[j]
                P[j, j] = twice
        self.P = P


class Widened:
    """Section 6: a kernel model of gamma = 1/2 whose width adapts to the rows that it learns."""

    def __init__(self, model: Any) -> None:
        self.model, self.of = model, model.phi.of
        self.unit = model.phi.omega.copy()
        self.q, self.rows = self.of.real(model.phi.d), 0

    def current(self) -> Any:
        self.model.set_omega(self.of.width(self.unit, self.model.phi.widths, self.q))
        return self.model

    def decision(self, row: np.ndarray) -> float:
        return float(self.current().decision(row))

    def step(self, row: np.ndarray, y: float) -> None:
        self.current().step(row, y)
        self.rows += 1
        row = np.asarray(row, dtype=self.of.real)
        self.q = followed(self.of, self.q, row, self.rows)


class Forecaster:
    """Sections 2 to 8; ``kernel`` has decision(I) and step(I, r), or is None."""

    def __init__(
        self,
        d: int,
        *,
        scale: Callable[[np.ndarray], np.ndarray],
        peek: Callable[[np.ndarray], np.ndarray],
        kernel: Any = None,
        k: int = 1,
        season: int = 0,
        levels: Sequence[float] = (0.9,),
        real: type = float,
    ) -> None:
        self.d, self.k, self.L, self.real = d, k, season, real
        self.scale, self.peek, self.S = scale, peek, kernel
        more = 2 if season else 0
        self.A = Linear(4 + 2 * d + more, False, real)
        self.B = Linear(7 + more + (2 if kernel else 0), True, real)
        self.C = 3 if kernel else 2
        self.R: np.ndarray = np.zeros(self.C, dtype=real)
        self.Bc: np.ndarray = np.ones(self.C, dtype=real)
        self.N = self.J = self.Q = self.Z = self.n = 0
        self.known = self.slast_known = False
        self.first: list[float] = []
        zero = real(0.0)
        self.y1 = self.m = self.v = self.q = self.sc = self.e1 = self.e2 = self.slast = zero
        self.c = [zero, zero, zero]
        self.zl: np.ndarray = np.zeros(d, dtype=real)
        self.queue: list[dict[str, Any]] = []
        self.ring: list[float] = []
        self.levels, self.mo = tuple(levels), zero
        self.quantile = [real(1.5) for _ in levels]
        self.reach: list[float] = []

    # ---- section 3 ------------------------------------------------------------------------------

    def current(self) -> float:
        """The unit of an answer; 0 while it is unknown."""
        return float(self.sc) if self.k == 1 or self.J >= 3 else 0.0

    def unit(self, v: float) -> float:
        sc = self.current()
        return clip(v / sc, 10.0) if sc > 0.0 else 0.0

    def scaled(self, x: np.ndarray, scale: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        z: np.ndarray = scale(np.asarray(x, dtype=float)).astype(self.real)
        return np.where(np.isnan(x), self.zl, z)

    def compute(self, z: np.ndarray) -> dict[str, Any]:
        y1, m, v, sc = float(self.y1), float(self.m), float(self.v), self.current()
        e: dict[str, Any] = {"z": z, "known": self.known, "mo": float(self.mo)}
        if not self.known:
            self.reach = [0.0] * len(self.levels)
            return {**e, "out": m}
        u = [self.unit(float(c)) for c in self.c]
        E = [
            clip((y1 - float(mean)) / (sc * math.sqrt(W)), 10.0) if sc > 0 else 0.0
            for mean, W in ((self.e1, W_1), (self.e2, W_2))
        ]
        sl: list[float] = []
        if self.L:
            sl = [0.0, 0.0]
            if len(self.ring) == self.L + 1:
                b, a = self.ring[0], self.ring[self.k]
                sl = [self.unit(float(a) - y1), self.unit(float(a) - float(b))]
        dz = z.astype(float) - self.zl.astype(float)
        pairs = np.column_stack([dz, z.astype(float)]).ravel()
        h1 = np.concatenate([[1.0], u, sl, pairs])
        g = self.A(h1)
        h2 = [1.0, *u, *E, clip(g, 10.0), *sl]
        if self.S:
            rho = 0.0
            if v > 0.0 and self.Q >= 3:
                rho = clip(1.0 - float(self.q) / (2.0 * v), 1.0)
            base = m + rho * abs(rho) * (y1 - m)
            G = min(1.0, GAIN * abs(rho))
            a = clip((y1 - m) / math.sqrt(v), 5.0) if v > 0.0 else 0.0
            s = base + self.S.decision(self.seen(z, a, G, h2))
            h2 += [
                self.unit(s - y1),
                self.unit(y1 - float(self.slast)) if self.slast_known else 0.0,
            ]
            e.update(s=s, base=base, a=a, G=G)
        p = y1 + sc * self.B(np.array(h2))
        f = self.experts(p, e.get("s"), y1)
        out = y1 + float(self.expert_weights() @ (f - y1))
        self.reach = [float(q) * sc * float(self.mo) for q in self.quantile]
        return {**e, "dz": dz, "h2": np.array(h2), "sc": sc, "y1": y1, "p": p, "out": out}

    def seen(self, z: np.ndarray, a: float, G: float, h2: Sequence[float]) -> np.ndarray:
        extra = [G * a, *(G * clip(u, 5.0) for u in h2[1:4])]
        return np.concatenate([z.astype(float), extra]).astype(self.real).astype(float)

    def experts(self, p: float, s: float | None, y1: float) -> np.ndarray:
        return np.array([p, s, y1] if self.S else [p, y1])

    def expert_weights(self) -> np.ndarray:
        share = np.maximum(self.R.astype(float), 0.0) / self.Bc.astype(float)
        return share / share.sum() if share.sum() > 0.0 else np.full(self.C, 1.0 / self.C)

    def predict(self, x: np.ndarray) -> float:
        return float(self.compute(self.scaled(x, self.peek))["out"])

    def answer(self, x: np.ndarray) -> float:
        e = self.compute(self.scaled(x, self.scale))
        out = float(e["out"])
        kept = {
            name: v.astype(self.real).astype(float)
            if isinstance(v, np.ndarray)
            else (v if isinstance(v, bool) else float(self.real(v)))
            for name, v in e.items()
        }
        self.queue.append(kept)
        if len(self.queue) > self.k:
            self.queue.pop(0)
        return out

    # ---- section 4 ------------------------------------------------------------------------------

    def learn(self, y: float | None) -> None:
        if not self.queue:
            return
        e = self.queue.pop(0)
        if y is None or not math.isfinite(y):
            return
        y = float(self.real(y))
        if e["known"]:
            self.Z = self.Z + 1 if y == e["y1"] else 0
        if not e["known"] or self.Z <= DEAD:
            if e["known"]:
                self.learn_row(e, y)
            self.take(y, abs(y - e["y1"]) if e["known"] else None)
        r = self.real
        change = y - float(self.y1) if self.known else 0.0
        self.c = [r(change), self.c[0], self.c[1]]
        self.y1, self.zl, self.known = r(y), e["z"].astype(r), True
        self.slast_known = bool(self.S) and e["known"]
        self.slast = r(e["s"]) if self.slast_known else r(0.0)
        if self.L:
            self.ring = [*self.ring, r(y)][-(self.L + 1) :]

    def learn_row(self, e: dict[str, Any], y: float) -> None:
        sc, y1, h2, n, me = e["sc"], e["y1"], e["h2"], self.n, float(self.B.me)
        if not sc > 0.0:
            return
        error = abs(y - e["out"]) / sc
        if e["mo"] > 0.0:
            a, step = error / e["mo"], max(0.05, 2.0 / (n + 10.0))
            for i, level in enumerate(self.levels):
                Q = float(self.quantile[i]) * math.exp(
                    step * ((a > float(self.quantile[i])) - (1.0 - level))
                )
                self.quantile[i] = self.real(min(1000.0, max(0.001, Q)))
        mo = float(self.mo)
        if n > 20 and mo > 0.0:
            error = min(error, 10.0 * mo)
        self.mo = self.real(mo + (error - mo) / min(n + 1, W_ME))
        t = clip((y - y1) / sc, 100.0 if n <= 5 else 1e4)
        if me > 0.0:
            o = sc * me
            wrong = clip((e["out"] - y) / o, GCLIP)
            for c, f in enumerate(self.experts(e["p"], e.get("s"), y1)):
                x = wrong * clip((e["out"] - f) / o, GCLIP)
                self.R[c] = DELTA * float(self.R[c]) + x
                self.Bc[c] = DELTA * float(self.Bc[c]) + x * x
        self.n += 1
        self.B.learn(h2, t, self.n)
        pairs = np.column_stack([e["dz"], e["z"]]).ravel()
        sl = h2[7:9] if self.L else []
        self.A.learn(np.concatenate([[1.0], h2[1:4], sl, pairs]), t, self.n)
        if self.S:
            self.S.step(self.seen(e["z"], e["a"], e["G"], h2), clip(y - e["base"], 10.0 * sc))

    def take(self, y: float, c: float | None) -> None:
        r = self.real
        self.N += 1
        if self.N <= 3:
            self.first.append(y)
            self.m = self.e1 = self.e2 = r(y)
            if self.N == 3:
                middle = sorted(self.first)[1]
                D = sorted(abs(i - middle) for i in self.first)[1]
                self.m = self.e1 = self.e2 = r(middle)
                self.v = r(D * D)
                if D > 0.0 and self.k == 1:
                    self.sc, self.q = r(D), r(D * D)
                    self.J = self.Q = 1
            return
        m, v, sc = float(self.m), float(self.v), float(self.sc)
        b, b1, b2 = y - m, y - float(self.e1), y - float(self.e2)
        if sc > 0.0:
            b = clip(b, 10.0 * max(math.sqrt(v), sc))
            b1, b2 = clip(b1, 10.0 * sc * math.sqrt(W_1)), clip(b2, 10.0 * sc * math.sqrt(W_2))
        n = min(self.N, W_M)
        self.v = r(v + (b * b * (1.0 - 1.0 / n) - v) / n)
        self.m = r(m + b / n)
        self.e1 = r(float(self.e1) + b1 / min(self.N, W_1))
        self.e2 = r(float(self.e2) + b2 / min(self.N, W_2))
        if c is None:
            return
        if sc > 0.0:
            c = min(c, 10.0 * sc)
        self.Q += 1
        self.q = r(float(self.q) + (c * c - float(self.q)) / min(self.Q, W_M))
        if sc > 0.0 or c > 0.0:
            self.J += 1
            self.sc = r(sc + (c - sc) / min(self.J, W_SC))

    def restart(self) -> None:
        self.known = self.slast_known = False
        self.c = [self.real(0.0)] * 3
        self.slast = self.real(0.0)
        self.queue, self.ring = [], []
