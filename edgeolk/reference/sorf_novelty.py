"""Novelty on structured features: of single rows, and over time (N of the specification).

The first is the mean feature of all rows, and a quantile of the score: kernel mean embedding of
Smola, Gretton, Song, Scholkopf, ALT 2007; quantile tracking by stochastic gradient.

Features, their mean and the novelty of single rows are in the arithmetic of sorf_arithmetic.py.

Novelty over time follows the specification line by line. All else of it is float64; with weights of
int8 and float32, state is rounded to float32 whenever it is written. Details not in the
specification: the inputs of the features have that type too, and are already multiplied by g; a
variance does not fall below 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from edgeolk.reference.base import Pcg32, require
from edgeolk.reference.sorf import ROUNDING_STREAM, Features, Weights


class MeanFeature:
    """The mean feature of all rows, in stored numbers."""

    def __init__(self, phi: Features, seed: int, dtype: str) -> None:
        self.phi = phi
        self.of, self.real = phi.of, phi.real
        self.kappa = self.real(127.0 if dtype == "int8" else 1.0)
        self.rounding = Pcg32(seed, ROUNDING_STREAM)
        self.a = Weights(phi.D, 1, dtype, self.rounding)

    def similarity(self, phi: np.ndarray) -> Any:
        return self.of.similarity(phi, self.a.v, self.kappa * self.real(self.phi.D))

    def average(self, phi: np.ndarray, t: int, n: float) -> None:
        """Update the blocks that are due in row t towards its features, by 1 / n."""
        for _, k in self.phi.due(t):
            gap = self.kappa * phi[k] - self.a.v[k, 0].astype(self.real)
            self.a.add(k, [0], self.of.over(gap, self.real(n))[:, None, :])


class SorfNovelty(MeanFeature):
    """Rows without labels; a negative `decision` means novel."""

    def __init__(
        self,
        n_features: int,
        D: int,
        gamma: float,
        *,
        groups: Sequence[Sequence[float]] = ((0.3, 1.0, 3.0),),
        seed: int = 0,
        dtype: str = "float64",
        nu: float = 0.05,
        window: int = 4096,
    ) -> None:
        require(0.0 < nu < 1.0 and window >= 8, "0 < nu < 1 and window >= 8 are required")
        super().__init__(Features(n_features, D, gamma, groups, seed, dtype), seed, dtype)
        self.nu, self.window = self.real(nu), self.real(window)
        self.rho = self.m = self.real(0.0)
        self.t = self.mistakes = 0

    def decision(self, x: np.ndarray) -> float:
        return float(self.similarity(self.phi(np.asarray(x, dtype=self.real))) - self.rho)

    def predict(self, x: np.ndarray) -> int:
        return -1 if self.decision(x) < 0.0 else 1

    def step(self, x: np.ndarray) -> float:
        real = self.real
        phi = self.phi(np.asarray(x, dtype=real))
        f = self.similarity(phi)
        novel = bool(f < self.rho)
        returned = f - self.rho
        self.mistakes += novel
        self.m = self.m + (abs(f) - self.m) / real(min(self.t + 1, 1000))
        g = self.m * max(real(0.02), min(real(1.0), real(10.0) / real(self.t + 1)))
        rho = self.rho + (-g * (real(1.0) - self.nu) if novel else g * self.nu)
        self.rho = max(real(0.0), rho)
        self.average(phi, self.t, min(self.t // 8 + 1, self.window / real(8.0)))
        self.t += 1
        return float(returned)


H, CLIP, WARM, FIRST, OFF, HOLD = 64, 6.0, 100, 110, 2.0, 64
CHANCE, CLOSED = 2.0, 3.0
STILL_OFF = 3.0
PARTS = ("pattern", "level", "channel")
WHATS = ("value", "roughness", "mean", "flat")


def clip(v: float) -> float:
    return max(-CLIP, min(CLIP, v))


class Channel:
    """The state of one channel."""

    real: type

    def __init__(self, real: type) -> None:
        object.__setattr__(self, "real", real)
        self.n = self.run = 0
        self.mu = self.v = self.last = self.c = self.e = self.lm = self.lv = 0.0
        self.m = self.mv = self.q = self.rm = self.rv = 0.0

    def __setattr__(self, name: str, value: float) -> None:
        kept = value if name in ("n", "run") else float(self.real(value))
        object.__setattr__(self, name, kept)

    def to(self, name: str, value: float, k: float) -> None:
        held = getattr(self, name)
        setattr(self, name, held + (value - held) / k)

    def stat(self, mean: str, variance: str, value: float, k: float) -> None:
        gap = value - getattr(self, mean)
        setattr(self, mean, getattr(self, mean) + gap / k)
        held = getattr(self, variance)
        # A mean that is rounded when it is written may overshoot the value.
        setattr(self, variance, max(0.0, held + (gap * (value - getattr(self, mean)) - held) / k))

    def gate(self, window: int, robust: bool) -> float:
        if self.n == 0:
            return 0.0
        chance = CHANCE / math.sqrt(min(self.n, window)) if robust else 0.0
        return max(0.0, min(1.0, (self.c - 0.1 - chance) / 0.2))


class InTime(MeanFeature):
    """`step` returns tau - u: negative means novel."""

    def __init__(
        self,
        n_features: int,
        D: int = 256,
        *,
        widths: tuple[float, ...] = (0.3, 1.0, 3.0),
        seed: int = 0,
        dtype: str = "float64",
        nu: float = 0.02,
        window: int = 4096,
        robust: bool = False,
    ) -> None:
        require(0.0 < nu < 1.0 and 8 <= window <= 65535, "0 < nu < 1, 8 <= window <= 65535")
        super().__init__(Features(3 * n_features, D, 0.5, (widths,), seed, dtype), seed, dtype)
        self.d, self.W, self.nu = n_features, window, nu
        self.robust = robust
        self.channels = [Channel(self.real) for _ in range(n_features)]
        self.of_scores = Channel(self.real)  # S_0, V_0 as mu, v; S_1, V_1 as lm, lv
        self.g, self.tau = 0.0, 4.0
        self.t = self.alarms = self.mistakes = 0
        self.quiet = 65
        self.novel = False
        self.why = ("pattern", 0, "value")
        self.u = 0.0
        self.restarted = False  # no row precedes the next one
        self.event_rows = 0
        self.held: tuple[str, int, float, float] | None = None  # must end before the event

    def accept(self) -> None:
        for ch in self.channels:
            ch.mu = ch.mu + ch.m * math.sqrt(ch.v)
            ch.m = ch.q = 0.0
            ch.e = 0.0 if ch.run > 0 else ch.e
            ch.lm, ch.rm = math.log(ch.e + 1e-6), math.log(1.0 + ch.run)
        self.quiet, self.held, self.event_rows = HOLD + 1, None, 0

    def restart(self) -> None:
        for ch in self.channels:
            ch.run = 0
        self.quiet, self.held, self.event_rows, self.restarted = HOLD + 1, None, 0, True

    def persists(self, x: np.ndarray) -> bool:
        """Whether the fault that started the event persists."""
        if self.held is None or self.event_rows >= self.W / 4:
            return False
        what, j, mean, deviation = self.held
        if what == "flat":
            return self.channels[j].run > 0
        reading = float(self.real(x[j]))
        present = math.isfinite(reading) and abs(reading) <= 1e15
        return bool(present and abs(reading - mean) > STILL_OFF * deviation)

    def take(self, at: int, what: int, most: float, mean: float, variance: float) -> None:
        """Record the anomaly that must end before the event does."""
        self.held = None
        if WHATS[what] == "flat":
            self.held = ("flat", at, 0.0, 0.0)
        elif WHATS[what] != "roughness" and most > 0.0:
            deviation = float(self.real(math.sqrt(variance)))
            self.held = ("value", at, float(self.real(mean)), deviation)

    @property
    def event(self) -> bool:
        return self.quiet <= HOLD

    def channel(self, ch: Channel, x: float) -> tuple[list[float], list[float], float, float]:
        """A 1 to 8: the three inputs, the four b, y, G."""
        gate = ch.gate(self.W, self.robust)
        if not math.isfinite(x) or abs(x) > 1e15:
            ch.run = min(ch.run + 1, 65535)
            s, b, y = [0.0] * 3, [0.0] * 3, ch.q
        else:
            k, fast = min(ch.n + 1, self.W), min(ch.n + 1, H)
            if self.restarted:
                ch.last = x
            if ch.v > 0.0:
                sd = math.sqrt(ch.v)
                z, p = clip((x - ch.mu) / sd), clip((ch.last - ch.mu) / sd)
            else:
                p = 0.0
                z = 0.0 if ch.n == 0 or x == ch.mu else math.copysign(6.0, x - ch.mu)
            ch.to("c", z * p, k)
            ch.to("e", (z - p) ** 2, fast)
            log_e = math.log(ch.e + 1e-6)
            ch.to("m", z, fast)
            y0 = math.log(1.0 + z * z)
            ch.to("q", y0, fast)
            y = y0 + gate * (ch.q - y0)
            s = [
                z,
                gate * clip((log_e - ch.lm) / math.sqrt(ch.lv)) if ch.lv else 0.0,
                gate * clip(ch.m / math.sqrt(ch.mv)) if ch.mv else 0.0,
            ]
            b = [abs(part) for part in s]
            repeats = ch.n > 0 and x == ch.last and not self.restarted
            ch.run = min(ch.run + 1, 65535) if repeats else 0
            held = x
            if ch.v > 0.0 and ch.n >= 10:
                most = CLOSED + (CLIP - CLOSED) * gate if self.robust else CLIP
                far = most * math.sqrt(ch.v)
                held = max(ch.mu - far, min(ch.mu + far, x))
            ch.stat("mu", "v", held, k)
            ch.stat("lm", "lv", log_e, k)
            ch.to("mv", ch.m * ch.m, k)
            ch.last = x
            ch.n = min(ch.n + 1, 65535)
        log_run = math.log(1.0 + ch.run)
        flat = (log_run - ch.rm) / max(math.sqrt(ch.rv), 0.5)
        ch.stat("rm", "rv", log_run, min(self.t + 1, self.W))
        return s, [*b, flat], y, gate

    def see(self, x: np.ndarray) -> tuple[np.ndarray, float, int, int, float, float, bool]:
        """A: s, B with its channel and what, Y, T, whether a reading is there."""
        x = np.asarray(x, dtype=float).astype(self.real).astype(float)
        s, levels, gates = [], [], []
        most, at, what = 0.0, 0, 0
        for j, ch in enumerate(self.channels):
            inputs, b, y, gate = self.channel(ch, float(x[j]))
            s += inputs
            levels.append(y)
            gates.append(gate)
            for i in range(4):
                if b[i] > most:
                    most, at, what = b[i], j, i
        present = bool(np.any(np.isfinite(x) & (np.abs(x) <= 1e15)))
        return np.array(s), most, at, what, sum(levels) / self.d, max(gates), present

    def step(self, x: np.ndarray) -> float:
        before = [(ch.mu, ch.v) for ch in self.channels]
        with np.errstate(over="ignore"):
            s, most, at, what, level, trust, present = self.see(x)
        returned, novel, self.u = 0.0, False, 0.0
        self.why = ("pattern", at, WHATS[what])
        if self.t < WARM:
            moved = [ch for ch in self.channels if ch.v > 0.0]
            if self.t == WARM - 1:
                spread = sum(1.0 + 2.0 * ch.gate(self.W, self.robust) ** 2 for ch in moved)
                self.g = float(self.real(1.0 / math.sqrt(max(1e-6, spread))))
            advance = not (self.t == 1 and not moved)
        else:
            returned, novel = self.judge(s, most, at, what, level, trust, present)
            advance = True
        self.novel = novel
        self.restarted = False
        with np.errstate(over="ignore"):
            persists = self.persists(x)
        starts = novel and self.quiet > HOLD
        self.alarms += starts
        self.mistakes += novel
        self.quiet = 0 if novel or persists else min(self.quiet + 1, 65535)
        if novel and not persists:
            self.take(at, what, most, *before[at])
        self.event_rows = 0 if starts else min(self.event_rows + 1, 65535)
        if self.quiet > HOLD:
            self.held, self.event_rows = None, 0
        self.t += advance
        return returned

    def judge(
        self,
        s: np.ndarray,
        most: float,
        at: int,
        what: int,
        level: float,
        trust: float,
        present: bool,
    ) -> tuple[float, bool]:
        """C and D."""
        r, of = self.t - WARM, self.of_scores
        returned, novel = 0.0, False
        rare = 0.0
        if present:
            phi = self.phi((self.g * s).astype(self.real))
            rare = -math.log(max(float(self.similarity(phi)), 0.0) + 0.02)
        if r >= FIRST - WARM:
            u = [0.0, 0.0, most - OFF]
            if present:
                u[0] = (rare - of.mu) / math.sqrt(of.v) if of.v else 0.0
                u[1] = (level - of.lm) / math.sqrt(of.lv) if of.lv else 0.0
            self.u = u[0] + trust * max(0.0, max(u[1], u[2]) - u[0])
            novel = self.u > self.tau
            returned = self.tau - self.u
            eta = max(0.002, 10.0 / (r + 1))
            tau = max(0.5, self.tau + (eta * (1.0 - self.nu) if novel else -eta * self.nu))
            self.tau = float(self.real(tau))
            part = int(np.argmax(u)) if trust > 0.0 else 0
            self.why = (PARTS[part], at, WHATS[what])
        if present:
            k = min(r + 1, self.W)
            for value, mean, variance in ((rare, "mu", "v"), (level, "lm", "lv")):
                centre, spread = getattr(of, mean), getattr(of, variance)
                if r >= 100 and spread > 0.0:
                    far = 6.0 * math.sqrt(spread)
                    value = max(centre - far, min(centre + far, value))
                of.stat(mean, variance, value, k)
            self.average(phi, r, min(r // 8 + 1, self.W / 8))
        return returned, novel
