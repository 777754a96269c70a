"""The varied quantities, the algorithms, and the growth of the time: its fit and its limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import edgeolk as ek
from bench.busy import Extent, in_turns, keep_busy
from bench.datasets import Labels, Rows
from bench.timing import Case, Timing, seconds_of


@dataclass(frozen=True)
class Representative:
    """An algorithm that represents its order. ``largest``: the largest budget."""

    name: str
    order: str
    power_of_budget: int
    largest: int
    halves: bool = False
    sparse: bool = True


#: Cheap ones first. Orders are those of a step, what is done now and then spread over the steps.
REPRESENTATIVES = (
    Representative("rbp", "B d", 1, 4096),
    Representative("forgetron", "2 B d", 1, 4096),
    Representative("bpa_s", "B d", 1, 4096),
    Representative("bpa_nn", "B d", 1, 4096),
    Representative("fogd", "B d", 1, 4096, sparse=False),
    Representative("bsgd", "B d + 80 B", 1, 4096),
    Representative("ahpatron", "B d + B^2", 2, 2048, halves=True),
    Representative("projectron", "B d + B^2", 2, 2048),
    Representative("nogd", "B d + B^2 / 5", 2, 1024),
    Representative("forgetron_greedy", "3 B d", 1, 4096),
)


@dataclass(frozen=True)
class Axis:
    """One quantity that is varied, the others fixed; ``budget`` or ``d`` is 0 where varied."""

    key: str
    symbol: str
    title: str
    sizes: tuple[int, ...]
    budget: int = 0
    d: int = 0
    sparse: bool = False

    def power(self, one: Representative) -> int:
        """The exponent it is to grow with at most."""
        return one.power_of_budget if self.key.startswith("budget") else 1

    def sizes_of(self, one: Representative) -> tuple[int, ...]:
        """The sizes tried for an algorithm."""
        if self.sparse and not one.sparse:
            return ()
        if self.key.startswith("budget"):
            return tuple(size for size in self.sizes if size <= one.largest)
        return self.sizes


def powers(first: int, last: int) -> tuple[int, ...]:
    """Powers of two from 2^first to 2^last."""
    return tuple(2**k for k in range(first, last + 1))


def step_axes(quick: bool) -> list[Axis]:
    """Axes along which one step is timed."""
    less = 3 if quick else 0
    budgets = powers(5, 12 - less)
    axes = [
        Axis(f"budget-{d}", "B", f"Budget, d = {d}", budgets, d=d)
        for d in ((16,) if quick else (16, 123))
    ]
    axes.append(Axis("features", "d", "Features, B = 256", powers(2, 10 - less), budget=256))
    title = "Non-zeros a row, sparse=True, d = 1024, B = 256"
    axes.append(Axis("nonzeros", "non-zeros", title, powers(2, 8 - less), 256, 1024, True))
    return axes


def rows_axis(quick: bool) -> Axis:
    """The axis of whole passes."""
    sizes = tuple(round(10 ** (k / 2)) for k in range(6, 9 if quick else 13))
    return Axis("rows", "rows", "Rows, B = 100, d = 16", sizes, budget=100, d=16)


def step_case(axis: Axis, one: Representative, size: int) -> Case:
    """A step of a full, contradicted learner."""
    budget, d = axis.budget or size, axis.d or size
    # Four halvings, and no end in the middle of one.
    least = 2 * budget if one.halves else 1
    extent = Extent(least, 20_000, 0.01, 60.0)
    busy = keep_busy(one.name, d, budget, extent, size if axis.sparse else None)
    return Case(f"{axis.key}-{one.name}-{size}", one.name, len(busy), in_turns(busy.step_seconds))


def _pass(one: Representative, axis: Axis, X: Rows, y: Labels) -> float:
    kernel = ek.Gaussian(1.0 / axis.d)
    learner = ek.Learner(one.name, n_features=axis.d, budget=axis.budget, kernel=kernel, scale=None)
    scores = np.zeros(len(y))
    return seconds_of(lambda: learner.learn_many(X, y, out=scores))


def row_cases(axis: Axis, one: Representative, most_seconds: float) -> list[Case]:
    """Passes over more and more rows with labels by chance, from an empty learner."""
    rng = np.random.default_rng(12)
    n = axis.sizes[-1]
    X = rng.standard_normal((n, axis.d), dtype=np.float32)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    cases = []
    for size in axis.sizes:
        run = partial(_pass, one, axis, X[:size], y[:size])
        cases.append(Case(f"{axis.key}-{one.name}-{size}", one.name, size, run))
        # The next pass takes three times as long. Two points make no law.
        if 3.2 * run() > most_seconds and len(cases) >= 3:
            break
    return cases


@dataclass(frozen=True)
class Curve:
    """One algorithm along one axis; ``cost`` is seconds of a step, or of a pass over the rows."""

    axis: Axis
    one: Representative
    sizes: tuple[int, ...]
    cost: list[float]

    @property
    def fitted(self) -> float:
        return upper_exponent(self.sizes, self.cost)

    @property
    def expected(self) -> int:
        return self.axis.power(self.one)


def curves(axis: Axis, timings: dict[str, Timing]) -> list[Curve]:
    """The curves of an axis that has been timed."""
    found = []
    for one in REPRESENTATIVES:
        names = {size: f"{axis.key}-{one.name}-{size}" for size in axis.sizes}
        timed = {size: timings[name] for size, name in names.items() if name in timings}
        if timed:
            whole = axis.key == "rows"
            cost = [t.median if whole else t.median / t.rows for t in timed.values()]
            found.append(Curve(axis, one, tuple(timed), cost))
    return found


def upper_half(sizes: Sequence[float]) -> int:
    """Index of the first point that is fitted: small sizes show constants, not the law.

    Never fewer than three points, where there are three.
    """
    return max(0, min(len(sizes) // 2, len(sizes) - 3))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope of log time against log size by least squares."""
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(slope)


def upper_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The exponent over the upper half of the sizes."""
    start = upper_half(sizes)
    return exponent(sizes[start:], seconds[start:])
