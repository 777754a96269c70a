"""Preprocessing of `sorf`: a running scaler in 40 or in 9 bytes per input, one scale for all
inputs, clamped inputs, a width that adapts to the rows (section 15 of docs/sorf.md).

Written from the pages; the compact scaler with numpy scalars. `Following` does not include the
scaler of each input: a row is passed together with its scaled version. `ScaledSorf` includes it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from edgeolk.reference.sorf import Sorf
from edgeolk.reference.sorf_novelty import SorfNovelty

F = np.float32
#: A scalar of type F.
Real = Any
MIN = F(2.0**-100)
MAX = F(2.0**124)
MASK = 2**32 - 1


def bits(x: Real) -> int:
    return int(np.asarray(x, F).view(np.uint32))


def real(word: int) -> Real:
    return F(np.uint32(word & MASK).view(F))


def two(n: int) -> Real:
    return F(2.0**n)


def hashed(row: int, j: int) -> int:
    w = (row * 0x9E3779B1 + j * 0x85EBCA77) & MASK
    w ^= w >> 16
    w = w * 0x7FEB352D & MASK
    w ^= w >> 15
    w = w * 0x846CA68B & MASK
    return w ^ w >> 16


class WideInput:
    """Mean and deviation of one input in 40 bytes, section 2 of docs/scaler.md."""

    def __init__(self, clip: float = 5.0, window: float = 10_000.0) -> None:
        self.clip, self.window = clip, window
        self.mean = self.sd = self.held = 0.0
        self.age = self.clipped = 0

    def _is_negligible(self, spread: float) -> bool:
        return spread <= 64.0 * 2.0**-52 * abs(self.mean) or spread < 2.0**-1021

    def _set_spread(self, spread: float) -> None:
        self.sd, self.held = spread, 0.0
        if self._is_negligible(spread):
            self.sd, self.held = 0.0, self.mean

    def learn(self, x: float, row: int = 0) -> None:
        """Update the statistics with one reading; its row does not matter."""
        self.age += 1
        if self.age < 3:
            self.held = x
            if self.age == 1:
                self.mean = x
        elif self.age == 3:
            low, self.mean, high = sorted((self.mean, self.held, x))
            self._set_spread(min(self.mean - low, high - self.mean))
        elif self.sd == 0.0:
            self._begin_again(x)
        else:
            reach = self.clip * self.sd
            self.clipped += abs(x - self.mean) > reach
            u = min(max(x - self.mean, -reach), reach)
            r = u / self.sd
            g = max(3.0 / (self.age + 2.0), 1.0 / self.window)
            self.mean += g * u
            self._set_spread(self.sd * math.sqrt((1.0 - g) * (1.0 + g * r * r)))

    def _begin_again(self, x: float) -> None:
        """A constant that moves: the second reading elsewhere decides."""
        far = abs(x - self.mean)
        if self._is_negligible(far):
            return
        if self.held == self.mean:
            self.held = x
            self.clipped += 1
            return
        self._set_spread(min(far, abs(self.held - self.mean)))
        self.age = 3

    def scaled(self, x: float) -> float:
        """A reading in deviations from the mean."""
        if self.sd == 0.0:
            return 0.0
        return min(max((x - self.mean) / self.sd, -self.clip), self.clip)

    def limit_age(self, age: int) -> None:
        """What an alarm does (section 13 of docs/sorf.md)."""
        self.age = min(self.age, age)


class Input:
    """One input in 9 bytes, stored as three numbers: w, S and code."""

    def __init__(self, j: int = 0, clip: float = 5.0, window: int = 10_000) -> None:
        self.j, self.clip, self.window = j, F(clip), window
        self.w = self.S = self.code = 0

    @property
    def stored(self) -> tuple[int, int, int]:
        return self.w, self.S, self.code

    @property
    def mean(self) -> float:
        if self.code < 6:
            return float(real(self.w))
        return self.units * 2.0**self.power

    @property
    def sd(self) -> float:
        return float(self.value) if self.code >= 6 else 0.0

    @property
    def value(self) -> Real:
        return real(self.S << 7)

    @property
    def units(self) -> int:
        signed = self.w - 2**32 if self.w >> 31 else self.w
        return signed >> 4

    @property
    def power(self) -> int:
        return (self.S >> 16) - 127 - 20 + (self.w & 15)

    def store_distance(self, distance: Real) -> None:
        self.S = bits(distance) + 64 >> 7

    def distance(self, x: Real) -> Real:
        low = self.units & 15
        unit = two(self.power)
        return (x - F(self.units - low) * unit) - F(low) * unit

    def learn(self, x: float, row: int) -> None:
        """Learn one reading; ``row`` is the number of its row, from 1."""
        x = F(x)
        if np.isnan(x):
            return
        x = max(min(x, MAX), -MAX)
        if self.code >= 6:
            self.run(x, row)
            return
        mean = real(self.w)
        d = x - mean
        if self.code == 0:
            self.w, self.code = bits(x), 1
        elif self.code == 1:
            self.store_distance(abs(d))
            self.code = 2 if d >= 0 else 3
        elif self.code < 4:
            h = self.value if self.code == 2 else -self.value
            if abs(d - h) <= F(2.0**-14) * abs(h):
                h = d
            least, mid, most = sorted((F(0), h, d))
            self.begin(x if mid == d else mean + mid, min(mid - least, most - mid))
        elif abs(d) <= F(2.0**-21) * abs(mean) or abs(d) < MIN:
            return
        elif self.code == 4:
            self.store_distance(abs(d))
            self.code = 5
        else:
            self.begin(mean, min(abs(d), self.value))

    def begin(self, mean: Real, sd: Real) -> None:
        b = bits(sd) + 64
        e = (b >> 23) - 127
        k = max(0, (bits(abs(mean)) >> 23) - 133 - e)
        if sd < MIN or k > 15:
            self.code, self.w, self.S = 4, bits(mean), 0
            return
        units = min(int(np.floor(mean * two(20 - e - k) + F(0.5))), 2**27 - 1)
        self.w, self.S, self.code = (units << 4 | k) & MASK, b >> 7, 6

    def run(self, x: Real, row: int) -> None:
        code = min(self.code + 1, 65535)
        t = code - 3
        g = max(F(3) / F(t + 2), F(1) / F(self.window))
        sd, power = self.value, self.power
        r = max(min(self.distance(x) / sd, self.clip), -self.clip)
        w = hashed(row, self.j)
        q = g * ((r * r - F(1)) - g * (r * r))
        if abs(q) <= F(2.0**-6):
            h = q * (F(0.5) - q * (F(0.125) - q * F(0.0625)))
        else:
            h = q / (F(1) + np.sqrt(F(1) + q))
        spread = sd + sd * h
        b = min(bits(spread), 249 << 23) + (w & 127)
        step = (g * r) * (sd * two(-power)) + F(w >> 8) * F(2.0**-24)
        units = self.units + int(np.floor(step))
        k = power - ((b >> 23) - 147)
        while k < 0 or abs(units) >= 2**27:
            units = units + (w & 1) >> 1
            w >>= 1
            k += 1
        while k > 0 and abs(units) < 2**26:
            units *= 2
            k -= 1
        if k > 15 and t < 3 * self.window:
            b = (b >> 23) + k - 15 << 23
            k = 15
        if spread < MIN or k > 15:
            mean = F(units * 2.0 ** ((b >> 23) - 147 + k))
            self.code, self.S, self.w = 4, 0, bits(mean)
            return
        self.w, self.S, self.code = (units << 4 | k) & MASK, b >> 7, code

    def scaled(self, x: float) -> Real:
        x = F(x)
        if self.code < 6 or np.isnan(x):
            return F(0)
        x = max(min(x, MAX), -MAX)
        return max(min(self.distance(x) / self.value, self.clip), -self.clip)

    def limit_age(self, age: int) -> None:
        if self.code >= 6:
            self.code = min(self.code, age + 3)


HELD, COMMON_CLIP, PRIOR, WINDOW, LEAST = 2.5, 8.0, 32, 4096, 1e-6


class Common:
    """Mean and deviation over all readings of all inputs.

    ``pairs``: it is used while readings have at most two values, and learns no more after that;
    for int8 and float32 it is computed in float32, from the number of the second value.
    """

    def __init__(
        self, clip: float = COMMON_CLIP, *, pairs: bool = False, real: type = float
    ) -> None:
        self.readings: list[float] = []
        self.values: set[float] = set()
        self.clip, self.pairs, self.real = clip, pairs, real

    def learn(self, x: np.ndarray) -> None:
        """Add the readings of a row."""
        if self.pairs and not self.two:
            return
        self.readings += [float(v) for v in x]
        if self.two:
            self.values.update(float(v) for v in x)

    @property
    def two(self) -> bool:
        """Whether all readings so far had at most two values."""
        return len(self.values) <= 2

    def of_pair(self, x: np.ndarray) -> np.ndarray:
        """A row of two values in float32."""
        real, first = self.real, self.readings[0] if self.readings else 0.0
        others = sum(reading != first for reading in self.readings)
        second = next((value for value in self.values if value != first), first)
        share = real(others) / real(len(self.readings)) if others else real(0.0)
        half = real(0.5) * real(second) - real(0.5) * real(first)
        sd = abs(half) * np.sqrt(share * (real(1.0) - share))
        middle = real(0.5) * real(first) + half * share
        scaled = (real(0.5) * np.asarray(x).astype(real) - middle) / (sd if sd > 0 else real(0.5))
        return np.asarray(np.clip(scaled, real(-self.clip), real(self.clip)))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        if self.pairs and self.real is not float:
            return self.of_pair(x)
        readings = np.array(self.readings or [0.0])
        sd = float(readings.std()) if readings.min() < readings.max() else 1.0
        scaled = (np.asarray(x, float) - readings.mean()) / sd
        return np.asarray(np.clip(scaled, -self.clip, self.clip))


def followed(of: Any, q: Any, row: np.ndarray, rows: int) -> Any:
    """The width's q after a row, the `rows`-th, as the features see it before relevance."""
    real, square = of.real, of.square(row)
    if not square > 0.0:
        return q
    q = q + (square - q) / real(min(rows + PRIOR, WINDOW))
    return max(q, real(LEAST) * real(len(row)))


class Following:
    """A model of gamma = 1/2 whose angles are divided by sqrt(q).

    ``model`` is a separate learner with that gamma; ``scale`` is the scaler before it: "standard",
    "minmax" (rows are passed scaled by it) or "common".
    """

    def __init__(self, model: Sorf | SorfNovelty, scale: str = "standard") -> None:
        self.model, self.scale = model, scale
        self.unit = model.phi.omega.copy()
        self.of, self.real = model.phi.of, model.phi.real
        self.d = model.phi.d
        self.q = self.real(self.d)
        self.common = Common(pairs=scale != "common", real=self.real)
        self.holds = isinstance(model, Sorf) and not model.regression and scale == "standard"

    def prepared(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """The row as passed to the model; sets the current width and clamp of the model."""
        shared = self.scale == "common" or (self.scale == "standard" and self.common.two)
        z = self.common(x) if shared else np.asarray(z, float)
        omega = self.of.width(self.unit, self.model.phi.widths, self.q)
        if isinstance(self.model, Sorf):
            self.model.hold = HELD if self.holds and not shared else math.inf
            self.model.set_omega(omega)
        else:
            self.model.phi.omega = omega
        return z.astype(self.real)

    def step(self, x: np.ndarray, z: np.ndarray, *label: float, **more: Any) -> float:
        """Learn x, with z its version scaled by statistics that include it."""
        self.common.learn(x)
        row = self.prepared(x, z)
        score = self.model.step(row, *label, **more)  # type: ignore[arg-type]
        if isinstance(self.model, Sorf):
            hold = self.real(self.model.hold)
            row = np.clip(row, -hold, hold)
        self.q = followed(self.of, self.q, row, self.model.t)
        return score

    def decision(self, x: np.ndarray, z: np.ndarray) -> float:
        return self.model.decision(self.prepared(x, z))

    def scores(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return self.model.scores(self.prepared(x, z))  # type: ignore[union-attr]


class ScaledSorf:
    """``ek.Learner("sorf")``: rows as they come, with scaler and width inside.

    The scaler is that of the type of weights: of 40 bytes an input for float64, else of 9.
    """

    def __init__(self, n_features: int, D: int, **options: Any) -> None:
        self.model = Sorf(n_features, D, 0.5, **options)
        self.following = Following(self.model)
        self.inputs: list[Any] = [
            WideInput() if self.model.real is float else Input(j) for j in range(n_features)
        ]

    def step(self, x: np.ndarray, y: float) -> float:
        """Learn a row; returns what ``Sorf.step`` does."""
        x = np.asarray(x, dtype=float)
        for reading, one in zip(map(float, x), self.inputs, strict=True):
            one.learn(reading, self.model.t + 1)
        z = [one.scaled(reading) for reading, one in zip(map(float, x), self.inputs, strict=True)]
        common = self.following.common
        values = common.values | set(map(float, x))
        two = common.two and len(values) <= 2
        deviates = [one.sd > 0.0 for one in self.inputs]
        if two:
            deviates = [len(values) > 1] * len(z)
        alarms = self.model.alarms
        answer = self.following.step(
            x, np.array(z), y, deviates=np.array(deviates), follows=not two
        )
        if self.model.alarms > alarms and self.model.alarm_log[-1][1] == "scaler":
            for one in self.inputs:
                one.limit_age(100)
        return answer
