"""Which peer is not beaten, in what and why: sentences from the numbers of a run only."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.peers.models import BULK

#: Points of accuracy, and share of memory or import time, below which two count as equal.
POINTS = 0.5
SHARE = 0.05


def figure(value: float) -> str:
    """Three digits that count, never an exponent."""
    return f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"


@dataclass(frozen=True)
class Entry:
    """What one case came to."""

    data: str
    library: str
    title: str
    kind: str
    size: int | None
    mode: str
    rows: int
    accuracy: float
    us: float
    mb: float

    @property
    def name(self) -> str:
        """Title and size."""
        return f"{self.title} {self.size}" if self.size else self.title


@dataclass(frozen=True)
class Rival:
    """A case of ours, its accuracy over the rows a peer got through."""

    entry: Entry
    accuracy: float

    def words(self) -> str:
        """Name and figures."""
        return f"{self.entry.name} ({self.accuracy:.2f} %, {figure(self.entry.us)} us)"


@dataclass(frozen=True)
class Comparison:
    """A peer, our counterpart, and all of ours in the same mode on the same data."""

    peer: Entry
    ours: Rival
    ratio: float  # time a row, theirs to ours
    rivals: Sequence[Rival]

    def unbeaten(self) -> list[str]:
        """In what the counterpart does not beat the peer: time, accuracy."""
        lost = ["time"] if self.ratio < 1.0 else []
        if self.peer.accuracy > self.ours.accuracy + POINTS:
            lost.append("accuracy")
        return lost

    def best(self) -> Rival | None:
        """The most accurate of ours that is as fast and as accurate as the peer."""
        found = [r for r in self.as_accurate() if r.entry.us <= self.peer.us]
        return max(found, key=lambda r: r.accuracy, default=None)

    def as_accurate(self) -> list[Rival]:
        """Those of ours that are at least as accurate."""
        return [r for r in self.rivals if r.accuracy >= self.peer.accuracy]

    def as_fast(self) -> list[Rival]:
        """Those of ours that are at least as fast."""
        return [r for r in self.rivals if r.entry.us <= self.peer.us]


def _why(comparison: Comparison, lost: Sequence[str]) -> str:
    peer, ours = comparison.peer, comparison.ours.entry
    reasons = []
    if "time" in lost and peer.kind == "linear":
        reasons.append(f"a linear model meets a row once, {ours.name} once a support vector")
    elif "time" in lost and peer.mode == BULK and peer.kind in ("fourier", "nystrom"):
        reasons.append("the features of 1,000 rows at a time are one matrix product")
    if "accuracy" in lost and peer.kind in ("linear", "additive"):
        top = max(comparison.rivals, key=lambda r: r.accuracy)
        gap = top.accuracy - peer.accuracy
        how = "even" if gap < 0 else "only"
        bend = "" if peer.kind == "linear" else "each reading is bent by itself, and "
        reasons.append(
            f"{bend}these rows ask for little more: {how} the best of ours, {top.words()},"
            f" is {abs(gap):.2f} points {'behind' if gap < 0 else 'ahead'}"
        )
    elif "accuracy" in lost and peer.kind == "recursive":
        reasons.append(
            f"recursive least squares, a step over {peer.size} x {peer.size} numbers:"
            f" {figure(comparison.ratio)} times our time"
        )
    elif "accuracy" in lost and peer.kind == "unbounded":
        reasons.append("it keeps every support vector it finds, in memory that grows")
    elif "accuracy" in lost and peer.kind == ours.kind:
        reasons.append(f"the same kind of model ({peer.kind}) with another rule for its step")
    return "; ".join(reasons) or "the run does not tell why"


def _instead(comparison: Comparison) -> str:
    best = comparison.best()
    if best is not None:
        return f"Of ours {best.words()} beats it in both."
    words = "None of ours in this mode is both as fast and as accurate"
    near = []
    if accurate := comparison.as_accurate():
        near.append(f"as accurate: {min(accurate, key=lambda r: r.entry.us).words()}")
    if fast := comparison.as_fast():
        near.append(f"as fast: {max(fast, key=lambda r: r.accuracy).words()}")
    return f"{words} ({'; '.join(near)})." if near else f"{words}."


def sentence(comparison: Comparison) -> str | None:
    """On a peer that its counterpart does not beat; None if it does."""
    lost = comparison.unbeaten()
    if not lost:
        return None
    peer, ours = comparison.peer, comparison.ours
    figures = {
        "time": f"time ({figure(peer.us)} us a row against {figure(ours.entry.us)})",
        "accuracy": f"accuracy ({peer.accuracy:.2f} % against {ours.accuracy:.2f} %)",
    }
    what = " and ".join(figures[name] for name in lost)
    return (
        f"{peer.data}, {peer.mode}: {peer.name} is not beaten by {ours.entry.name} in {what}:"
        f" {_why(comparison, lost)}. {_instead(comparison)}"
    )


def summary(comparisons: Sequence[Comparison]) -> str:
    """How many comparisons went which way."""
    n = len(comparisons)
    faster = sum(c.ratio >= 1.0 for c in comparisons)
    level = sum(c.peer.accuracy <= c.ours.accuracy + POINTS for c in comparisons)
    both = sum(c.best() is not None for c in comparisons)
    middle = statistics.median(c.ratio for c in comparisons)
    return (
        f"Of {n} comparisons with the counterpart ours is the faster in {faster} (median ratio"
        f" {figure(middle)}) and as accurate, to half a point, in {level}. In {both} there is one"
        " of ours, of whatever kind, that is both as fast and as accurate as the peer."
    )


def _span(values: Iterable[float]) -> str:
    listed = list(values)
    low, high = f"{min(listed):.0f}", f"{max(listed):.0f}"
    return low if low == high else f"{low} to {high}"


def memory(comparisons: Sequence[Comparison]) -> list[str]:
    """On each library whose process is smaller than ours."""
    lines = []
    for library in dict.fromkeys(c.peer.library for c in comparisons):
        own = [c for c in comparisons if c.peer.library == library]
        less = [c for c in own if c.peer.mb < (1.0 - SHARE) * c.ours.entry.mb]
        if less:
            why = (
                "its process is a C++ program, without Python and numpy"
                if library == "dlib"
                else "it imports less"
            )
            lines.append(
                f"Memory: {library} is not beaten in {len(less)} of {len(own)} comparisons,"
                f" {_span(c.peer.mb for c in less)} MB against"
                f" {_span(c.ours.entry.mb for c in less)}: {why}."
            )
    return lines


def imports(milliseconds: dict[str, float]) -> list[str]:
    """On each library that is imported in less time."""
    ours = milliseconds["edgeolk"]
    return [
        f"Import: {library} is not beaten, {ms:.0f} ms against {ours:.0f}."
        for library, ms in milliseconds.items()
        if library not in ("edgeolk", "dlib") and ms < (1.0 - SHARE) * ours
    ]


def compare(
    peer: Entry,
    counterpart: Entry,
    ratio: float,
    ours: Iterable[Entry],
    accuracy: Callable[[Entry, int], float],
) -> Comparison:
    """Hold a peer against its counterpart; ``accuracy(entry, rows)`` is that of the first rows."""
    rivals = [
        Rival(entry, accuracy(entry, peer.rows))
        for entry in ours
        if (entry.data, entry.mode) == (peer.data, peer.mode)
    ]
    return Comparison(peer, Rival(counterpart, accuracy(counterpart, peer.rows)), ratio, rivals)
