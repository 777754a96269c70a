"""Charts in SVG, for pages without network access, scripts and matplotlib."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from firmware_sim.drawing.chart import Chart, Mark


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
