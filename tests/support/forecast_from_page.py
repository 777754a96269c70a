"""The forecaster written from docs/forecast.md alone, in plain Python.

It shares no code with the library or ``edgeolk.reference``: its scaler and its kernel come from
``sorf_from_page``, which is written from docs/scaler.md and docs/sorf.md. Section numbers and names
are those of the page. State in float64.
"""

from __future__ import annotations

import math
from statistics import median
from typing import Any

import numpy as np
from sorf_from_page import Input, Sorf

LAM, HUB, DELTA, GCLIP, GAIN, DEAD = 0.998, 3.0, 0.999, 4.0, 3.0, 200
W_SC = W_ME = 200
W_1, W_2, W_M = 16, 256, 10_000


def clip(v: float, a: float) -> float:
    return min(a, max(-a, v))


def dot(a: list[float], b: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


class Kernel(Sorf):
    """Section 6."""

    def __init__(self, d: int, D: int, seed: int, relevance: bool) -> None:
        super().__init__(
            d, D, task="regression", seed=seed, scale=False, relevance=relevance, drift=False
        )

    def predict(self, row: list[float]) -> float:
        theta = self._angles(np.array(row))
        features = np.stack([np.cos(theta), np.sin(theta)], axis=1)[: self.D]
        f_w, f_a = self._scores(self.w, features), self._scores(self.a, features)
        f = float((f_a + self._shares()[0] * (f_w - f_a))[0])
        return self.mean_y + self._deviation_y(self.t) * f

    def follow(self, row: list[float], r: float) -> None:
        self.learn(np.array(row), r)
        square = dot(row, row)
        if square > 0.0:
            self.q += (square - self.q) / min(self.t + 32, 4096)
            self.q = max(self.q, 1e-6 * self.d)


class Least:
    """Section 5: least squares with a diagonal or a full P."""

    def __init__(self, m: int, full: bool) -> None:
        self.full, self.m = full, m
        self.w = [0.0] * m
        self.P = [[float(i == j) for j in range(m)] for i in range(m)]  # diagonal: others stay 0
        self.me = 0.0

    def learn(self, h: list[float], t: float, n: int) -> None:
        """A row and its target; n counts this row."""
        q = [dot(row, h) if self.full else row[i] * h[i] for i, row in enumerate(self.P)]
        e = t - dot(self.w, h)
        a, b = abs(e), 1.0
        if n > 5 and self.me > 0.0:
            if a > HUB * self.me:
                b = max(HUB * self.me / a, 1e-6)
            a = min(a, 10.0 * self.me)
        self.me += (a - self.me) / min(n, W_ME)
        o = LAM / b + dot(q, h)
        for i in range(self.m):
            self.w[i] += e / o * q[i]
            for j in range(self.m) if self.full else (i,):
                self.P[i][j] -= q[i] * q[j] / o
        for j in range(self.m):
            if self.P[j][j] < LAM:
                for i in range(self.m):
                    self.P[i][j] *= LAM**-0.5
                for i in range(self.m):
                    self.P[j][i] *= LAM**-0.5


class Forecaster:
    """Sections 1 to 8.

    Parameters
    ----------
    d, D : int
        Inputs; frequencies of the kernel, 0 for none.
    k, season : int
        Horizon; rows of a season, 0 for none.
    levels : tuple of float
        Of the intervals.
    """

    def __init__(
        self, d: int, D: int = 0, *, k: int = 1, season: int = 0, seed: int = 0,
        relevance: bool = True, levels: tuple[float, ...] = (0.9,),
    ) -> None:  # fmt: skip
        self.d, self.k, self.L, self.levels = d, k, season, levels
        self.S = Kernel(d + 4, D, seed, relevance) if D else None
        self.scaler = [Input() for _ in range(d)]
        more = 2 if season else 0
        self.A = Least(4 + 2 * d + more, full=False)
        self.B = Least(7 + more + (2 if D else 0), full=True)
        experts = 3 if D else 2
        self.R, self.squares = [0.0] * experts, [1.0] * experts
        self.N = self.J = self.Q = self.Z = self.n = 0
        self.known, self.slast = False, None
        self.first: list[float] = []
        self.y1 = self.m = self.v = self.q = self.sc = self.e1 = self.e2 = self.mo = 0.0
        self.c = [0.0] * 3
        self.zl = [0.0] * d
        self.queue: list[dict[str, Any]] = []
        self.ring: list[float] = []
        self.quantiles = [1.5] * len(levels)

    # ---- section 3 -------------------------------------------------------------------------------

    def answer(self, x: Any) -> tuple[float, list[float]]:
        """The forecast of a row and half the width of each interval."""
        z = list(self.zl)  # 3.1
        for i, (reading, one) in enumerate(zip(map(float, x), self.scaler, strict=True)):
            if not math.isnan(reading):
                one.learn(reading)
                z[i] = one.scaled(reading)
        entry = self._forecast(z)
        self.queue.append(entry)
        if len(self.queue) > self.k:
            del self.queue[0]
        return entry["out"], [Q * entry["sc"] * self.mo for Q in self.quantiles]

    def _forecast(self, z: list[float]) -> dict[str, Any]:
        if not self.known:  # 3.2
            return {"known": False, "z": z, "out": self.m, "sc": 0.0}
        on = self.sc > 0.0 and (self.k == 1 or self.J >= 3)  # 3.3
        y1, sc = self.y1, self.sc if on else 0.0

        def unit(v: float) -> float:
            return clip(v / sc, 10.0) if on else 0.0

        u = [unit(c) for c in self.c]
        E = [
            clip((y1 - e) / (sc * math.sqrt(W)), 10.0) if on else 0.0
            for e, W in ((self.e1, W_1), (self.e2, W_2))
        ]
        sl: list[float] = []
        if self.L:
            sl = [0.0, 0.0]
            if len(self.ring) == self.L + 1:
                a, b = self.ring[self.k], self.ring[0]
                sl = [unit(a - y1), unit(a - b)]
        dz = [new - old for new, old in zip(z, self.zl, strict=True)]  # 3.4
        h1 = [1.0, *u, *sl, *(v for pair in zip(dz, z, strict=True) for v in pair)]
        g = dot(self.A.w, h1)
        entry: dict[str, Any] = {
            "known": True, "z": z, "sc": sc, "y1": y1, "h1": h1, "mo": self.mo,
        }  # fmt: skip
        kernel, f = [], [y1]
        if self.S is not None:  # 3.5
            rho = clip(1.0 - self.q / (2.0 * self.v), 1.0) if self.v > 0.0 and self.Q >= 3 else 0.0
            entry["base"] = self.m + rho * abs(rho) * (y1 - self.m)
            G = min(1.0, GAIN * abs(rho))
            a = clip((y1 - self.m) / math.sqrt(self.v), 5.0) if self.v > 0.0 else 0.0
            entry["I"] = [*z, G * a, *(G * clip(c, 5.0) for c in u)]
            entry["s"] = s = entry["base"] + self.S.predict(entry["I"])
            kernel = [unit(s - y1), 0.0 if self.slast is None else unit(y1 - self.slast)]
            f = [s, y1]
        h2 = [1.0, *u, *E, clip(g, 10.0), *sl, *kernel]  # 3.6
        f = [y1 + sc * dot(self.B.w, h2), *f]  # 3.7
        share = [max(R, 0.0) / B for R, B in zip(self.R, self.squares, strict=True)]
        if sum(share) == 0.0:
            share = [1.0] * len(f)
        out = y1 + sum(w / sum(share) * (one - y1) for w, one in zip(share, f, strict=True))
        return {**entry, "h2": h2, "f": f, "out": out}

    # ---- section 4 -------------------------------------------------------------------------------

    def learn(self, y: float | None) -> None:
        """The target of the oldest row."""
        if not self.queue:
            return
        e = self.queue.pop(0)
        if y is None or not math.isfinite(y):
            return
        if e["known"]:  # 4.0
            self.Z = self.Z + 1 if y == e["y1"] else 0
        if not e["known"]:
            self._take(y, None)
        elif self.Z <= DEAD:
            if e["sc"] > 0.0:
                self._learn_models(e, y)
            self._take(y, abs(y - e["y1"]))  # 4.3
        self.c = [y - self.y1 if self.known else 0.0, *self.c[:2]]  # 4.5
        self.y1, self.zl, self.known, self.slast = y, e["z"], True, e.get("s")
        if self.L:
            self.ring = [*self.ring, y][-(self.L + 1) :]

    def _learn_models(self, e: dict[str, Any], y: float) -> None:
        sc, out = e["sc"], e["out"]
        if e["mo"] > 0.0:  # 8
            a = abs(y - out) / (sc * e["mo"])
            g = max(0.05, 2.0 / (self.n + 10))
            for i, (Q, level) in enumerate(zip(self.quantiles, self.levels, strict=True)):
                self.quantiles[i] = min(
                    1000.0, max(0.001, Q * math.exp(g * ((a > Q) - (1.0 - level))))
                )
        error = abs(y - out) / sc
        if self.n > 20 and self.mo > 0.0:
            error = min(error, 10.0 * self.mo)
        self.mo += (error - self.mo) / min(self.n + 1, W_ME)
        t = clip((y - e["y1"]) / sc, 100.0 if self.n <= 5 else 1e4)  # 4.1
        if self.B.me > 0.0:
            o = sc * self.B.me
            miss = clip((out - y) / o, GCLIP)
            for i, one in enumerate(e["f"]):
                x = miss * clip((out - one) / o, GCLIP)
                self.R[i] = DELTA * self.R[i] + x
                self.squares[i] = DELTA * self.squares[i] + x * x
        self.n += 1
        self.B.learn(e["h2"], t, self.n)
        self.A.learn(e["h1"], t, self.n)
        if self.S is not None:  # 4.2
            self.S.follow(e["I"], clip(y - e["base"], 10.0 * sc))

    def _take(self, y: float, c: float | None) -> None:
        """Section 4.4."""
        self.N += 1
        if self.N <= 3:
            self.first.append(y)
            self.m = self.e1 = self.e2 = y
            if self.N == 3:
                self.m = self.e1 = self.e2 = middle = median(self.first)
                D = median(abs(one - middle) for one in self.first)
                self.v = D**2
                if D > 0.0 and self.k == 1:
                    self.sc, self.J, self.Q, self.q = D, 1, 1, D**2
            return
        b, b1, b2 = y - self.m, y - self.e1, y - self.e2
        if self.sc > 0.0:
            b = clip(b, 10.0 * max(math.sqrt(self.v), self.sc))
            b1 = clip(b1, 10.0 * self.sc * math.sqrt(W_1))
            b2 = clip(b2, 10.0 * self.sc * math.sqrt(W_2))
        n = min(self.N, W_M)
        self.v += (b * b * (1.0 - 1.0 / n) - self.v) / n
        self.m += b / n
        self.e1 += b1 / min(self.N, W_1)
        self.e2 += b2 / min(self.N, W_2)
        if c is None:
            return
        if self.sc > 0.0:
            c = min(c, 10.0 * self.sc)
        self.Q += 1
        self.q += (c * c - self.q) / min(self.Q, W_M)
        if self.sc > 0.0 or c > 0.0:
            self.J += 1
            self.sc += (c - self.sc) / min(self.J, W_SC)

    def restart(self) -> None:
        """Forget the history, keep what was learned."""
        self.known, self.slast, self.c = False, None, [0.0] * 3
        self.queue, self.ring = [], []
