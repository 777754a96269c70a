"""A description of a chart, which the page draws in SVG and the picture with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# Colours that colour-blind readers can distinguish (Okabe and Ito), also in grey.
LEARNER, FIRST, SECOND = "#0072b2", "#8c8c8c", "#d55e00"  # the learner and its baselines
BUFFER, SCALER, FREE, WARN = "#e69f00", "#009e73", "#e4e7eb", "#b00020"
TEXT = "#222b36"


class Mark(NamedTuple):
    """A line; an area, if it has ``low``; or a vertical band, if it has no ``y``."""

    name: str  # in the legend, once for all marks of the same name; empty: not in the legend
    colour: str
    x: Any
    y: Any = None
    low: Any = None
    width: float = 2.4
    dash: tuple[float, ...] = ()
    alpha: float = 1.0
    dots: bool = False  # whether its points are marked
    tooltip: str = ""  # of a band

    @property
    def depth(self) -> int:
        """0 for a band, 1 for an area, 2 for a line; higher ones are in front."""
        return 0 if self.y is None else 1 if self.low is not None else 2


@dataclass(frozen=True)
class Chart:
    """Marks on two axes."""

    title: str
    marks: Sequence[Mark]  # the first ones are in front
    x_range: tuple[float, float]  # limits; values beyond them are clipped
    y_range: tuple[float, float]
    x_label: str = "row of the stream"  # axis labels
    y_label: str = ""
    logarithmic: bool = False  # the vertical axis
    percent: bool = False
    x_ticks: Sequence[tuple[float, str]] = ()  # replaces the ticks at round numbers of rows

    @property
    def back_to_front(self) -> list[Mark]:
        """The marks from back to front: bands, areas, lines."""
        return sorted(self.marks, key=lambda mark: -mark.depth)[::-1]

    @property
    def legend(self) -> dict[str, Mark]:
        """The first mark of each name."""
        found: dict[str, Mark] = {}
        for mark in self.marks:
            found.setdefault(mark.name, mark)
        return {name: mark for name, mark in found.items() if name}

    def clipped(self, values: Any) -> np.ndarray:
        """Return values clipped to the vertical axis."""
        low, high = self.y_range
        clipped: np.ndarray = np.clip(np.asarray(values, dtype=float), low, high)
        return clipped

    def x_tick_labels(self, max_ticks: int) -> list[tuple[float, str]]:
        """Return the ticks of the horizontal axis with their labels."""
        rows = round_numbers(*self.x_range, max_ticks)
        return list(self.x_ticks) or [(row, f"{row:,.0f}") for row in rows]

    def y_tick_labels(self) -> list[tuple[float, str]]:
        """Return the ticks of the vertical axis with their labels."""
        found = decades(*self.y_range) if self.logarithmic else round_numbers(*self.y_range, 6)
        return [(one, f"{100 * one:g} %" if self.percent else f"{one:g}") for one in found]


def decades(low: float, high: float) -> list[float]:
    """Return round numbers from ``low`` to ``high``, a few per decade."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1.0, 2.0, 5.0) if len(exponents) < 5 else (1.0,)
    found = [step * 10.0**exponent for exponent in exponents for step in steps]
    return [one for one in found if low <= one <= high]


def round_numbers(low: float, high: float, max_ticks: int) -> list[float]:
    """Return multiples of a round number from ``low`` to ``high``, at most ``most`` + 1."""
    raw = (high - low) / max_ticks
    decade = 10.0 ** math.floor(math.log10(raw))
    step = next(n * decade for n in (1, 2, 5, 10) if n * decade >= raw * (1.0 - 1e-12))
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]
