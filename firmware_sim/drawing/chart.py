"""Charts: their description, and their drawing in SVG.

The page draws a `Chart` in SVG here, without scripts or network access; the picture draws it with
matplotlib (`drawing.pictures`).
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
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
    """Return multiples of a round number from ``low`` to ``high``, at most ``max_ticks`` + 1."""
    raw = (high - low) / max_ticks
    decade = 10.0 ** math.floor(math.log10(raw))
    step = next(n * decade for n in (1, 2, 5, 10) if n * decade >= raw * (1.0 - 1e-12))
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]


class Frame(NamedTuple):
    """The size and margins of a drawing in pixels."""

    width: int
    height: int
    left: int = 64
    right: int = 12
    top: int = 14
    bottom: int = 34

    def drawn(self, label: str, parts: Iterable[str]) -> str:
        """Return the SVG of some elements, with a label for screen readers."""
        box = f'viewBox="0 0 {self.width} {self.height}"'
        head = f'<svg {box} role="img" aria-label="{html.escape(label.lower())}">'
        return "".join([head, *parts, "</svg>"])

    def x(self, values: Any, ends: tuple[float, float]) -> Any:
        """Return the horizontal positions of values."""
        width = self.width - self.left - self.right
        return self.left + width * (np.asarray(values, dtype=float) - ends[0]) / (ends[1] - ends[0])

    def y(self, values: Any, ends: tuple[float, float]) -> Any:
        """Return the vertical positions of values."""
        floor, tall = self.height - self.bottom, self.height - self.bottom - self.top
        return floor - tall * (np.asarray(values, dtype=float) - ends[0]) / (ends[1] - ends[0])


#: For desktops, and for phones, on which the wide drawing would be only 100 pixels high.
WIDE, NARROW = Frame(720, 340), Frame(345, 300, left=48, right=8)


def both(draw: Callable[[Frame], str], frames: tuple[Frame, Frame] = (WIDE, NARROW)) -> str:
    """Return a drawing for wide screens and one for narrow screens; a page shows one of them."""
    wide, narrow = map(draw, frames)
    return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'


def charted(chart: Chart, *, height: float = 1.0) -> str:
    """Return the drawings of a chart with its legend; `height` is relative to the default."""

    def draw(frame: Frame) -> str:
        return _plot(chart, frame._replace(height=round(height * frame.height)))

    return both(draw) + _legend(chart)


def _plot(chart: Chart, frame: Frame) -> str:
    scale = np.log if chart.logarithmic else np.asarray
    low, high = map(float, scale(chart.y_range))

    def y(values: Any) -> Any:
        return frame.y(scale(chart.clipped(values)), (low, high))

    def points(x: Any, y_range: Any) -> str:
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y(y_range), strict=True))

    parts = []
    for level, text in chart.y_tick_labels():
        at, end = y(level), frame.width - frame.right
        parts.append(
            f'<line class="grid" x1="{frame.left}" x2="{end}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text x="{frame.left - 6}" y="{at + 4:.1f}" text-anchor="end">{text}</text>'
        )
    for column, text in chart.x_tick_labels(max(3, frame.width // 130)):
        at = frame.x(column, chart.x_range)
        anchor = "end" if at > frame.width - 30 else "middle"
        place = f'x="{at:.1f}" y="{frame.height - 12}" text-anchor="{anchor}"'
        parts.append(f"<text {place}>{text}</text>")
    for mark in chart.back_to_front:
        x = frame.x(np.minimum(mark.x, chart.x_range[1]), chart.x_range)
        if mark.y is None:
            tall = frame.height - frame.bottom - frame.top
            box = f'x="{x[0]:.1f}" y="{frame.top}" width="{max(x[1] - x[0], 1.5):.1f}"'
            title = f"<title>{html.escape(mark.tooltip)}</title>"
            parts.append(f'<rect {_look(mark)} {box} height="{tall}">{title}</rect>')
        elif mark.low is not None:
            edge = f"{points(x, mark.y)} {points(x[::-1], mark.low[::-1])}"
            parts.append(f'<polygon {_look(mark)} points="{edge}"/>')
        else:
            parts.append(f'<polyline {_look(mark)} points="{points(x, mark.y)}"/>')
            dots = zip(x, y(mark.y), strict=True) if mark.dots else ()
            look = f'r="4" fill="{mark.colour}"'
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" {look}/>' for a, b in dots]
    return frame.drawn(chart.title, parts)


def _look(mark: Mark) -> str:
    """Return the style attributes of a line or a filled shape."""
    alpha = "" if mark.alpha == 1.0 else f' opacity="{mark.alpha:g}"'
    if mark.depth < 2:
        return f'fill="{mark.colour}"{alpha}'
    dash = f' stroke-dasharray="{" ".join(f"{one:g}" for one in mark.dash)}"' if mark.dash else ""
    return f'stroke="{mark.colour}" stroke-width="{mark.width:g}"{dash}{alpha}'


def _legend(chart: Chart) -> str:
    """Return the legend: each name with a sample of its mark."""
    listed = []
    for name, mark in chart.legend.items():
        shape = (
            'line x2="20" y1="7" y2="7"' if mark.depth == 2 else 'rect y="2" width="20" height="10"'
        )
        key = f'<svg viewBox="0 0 20 14"><{shape} {_look(mark)}/></svg>'
        listed.append(f"<li>{key}{html.escape(name)}</li>")
    return f'<ul class="legend">{"".join(listed)}</ul>'
