"""Anomalies of a stream (V of the specification), for rows in time order.

Five parts (value, change, season, flat, pattern) are each judged by the two largest peaks they have
shown so far, and joined by a 4-norm. A level state says how long an abnormal stretch lasts and
stops the learning in it. The score u of N orders the rows below the threshold.

Features and their mean are in the arithmetic of sorf_arithmetic.py, all else is in float64. With
``state="float32"``, state is rounded to float32 whenever it is written. Details not in the
specification: the inputs of the features have the type of the state too, and are already
multiplied by g; so has what a tail is given (a change, the logarithm of a run); a variance does
not fall below 0. And one mend of it: a channel begins again after a wild one of its first readings.
`WatchReference.accept` and `WatchReference.restart` are those of docs/novelty.md, section 4.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from edgeolk.reference.base import require
from edgeolk.reference.sorf_features import Features
from edgeolk.reference.sorf_novelty import MeanFeature

THETA = 3.8
W, H, H_FAST, H_SEASON, W_TAIL = 16384, 64, 16, 8, 4096
FIRST_VERDICT, WARM, FIRST = 200, 100, 10
CAP, CLUSTER, PHI, PHI_SD = 4.0, 64, 0.5, 0.4
LEVEL, STAY, FREEZE, HOLD = 2.8, 0.7, 300, 64
CLIP, OFF, MISSING, MANY, NU = 6.0, 2.0, 1e15, 65535, 0.02
#: Readings after which a channel may begin again; deviations of a wild one; the mean log run of a
#: flat line.
TRUSTED, WILD, FLAT_RUN = 10, 50.0, 0.6
PARTS = ("value", "change", "season", "flat", "pattern")
WHATS = ("value", "roughness", "mean", "flat")

Round = Callable[[float], float]


def clip(v: float, most: float = CLIP) -> float:
    return max(-most, min(most, v))


def near(v: float, center: float, most: float) -> float:
    return max(center - most, min(center + most, v))


class Tail:
    """The two largest peaks so far, and the stretch that is above the smaller one."""

    def __init__(self, real: Round) -> None:
        self.real = real
        self.b0 = self.b1 = -math.inf
        self.pend, self.age = 0.0, 0

    def score(self, x: float, n: int, floor: float) -> float:
        """Minus the logarithm of the probability of x after n readings."""
        x = self.real(x)
        if self.b1 == -math.inf or not x > self.b1:
            return 0.0
        w = max(self.b0 - self.b1, floor)
        if w <= 0.0:
            return 0.0
        return math.log10(n / 2.0) + 2.0 * math.log10(1.0 + (x - self.b1) / (2.0 * w))

    def learn(self, x: float, full: bool, floor: float) -> None:
        x = self.real(x)
        above = x > self.b1
        if above:
            self.pend = x if self.age == 0 else max(self.pend, x)
            self.age += 1
        if self.age > 0 and (not above or self.age == CLUSTER):
            y = self.pend
            if full and self.b1 > -math.inf:
                y = self.real(min(y, self.b0 + CAP * max(self.b0 - self.b1, floor)))
            if y > self.b0:
                self.b0, self.b1 = y, self.b0
            elif y > self.b1:
                self.b1 = y
            self.age = 0

    def accept(self) -> None:
        """The last stretch is normal: it becomes the second peak, and the gap stays."""
        if self.b1 > -math.inf and (self.age > 0 or self.pend > self.b0):
            gap, self.b1 = self.b0 - self.b1, self.pend
            self.b0 = max(self.b0, self.real(self.pend + gap))
        self.age = 0

    def chop(self, floor: float) -> None:
        """A wild reading among the first rows does not blind the tail for good."""
        if self.b1 > -math.inf and floor > 0.0 and self.b0 - self.b1 > 50.0 * floor:
            self.b0 = self.real(self.b1 + 2.5 * floor)


class WatchedChannel:
    """The state of one channel, with that of its season."""

    def __init__(self, real: Round) -> None:
        self.real = real
        self.begin()

    def begin(self) -> None:
        real = self.real
        self.n = self.run = self.nt = 0
        self.x0 = self.mu = self.v = self.last = self.c = self.e = self.lm = self.lv = 0.0
        self.m = self.mv = self.q = self.rm = self.rv = self.f = self.fv = self.dm = 0.0
        self.pe = self.pm = 0.0
        self.B, self.K = [0.0] * 24, [0] * 24
        self.hi, self.lo, self.chg, self.flat = (Tail(real) for _ in range(4))
        self.shi, self.slo = Tail(real), Tail(real)

    def to(self, name: str, value: float, k: float) -> None:
        kept = getattr(self, name)
        setattr(self, name, self.real(kept + (value - kept) / k))

    def stat(self, mean: str, variance: str, value: float, k: float) -> None:
        gap = value - getattr(self, mean)
        center = self.real(getattr(self, mean) + gap / k)
        setattr(self, mean, center)
        kept = getattr(self, variance)
        # A mean that is rounded when it is written may overshoot the value.
        setattr(self, variance, self.real(max(0.0, kept + (gap * (value - center) - kept) / k)))

    @property
    def begins_wildly(self) -> bool:
        """Whether one of the first readings, all of them learned, is far from all others."""
        if not (self.nt == self.n == TRUSTED and self.v > 0.0 and self.rm <= FLAT_RUN):
            return False
        far = max(self.hi.pend - self.mu, self.lo.pend + self.mu)
        return far * far * (1.0 + TRUSTED / (WILD * WILD)) >= (TRUSTED - 1) * self.v

    def begin_again(self) -> None:
        """Forget everything but runs, whose rows are those of the stream."""
        rm, rv = self.rm, self.rv
        self.begin()
        self.rm, self.rv = rm, rv

    def accept(self, clock: bool) -> None:
        self.mu = self.real(self.mu + self.f * math.sqrt(self.v))
        self.f = self.m = self.q = 0.0
        if self.run > 0:
            self.e = 0.0
        self.lm = self.real(math.log(self.e + 1e-6))
        self.rm = self.real(math.log(1.0 + self.run))
        for tail in (self.hi, self.lo, self.chg, self.flat):
            tail.accept()
        if clock:
            self.shi.accept()
            self.slo.accept()
            self.pe = 0.0

    @property
    def gate(self) -> float:
        return max(0.0, min(1.0, (self.c - 0.1) / 0.2))


class Votes:
    """The largest score of each part, with its channel."""

    def __init__(self) -> None:
        self.best = [0.0] * len(PARTS)
        self.channel = [0] * len(PARTS)

    def vote(self, part: int, j: int, score: float) -> None:
        if score > self.best[part]:
            self.best[part], self.channel[part] = score, j

    @property
    def joined(self) -> float:
        return float(sum(s**4 for s in self.best) ** 0.25)

    @property
    def part(self) -> int:
        return self.best.index(max(self.best))


@dataclass(frozen=True)
class Seen:
    """What `WatchReference.see` finds in a row, with all channels taken together."""

    s: np.ndarray
    most: float
    at: int
    what: int
    level: float
    trust: float
    loud: float
    loud_at: int
    present: bool
    wild: list[WatchedChannel]


@dataclass(frozen=True)
class Watched:
    """The verdict on a row."""

    score: float
    novel: bool
    alarm: bool
    event: bool
    rare: bool
    part: str
    channel: int
    S: float
    u: float
    best: tuple[float, ...]


class WatchReference:
    """A detector of anomalies; one of ``state``, ``dtype``: float32, int8 is the library's.

    clock: whether `step` may have a time, in seconds since an epoch whose zero is a midnight of
    the place; without one, a row has no season.
    state: type of the state, float64 or float32.
    dtype: type of the weights, int8 or float64.
    """

    def __init__(
        self,
        n_features: int,
        D: int = 256,
        *,
        clock: bool = False,
        seed: int = 0,
        state: str = "float64",
        dtype: str = "float64",
        widths: Sequence[float] = (0.3, 1.0, 3.0),
    ) -> None:
        require(state in ("float32", "float64"), "state is float32 or float64")
        self.d, self.clock = n_features, clock
        self.real: Round = float if state == "float64" else lambda v: float(np.float32(v))
        self.usual = MeanFeature(
            Features(3 * n_features, D, 0.5, (widths,), seed, dtype), seed, dtype
        )
        self.channels = [WatchedChannel(self.real) for _ in range(n_features)]
        self.of_scores = WatchedChannel(self.real)  # S_0, V_0 as mu, v; S_1, V_1 as lm, lv
        self.pat = Tail(self.real)
        self.g = self.fe = self.fm = self.fa = 0.0
        self.tau, self.quiet = 4.0, HOLD + 1
        self.t = self.fn = self.dur = self.alarms = 0
        self.on = self.restarted = False

    def accept(self) -> None:
        """What was unusual is normal from now on."""
        for ch in self.channels:
            ch.accept(self.clock)
        self.pat.accept()
        self._end_event()

    def restart(self) -> None:
        """A long stop: the next row has no predecessor."""
        for ch in self.channels:
            ch.run = 0
        self._end_event()
        self.restarted = True

    def _end_event(self) -> None:
        self.quiet, self.on, self.dur = HOLD + 1, False, 0

    def predict(self, x: np.ndarray, time: float | None = None) -> Watched:
        """The verdict on a row that is not learned."""
        return copy.deepcopy(self).step(x, time)

    def step(self, x: np.ndarray, time: float | None = None) -> Watched:
        votes = Votes()
        frozen = self.on and self.dur <= FREEZE
        seen = self.see(np.asarray(x, dtype=float), time, frozen, votes)
        u, rare, why = 0.0, False, ("pattern", seen.at)
        advance = True
        if self.t < WARM:
            moved = [ch for ch in self.channels if ch.v > 0.0]
            advance = not (self.t == 1 and not moved)
            if self.t == WARM - 1:
                spread = sum(1.0 + 2.0 * ch.gate**2 for ch in moved)
                self.g = self.real(1.0 / math.sqrt(max(1e-6, spread)))
        else:
            u, why = self.judge(seen, frozen, votes)
            if self.t - WARM >= FIRST:
                rare = self.is_rare(u)
        verdict = self.verdict(seen, votes, u, rare, why)
        for ch in seen.wild:
            ch.begin_again()
        self.t += advance
        self.restarted = False
        return verdict

    def see(self, x: np.ndarray, time: float | None, frozen: bool, votes: Votes) -> Seen:
        """A."""
        s: list[float] = []
        levels, gates, louds = [], [], []
        most, at, what = 0.0, 0, 0
        wild = []
        present = False
        for j, ch in enumerate(self.channels):
            gate = ch.gate
            nn = min(ch.nt, W_TAIL)
            reading, loud, before = float(x[j]), 0.0, ch.nt
            if not math.isfinite(reading) or abs(reading) > MISSING:
                ch.run = min(ch.run + 1, MANY)
                inputs, y = [0.0] * 3, ch.q
            else:
                present = True
                inputs, y, loud = self.reading(ch, j, reading, gate, time, frozen, votes)
            log_run = math.log(1.0 + ch.run)
            b = [abs(part) for part in inputs]
            b.append((log_run - ch.rm) / max(math.sqrt(ch.rv), 0.5))
            if ch.v > 0.0:
                floor, full = PHI_SD * math.sqrt(ch.rv), ch.nt >= FIRST_VERDICT
                if full:
                    votes.vote(3, j, ch.flat.score(log_run, nn, floor))
                ch.flat.learn(log_run, full, floor)
            ch.stat("rm", "rv", log_run, min(self.t + 1, W))
            if ch.nt > before and ch.begins_wildly:
                wild.append(ch)
            s += inputs
            levels.append(y)
            gates.append(gate)
            louds.append(loud)
            for i in range(4):
                if b[i] > most:
                    most, at, what = b[i], j, i
        loudest = max(0.0, *louds)
        return Seen(
            np.array(s), most, at, what, sum(levels) / self.d, max(gates), loudest,
            louds.index(loudest) if loudest > 0.0 else 0, present, wild,
        )  # fmt: skip

    def reading(
        self,
        ch: WatchedChannel,
        j: int,
        x: float,
        gate: float,
        time: float | None,
        frozen: bool,
        votes: Votes,
    ) -> tuple[list[float], float, float]:
        """A.1 to A.7 of a reading that is there: the three inputs, y, L."""
        if ch.nt == 0:
            ch.x0 = self.real(x)
        x = self.real(x - ch.x0)
        ok, nn = ch.nt >= FIRST_VERDICT, min(ch.nt, W_TAIL)
        k, fast = min(ch.n + 1, W), min(ch.n + 1, H)
        sd = math.sqrt(ch.v)
        if self.restarted:
            ch.last = x
        if ch.v > 0.0:
            z, p = clip((x - ch.mu) / sd), clip((ch.last - ch.mu) / sd)
        else:
            p = 0.0
            z = 0.0 if ch.n == 0 or x == ch.mu else math.copysign(CLIP, x - ch.mu)
        ch.to("c", z * p, k)
        ch.to("e", (z - p) ** 2, fast)
        log_e = math.log(ch.e + 1e-6)
        ch.to("m", z, fast)
        ch.to("f", z, min(ch.n + 1, H_FAST))
        loud = gate * abs(ch.f) / math.sqrt(ch.fv) if ch.fv > 0.0 else 0.0
        y0 = math.log(1.0 + z * z)
        ch.to("q", y0, fast)
        y = y0 + gate * (ch.q - y0)
        inputs = [
            z,
            gate * clip((log_e - ch.lm) / math.sqrt(ch.lv)) if ch.lv > 0.0 else 0.0,
            gate * clip(ch.m / math.sqrt(ch.mv)) if ch.mv > 0.0 else 0.0,
        ]
        self.judge_reading(ch, j, x, sd, ok, nn, time, votes)
        ch.nt = min(ch.nt + 1, MANY)
        ch.run = min(ch.run + 1, MANY) if ch.n > 0 and x == ch.last else 0
        if self.restarted:
            ch.run = 0
        if not frozen:
            kept = near(x, ch.mu, CLIP * sd) if ch.v > 0.0 and ch.n >= 10 else x
            ch.stat("mu", "v", kept, k)
            ch.stat("lm", "lv", log_e, k)
            ch.to("mv", ch.m * ch.m, k)
            ch.to("fv", ch.f * ch.f, k)
            ch.n = min(ch.n + 1, MANY)
        ch.last = x
        return inputs, y, loud

    def judge_reading(
        self,
        ch: WatchedChannel,
        j: int,
        x: float,
        sd: float,
        ok: bool,
        nn: int,
        time: float | None,
        votes: Votes,
    ) -> None:
        """A.5: value, change, season."""
        chops = ch.nt + 1 == FIRST_VERDICT
        floor = PHI_SD * sd
        if ok:
            votes.vote(0, j, max(ch.hi.score(x, nn, floor), ch.lo.score(-x, nn, floor)))
        for tail, value in ((ch.hi, x), (ch.lo, -x)):
            tail.learn(value, ok, floor)
            if chops:
                tail.chop(floor)
        if ch.n > 0 and not self.restarted:
            change, floor = abs(x - ch.last), PHI * ch.dm
            if ok:
                votes.vote(1, j, ch.chg.score(change, nn, floor))
            ch.chg.learn(change, ok, floor)
            if chops:
                ch.chg.chop(floor)
            capped = min(change, 8.0 * ch.dm) if ch.nt > 20 and ch.dm > 0.0 else change
            ch.to("dm", capped, max(1, min(ch.nt, W)))
        if not self.clock or time is None or not math.isfinite(time):
            return
        hour = min(23, math.floor(math.fmod(math.fmod(time, 86400.0) + 86400.0, 86400.0) / 3600.0))
        usual = ch.B[hour] * ch.K[hour] / (ch.K[hour] + 4.0)
        residual = x - ch.mu - usual if ch.n > 0 else 0.0
        ch.to("pe", residual, min(ch.nt + 1, H_SEASON))
        floor = PHI * ch.pm
        if ok:
            votes.vote(2, j, max(ch.shi.score(ch.pe, nn, floor), ch.slo.score(-ch.pe, nn, floor)))
        for tail, value in ((ch.shi, ch.pe), (ch.slo, -ch.pe)):
            tail.learn(value, ok, floor)
            if chops:
                tail.chop(floor)
        size = abs(ch.pe)
        capped = min(size, 8.0 * ch.pm) if ch.nt > 20 and ch.pm > 0.0 else size
        ch.to("pm", capped, min(ch.nt + 1, W))
        if ch.n > 0:
            ch.K[hour] = min(ch.K[hour] + 1, 200)
            above = clip(x - ch.mu, 4.0 * sd) if sd > 0.0 else x - ch.mu
            ch.B[hour] = self.real(ch.B[hour] + (above - ch.B[hour]) / ch.K[hour])

    def judge(self, seen: Seen, frozen: bool, votes: Votes) -> tuple[float, tuple[str, int]]:
        """C without `rare`, and D: u, and what it means."""
        r, of = self.t - WARM, self.of_scores
        phi, pattern = np.zeros(0), 0.0
        if seen.present:
            inputs = np.array([self.real(v) for v in self.g * seen.s])
            phi = self.usual.phi(inputs.astype(self.usual.real))
            pattern = -math.log(max(float(self.usual.similarity(phi)), 0.0) + 0.02)
            self.judge_pattern(r, pattern, seen.at, votes)
        u, why = 0.0, ("pattern", seen.at)
        if r >= FIRST:
            parts = [0.0, 0.0, seen.most - OFF]
            if seen.present:
                parts[0] = (pattern - of.mu) / math.sqrt(of.v) if of.v > 0.0 else 0.0
                parts[1] = (seen.level - of.lm) / math.sqrt(of.lv) if of.lv > 0.0 else 0.0
            u = parts[0] + seen.trust * max(0.0, max(parts[1:]) - parts[0])
            largest = parts.index(max(parts)) if seen.trust > 0.0 else 0
            why = (("pattern", "level", WHATS[seen.what])[largest], seen.at)
        if seen.present:
            if not frozen or r < 100:
                for value, mean, variance in ((pattern, "mu", "v"), (seen.level, "lm", "lv")):
                    spread = getattr(of, variance)
                    if r >= 100 and spread > 0.0:
                        value = near(value, getattr(of, mean), CLIP * math.sqrt(spread))
                    of.stat(mean, variance, value, min(r + 1, W))
            self.usual.average(phi, r, min(r // 8 + 1, W / 8))
        return u, why

    def judge_pattern(self, r: int, pattern: float, at: int, votes: Votes) -> None:
        if r >= FIRST:
            self.fe = self.real(self.fe + (pattern - self.fe) / H_SEASON)
            floor, ok = PHI * self.fa, self.fn >= 100
            if ok:
                votes.vote(4, at, self.pat.score(self.fe, min(self.fn + 100, W_TAIL), floor))
            self.pat.learn(self.fe, ok, floor)
        self.fn = min(self.fn + 1, MANY)
        k, y = min(self.fn, W), self.fe
        if self.fn > 20 and self.fa > 0.0:
            y = near(y, self.fm, 8.0 * self.fa)
        self.fm = self.real(self.fm + (y - self.fm) / k)
        self.fa = self.real(self.fa + (abs(y - self.fm) - self.fa) / k)

    def is_rare(self, u: float) -> bool:
        rare = u > self.tau
        eta = max(0.002, 10.0 / (self.t - WARM + 1))
        self.tau = self.real(max(0.5, self.tau + (eta * (1.0 - NU) if rare else -eta * NU)))
        return rare

    def verdict(
        self, seen: Seen, votes: Votes, u: float, rare: bool, why: tuple[str, int]
    ) -> Watched:
        """E."""
        surprise = max(0.0, votes.joined - math.log10(self.d))
        novel = surprise >= THETA
        if self.t >= FIRST_VERDICT:
            self.on = seen.loud > LEVEL * (STAY if self.on else 1.0)
            self.dur = min(self.dur + 1, FREEZE + 1) if self.on else max(self.dur - 1, 0)
        alarm = novel and self.quiet > HOLD
        self.alarms += alarm
        self.quiet = 0 if novel else min(self.quiet + 1, MANY)
        event = self.on or self.quiet <= HOLD
        if novel:
            score = surprise / (surprise + THETA)
            why = (PARTS[votes.part], votes.channel[votes.part])
        else:
            score = 0.5 / (1.0 + math.exp(-clip(u / 4.0, 16.0)))
            if self.on:
                why = ("level", seen.loud_at)
        return Watched(score, novel, alarm, event, rare, *why, surprise, u, tuple(votes.best))
