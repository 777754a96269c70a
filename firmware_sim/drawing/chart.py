"""A chart before it is drawn: the page draws it in SVG, the picture with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# Colours that stay apart for the colour-blind (Okabe and Ito) and in grey.
LEARNER, FIRST, SECOND = "#0072b2", "#8c8c8c", "#d55e00"  # the learner and its baselines
BUFFER, SCALER, FREE, WARN = "#e69f00", "#009e73", "#e4e7eb", "#b00020"
TEXT = "#222b36"


class Mark(NamedTuple):
    """A line; an area, which has a lower edge; or a band of all heights, which has no ``y``."""

    name: str  # in the legend, once for all marks that share it; empty for none
    colour: str
    x: Any
    y: Any = None
    low: Any = None
    width: float = 2.4
    dash: tuple[float, ...] = ()
    alpha: float = 1.0
    dots: bool = False  # whether its points are marked
    said: str = ""  # what a band is, in words

    @property
    def depth(self) -> int:
        """0 of a band, 1 of an area, 2 of a line: what is drawn later is in front."""
        return 0 if self.y is None else 1 if self.low is not None else 2


@dataclass(frozen=True)
class Chart:
    """Marks on two scales."""

    title: str
    marks: Sequence[Mark]  # the first lie in front
    across: tuple[float, float]  # the numbers at the edges; what is beyond lies on the edge
    up: tuple[float, float]
    along: str = "row of the stream"  # what is below, and on the left
    upward: str = ""
    logarithmic: bool = False  # whether the vertical scale is
    percent: bool = False
    named: Sequence[tuple[float, str]] = ()  # marks of the horizontal scale other than rows

    @property
    def ordered(self) -> list[Mark]:
        """The marks from back to front: bands, areas, lines."""
        return sorted(self.marks, key=lambda mark: -mark.depth)[::-1]

    @property
    def legend(self) -> dict[str, Mark]:
        """The first mark of each name."""
        found: dict[str, Mark] = {}
        for mark in self.marks:
            found.setdefault(mark.name, mark)
        return {name: mark for name, mark in found.items() if name}

    def held(self, values: Any) -> np.ndarray:
        """Return numbers of the vertical scale that are not beyond its edges."""
        low, high = self.up
        held: np.ndarray = np.clip(np.asarray(values, dtype=float), low, high)
        return held

    def columns(self, most: int) -> list[tuple[float, str]]:
        """Return where the horizontal scale is marked, and with what."""
        rows = round_numbers(*self.across, most)
        return list(self.named) or [(row, f"{row:,.0f}") for row in rows]

    def levels(self) -> list[tuple[float, str]]:
        """Return where the vertical scale is marked, and with what."""
        found = decades(*self.up) if self.logarithmic else round_numbers(*self.up, 6)
        return [(one, f"{100 * one:g} %" if self.percent else f"{one:g}") for one in found]


def decades(low: float, high: float) -> list[float]:
    """Return round numbers between two, a few to a decade."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1.0, 2.0, 5.0) if len(exponents) < 5 else (1.0,)
    found = [step * 10.0**exponent for exponent in exponents for step in steps]
    return [one for one in found if low <= one <= high]


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Return multiples of a round number from ``low`` to ``high``, at most ``most`` + 1."""
    raw = (high - low) / most
    decade = 10.0 ** math.floor(math.log10(raw))
    step = next(n * decade for n in (1, 2, 5, 10) if n * decade >= raw * (1.0 - 1e-12))
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]
