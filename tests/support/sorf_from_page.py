"""`sorf` and its scaler written from docs/sorf.md and docs/scaler.md alone, in plain numpy.

It shows that the pages are exact enough to implement from: it shares no code with the library or
``edgeolk.reference``, and uses only what the pages say. Section numbers are those of the pages.
Two classes, several classes, regression; one group, no leak, a last label that does not lapse.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
MASK = 2**64 - 1
BLOCK = 64
BLENDS = np.array([0.0, 0.1, 0.3, 1.0])
WIDTHS = np.array([0.3, 1.0, 3.0])
RIDGE, UNIT, SHARP, DELTA = 0.03, 3.0, 1.0, 0.999
CMIN, CMAX, SHRINK = 30.0, 4096.0, 0.9


class Generator:
    """PCG32, section 2."""

    def __init__(self, seed: int, stream: int) -> None:
        self.state, self.increment = 0, 2 * stream + 1
        self.word()
        self.state = (self.state + seed) & MASK
        self.word()

    def word(self) -> int:
        """The next 32 bits."""
        old = self.state
        self.state = (old * 6364136223846793005 + self.increment) & MASK
        x = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF
        turn = old >> 59
        return (x >> turn | x << (32 - turn)) & 0xFFFFFFFF

    def signs(self, n: int) -> Array:
        """n random signs; each call starts with a new word."""
        words = [self.word() for _ in range(math.ceil(n / 32))]
        return np.array([-1.0 if words[i // 32] >> (i % 32) & 1 else 1.0 for i in range(n)])


class Input:
    """Mean and deviation of one input in 40 bytes, docs/scaler.md, section 2."""

    def __init__(self, clip: float = 5.0, window: float = 10_000.0) -> None:
        self.clip, self.window = clip, window
        self.mean = self.deviation = self.held = 0.0
        self.age = 0

    def _settles(self, spread: float) -> bool:
        return spread <= 64.0 * 2.0**-52 * abs(self.mean) or spread < 2.0**-1021

    def _set_spread(self, spread: float) -> None:
        self.deviation, self.held = spread, 0.0
        if self._settles(spread):
            self.deviation, self.held = 0.0, self.mean

    def learn(self, x: float) -> None:
        """Update the statistics with one reading."""
        self.age += 1
        if self.age < 3:
            self.held = x
            if self.age == 1:
                self.mean = x
        elif self.age == 3:
            low, self.mean, high = sorted((self.mean, self.held, x))
            self._set_spread(min(self.mean - low, high - self.mean))
        elif self.deviation == 0.0:
            far = abs(x - self.mean)
            if self._settles(far):
                return
            if self.held == self.mean:
                self.held = x
                return
            self._set_spread(min(far, abs(self.held - self.mean)))
            self.age = 3
        else:
            most = self.clip * self.deviation
            u = min(max(x - self.mean, -most), most)
            r = u / self.deviation
            g = max(3.0 / (self.age + 2.0), 1.0 / self.window)
            self.mean += g * u
            self._set_spread(self.deviation * math.sqrt((1.0 - g) * (1.0 + g * r * r)))

    def scaled(self, x: float) -> float:
        """A reading in deviations from the mean."""
        if self.deviation == 0.0:
            return 0.0
        return min(max((x - self.mean) / self.deviation, -self.clip), self.clip)


class Scaler:
    """One scale per input, or one for all while readings are one of two numbers (section 15)."""

    def __init__(self, d: int) -> None:
        self.inputs = [Input() for _ in range(d)]
        self.first = self.second = 0.0
        self.seconds, self.readings, self.third = 0, 0, False

    def learn(self, x: Array) -> None:
        """Update the statistics with one row."""
        for reading, one in zip(map(float, x), self.inputs, strict=True):
            one.learn(reading)
            if self.readings == 0:
                self.first = reading
            self.readings += 1
            if reading != self.first:
                if self.seconds == 0:
                    self.second = reading
                if reading == self.second:
                    self.seconds += 1
                else:
                    self.third = True

    def common(self) -> tuple[float, float]:
        """Mean and deviation of all readings of all inputs."""
        share = self.seconds / self.readings if self.readings else 0.0
        gap = self.second - self.first
        deviation = abs(gap) * math.sqrt(share * (1.0 - share))
        return self.first + (gap * share if share else 0.0), deviation

    def scaled(self, x: Array) -> Array:
        """Scale a row by the current statistics."""
        if self.third:
            return np.array([one.scaled(float(r)) for one, r in zip(self.inputs, x, strict=True)])
        mean, deviation = self.common()
        return np.clip((x - mean) / (deviation or 1.0), -8.0, 8.0)

    def deviating(self) -> list[bool]:
        """Which inputs have a deviation > 0."""
        if self.third:
            return [one.deviation > 0.0 for one in self.inputs]
        return [self.common()[1] > 0.0] * len(self.inputs)

    def limit_age(self, age: int) -> None:
        """Limit the age of every input after an alarm (section 13)."""
        for one in self.inputs:
            one.age = min(one.age, age)


class Sorf:
    """A learner of sections 1 to 7, 7b, 7c, 7e, 13 and 15.

    Parameters
    ----------
    d, D : int
        Inputs; frequencies.
    task : str
        "two" (labels -1, +1), "classes" (0 .. classes - 1) or "regression".
    dtype : str
        "float64", or "int8" for stored levels.
    scale : bool
        A scaler inside; the width follows the rows if ``gamma`` is None.
    relevance : bool or str
        False, True (section 7c) or "shared" (7e).
    linear, last_label : bool
        Further experts (sections 7 and 7b).
    """

    def __init__(
        self, d: int, D: int, *, task: str = "two", classes: int = 1, seed: int = 0,
        dtype: str = "float64", scale: bool = True, gamma: float | None = None,
        relevance: bool | str = False, drift: bool = True, linear: bool = False,
        last_label: bool = False,
    ) -> None:  # fmt: skip
        self.d, self.D, self.task, self.K = d, D, task, classes
        self.seed, self.levels = seed, dtype == "int8"
        self.kappa = UNIT if self.levels else 1.0
        self.scaler = Scaler(d) if scale else None
        self.gamma, self.q = gamma, float(d)
        self.relevance, self.drift = relevance, drift
        self.rounding = Generator(seed, 54)
        self.w = np.zeros((D, classes, 2))
        self.a = np.zeros((D, classes, 2))
        self.linear, self.last_label = linear, last_label
        self.L, self.n, self.t = np.zeros(len(BLENDS) + linear + last_label), 1.0, 0
        self.wl, self.Sl, self.f_last = np.zeros(d + 1), np.ones(d + 1), np.zeros(classes)
        self.mistakes = self.updates = self.alarms = 0
        self.mean_y, self.squares_y = 0.0, 0.0
        self.scales, self.G, self.u = np.zeros(d), np.zeros(d), 0  # 7c
        self.scale_all, self.G_all = 0.0, 0.0  # 7e
        self.v, self.g, self.e_fast, self.e_slow, self.last = 1.0, 0.0, 0.0, 0.0, 0  # 13
        self.blocks = math.ceil(D / BLOCK)
        self.s1, self.s2, self.s3 = self._signs()

    # ---- features (section 3) --------------------------------------------------------------------

    def _signs(self) -> list[Array]:
        """The signs, one line per block; a pass draws them block by block in this order."""
        draws = Generator(self.seed, 55)
        each = [[draws.signs(n) for n in (self.d, BLOCK, BLOCK)] for _ in range(self.blocks)]
        return [np.array(signs) for signs in zip(*each, strict=True)]

    def _omega(self) -> Array:
        gamma = 1.0 / (2.0 * self.q) if self.gamma is None else self.gamma
        k = np.arange(self.blocks * BLOCK)
        return np.sqrt(2.0 * gamma * WIDTHS[k % len(WIDTHS)]) / BLOCK

    def _angles(self, x: Array) -> Array:
        seen = self.s1 * (x * np.exp(self.scales))
        v = np.zeros((self.blocks, BLOCK))
        for i in range(0, self.d, BLOCK):
            part = seen[:, i : i + BLOCK]
            v[:, : part.shape[1]] += part
        lines = hadamard(self.s3 * hadamard(self.s2 * hadamard(v)))
        return lines.ravel() * self._omega() * math.exp(self.scale_all)

    def _held(self, x: Array) -> Array:
        """Section 15: for classification, inputs scaled one by one are clamped to 2.5."""
        if self.scaler is None or self.task == "regression" or not self.scaler.third:
            return x
        return np.clip(x, -2.5, 2.5)

    # ---- scores and margins (sections 5 and 6) ---------------------------------------------------

    def _scores(self, weights: Array, features: Array) -> Array:
        return np.einsum("kcs,ks->c", weights, features) / (self.kappa * self.D)

    def _shares(self) -> tuple[float, Array]:
        """The weight of w, and of each further expert (sections 7 and 7b)."""
        e = np.exp(-SHARP * (self.L - self.L.min()))
        e /= e.sum()
        return float(e[: len(BLENDS)] @ BLENDS), e[len(BLENDS) :]

    def _margin(self, f: Array, y: float) -> float:
        if self.task == "classes":
            return float(f[int(y)] - f[self._rival(f, y)])
        return float(y * f[0])

    def _rival(self, f: Array, y: float) -> int:
        others = f.copy()
        others[int(y)] = -np.inf
        return int(np.argmax(others))

    # ---- one step --------------------------------------------------------------------------------

    def learn(self, x: Array, y: float) -> float:
        """The answer before the update (section 5)."""
        x = np.asarray(x, float)
        if self.scaler is not None:
            self.scaler.learn(x)
            x = self.scaler.scaled(x)
        held = self._held(x)
        theta = self._angles(held)
        features = np.stack([np.cos(theta), np.sin(theta)], axis=1)[: self.D]
        f_w, f_a = self._scores(self.w, features), self._scores(self.a, features)
        alpha, shares = self._shares()
        further = [np.array([self.wl @ np.append(x, 1.0)])] if self.linear else []
        further += [self.f_last] if self.last_label else []
        f = (1.0 - shares.sum()) * f_a + alpha * (f_w - f_a)
        f = f + sum(share * other for share, other in zip(shares, further, strict=True))
        candidates = [*(f_a + share * (f_w - f_a) for share in BLENDS), *further]
        if self.task == "regression":
            answer, y = self._standardised(float(f[0]), y)
            bad = [min(4.0, (y - float(c[0])) ** 2) for c in candidates]
            errors = [min(4.0, (y - float(c[0])) ** 2) / 4.0 for c in (f, f_w, f_a)]
        else:
            answer = self._margin(f, y) if self.task == "classes" else float(f[0])
            bad = [float(self._margin(c, y) <= 0.0) for c in candidates]
            errors = [float(self._margin(c, y) <= 0.0) for c in (f, f_w, f_a)]
            self.mistakes += errors[0] == 1.0
        self.L = DELTA * self.L + bad
        if self.linear:
            self._learn_linear(np.append(x, 1.0), float(further[0][0]), y)
        self._update(f, f_w, features, theta, held, y)
        self._average()
        self.f_last = np.eye(self.K)[int(y)] if self.task == "classes" else np.array([y])
        self.t += 1
        if self.t % 8 == 0:
            if self.L[0] <= self.L[len(BLENDS) - 1]:
                self.n = min(self.n + 1.0, CMAX)
            else:
                self.n = max(SHRINK * self.n, min(CMIN, self.t // 8 + 1.0))
        if self.drift:
            self._watch(x, *errors)
        if self.scaler is not None and self.gamma is None:
            square = float(held @ held)
            if square > 0.0:
                self.q += (square - self.q) / min(self.t + 32, 4096)
                self.q = max(self.q, 1e-6 * self.d)
        return answer

    def _standardised(self, f: float, y: float) -> tuple[float, float]:
        """The answer on the scale of targets, and the target in deviations (section 6)."""
        answer = self.mean_y + self._deviation_y(self.t) * f
        gap = y - self.mean_y
        self.mean_y += gap / (self.t + 1)
        self.squares_y += gap * (y - self.mean_y)
        return answer, (y - self.mean_y) / self._deviation_y(self.t + 1)

    def _deviation_y(self, rows: int) -> float:
        return math.sqrt(self.squares_y / (rows - 1)) if rows > 1 and self.squares_y > 0 else 1.0

    def _update(
        self, f: Array, f_w: Array, features: Array, theta: Array, held: Array, y: float
    ) -> None:
        """Step 5, after the step of the widths."""
        if self.task == "regression":
            if self.t == 0:
                return
            miss, slope = y - float(f_w[0]), y - float(f[0])
            self._widths(slope, self.a[:, 0], self.w[:, 0], features, theta, held)
            self._change([0], [self.kappa * miss / (1.0 + RIDGE)], features)
        elif self.task == "two":
            loss = 1.0 - y * float(f_w[0])
            if loss <= 0.0:
                return
            if 1.0 - y * float(f[0]) > 0.0:
                self._widths(y, self.a[:, 0], self.w[:, 0], features, theta, held)
            self._change([0], [self.kappa * y * loss / (1.0 + RIDGE)], features)
        else:
            own, rival = int(y), self._rival(f_w, y)
            loss = 1.0 - float(f_w[own] - f_w[rival])
            if loss <= 0.0:
                return
            if 1.0 - self._margin(f, y) > 0.0:
                o = self._rival(f, y)
                a, w = self.a[:, own] - self.a[:, o], self.w[:, own] - self.w[:, o]
                self._widths(1.0, a, w, features, theta, held)
            tau = self.kappa * loss / (2.0 + RIDGE)
            taus = {own: tau, rival: -tau}
            self._change(sorted(taus), [taus[column] for column in sorted(taus)], features)
        self.updates += 1

    def _change(self, columns: list[int], taus: list[float], features: Array) -> None:
        steps = np.array(taus)[:, None] * features[:, None, :]
        self.w[:, columns] = self._store(self.w[:, columns] + steps)

    def _average(self) -> None:
        """Step 6: one block in eight."""
        for b in range(self.t % 8, self.blocks, 8):
            lines = slice(BLOCK * b, min(BLOCK * (b + 1), self.D))
            a, w = self.a[lines], self.w[lines]
            self.a[lines] = self._store(a + (w - a) / self.n)

    def _store(self, values: Array) -> Array:
        """Weights rounded to storage, cosine then sine, in the order of the draws."""
        if not self.levels:
            return values
        words = np.array([self.rounding.word() for _ in range(values.size // 2)])
        bits = np.stack([words >> 16, words & 0xFFFF], axis=1).reshape(values.shape)
        return np.clip(np.floor(values + (bits + 0.5) / 65536.0), -127.0, 127.0)

    def _learn_linear(self, x: Array, f: float, y: float) -> None:
        """Section 7: AROW with one variance per weight."""
        loss = y - f if self.task == "regression" else 1.0 - y * f
        if self.task == "regression":
            y = 1.0
        elif loss <= 0.0:
            return
        q = self.Sl * x
        b = 1.0 / (float(x @ q) + 1.0)
        self.wl += loss * b * y * q
        self.Sl -= b * q * q

    # ---- learned widths (7c, 7e) -----------------------------------------------------------------

    def _widths(
        self, slope: float, a: Array, w: Array, features: Array, theta: Array, held: Array
    ) -> None:
        if not self.relevance or self.t <= 200:
            return
        p = a + self._shares()[0] * (w - a)
        delta = np.zeros(len(theta))
        c, s = features.T
        delta[: self.D] = (-p[:, 0] * s + p[:, 1] * c) / (self.kappa * self.D)
        self.u += 1
        if self.relevance == "shared":
            q = slope * float(delta @ theta)
            self.G_all = 0.999 * self.G_all + 0.001 * q * q
            if self.G_all > 0.0:
                root = math.sqrt(self.G_all / (1.0 - 0.999**self.u) + 1e-12)
                self.scale_all = min(max(self.scale_all + 0.01 * q / root, -2.0), 2.0)
            return
        h = (self._omega() * delta).reshape(-1, BLOCK)
        back = hadamard(self.s2 * hadamard(self.s3 * hadamard(h)))
        total = (self.s1 * back[:, np.arange(self.d) % BLOCK]).sum(axis=0)
        gradient = slope * held * np.exp(self.scales) * total
        self.G = 0.999 * self.G + 0.001 * gradient**2
        some = self.G > 0.0
        root = np.sqrt(self.G / (1.0 - 0.999**self.u) + 1e-12)
        moved = np.clip(self.scales + 0.003 * gradient / root, -2.0, 2.0)
        self.scales = np.where(some, moved, self.scales)

    # ---- the alarm (section 13) ------------------------------------------------------------------

    def _watch(self, x: Array, e: float, e_w: float, e_a: float) -> None:
        t = self.t
        if self.scaler is not None:
            some = np.array(self.scaler.deviating())
            if some.any():
                self.v += (float(np.mean(x[some] ** 2)) - self.v) / min(t, 128)
        self.g += (e_w - e_a - self.g) / min(t, 128)
        self.e_fast += (e - self.e_fast) / min(t, 128)
        self.e_slow += (e - self.e_slow) / min(t, 2048)
        if not (t - self.last > 256 and t > 500 and self.e_fast > 2.0 * self.e_slow + 0.1):
            return
        spread = self.v < 0.6 or self.v > 1.0 / 0.6
        if self.scaler is not None and self.scaler.third and spread:
            self.scaler.limit_age(100)
        elif self.g <= -0.1:
            self.w[:], self.a[:], self.L[:], self.n = 0.0, 0.0, 0.0, 1.0
        else:
            self.last = t - 240
            return
        self.last, self.alarms = t, self.alarms + 1


def hadamard(v: Array) -> Array:
    """H v of each line in natural order, not normalised."""
    v, half = v.copy(), 1
    while half < BLOCK:
        pairs = v.reshape(len(v), -1, 2, half)
        one, other = pairs[:, :, 0], pairs[:, :, 1]
        one[:], other[:] = one + other, one - other
        half *= 2
    return v
